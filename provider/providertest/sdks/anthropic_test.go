package sdks

import (
	"errors"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

func TestAnthropic(t *testing.T) {
	fake, url := serve(t)
	client := anthropic.NewClient(option.WithBaseURL(url), option.WithAPIKey("key"), option.WithMaxRetries(0))
	tools := []anthropic.ToolUnionParam{anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{Properties: schema}, "read")}
	params := anthropic.MessageNewParams{Model: "claude-opus-5-5", MaxTokens: 500, Tools: tools, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(prompt))}}

	for name, ask := range map[string]func(anthropic.MessageNewParams) (*anthropic.Message, error){
		"whole": func(p anthropic.MessageNewParams) (*anthropic.Message, error) {
			return client.Messages.New(t.Context(), p)
		},
		"streamed": func(p anthropic.MessageNewParams) (*anthropic.Message, error) {
			var m anthropic.Message
			stream := client.Messages.NewStreaming(t.Context(), p)
			for stream.Next() {
				if err := m.Accumulate(stream.Current()); err != nil {
					return nil, err
				}
			}
			return &m, stream.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := params
			m, err := ask(p)
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Content) != 4 || m.Content[0].Thinking != "I shall look." || m.Content[1].Text != looked || string(m.Content[3].Input) != `{"path":"b.go"}` || m.StopReason != anthropic.StopReasonToolUse || m.Usage.InputTokens == 0 || m.Usage.OutputTokens == 0 {
				t.Errorf("%s", m.RawJSON())
			}
			p.Messages = append(p.Messages[:1:1], m.ToParam(), anthropic.NewUserMessage(
				anthropic.NewToolResultBlock(m.Content[2].ID, "package a", false), anthropic.NewToolResultBlock(m.Content[3].ID, "package b", false)))
			if m, err = ask(p); err != nil {
				t.Fatal(err)
			}
			if len(m.Content) != 1 || m.Content[0].Text != answer || m.StopReason != anthropic.StopReasonEndTurn {
				t.Errorf("%s", m.RawJSON())
			}
			p = params
			p.Messages = []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(tooLong()))}
			_, err = ask(p)
			var refused *anthropic.Error
			if !errors.As(err, &refused) || refused.StatusCode != 400 || !strings.Contains(refused.RawJSON(), `"message":"prompt is too long: `) || !strings.Contains(refused.RawJSON(), `"request_id":"req_`) {
				t.Errorf("too long: %v", err)
			}
		})
	}
	n, err := client.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{Model: "claude-opus-5-5", Messages: params.Messages})
	if err != nil || n.InputTokens == 0 {
		t.Errorf("counted %+v, %v", n, err)
	}
	if page, err := client.Models.List(t.Context(), anthropic.ModelListParams{}); err != nil || len(page.Data) == 0 || page.Data[0].ID == "" {
		t.Errorf("models: %v", err)
	}
	accepted(t, fake)
}
