// Package mcp makes the tools of servers of the Model Context Protocol ours.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stemma-history/stemma/agent/tool"
)

// A Server is how a server is reached: a program that speaks over its standard
// input and output, or an address.
type Server struct {
	// Name begins the names of the server's tools.
	Name string

	Command []string // the program and its arguments
	Env     []string // Default: that of this process
	Dir     string

	URL string
	// Client sends the requests to URL. Redirects are followed on the same host
	// only, since it may send a key. Default: one that sends none.
	Client *http.Client
}

func (s *Server) transport() (sdk.Transport, error) {
	switch {
	case len(s.Command) > 0 && s.URL != "":
		return nil, errors.New("it has both a command and a URL: expected one of them")
	case len(s.Command) > 0:
		cmd := exec.Command(s.Command[0], s.Command[1:]...)
		cmd.Env, cmd.Dir = s.Env, s.Dir
		return &sdk.CommandTransport{Command: cmd, TerminateDuration: 2 * time.Second}, nil
	case s.URL != "":
		client := http.Client{}
		if s.Client != nil {
			client = *s.Client
		}
		client.CheckRedirect = onHost
		return &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &client, DisableStandaloneSSE: true}, nil
	}
	return nil, errors.New("it has neither a command nor a URL")
}

// onHost follows a redirect on the same host, as from /mcp to /mcp/.
func onHost(next *http.Request, before []*http.Request) error {
	if first := before[0].URL; len(before) >= 10 || next.URL.Host != first.Host || next.URL.Scheme != first.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// A Connection is a server that has answered, and its tools. Where the server
// goes away, the next call connects anew. A Connection is safe for concurrent
// use.
type Connection struct {
	server Server
	client *sdk.Client
	tools  []tool.Tool

	mu       sync.Mutex
	session  *sdk.ClientSession // nil after the server went away
	progress map[string]*watcher
	closed   bool
}

// Connect connects to a server and asks for its tools. The error names the
// server.
func Connect(ctx context.Context, s Server) (*Connection, error) {
	c := &Connection{server: s, progress: map[string]*watcher{}}
	c.client = sdk.NewClient(&sdk.Implementation{Name: "stemma", Version: "1"}, &sdk.ClientOptions{
		Capabilities:                &sdk.ClientCapabilities{},
		ProgressNotificationHandler: c.showProgress,
	})
	session, err := c.connected(ctx)
	if err != nil {
		return nil, err
	}
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			_ = c.Close()
			return nil, fmt.Errorf("mcp server %s: its tools: %w", s.Name, err)
		}
		made, err := c.tool(t)
		if err == nil && slices.ContainsFunc(c.tools, func(other tool.Tool) bool { return other.Definition().Name == made.Definition().Name }) {
			err = fmt.Errorf("mcp server %s: it has two tools of the name %s", s.Name, t.Name)
		}
		if err != nil {
			_ = c.Close()
			return nil, err
		}
		c.tools = append(c.tools, made)
	}
	return c, nil
}

// Tools returns the tools that the server had when it was connected. They stay
// the same, since they are part of every request's prefix.
func (c *Connection) Tools() []tool.Tool { return c.tools }

// Close ends the connection, and the server where it is a program.
func (c *Connection) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.session == nil {
		return nil
	}
	err := c.session.Close()
	c.session = nil
	return err
}

// connectTime is how long a server may take to answer that is connected to.
const connectTime = 30 * time.Second

// connected returns the session, a new one where the server went away.
func (c *Connection) connected(ctx context.Context) (*sdk.ClientSession, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, fmt.Errorf("mcp server %s: the connection is closed", c.server.Name)
	}
	if c.session != nil {
		return c.session, nil
	}
	transport, err := c.server.transport()
	if err != nil {
		return nil, fmt.Errorf("mcp server %s: %w", c.server.Name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	session, err := c.client.Connect(ctx, transport, nil)
	if err != nil {
		return nil, fmt.Errorf("mcp server %s: %w", c.server.Name, err)
	}
	c.session = session
	go func() {
		_ = session.Wait()
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.session == session {
			c.session = nil
		}
	}()
	return session, nil
}

// A watcher shows the progress of a call, and nothing after its end.
type watcher struct {
	mu   sync.Mutex
	show func(string) // nil after the end
}

func (w *watcher) line(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.show != nil {
		w.show(text)
	}
}

// watch has the progress of a call shown until the function it returns is
// called.
func (c *Connection) watch(token string, show func(string)) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := &watcher{show: show}
	c.progress[token] = w
	return func() {
		c.mu.Lock()
		delete(c.progress, token)
		c.mu.Unlock()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.show = nil
	}
}

func (c *Connection) showProgress(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
	token, ok := r.Params.ProgressToken.(string)
	if !ok {
		return
	}
	c.mu.Lock()
	watching := c.progress[token]
	c.mu.Unlock()
	if watching == nil {
		return
	}
	line := r.Params.Message
	if line == "" && r.Params.Total > 0 {
		line = fmt.Sprintf("%g of %g", r.Params.Progress, r.Params.Total)
	}
	if line != "" {
		watching.line(line)
	}
}
