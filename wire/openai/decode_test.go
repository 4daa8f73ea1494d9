package openai

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
)

// onePixel is the smallest PNG: one pixel.
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func TestChatMessagesAreDecoded(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     message.Message
	}{
		{"a prompt", `{"role":"user","content":"hi"}`, message.Prompt("hi")},
		{"a system prompt", `{"role":"developer","content":[{"type":"text","text":"be kind"}]}`, message.Message{
			Role: message.User, Author: message.ByHarness, Parts: []message.Part{message.Text{Text: "be kind"}},
		}},
		{"an answer with calls", `{"role":"assistant","reasoning_content":"hm","content":"so","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\": 1.0,\"b\":\"\\u00e9\"}"}},{"id":"c2","type":"custom","custom":{"name":"g","input":"free\ntext"}}]}`, message.Message{
			Role: message.Assistant, Author: message.ByModel, Wire: WireChat,
			Parts: []message.Part{
				message.Thinking{Text: "hm"}, message.Text{Text: "so"},
				message.ToolCall{ID: "c1", Name: "f", Arguments: []byte(`{"a": 1.0,"b":"\u00e9"}`)},
				message.ToolCall{ID: "c2", Name: "g", Arguments: []byte(`{"input":"free\ntext"}`)},
			},
		}},
		{"a refusal", `{"role":"assistant","content":null,"refusal":"no"}`, message.Message{
			Role: message.Assistant, Author: message.ByModel, Wire: WireChat, Stop: message.StopRefusal,
			Parts: []message.Part{message.Opaque{Format: WireChat, Raw: []byte(`{"type":"refusal","refusal":"no"}`)}},
		}},
		{"a result", `{"role":"tool","tool_call_id":"c1","content":"done"}`,
			message.Results(message.ToolResult{CallID: "c1", Content: []message.Content{message.Text{Text: "done"}}})},
		{"a call of 2023", `{"role":"assistant","content":"","function_call":{"name":"f","arguments":"{}"}}`, message.Message{
			Role: message.Assistant, Author: message.ByModel, Wire: WireChat,
			Parts: []message.Part{message.Text{}, message.ToolCall{ID: "function_f", Name: "f", Arguments: []byte("{}")}},
		}},
		{"its result", `{"role":"function","name":"f","content":"done"}`,
			message.Results(message.ToolResult{CallID: "function_f", Name: "f", Content: []message.Content{message.Text{Text: "done"}}})},
		{"parts", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://x/y.png"}},{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,cGRm"}},{"type":"file","file":{"file_id":"f1"}},{"type":"input_audio","input_audio":{"data":"x"}}]}`, message.Message{
			Role: message.User, Author: message.ByPerson,
			Parts: []message.Part{
				message.Image{Media: message.Media{URL: "http://x/y.png"}},
				message.Document{Media: message.Media{Type: "application/pdf", Data: []byte("pdf"), Size: 3, Name: "a.pdf"}},
				message.Opaque{Format: WireChat, Raw: []byte(`{"type":"file","file":{"file_id":"f1"}}`)},
				message.Opaque{Format: WireChat, Raw: []byte(`{"type":"input_audio","input_audio":{"data":"x"}}`)},
			},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := DecodeChat([]byte(test.in))
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %+v (%v)\nwant %+v", got, err, test.want)
			}
		})
	}
}

func TestImagesInDataURLsAreMeasured(t *testing.T) {
	m, err := DecodeChat([]byte(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + onePixel + `"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if img := m.Parts[0].(message.Image); img.Type != "image/png" || img.WidthPx != 1 || img.HeightPx != 1 || len(img.Data) == 0 {
		t.Errorf("image %+v", img)
	}
}

func TestItemsAreDecoded(t *testing.T) {
	item := `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gA=="}`
	bare := `{"type":"reasoning","summary":[],"encrypted_content":"gA=="}`
	for _, test := range []struct {
		name, in string
		want     message.Message
	}{
		{"a prompt", `{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}`, message.Prompt("hi")},
		{"an easy message", `{"role":"user","content":"hi"}`, message.Prompt("hi")},
		{"instructions", `{"type":"message","role":"developer","content":[{"type":"input_text","text":"be kind"}]}`, message.Message{
			Role: message.User, Author: message.ByHarness, Parts: []message.Part{message.Text{Text: "be kind"}},
		}},
		{"an answer", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"so","annotations":[]},{"type":"refusal","refusal":"no"}]}`,
			answered(message.Text{Text: "so"}, message.Opaque{Format: WireResponses, Raw: []byte(`{"type":"refusal","refusal":"no"}`)})},
		{"reasoning", item, answered(message.Thinking{Text: "hm", Signature: "gA==", Raw: []byte(item)})},
		{"reasoning that can be made again", bare, answered(message.Thinking{Signature: "gA=="})},
		{"a call", `{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{\"a\" :1}"}`,
			answered(message.ToolCall{ID: "c1", Name: "f", Arguments: []byte(`{"a" :1}`)})},
		{"a call with an object", `{"type":"function_call","call_id":"c1","name":"f","arguments":{"a" :1}}`,
			answered(message.ToolCall{ID: "c1", Name: "f", Arguments: []byte(`{"a" :1}`)})},
		{"a custom call", `{"type":"custom_tool_call","call_id":"c1","name":"apply_patch","input":"*** Begin\u0041"}`,
			answered(message.ToolCall{ID: "c1", Name: "apply_patch", Arguments: []byte(`{"input":"*** Begin\u0041"}`)})},
		{"a shell call", `{"type":"local_shell_call","call_id":"c1","action":{"type":"exec","command":["ls"]}}`,
			answered(message.ToolCall{ID: "c1", Name: "local_shell", Arguments: []byte(`{"type":"exec","command":["ls"]}`)})},
		{"a result", `{"type":"function_call_output","call_id":"c1","output":"done"}`,
			message.Results(message.ToolResult{CallID: "c1", Content: []message.Content{message.Text{Text: "done"}}})},
		{"a result of parts", `{"type":"custom_tool_call_output","call_id":"c1","output":[{"type":"input_text","text":"done"}]}`,
			message.Results(message.ToolResult{CallID: "c1", Content: []message.Content{message.Text{Text: "done"}}})},
		{"a failed result of 2025", `{"type":"function_call_output","call_id":"c1","output":{"content":"oops","success":false}}`,
			message.Results(message.ToolResult{CallID: "c1", Outcome: message.Failed, Content: []message.Content{message.Text{Text: "oops"}}})},
		{"the provider's own", `{"type":"web_search_call","id":"ws"}`,
			answered(message.Opaque{Format: WireResponses, Raw: []byte(`{"type":"web_search_call","id":"ws"}`)})},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := DecodeItem([]byte(test.in))
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %+v (%v)\nwant %+v", got, err, test.want)
			}
		})
	}
}

func TestItemsOfAnAnswerAreJoined(t *testing.T) {
	var all []message.Message
	for _, m := range []message.Message{message.Prompt("go"), answered(message.Text{Text: "a"}), answered(message.ToolCall{ID: "c"}), message.Results(message.ToolResult{CallID: "c"}), answered(message.Text{Text: "b"})} {
		all = Join(all, m)
	}
	if len(all) != 4 || len(all[1].Parts) != 2 {
		t.Errorf("got %+v", all)
	}
}

func TestWhatIsNoMessageIsRefused(t *testing.T) {
	for in, want := range map[string]string{
		`{"role":"oracle","content":"x"}`:                                        `role "oracle"`,
		`{"role":"user","content":[7]}`:                                          "content[0]",
		`{"role":"assistant","tool_calls":[{"id":"x"}]}`:                         "neither a function",
		`{"role":"assistant","tool_calls":[{"function":{"arguments":"\ud83d"}}]`: "invalid JSON",
	} {
		if _, err := DecodeChat([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", in, err)
		}
	}
	if _, err := DecodeItem([]byte(`{"type":"message","role":"oracle"}`)); err == nil {
		t.Error("an item of an unknown role was taken")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"role":"assistant","content":[{"type":"text","text":"\ud800"}],"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{"}}]}`))
	f.Add([]byte(`{"type":"reasoning","summary":[{"text":"a"}],"encrypted_content":"x"}`))
	f.Add([]byte(`{"type":"function_call_output","output":{"content":[{"type":"input_image","image_url":"data:image/png;base64,AA=="}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, decode := range []func([]byte) (message.Message, error){DecodeChat, DecodeItem} {
			m, err := decode(data)
			if err != nil {
				continue
			}
			if !rawjson.Valid(data) {
				t.Fatalf("%q is no JSON, but decoded as %+v", data, m)
			}
			body, _ := message.Encode(m)
			if _, err := message.Decode(body, nil); err != nil && !strings.Contains(err.Error(), "no way to fetch") {
				t.Fatalf("%q: %v", data, err)
			}
		}
	})
}
