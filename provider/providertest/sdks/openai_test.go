package sdks

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

func parameters() map[string]any { return map[string]any{"type": "object", "properties": schema} }

func TestOpenAIChat(t *testing.T) {
	fake, url := serve(t)
	client := openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("key"), option.WithMaxRetries(0))
	params := openai.ChatCompletionNewParams{
		Model:    "gpt-5.5",
		Tools:    []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "read", Parameters: parameters()})},
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(prompt)},
	}
	for name, ask := range map[string]func(openai.ChatCompletionNewParams) (*openai.ChatCompletion, error){
		"whole": func(p openai.ChatCompletionNewParams) (*openai.ChatCompletion, error) {
			return client.Chat.Completions.New(t.Context(), p)
		},
		"streamed": func(p openai.ChatCompletionNewParams) (*openai.ChatCompletion, error) {
			p.StreamOptions.IncludeUsage = openai.Bool(true)
			var all openai.ChatCompletionAccumulator
			stream := client.Chat.Completions.NewStreaming(t.Context(), p)
			for stream.Next() {
				if !all.AddChunk(stream.Current()) {
					t.Errorf("a piece that belongs to another answer: %s", stream.Current().RawJSON())
				}
			}
			return &all.ChatCompletion, stream.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := params
			c, err := ask(p)
			if err != nil {
				t.Fatal(err)
			}
			m := c.Choices[0].Message
			if m.Content != looked || len(m.ToolCalls) != 2 || m.ToolCalls[1].Function.Arguments != `{"path":"b.go"}` || c.Choices[0].FinishReason != "tool_calls" || c.Usage.PromptTokens == 0 || c.Usage.CompletionTokens == 0 {
				t.Errorf("%+v", c)
			}
			p.Messages = append(p.Messages[:1:1], m.ToParam(), openai.ToolMessage("package a", m.ToolCalls[0].ID), openai.ToolMessage("package b", m.ToolCalls[1].ID))
			if c, err = ask(p); err != nil || c.Choices[0].Message.Content != answer {
				t.Errorf("%+v, %v", c, err)
			}
			p.Messages = []openai.ChatCompletionMessageParamUnion{openai.UserMessage(tooLong())}
			_, err = ask(p)
			var refused *openai.Error
			if !errors.As(err, &refused) || refused.StatusCode != 400 || refused.Code != "context_length_exceeded" || refused.Param != "messages" || !strings.Contains(refused.RawJSON(), "maximum context length is 2000 tokens") {
				t.Errorf("too long: %v", err)
			}
		})
	}
	if page, err := client.Models.List(t.Context()); err != nil || len(page.Data) == 0 || page.Data[0].ID == "" {
		t.Errorf("models: %v", err)
	}
	accepted(t, fake)
}

func TestOpenAIResponses(t *testing.T) {
	fake, url := serve(t)
	client := openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("key"), option.WithMaxRetries(0))
	params := func(items ...responses.ResponseInputItemUnionParam) responses.ResponseNewParams {
		return responses.ResponseNewParams{
			Model: "gpt-5.6-sol", Store: openai.Bool(false), Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
			Tools: []responses.ToolUnionParam{responses.ToolParamOfFunction("read", parameters(), false)},
			Input: responses.ResponseNewParamsInputUnion{OfInputItemList: items},
		}
	}
	said := responses.ResponseInputItemParamOfMessage(prompt, responses.EasyInputMessageRoleUser)
	for name, ask := range map[string]func(responses.ResponseNewParams) (*responses.Response, error){
		"whole": func(p responses.ResponseNewParams) (*responses.Response, error) {
			return client.Responses.New(t.Context(), p)
		},
		"streamed": func(p responses.ResponseNewParams) (*responses.Response, error) {
			var last responses.Response
			stream := client.Responses.NewStreaming(t.Context(), p)
			for stream.Next() {
				last = stream.Current().Response
			}
			return &last, stream.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := ask(params(said))
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Output) != 4 || r.Output[0].AsReasoning().EncryptedContent == "" || r.OutputText() != looked || r.Output[3].AsFunctionCall().Arguments != `{"path":"b.go"}` || r.Status != responses.ResponseStatusCompleted || r.Usage.InputTokens == 0 {
				t.Errorf("%s", r.RawJSON())
			}
			items := []responses.ResponseInputItemUnionParam{said}
			for _, item := range r.Output {
				items = append(items, param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item.RawJSON())))
			}
			for i, text := range []string{"package a", "package b"} {
				item := responses.ResponseInputItemParamOfFunctionCallOutput(text)
				item.OfFunctionCallOutput.CallID = openai.String(r.Output[2+i].AsFunctionCall().CallID)
				items = append(items, item)
			}
			if r, err = ask(params(items...)); err != nil || r.OutputText() != answer {
				t.Errorf("%s, %v", r.RawJSON(), err)
			}
			r, err = ask(params(responses.ResponseInputItemParamOfMessage(tooLong(), responses.EasyInputMessageRoleUser)))
			var refused *openai.Error
			switch {
			case name == "streamed": // it fails inside the 200
				if err != nil || r.Status != responses.ResponseStatusFailed || r.Error.Code != "context_length_exceeded" {
					t.Errorf("too long: %s, %v", r.RawJSON(), err)
				}
			case !errors.As(err, &refused) || refused.StatusCode != 400 || refused.Code != "context_length_exceeded":
				t.Errorf("too long: %v", err)
			}
		})
	}
	n, err := client.Responses.InputTokens.Count(t.Context(), responses.InputTokenCountParams{Model: openai.String("gpt-5.6-sol"), Input: responses.InputTokenCountParamsInputUnion{OfString: openai.String(prompt)}})
	if err != nil || n.InputTokens == 0 {
		t.Errorf("counted %+v, %v", n, err)
	}
	compacted, err := client.Responses.Compact(t.Context(), responses.ResponseCompactParams{Model: "gpt-5.6-sol", Input: responses.ResponseCompactParamsInputUnion{OfResponseInputItemArray: []responses.ResponseInputItemUnionParam{said}}})
	if err != nil || len(compacted.Output) != 2 || compacted.Usage.InputTokens == 0 {
		t.Errorf("compacted: %+v, %v", compacted, err)
	}
	accepted(t, fake)
}
