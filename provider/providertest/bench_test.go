package providertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wires"
)

// BenchmarkALongConversation is one more request of a conversation of about
// 200,000 tokens, over each wire, without the network: what a test of a long run
// pays for each of its requests.
func BenchmarkALongConversation(b *testing.B) {
	for wireName, model := range checking {
		b.Run(wireName, func(b *testing.B) {
			w, err := wires.Named(wireName)
			if err != nil {
				b.Fatal(err)
			}
			r := wire.Request{Frame: wire.Frame{Wire: wireName, Model: model, System: []string{"Be brief."}}, MaxOutput: 1000}
			for i := range 1000 {
				call := message.ToolCall{ID: fmt.Sprint("call_", i), Name: "read", Arguments: []byte(`{"path":"a.go"}`)}
				result := message.ToolResult{CallID: call.ID, Name: "read", Content: []message.Content{message.Text{Text: fmt.Sprint(i, Words(140))}}}
				for _, m := range []message.Message{message.Prompt("Go on."), {Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{call}}, message.Results(result)} {
					r.View.Messages = append(r.View.Messages, wire.Message{Message: m})
				}
			}
			body, err := w.Encode(r)
			if err != nil {
				b.Fatal(err)
			}
			s := New(Config{Script: In(Answer{}.Think("Hm.").Say("Done."))})
			path := strings.Replace(paths[wireName], "gemini-3.1-pro", model, 1)
			post := func() {
				request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(string(body.JSON)))
				request.Header.Set("x-api-key", "key")
				request.Header.Set("anthropic-version", "2023-06-01")
				answer := httptest.NewRecorder()
				s.ServeHTTP(answer, request)
				if answer.Code != http.StatusOK {
					b.Fatal(answer.Body.String())
				}
			}
			post() // what follows has seen all but the last block before
			b.ReportAllocs()
			b.SetBytes(int64(len(body.JSON)))
			for b.Loop() {
				post()
			}
			b.ReportMetric(float64(s.Journal()[0].Tokens), "tokens")
		})
	}
}
