package transport

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/draft"
	"github.com/stemma-history/stemma/provider/internal/streamtest"
)

// texts is a reader of events {"text":…}, the last of which is "done".
type texts struct {
	*draft.Draft
	at   int
	done bool
}

func (r *texts) Event(data []byte) error {
	if string(data) == "done" {
		r.done = true
		return io.EOF
	}
	if !rawjson.Valid(data) {
		return fmt.Errorf("no JSON: %s", data)
	}
	r.Grow(r.at, rawjson.Text(rawjson.Get(data, "text")))
	return nil
}

func (r *texts) Complete() bool { return r.done }

const secret = "sk-very-secret"

func newClient(s provider.Settings) *Client {
	s.Name = "acme"
	if s.Key == nil {
		s.Key = func(context.Context) (string, error) { return secret + "\n", nil }
	}
	return New(s, Bearer)
}

func (c *Client) sendTo(ctx context.Context, url string, show func(provider.Delta), call Call) (provider.Answer, error) {
	d := draft.New(show)
	call.URL = url
	call.Head = []byte(`{"model":"m"`)
	return c.Send(ctx, provider.Request{Model: "m"}, call, d, &texts{Draft: d, at: d.Begin(message.Text{})})
}

const hello = "data: {\"text\":\"hel\"}\n\ndata: {\"text\":\"lo\"}\n\ndata: done\n\n"

func TestAddressesAreJoined(t *testing.T) {
	for _, c := range [][3]string{
		{"https://api.anthropic.com", "/v1/messages", "https://api.anthropic.com/v1/messages"},
		{"https://api.anthropic.com/", "/v1/messages", "https://api.anthropic.com/v1/messages"},
		{"https://api.openai.com/v1", "/v1/responses", "https://api.openai.com/v1/responses"},
		{"https://api.openai.com/v1/", "/v1/responses", "https://api.openai.com/v1/responses"},
		{"https://api.groq.com/openai/v1", "/v1/chat/completions", "https://api.groq.com/openai/v1/chat/completions"},
		{"https://api.groq.com/openai", "/v1/chat/completions", "https://api.groq.com/openai/v1/chat/completions"},
		{"https://api.z.ai/api/paas/v4", "/v1/chat/completions", "https://api.z.ai/api/paas/v4/chat/completions"},
		{"http://h:1/x/chat/completions", "/v1/chat/completions", "http://h:1/x/chat/completions"},
		{"https://r.openai.azure.com/openai/v1?api-version=preview", "/v1/responses", "https://r.openai.azure.com/openai/v1/responses?api-version=preview"},
		{"https://g.com/v1beta", "/v1beta/models/a%2Fb:streamGenerateContent?alt=sse", "https://g.com/v1beta/models/a%2Fb:streamGenerateContent?alt=sse"},
		{"https://g.com?x=1", "/v1beta/models/m:streamGenerateContent?alt=sse", "https://g.com/v1beta/models/m:streamGenerateContent?x=1&alt=sse"},
		{"http://127.0.0.1:11434", "/api/chat", "http://127.0.0.1:11434/api/chat"},
		{"http://127.0.0.1:11434/api", "/api/chat", "http://127.0.0.1:11434/api/chat"},
		{" http://[::1]:8080 ", "/v1/messages", "http://[::1]:8080/v1/messages"},
		{"http://vllm:8000", "/v1/messages", "http://vllm:8000/v1/messages"},
	} {
		if got, err := Join(c[0], c[1]); err != nil || got != c[2] {
			t.Errorf("%s + %s = %s, %v, want %s", c[0], c[1], got, err, c[2])
		}
	}
	for _, bad := range []string{"", "api.openai.com/v1", "ftp://x", "http://", "http://a b"} {
		if got, err := Join(bad, "/v1/x"); err == nil {
			t.Errorf("%q became %s", bad, got)
		}
	}
}

func TestEventsAreReadInPiecesOfAnySize(t *testing.T) {
	long := strings.Repeat("世", 100_000) // longer than any buffer
	stream := "\uFEFFevent: a\ndata: one\n\n: a comment\n\n\r\ndata:two\r\ndata: lines\r\n\r\nid: 3\nretry: 1\n\ndata: " + long + "\n\nevent: last\ndata\n\ndata: unended\n"
	want := []string{"a one", " two\nlines", " " + long, "last ", " unended"}
	for name, r := range map[string]io.Reader{
		"whole":        strings.NewReader(stream),
		"byte by byte": iotest.OneByteReader(strings.NewReader(stream)),
		"data and EOF": iotest.DataErrReader(strings.NewReader(stream)),
	} {
		var got []string
		for e, err := range Events(r) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Name+" "+string(e.Data))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %.200q", name, got)
		}
	}
	for e := range Events(strings.NewReader("data: {\"cut")) {
		t.Errorf("a line that is cut became an event: %s", e.Data)
	}
	broken := errors.New("broken")
	for _, err := range Events(io.MultiReader(strings.NewReader("data: x\n"), iotest.ErrReader(broken))) {
		if !errors.Is(err, broken) {
			t.Errorf("the error of the stream became %v", err)
		}
	}
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte("data: a\n\ndata: b"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		spell := func(r io.Reader) (s string) {
			for e := range Events(r) {
				s += e.Name + "\x00" + string(e.Data) + "\x00"
			}
			return s
		}
		if whole, bits := spell(bytes.NewReader(stream)), spell(iotest.HalfReader(bytes.NewReader(stream))); whole != bits {
			t.Errorf("%q in pieces is %q", whole, bits)
		}
	})
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	s := streamtest.Serve(t, streamtest.Reply{Body: hello}, streamtest.Reply{Status: 429, Body: `{"error":"later"}`}, streamtest.Reply{Body: hello})
	c := newClient(provider.Settings{})
	for range 4 {
		_, _ = c.sendTo(t.Context(), s.URL, nil, Call{})
	}
	for _, r := range s.Requests() {
		if r.Remote != s.Requests()[0].Remote {
			t.Errorf("a new connection, %s", r.Remote)
		}
	}
}

func TestHeadersOfSettingsWinAndListsGrow(t *testing.T) {
	s := streamtest.Serve(t, streamtest.Reply{Body: hello})
	c := newClient(provider.Settings{Header: http.Header{"user-agent": {"mine"}, "Beta": {"a"}}})
	_, err := c.sendTo(t.Context(), s.URL, nil, Call{
		Header:  http.Header{"User-Agent": {"theirs"}, "Version": {"1"}},
		Members: []Member{{JSON: `"x":1`, Header: http.Header{"Beta": {"b"}}}, {JSON: `"y":2`, Header: http.Header{"Beta": {"c"}}}},
	})
	sent := s.Last(t)
	h := sent.Header
	if err != nil || h.Get("User-Agent") != "mine" || h.Get("Version") != "1" || h.Get("Beta") != "a,b,c" || h.Get("Authorization") != "Bearer "+secret {
		t.Errorf("%v, %v", h, err)
	}
	if string(sent.Body) != `{"model":"m","x":1,"y":2}` {
		t.Errorf("body %s", sent.Body)
	}
}

// TestARefusedMemberIsRememberedOnlyWhereLeavingItOutHelped: what went wrong
// otherwise proves nothing.
func TestARefusedMemberIsRememberedOnlyWhereLeavingItOutHelped(t *testing.T) {
	refusal := streamtest.Reply{Status: 400, Body: `{"error":{"message":"unknown field: x_ray"}}`}
	s := streamtest.Serve(t, refusal, streamtest.Reply{Cut: true}, refusal, streamtest.Reply{Body: hello})
	c := newClient(provider.Settings{})
	for range 3 {
		_, _ = c.sendTo(t.Context(), s.URL, nil, Call{Members: []Member{{JSON: `"x_ray":1`, Words: []string{"x_ray"}}}})
	}
	var with []bool
	for _, r := range s.Requests() {
		with = append(with, strings.Contains(string(r.Body), "x_ray"))
	}
	if want := []bool{true, false, true, false, false}; !slices.Equal(with, want) {
		t.Errorf("sent with it: %v, want %v", with, want)
	}
}

func TestCompressedAnswersAreRead(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = io.WriteString(w, hello)
	_ = w.Close()
	s := streamtest.Serve(t, streamtest.Reply{Body: packed.String(), Header: http.Header{"Content-Encoding": {"gzip"}}})
	a, err := newClient(provider.Settings{}).sendTo(t.Context(), s.URL, nil, Call{})
	if err != nil || a.Message.PlainText() != "hello" {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestTheKeyIsInNoError(t *testing.T) {
	for name, reply := range map[string]streamtest.Reply{
		"a refusal":       {Status: 401, Body: `{"error":{"message":"Incorrect API key provided: ` + secret + `"}}`},
		"inside a stream": {Body: "event: error\ndata: {\"error\":\"key " + secret + " is used up\"}\n\n"},
		"not of JSON":     {Body: "data: " + secret + "\n\n"},
		"moved":           {Status: 307, Header: http.Header{"Location": {"https://x/?key=" + secret}}},
	} {
		_, err := newClient(provider.Settings{}).sendTo(t.Context(), streamtest.Serve(t, reply).URL, nil, Call{})
		var e *provider.Error
		if !errors.As(err, &e) || strings.Contains(fmt.Sprintf("%v %+v %v", err, e, e.Err), secret) || !strings.Contains(err.Error(), "[key]") {
			t.Errorf("%s: %+v", name, err)
		}
	}
	_, err := newClient(provider.Settings{}).sendTo(t.Context(), "http://127.0.0.1:1/"+secret, nil, Call{})
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("a network error: %v", err)
	}
	if _, err := Join("http://me:"+secret+"@a b", "/v1/x"); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("an address that is none: %v", err)
	}
}

func TestKeysInHeadersAndAddressesAreInNoError(t *testing.T) {
	const inHeader, inAddress = "gw-7f3a9c", "a+b/c=9"
	s := streamtest.Serve(t, streamtest.Reply{Status: 401, Body: `{"error":"I know neither ` + inHeader + ` nor ` + inAddress + `, JSON though"}`})
	c := newClient(provider.Settings{Header: http.Header{"X-Gateway-Token": {"Bearer " + inHeader}, "Accept-Language": {"JSON"}}})
	query := "?api-key=" + url.QueryEscape(inAddress)
	for _, address := range []string{s.URL, "http://127.0.0.1:1"} {
		_, err := c.sendTo(t.Context(), address+query, nil, Call{})
		text := fmt.Sprint(err)
		if err == nil || strings.Contains(text, inHeader) || strings.Contains(text, inAddress) || strings.Contains(text, url.QueryEscape(inAddress)) {
			t.Errorf("%v", err)
		}
		if address == s.URL && !strings.Contains(text, "JSON though") {
			t.Errorf("too much is left out: %v", err)
		}
	}
}

func TestWhatComesBehindTheEndIsOfNoMatter(t *testing.T) {
	s := streamtest.Serve(t, streamtest.Reply{Body: hello + "event: error\ndata: {\"error\":\"late\"}\n\ndata: no JSON\n\n"})
	a, err := newClient(provider.Settings{}).sendTo(t.Context(), s.URL, nil, Call{})
	if err != nil || a.Message.PlainText() != "hello" {
		t.Errorf("%+v, %v", a.Message, err)
	}
}

func TestAnAnswerThatNeverEndsIsGivenUp(t *testing.T) {
	comment := ":" + strings.Repeat("x", 32<<10-2) + "\n"
	long := &endless{text: comment}
	var err error
	for _, err = range Events(&bounded{long, maxAnswer}) {
	}
	if err == nil || !strings.Contains(err.Error(), "longer than") || long.read > maxAnswer+1<<20 {
		t.Errorf("%d bytes were read, error %v", long.read, err)
	}
}

// endless is a text that is repeated for ever.
type endless struct {
	text string
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.text[e.read%len(e.text):])
	e.read += n
	return n, nil
}

func TestAKeyThatCannotBeFetchedIsNamed(t *testing.T) {
	lost := errors.New("the key chain is locked")
	c := newClient(provider.Settings{Key: func(context.Context) (string, error) { return "", lost }})
	_, err := c.sendTo(t.Context(), "http://127.0.0.1:1", nil, Call{})
	var e *provider.Error
	if !errors.As(err, &e) || e.Kind != provider.Auth || !errors.Is(err, lost) {
		t.Errorf("%+v", err)
	}
}

func TestNoKeyGoesWhereARedirectLeads(t *testing.T) {
	other := streamtest.Serve(t, streamtest.Reply{Body: hello})
	s := streamtest.Serve(t, streamtest.Reply{Status: 308, Header: http.Header{"Location": {other.URL}}})
	for _, client := range []*http.Client{nil, {}} {
		_, err := newClient(provider.Settings{HTTP: client}).sendTo(t.Context(), s.URL, nil, Call{})
		var e *provider.Error
		if !errors.As(err, &e) || e.Kind != provider.Invalid || !strings.Contains(err.Error(), other.URL) || len(other.Requests()) != 0 {
			t.Errorf("%v, %d requests", err, len(other.Requests()))
		}
	}
}

func TestRequestsGoThroughTheProxy(t *testing.T) {
	proxy := streamtest.Serve(t, streamtest.Reply{Body: hello})
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(provider.Settings{HTTP: provider.NewHTTP(http.ProxyURL(at))})
	a, err := c.sendTo(t.Context(), "http://api.invalid/v1/x", nil, Call{})
	if err != nil || a.Message.PlainText() != "hello" || proxy.Last(t).URL != "http://api.invalid/v1/x" {
		t.Errorf("%+v, %v, the proxy was asked for %s", a.Message, err, proxy.Last(t).URL)
	}
}

func TestACertificateThatIsNotTrustedStaysSo(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	_, err := newClient(provider.Settings{}).sendTo(t.Context(), s.URL, nil, Call{})
	var e *provider.Error
	if !errors.As(err, &e) || e.Kind != provider.Network || e.Again() {
		t.Errorf("%+v", err)
	}
}

func TestWhatIsNoStreamIsNamed(t *testing.T) {
	for body, kind := range map[string]provider.Kind{
		`{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}`: provider.Overflow,
		`{"message":"rate limit","code":1302}`:                             provider.RateLimit,
		`{"id":"x","choices":[]}`:                                          provider.Invalid,
		`[]`:                                                               provider.Invalid,
	} {
		s := streamtest.Serve(t, streamtest.Reply{Body: body, Type: "application/json"})
		_, err := newClient(provider.Settings{}).sendTo(t.Context(), s.URL, nil, Call{})
		var e *provider.Error
		if !errors.As(err, &e) || e.Kind != kind || e.Status != 200 {
			t.Errorf("%s: %+v", body, err)
		}
	}
}

func TestCancellingEndsAnAnswerAtOnce(t *testing.T) {
	s := streamtest.Serve(t, streamtest.Reply{Body: "data: {\"text\":\"so far\"}\n\n", Hang: true})
	ctx, cancel := context.WithCancel(t.Context())
	a, err := newClient(provider.Settings{}).sendTo(ctx, s.URL, func(provider.Delta) { cancel() }, Call{})
	if !errors.Is(err, context.Canceled) || a.Message.Stop != message.StopAborted || a.Message.PlainText() != "so far" {
		t.Errorf("%+v, %v", a.Message, err)
	}
	if a.Message.Role != message.Assistant || a.Message.Author != message.ByModel || a.Message.Model != "m" {
		t.Errorf("%+v", a.Message)
	}
}

// TestAServerThatKeepsTalkingDoesNotHoldAnAnswerThatHasEnded: a stream may go on
// with signs of life.
func TestAServerThatKeepsTalkingDoesNotHoldAnAnswerThatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body, w := io.Pipe()
		talking := roundTrip(func(r *http.Request) (*http.Response, error) {
			context.AfterFunc(r.Context(), func() { w.CloseWithError(r.Context().Err()) })
			go func() {
				for _, err := io.WriteString(w, hello); err == nil; _, err = io.WriteString(w, ": still here\n\n") {
					time.Sleep(linger / 3)
				}
			}()
			return &http.Response{StatusCode: 200, Body: body, Request: r}, nil
		})
		start := time.Now()
		a, err := newClient(provider.Settings{HTTP: &http.Client{Transport: talking}}).sendTo(t.Context(), "http://x", nil, Call{})
		if err != nil || a.Message.PlainText() != "hello" || time.Since(start) > linger {
			t.Errorf("%+v, %v after %v", a.Message, err, time.Since(start))
		}
		time.Sleep(linger) // the server sees that nobody listens
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// silent is a connection on which only begin comes.
type silent struct{ begin string }

func (s silent) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.begin == "" {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	body, w := io.Pipe()
	context.AfterFunc(r.Context(), func() { w.CloseWithError(r.Context().Err()) })
	go func() {
		for range 3 { // each within the time, all together not
			select {
			case <-time.After(40 * time.Second):
				_, _ = io.WriteString(w, s.begin)
			case <-r.Context().Done():
				return
			}
		}
	}()
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body, Request: r}, nil
}

func TestSilenceCountsAsALostConnection(t *testing.T) {
	for begin, after := range map[string]time.Duration{
		"":                           time.Minute,
		"data: {\"text\":\"x\"}\n\n": 3 * time.Minute, // the last sign of life, and a minute
		"data: done\n\n":             40*time.Second + linger,
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			c := newClient(provider.Settings{Idle: time.Minute, HTTP: &http.Client{Transport: silent{begin}}})
			a, err := c.sendTo(t.Context(), "http://x", nil, Call{})
			if took := time.Since(start); took != after {
				t.Errorf("%q: it took %v, want %v", begin, took, after)
			}
			var e *provider.Error
			switch {
			case strings.Contains(begin, "done"):
				if err != nil {
					t.Error(err)
				}
			case !errors.As(err, &e) || e.Kind != provider.Network || !strings.Contains(err.Error(), "nothing came for 1m0s") || e.Shown:
				t.Errorf("%q: %+v", begin, err)
			case begin != "" && a.Message.PlainText() != "xxx":
				t.Errorf("kept %+v", a.Message)
			}
		})
	}
}

func TestLinesOfJSONAreEvents(t *testing.T) {
	s := streamtest.Serve(t, streamtest.Reply{Body: "{\"text\":\"a\"}\n\n{\"text\":\"b\"}\r\ndone\n", Type: "application/x-ndjson", Piece: 3})
	a, err := newClient(provider.Settings{}).sendTo(t.Context(), s.URL, nil, Call{Lines: true})
	if err != nil || a.Message.PlainText() != "ab" {
		t.Errorf("%+v, %v", a.Message, err)
	}
	if got := s.Last(t).Header.Get("Accept"); got != "application/x-ndjson" {
		t.Error(got)
	}
}

func BenchmarkEvents(b *testing.B) {
	event := "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" and more words\"}}\n\n"
	stream := strings.Repeat(event, 10_000)
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for range Events(strings.NewReader(stream)) {
			n++
		}
		if n != 10_000 {
			b.Fatal(n)
		}
	}
}
