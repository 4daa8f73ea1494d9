package gemini

import (
	"encoding/base64"
	"reflect"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

var png, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==")

func TestPartsAreDecoded(t *testing.T) {
	image := message.Image{Media: message.Media{Type: "image/png", Data: png, Size: int64(len(png))}, WidthPx: 2, HeightPx: 3}
	inline := `{"inlineData":{"mimeType":"image/png","data":"` + base64.StdEncoding.EncodeToString(png) + `"}}`
	for _, c := range []struct {
		name, part string
		want       message.Part
	}{
		{"text", `{"text":"a\u00e9"}`, message.Text{Text: "aé"}},
		{"a string", `"hi"`, message.Text{Text: "hi"}},
		{"text with a signature", `{"text":"","thoughtSignature":"Cm4B+/=="}`, message.Text{Signature: "Cm4B+/=="}},
		{"a thought", `{"thought":true,"text":"hm","thoughtSignature":"s"}`, message.Thinking{Text: "hm", Signature: "s"}},
		{"no thought", `{"thought":false,"text":"hm"}`, message.Text{Text: "hm"}},
		{"a call keeps its bytes", `{"functionCall":{"id":"c","name":"ls","args":{"z":1.0, "a":"\u003c"}},"thoughtSignature":"s=="}`,
			message.ToolCall{ID: "c", Name: "ls", Arguments: []byte(`{"z":1.0, "a":"\u003c"}`), Signature: "s=="}},
		{"a call without arguments", `{"functionCall":{"name":"ls"}}`, message.ToolCall{Name: "ls"}},
		{"an output", `{"functionResponse":{"id":"c","name":"ls","response":{"output":"a\nb"}}}`,
			message.ToolResult{CallID: "c", Name: "ls", Content: []message.Content{message.Text{Text: "a\nb"}}}},
		{"an error", `{"functionResponse":{"id":"c","response":{"error":"gone"}}}`,
			message.ToolResult{CallID: "c", Outcome: message.Failed, Content: []message.Content{message.Text{Text: "gone"}}}},
		{"another form", `{"functionResponse":{"id":"c","response":{"output":"x", "more":[1]}}}`,
			message.ToolResult{CallID: "c", Content: []message.Content{message.Text{Text: `{"output":"x", "more":[1]}`}}}},
		{"an output that is no text", `{"functionResponse":{"id":"c","response":{"output":{"a":1}}}}`,
			message.ToolResult{CallID: "c", Content: []message.Content{message.Text{Text: `{"output":{"a":1}}`}}}},
		{"no output", `{"functionResponse":{"id":"c","response":{}}}`, message.ToolResult{CallID: "c"}},
		{"an output with an image", `{"functionResponse":{"id":"c","response":{"output":"see"},"parts":[` + inline + `]}}`,
			message.ToolResult{CallID: "c", Content: []message.Content{message.Text{Text: "see"}, image}}},
		{"an image", inline, image},
		{"a document", `{"inlineData":{"mimeType":"application/pdf","data":"AAE="}}`,
			message.Document{Media: message.Media{Type: "application/pdf", Data: []byte{0, 1}, Size: 2}}},
		{"a link to an image", `{"fileData":{"mimeType":"image/png","fileUri":"gs://x"}}`, message.Image{Media: message.Media{Type: "image/png", URL: "gs://x"}}},
		{"a link to a video", `{"fileData":{"mimeType":"video/mp4","fileUri":"gs://x"}}`, message.Document{Media: message.Media{Type: "video/mp4", URL: "gs://x"}}},
		{"a kind that is not known", `{"executableCode":{"code":"1"} }`, message.Opaque{Format: "gemini", Raw: []byte(`{"executableCode":{"code":"1"} }`)}},
		{"damaged bytes", `{"inlineData":{"mimeType":"image/png","data":"!"}}`, message.Opaque{Format: "gemini", Raw: []byte(`{"inlineData":{"mimeType":"image/png","data":"!"}}`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := DecodePart([]byte(c.part))
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %#v (%v), want %#v", got, err, c.want)
			}
		})
	}
}

func TestAListOfPartsMayBeOneOrNone(t *testing.T) {
	for value, want := range map[string]int{`null`: 0, ``: 0, `[]`: 0, `"x"`: 1, `{"text":"x"}`: 1, `["x",{"text":"y"}]`: 2} {
		if got, err := DecodeParts([]byte(value)); err != nil || len(got) != want {
			t.Errorf("%s: %d parts, %v", value, len(got), err)
		}
	}
	for _, value := range []string{`[{"text":"x"},{]`, `12`, `[{"functionCall":1}]`, `{"functionResponse":{"parts":[3]}}`} {
		if _, err := DecodeParts([]byte(value)); err == nil {
			t.Errorf("%s was accepted", value)
		}
	}
}

func TestResultsAreAMessageOfTheirOwn(t *testing.T) {
	parts := []message.Part{message.Text{Text: "and"}, message.ToolResult{CallID: "c"}, message.Text{Text: "more"}}
	split := SplitRoles("user", parts)
	if len(split) != 2 || split[0].Role != message.Tool || split[0].Author != message.ByTool || len(split[0].Parts) != 1 ||
		split[1].Role != message.User || split[1].Author != message.ByPerson || len(split[1].Parts) != 2 {
		t.Errorf("%+v", split)
	}
	if split := SplitRoles("model", parts[:1]); len(split) != 1 || split[0].Role != message.Assistant || split[0].Wire != "gemini" {
		t.Errorf("%+v", split)
	}
}

func TestUsageSaysWhatCameFromTheCache(t *testing.T) {
	got := DecodeUsage([]byte(`{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":5,"thoughtsTokenCount":7,"toolUsePromptTokenCount":3,"totalTokenCount":115}`))
	if want := (history.Usage{Input: 43, CacheRead: 60, Output: 12, Reasoning: 7}); got == nil || *got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, none := range []string{``, `null`, `{}`, `{"promptTokenCount":0}`} {
		if got := DecodeUsage([]byte(none)); got != nil {
			t.Errorf("%s: %+v", none, got)
		}
	}
}

func FuzzDecodeParts(f *testing.F) {
	f.Add([]byte(`[{"text":"x"},{"functionCall":{"name":"a","args":{}}},{"functionResponse":{"response":{"output":""}}},{"inlineData":{"data":"AA=="}}]`))
	f.Fuzz(func(t *testing.T, value []byte) {
		parts, err := DecodeParts(value)
		again, _ := DecodeParts(value)
		if !reflect.DeepEqual(parts, again) {
			t.Fatal("decoding again gives other parts")
		}
		if err == nil {
			message.Encode(message.Message{Role: message.User, Author: message.ByPerson, Parts: parts})
		}
	})
}
