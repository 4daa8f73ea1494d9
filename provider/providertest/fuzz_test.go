package providertest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stemma-history/stemma/wire/anthropic"
)

// FuzzBodies sends anything over every wire: there is always an answer, and
// never one of 500.
func FuzzBodies(f *testing.F) {
	for wireName := range paths {
		path, body := streamed(wireName)
		f.Add(path, body)
		f.Add(paths[wireName], hello[wireName])
	}
	f.Add("/v1/messages/count_tokens", `{"model":"claude-opus-5-5","tools":[{"name":"a","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aaaa"}}]}]}`)
	f.Add("/v1/responses/compact", `{"model":"gpt-5.5","instructions":"x","input":[{"role":"user","content":[{"type":"input_text","text":"x"}]},{"type":"reasoning","summary":[],"encrypted_content":"aaaa"},{"type":"function_call","call_id":"a","name":"b","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":"c"}]}`)
	f.Add("/v1/chat/completions", `{"model":"gpt-5.5","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"b","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"x"}]}]}`)
	f.Add("/api/chat", `{"model":"x","options":{"num_ctx":-1},"messages":[{"role":"user","content":"x","images":["aaaa"]},{"role":"assistant","tool_calls":[{"function":{"name":"a","arguments":{}}}]}]}`)
	f.Add("/v1/chat/completions", `{"model":"claude-opus-5-5","messages":[{"role":"assistant","content":"x","reasoning_details":[{"type":"reasoning.text","text":"x","signature":"aaaa"},7]},{"role":"user","content":"x"}]}`)
	var servers []*Server
	for _, name := range []string{"ollama", "openrouter"} {
		d, err := DialectNamed(name)
		if err != nil {
			f.Fatal(err)
		}
		servers = append(servers, New(Config{Loose: true, Dialect: d}))
	}
	f.Fuzz(func(t *testing.T, path, body string) {
		for _, s := range servers {
			if answer := asked(t, s, path, body); answer.Code == 500 && !strings.Contains(body, "fail") || answer.Code == 0 {
				t.Errorf("%d %s", answer.Code, answer.Body)
			}
		}
	})
}

// asked is what a server answers to a client that does not wait.
func asked(t *testing.T, s *Server, path, body string) (answer *httptest.ResponseRecorder) {
	gone, cancel := context.WithCancel(t.Context())
	cancel() // nothing hangs for long
	r := httptest.NewRequestWithContext(gone, http.MethodPost, "/", strings.NewReader(body))
	r.URL.Path = path
	r.Header.Set("x-api-key", "key")
	r.Header.Set("anthropic-version", "2023-06-01")
	answer = httptest.NewRecorder()
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler { //nolint:errorlint // it is this very value
			panic(p)
		}
	}()
	s.ServeHTTP(answer, r)
	return answer
}

func TestManyClientsAreServedAtATime(t *testing.T) {
	c := serve(t, Config{})
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for range 5 {
				if status, answer, err := c.post(paths[anthropic.Wire], hello[anthropic.Wire]); status != 200 || err != nil {
					t.Errorf("%d %v %s", status, err, answer)
				}
			}
		})
	}
	clients.Wait()
	numbers := make([]int, 0, 40)
	for _, r := range c.Journal() {
		numbers = append(numbers, r.Number)
	}
	if len(numbers) != 40 || !slices.IsSorted(numbers) {
		t.Errorf("recorded: %v", numbers)
	}
}
