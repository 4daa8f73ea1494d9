package transport

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/draft"
)

const (
	defaultIdle = 10 * time.Minute
	// linger is how long the end of a stream is awaited after that of the answer,
	// so that the connection can be used again.
	linger = 250 * time.Millisecond
	// maxRefusal is how much of a refusal is read, in bytes.
	maxRefusal = 64 << 10
)

// A Client sends the requests of one provider. It is safe for concurrent use.
type Client struct {
	settings provider.Settings
	auth     func(h http.Header, key string)

	mu      sync.Mutex
	without map[string]bool // model and member: refused before
}

// New returns a client. auth puts a key where the provider wants it.
func New(s provider.Settings, auth func(h http.Header, key string)) *Client {
	if s.HTTP == nil {
		s.HTTP = provider.NewHTTP(nil)
	}
	own := *s.HTTP
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.HTTP = &own
	if s.Catalog == nil {
		s.Catalog = catalog.Default()
	}
	s.Idle = cmp.Or(s.Idle, defaultIdle)
	return &Client{settings: s, auth: auth, without: map[string]bool{}}
}

// Bearer is the usual place of a key.
func Bearer(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

// Name is what people call the provider.
func (c *Client) Name() string { return c.settings.Name }

// Model returns what is known of a model, the zero Model where it is nothing.
func (c *Client) Model(name string) catalog.Model {
	m, _, _ := c.settings.Catalog.Find(name)
	return m
}

// A Call is one request.
type Call struct {
	URL    string
	Header http.Header // besides that of the settings
	// Head is the body, a JSON object, without its closing brace.
	Head    []byte
	Members []Member
	// Lines says that each line of the answer is an event (Ollama). Default: it
	// is a stream of server-sent events.
	Lines bool
}

// A Reader takes the events of an answer and puts them into a draft.
type Reader interface {
	// Event takes one. [io.EOF] ends the answer before the stream does; a
	// [Fault] is an error of the provider's inside it.
	Event(data []byte) error
	// Complete reports whether the answer has come to its end.
	Complete() bool
}

// A Fault is an event that says what went wrong.
type Fault struct{ Event []byte }

func (f Fault) Error() string { return string(f.Event) }

// Send sends a request and lets read take the answer into d. The result is that
// of [provider.Provider.Send].
func (c *Client) Send(ctx context.Context, r provider.Request, call Call, d *draft.Draft, read Reader) (provider.Answer, error) {
	key, err := c.key(ctx)
	if err == nil {
		err = c.send(ctx, r, call, key, read)
	}
	answer := d.Answer
	answer.Message.Role, answer.Message.Author, answer.Message.Model = message.Assistant, message.ByModel, r.Model
	answer.Message.Parts = d.Parts()
	var known *provider.Error
	switch {
	case err == nil:
		if cut := provider.Truncated(c.Name(), r, answer); cut != nil {
			cut.Shown = d.Shown
			return answer, cut
		}
		return answer, nil
	case ctx.Err() != nil:
		answer.Message.Stop = message.StopAborted
		return answer, ctx.Err()
	case !errors.As(err, &known):
		var certificate *tls.CertificateVerificationError
		known = &provider.Error{Kind: provider.Network, Err: err, Final: errors.As(err, &certificate)}
	}
	if answer.Message.Stop == "" {
		answer.Message.Stop = message.StopError
	}
	known.Provider, known.Shown = c.Name(), d.Shown
	redact(known, append(c.secrets(call), key))
	return answer, known
}

func (c *Client) key(ctx context.Context) (string, error) {
	if c.settings.Key == nil {
		return "", nil
	}
	key, err := c.settings.Key(ctx)
	if err != nil {
		return "", &provider.Error{Kind: provider.Auth, Message: "no key: " + err.Error(), Err: err}
	}
	return strings.TrimSpace(key), nil
}

// send sends a request, again without the members that are refused, and reads the
// answer.
func (c *Client) send(ctx context.Context, r provider.Request, call Call, key string, read Reader) error {
	members := c.accepted(r.Model, call.Members)
	var left []Member
	for {
		refusal, err := c.try(ctx, r, call, members, key, read)
		refused := refusedBy(refusal, err, members)
		if len(refused) == 0 {
			if err == nil { // it helped
				c.learn(r.Model, left)
			}
			return err
		}
		left = append(left, refused...)
		members = instead(members, func(m Member) bool {
			return slices.ContainsFunc(refused, func(r Member) bool { return r.JSON == m.JSON })
		})
	}
}

// accepted returns the members that the provider has not refused for a model.
func (c *Client) accepted(model string, members []Member) []Member {
	c.mu.Lock()
	defer c.mu.Unlock()
	return instead(members, func(m Member) bool { return c.without[model+" "+m.JSON] })
}

func (c *Client) learn(model string, refused []Member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range refused {
		c.without[model+" "+m.JSON] = true
	}
}

// try sends one request. refusal is the body of one that was refused.
func (c *Client) try(ctx context.Context, r provider.Request, call Call, members []Member, key string, read Reader) (refusal []byte, err error) {
	ctx, silence, end := newWatch(ctx, c.settings.Idle)
	defer end()
	defer func() {
		if cause := context.Cause(ctx); err != nil && errors.Is(cause, errSilent) {
			err = &provider.Error{Kind: provider.Network, Message: "the connection is taken for lost: " + cause.Error(), Err: cause}
		}
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, call.URL, nil)
	if err != nil {
		return nil, &provider.Error{Kind: provider.Invalid, Err: err}
	}
	setBody(req, call.Head, members)
	c.setHeader(req.Header, call, members, key)
	res, err := c.settings.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body := silence.reader(&bounded{res.Body, maxAnswer})
	if mediaType, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); res.StatusCode != http.StatusOK || mediaType == "application/json" || mediaType == "text/html" {
		refusal, err := io.ReadAll(io.LimitReader(body, maxRefusal))
		if err != nil && len(refusal) == 0 {
			return nil, err
		}
		return refusal, c.refused(r, res, refusal)
	}
	err = c.read(call, body, silence, read)
	if fault := (Fault{}); errors.As(err, &fault) {
		return nil, c.classify(r, res, fault.Event)
	}
	return nil, err
}

func (c *Client) setHeader(h http.Header, call Call, members []Member, key string) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "text/event-stream")
	if call.Lines {
		h.Set("Accept", "application/x-ndjson")
	}
	h.Set("User-Agent", "stemma")
	if key != "" {
		c.auth(h, key)
	}
	for _, from := range []http.Header{call.Header, c.settings.Header} {
		for name, values := range from {
			h[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
	}
	for _, m := range members { // several may each add to one list
		for name, values := range m.Header {
			h.Set(name, strings.TrimPrefix(h.Get(name)+","+strings.Join(values, ","), ","))
		}
	}
}

// refused says what an answer means that is no stream.
func (c *Client) refused(r provider.Request, res *http.Response, body []byte) error {
	switch to := res.Header.Get("Location"); {
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return &provider.Error{Kind: provider.Invalid, Status: res.StatusCode, Message: "it moved: set the base URL to " + to}
	case res.StatusCode != http.StatusOK:
		return c.classify(r, res, body)
	}
	if says := rawjson.Get(body, "error"); !rawjson.IsNull(says) || rawjson.Get(body, "choices") == nil && rawjson.Get(body, "message") != nil {
		return c.classify(r, res, body)
	}
	return &provider.Error{Kind: provider.Invalid, Status: res.StatusCode,
		Message: fmt.Sprintf("the answer is %s where a stream was expected: check the base URL", res.Header.Get("Content-Type"))}
}

func (c *Client) classify(r provider.Request, res *http.Response, body []byte) error {
	return provider.Classify(provider.Response{
		Provider: c.Name(), Status: res.StatusCode, Header: res.Header, Body: body,
		Estimate: r.Estimate, Window: r.Window, TooLong: c.settings.TooLong,
	})
}

// read gives the events of a stream to a reader.
func (c *Client) read(call Call, body io.Reader, silence *watch, read Reader) error {
	ended := false
	var refused error // by the reader
	take := func(data []byte) error {
		if ended {
			return nil
		}
		if refused = read.Event(data); errors.Is(refused, io.EOF) {
			ended, refused = true, nil
			silence.end(linger)
		}
		return refused
	}
	err := each(call.Lines, body, take)
	switch fault := (Fault{}); {
	case ended:
		return nil
	case errors.As(err, &fault):
		return fault
	case refused != nil:
		return refused
	case read.Complete():
		return nil // what was to come is a bill at most
	case err == nil:
		return fmt.Errorf("the answer was cut: %w", io.ErrUnexpectedEOF)
	}
	return err
}

func each(lines bool, body io.Reader, take func([]byte) error) error {
	if lines {
		for line, err := range Lines(body) {
			if err != nil {
				return err
			}
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if err := take(line); err != nil {
				return err
			}
		}
		return nil
	}
	for e, err := range Events(body) {
		if err != nil {
			return err
		}
		if e.Name == "error" {
			return Fault{bytes.Clone(e.Data)}
		}
		if err := take(e.Data); err != nil {
			return err
		}
	}
	return nil
}
