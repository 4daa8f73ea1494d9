package providertest

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/gemini"
	"github.com/stemma-history/stemma/wire/openai"
	"github.com/stemma-history/stemma/wire/wires"
)

// A client posts bodies to a server.
type client struct {
	testing.TB
	*Server
	http *httptest.Server
}

func serve(t testing.TB, c Config) *client {
	s := New(c)
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return &client{t, s, h}
}

// paths are those that generate, by wire.
var paths = map[string]string{
	anthropic.Wire:       "/v1/messages",
	openai.WireChat:      "/v1/chat/completions",
	openai.WireResponses: "/v1/responses",
	gemini.Wire:          "/v1beta/models/gemini-3.1-pro:generateContent",
	wireOllama:           "/api/chat",
}

func (c *client) request(path, body string, headers ...string) *http.Request {
	r, err := http.NewRequest(http.MethodPost, c.http.URL+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	r.Header.Set("x-api-key", "key")
	r.Header.Set("anthropic-version", "2023-06-01")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	return r
}

// post returns the status and what was read of the body, with the error that
// ended it.
func (c *client) post(path, body string, headers ...string) (status int, answer string, err error) {
	response, err := c.http.Client().Do(c.request(path, body, headers...))
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return response.StatusCode, string(data), err
}

// must posts a body that is accepted.
func (c *client) must(path, body string, headers ...string) string {
	c.Helper()
	status, answer, err := c.post(path, body, headers...)
	if err != nil || status != http.StatusOK {
		c.Fatalf("%d %v: %s", status, err, answer)
	}
	return answer
}

// refused posts a body that is not.
func (c *client) refused(path, body string, headers ...string) (status int, words string) {
	c.Helper()
	status, answer, err := c.post(path, body, headers...)
	if err != nil || status == http.StatusOK {
		c.Fatalf("%d %v: %s", status, err, answer)
	}
	return status, textAt([]byte(answer), "error", "message")
}

// A dialogue is a small agent: it sends all that was said over a wire, keeps
// the answer, and runs every tool to the same result.
type dialogue struct {
	*client
	wire  wires.Wire
	frame wire.Frame
	view  wire.View
	seals bool // the model checks its thinking
}

func (c *client) dialogue(wireName, model string) *dialogue {
	w, err := wires.Named(wireName)
	if err != nil {
		c.Fatal(err)
	}
	return &dialogue{client: c, wire: w, seals: true, frame: wire.Frame{
		Wire: wireName, Model: model, System: []string{"Be brief."},
		Tools: []wire.Tool{{Name: "read", Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
	}}
}

func (d *dialogue) request() wire.Request {
	return wire.Request{Frame: d.frame, View: d.view, MaxOutput: 1000, ChecksThinking: d.seals}
}

func (d *dialogue) say(m message.Message, seals ...message.Hash) {
	d.view.Messages = append(d.view.Messages, wire.Message{Message: m, At: history.Handle{Depth: len(d.view.Messages) + 1}, Seals: seals})
}

// ask sends what was said and keeps the answer; it returns the refusal, if any.
func (d *dialogue) ask() (refusal string) {
	d.Helper()
	r := d.request()
	body, err := d.wire.Encode(r)
	if err != nil {
		d.Fatal(err)
	}
	json := string(body.JSON)
	status, answer, err := d.post(d.path(), json)
	if err != nil {
		d.Fatal(err)
	}
	if status != http.StatusOK {
		return fmt.Sprint(status, " ", answer)
	}
	m := d.decode([]byte(answer))
	m.Wire, m.Model = d.frame.Wire, d.frame.Model
	seals, err := d.wire.Seals(r, m)
	if err != nil {
		d.Fatal(err)
	}
	d.say(m, seals...)
	return ""
}

func (d *dialogue) path() string {
	if d.wire.Name == gemini.Wire {
		return "/v1beta/models/" + d.frame.Model + ":generateContent"
	}
	return paths[d.wire.Name]
}

func (d *dialogue) decode(answer []byte) message.Message {
	m := message.Message{Role: message.Assistant, Author: message.ByModel}
	var err error
	switch d.wire.Name {
	case anthropic.Wire:
		m.Parts, err = anthropic.DecodeContent(get(answer, "content"))
	case openai.WireChat:
		elements(get(answer, "choices"), func(v []byte) { m, err = openai.DecodeChat(get(v, "message")) })
	case openai.WireResponses:
		elements(get(answer, "output"), func(v []byte) {
			item, e := openai.DecodeItem(v)
			m.Parts, err = append(m.Parts, item.Parts...), e
		})
	case gemini.Wire:
		elements(get(answer, "candidates"), func(v []byte) { m.Parts, err = gemini.DecodeParts(get(v, "content", "parts")) })
	}
	if err != nil {
		d.Fatal(err)
	}
	return m
}

// results answers the calls of the last answer, and reports whether there were
// any.
func (d *dialogue) results(text string) bool {
	var results []message.ToolResult
	for _, c := range d.view.Messages[len(d.view.Messages)-1].Calls {
		results = append(results, message.ToolResult{CallID: c.ID, Name: c.Name, Content: []message.Content{message.Text{Text: text}}})
	}
	if results != nil {
		d.say(message.Results(results...))
	}
	return results != nil
}

// exchange goes from a prompt to the end of the answer.
func (d *dialogue) exchange(prompt, result string) {
	d.Helper()
	d.say(message.Prompt(prompt))
	for {
		if refusal := d.ask(); refusal != "" {
			d.Fatalf("exchange %q: %s", prompt, refusal)
		}
		if !d.results(result) {
			return
		}
	}
}

// reads thinks, calls a tool twice, and then answers.
func reads(a Ask) Answer {
	if len(a.Results()) > 0 {
		return Answer{}.Think("Both were read.").Say("Read " + a.Prompt())
	}
	return Answer{}.Think("I shall look.").Say("Looking.").Call("read", `{"path": "a.go"}`).Call("read", `{"path": "b.go"}`)
}

// A clock stands still until it is moved.
type clock struct{ time.Time }

func newClock() *clock { return &clock{time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time { return c.Time }

func (c *clock) pass(d time.Duration) { c.Time = c.Add(d) }

func pngOf(t testing.TB, width, height int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func integer(v []byte) int64 { return rawjson.Int(v) }
