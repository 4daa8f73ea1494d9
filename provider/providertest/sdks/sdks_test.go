package sdks

import (
	"net/http/httptest"
	"testing"

	"github.com/stemma-history/stemma/provider/providertest"
)

// serve starts a server on which a model thinks and reads two files, and then
// answers; its window is small.
func serve(t *testing.T) (*providertest.Server, string) {
	fake := providertest.New(providertest.Config{Window: 2000, Script: func(a providertest.Ask) providertest.Answer {
		if len(a.Results()) == 2 {
			return providertest.Say("Both were read: " + a.Results()[1].PlainText())
		}
		return providertest.Answer{}.Think("I shall look.").Say("Looking – 見る.").Call("read", `{"path":"a.go"}`).Call("read", `{"path":"b.go"}`)
	}})
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	return fake, server.URL
}

const (
	prompt = "What is in a and b?"
	looked = "Looking – 見る."
	answer = "Both were read: package b"
)

// tooLong is a prompt over the window.
func tooLong() string { return providertest.Words(4000) }

var schema = map[string]any{"path": map[string]any{"type": "string"}}

// accepted checks that nothing was refused but what was too long.
func accepted(t *testing.T, fake *providertest.Server) {
	t.Helper()
	for _, r := range fake.Journal() {
		if r.Refused != "" && !r.Overflow || r.Dropped > 0 {
			t.Errorf("request %d: refused %q, %d dropped", r.Number, r.Refused, r.Dropped)
		}
	}
}
