// Package streamtest plays a server of one provider, reply by reply.
package streamtest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wires"
)

// A Reply is what the server answers.
type Reply struct {
	Status int // Default: 200
	Header http.Header
	Body   string
	// Type is the media type. Default: that of an event stream, or of JSON where
	// the status is no success.
	Type string
	// Piece is how many bytes are sent at once, wherever that cuts a character.
	// Default: all.
	Piece int
	// Cut closes the connection where the body ends.
	Cut bool
	// Hang keeps the connection open, in silence, until the client leaves.
	Hang bool
}

// A Request is what the server was sent.
type Request struct {
	URL    string
	Header http.Header
	Body   []byte
	// Length is what the header of that name says.
	Length int64
	// Remote is the address of the connection.
	Remote string
}

// Behind returns what a request has behind a body, and fails where it does not
// begin with that.
func (r Request) Behind(t testing.TB, body wire.Body) string {
	t.Helper()
	tail, isPrefix := strings.CutPrefix(string(r.Body), string(body.JSON[:len(body.JSON)-1]))
	if !isPrefix {
		t.Errorf("sent %s\nwhich does not begin with the body %s", r.Body, body.JSON)
	}
	return tail
}

// Accepted fails where the API of a wire would refuse a request. A strict one
// takes no member that it does not know.
func (r Request) Accepted(t testing.TB, w wires.Wire, strict bool) {
	t.Helper()
	limits := w.Limits()
	limits.StrictKeys, limits.Betas = strict, r.Header["Anthropic-Beta"]
	if refusal := w.Check(r.Body, limits); refusal != nil {
		t.Errorf("the API would refuse it: %v\n%s", refusal, r.Body)
	}
}

// A Server gives its replies in turn, and the last one for ever.
type Server struct {
	URL string

	mu       sync.Mutex
	requests []Request
	replies  []Reply
}

// Serve starts a server for the time of a test.
func Serve(t testing.TB, replies ...Reply) *Server {
	s := &Server{replies: replies}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Requests returns what has been asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Last returns the latest request.
func (s *Server) Last(t testing.TB) Request {
	t.Helper()
	all := s.Requests()
	if len(all) == 0 {
		t.Fatal("nothing was asked")
	}
	return all[len(all)-1]
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	reply := s.replies[min(len(s.requests), len(s.replies)-1)]
	s.requests = append(s.requests, Request{URL: r.URL.String(), Header: r.Header, Body: body, Length: r.ContentLength, Remote: r.RemoteAddr})
	s.mu.Unlock()
	status := reply.Status
	if status == 0 {
		status = http.StatusOK
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	if status != http.StatusOK {
		w.Header().Set("Content-Type", "application/json")
	}
	if reply.Type != "" {
		w.Header().Set("Content-Type", reply.Type)
	}
	for name, values := range reply.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(status)
	send(w, reply)
	switch {
	case reply.Cut:
		panic(http.ErrAbortHandler)
	case reply.Hang:
		<-r.Context().Done()
	}
}

func send(w http.ResponseWriter, reply Reply) {
	flush := w.(http.Flusher).Flush
	piece := reply.Piece
	if piece == 0 {
		piece = max(len(reply.Body), 1)
	}
	for rest := reply.Body; rest != ""; {
		n := min(piece, len(rest))
		_, _ = io.WriteString(w, rest[:n])
		rest = rest[n:]
		flush()
	}
	flush()
}

// Events writes a stream of server-sent events of JSON.
func Events(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "data: %s\n\n", e)
	}
	return b.String()
}

// Prompt is a request of one prompt to a model, with a tool and room for an
// answer.
func Prompt(t testing.TB, w wires.Wire, model, prompt string) provider.Request {
	t.Helper()
	return After(t, w, model, message.Prompt(prompt))
}

// After is a request with messages.
func After(t testing.TB, w wires.Wire, model string, messages ...message.Message) provider.Request {
	t.Helper()
	body, err := w.Encode(Frame(w, model, messages...))
	if err != nil {
		t.Fatal(err)
	}
	return provider.Request{Model: model, Body: body}
}

// Frame is [After] before it is encoded.
func Frame(w wires.Wire, model string, messages ...message.Message) wire.Request {
	r := wire.Request{
		Frame:     wire.Frame{Model: model, Wire: w.Name, System: []string{"be brief"}, Tools: []wire.Tool{{Name: "read", Schema: []byte(`{"type":"object"}`)}}},
		MaxOutput: 32_000,
	}
	for i, m := range messages {
		r.View.Messages = append(r.View.Messages, wire.Message{Message: m, At: history.Handle{Depth: i + 1}})
	}
	return r
}

// Shown collects what is shown, a line a piece.
func Shown(into *[]string) func(provider.Delta) {
	return func(d provider.Delta) {
		*into = append(*into, fmt.Sprintf("%d %s %s", d.Part, [...]string{"text", "thinking", "call", "arguments"}[d.Kind], d.Text))
	}
}

// ReadsWhole holds an answer to what should come of a reply, whatever its pieces
// cut: characters, lines, events.
func ReadsWhole(t *testing.T, reply Reply, send func(*testing.T, Reply) (provider.Answer, []string, error), want provider.Answer, shown []string) {
	t.Helper()
	want.Message.Role, want.Message.Author = message.Assistant, message.ByModel
	for _, reply.Piece = range []int{0, 1, 5, 7} {
		a, lines, err := send(t, reply)
		switch {
		case err != nil:
			t.Errorf("in pieces of %d: %v", reply.Piece, err)
		case !reflect.DeepEqual(a, want):
			t.Errorf("in pieces of %d:\n%+q %+v, %d dropped\nwant\n%+q %+v, %d dropped", reply.Piece, a.Message.Parts, a.Usage, a.Dropped, want.Message.Parts, want.Usage, want.Dropped)
		case !slices.Equal(lines, shown):
			t.Errorf("in pieces of %d: shown %q\nwant %q", reply.Piece, lines, shown)
		}
	}
}
