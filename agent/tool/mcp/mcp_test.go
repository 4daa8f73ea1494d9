package mcp_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"net/http"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/agent/tool/mcp"
	"github.com/stemma-history/stemma/message"
)

// TestMain is also the program that the tests start as a server.
func TestMain(m *testing.M) {
	if os.Getenv("MCP_TEST_SERVER") != "" {
		_ = server().Run(context.Background(), &sdk.StdioTransport{})
		return
	}
	os.Exit(m.Run())
}

type arguments struct {
	Text string `json:"text"`
}

func server() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "Says it again.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(ctx context.Context, r *sdk.CallToolRequest, a arguments) (*sdk.CallToolResult, any, error) {
			if token := r.Params.GetProgressToken(); token != nil {
				_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Message: "half way"})
			}
			return &sdk.CallToolResult{Content: []sdk.Content{
				&sdk.TextContent{Text: a.Text}, &sdk.ImageContent{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")},
			}}, nil, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "fail"}, func(context.Context, *sdk.CallToolRequest, arguments) (*sdk.CallToolResult, any, error) {
		return nil, nil, errors.New("it does not work")
	})
	sdk.AddTool(s, &sdk.Tool{Name: "wait"}, func(ctx context.Context, _ *sdk.CallToolRequest, _ arguments) (*sdk.CallToolResult, any, error) {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	})
	sdk.AddTool(s, &sdk.Tool{Name: "exit"}, func(context.Context, *sdk.CallToolRequest, arguments) (*sdk.CallToolResult, any, error) {
		os.Exit(3)
		return nil, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "a_name_that_is_quite_a_bit_longer_than_what_all_of_the_providers_take"},
		func(context.Context, *sdk.CallToolRequest, arguments) (*sdk.CallToolResult, any, error) {
			return nil, nil, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "dots.and-more"}, func(context.Context, *sdk.CallToolRequest, arguments) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.ImageContent{MIMEType: "image/png", Data: []byte("no image")}}}, nil, nil
	})
	return s
}

func program(t *testing.T) *mcp.Connection {
	t.Helper()
	return connect(t, mcp.Server{Name: "test", Command: []string{os.Args[0]}, Env: append(os.Environ(), "MCP_TEST_SERVER=1")})
}

func connect(t *testing.T, s mcp.Server) *mcp.Connection {
	t.Helper()
	c, err := mcp.Connect(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func named(t *testing.T, c *mcp.Connection, name string) tool.Tool {
	t.Helper()
	for _, tl := range c.Tools() {
		if tl.Definition().Name == name {
			return tl
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

func text(r tool.Result) string { return message.ToolResult{Content: r.Content}.PlainText() }

func TestToolsOfAProgram(t *testing.T) {
	c := program(t)
	echo := named(t, c, "mcp__test__echo")
	if d := echo.Definition(); d.Description != "Says it again." || !strings.Contains(string(d.Schema), `"text"`) || !echo.ReadOnly() {
		t.Errorf("%+v", d)
	}
	r := echo.Run(t.Context(), tool.Call{Arguments: []byte(`{"text":"hello"}`)})
	if r.Outcome != message.OK || text(r) != "hello" {
		t.Errorf("%+v", r)
	}
	if _, ok := r.Content[1].(message.Image); !ok {
		t.Errorf("%+v", r.Content)
	}
	if r := named(t, c, "mcp__test__fail").Run(t.Context(), tool.Call{Arguments: []byte(`{"text":""}`)}); r.Outcome != message.Failed || !strings.Contains(text(r), "does not work") {
		t.Errorf("%+v", r)
	}
	if r := echo.Run(t.Context(), tool.Call{Arguments: []byte(`{"text":`)}); r.Outcome != message.Failed {
		t.Errorf("%+v", r)
	}
}

// TestProgressIsShown: what comes while a call is under way. The result may
// overtake it, and then it is of no use any more.
func TestProgressIsShown(t *testing.T) {
	echo := named(t, program(t), "mcp__test__echo")
	shown := make(chan string, 1000)
	for range 1000 {
		echo.Run(t.Context(), tool.Call{Arguments: []byte(`{"text":""}`), Progress: func(line string) { shown <- line }})
		if len(shown) > 0 {
			break
		}
	}
	if len(shown) == 0 || <-shown != "half way" {
		t.Error("progress is not shown")
	}
}

func TestLongNamesAreCut(t *testing.T) {
	for _, tl := range program(t).Tools() {
		if name := tl.Definition().Name; len(name) > 64 {
			t.Errorf("%s has %d bytes", name, len(name))
		}
	}
}

func TestNamesAndImagesAreWhatProvidersTake(t *testing.T) {
	for _, tl := range program(t).Tools() {
		name := tl.Definition().Name
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
			t.Errorf("name %q", name)
		}
		if strings.HasPrefix(name, "mcp__test__dots_and-more_") {
			r := tl.Run(t.Context(), tool.Call{Arguments: []byte(`{"text":""}`)})
			if text(r) != "(image/png, 8 bytes: not shown)" {
				t.Errorf("%+v", r)
			}
			return
		}
	}
	t.Error("the tool with dots is gone")
}

func TestAServerThatDoesNotAnswerIsGivenUp(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := mcp.Connect(ctx, mcp.Server{Name: "mute", Command: []string{"sleep", "100"}}); err == nil || !strings.Contains(err.Error(), "mcp server mute") {
		t.Error(err)
	}
}

func TestACancelledCallMayHaveBeenDone(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	r := named(t, program(t), "mcp__test__wait").Run(ctx, tool.Call{Arguments: []byte(`{"text":""}`)})
	if r.Outcome != message.Unknown {
		t.Errorf("%+v", r)
	}
}

func TestAServerThatWentAwayIsStartedAgain(t *testing.T) {
	c := program(t)
	if r := named(t, c, "mcp__test__exit").Run(t.Context(), tool.Call{Arguments: []byte(`{"text":""}`)}); r.Outcome != message.Failed {
		t.Errorf("%+v", r)
	}
	echo := named(t, c, "mcp__test__echo")
	for range 100 { // until the connection has noticed
		if r := echo.Run(t.Context(), tool.Call{Arguments: []byte(`{"text":"again"}`)}); text(r) == "again" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the server is not started again")
}

func TestToolsAtAnAddress(t *testing.T) {
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server() }, nil)
	s := httptest.NewServer(handler)
	defer s.Close()
	c := connect(t, mcp.Server{Name: "web", URL: s.URL})
	r := named(t, c, "mcp__web__echo").Run(t.Context(), tool.Call{Arguments: []byte(`{"text":"hello"}`)})
	if text(r) != "hello" {
		t.Errorf("%+v", r)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if r := named(t, c, "mcp__web__echo").Run(t.Context(), tool.Call{Arguments: []byte(`{"text":"x"}`)}); r.Outcome != message.Failed {
		t.Error("a closed connection answers")
	}
}

func TestAServerThatCannotBeReachedIsNamed(t *testing.T) {
	for _, s := range []mcp.Server{
		{Name: "x"}, {Name: "x", Command: []string{"a"}, URL: "http://b"}, {Name: "x", Command: []string{"/does/not/exist"}},
		{Name: "x", Command: []string{"true"}},
	} {
		if _, err := mcp.Connect(t.Context(), s); err == nil || !strings.Contains(err.Error(), "mcp server x") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

func TestAKeyDoesNotFollowToAnotherHost(t *testing.T) {
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server() }, nil)
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { reached = true; handler.ServeHTTP(w, r) }))
	defer other.Close()
	mux := http.NewServeMux()
	mux.Handle("/mcp/", handler)
	mux.Handle("/mcp", http.RedirectHandler("/mcp/", http.StatusTemporaryRedirect))
	mux.Handle("/away", http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	s := httptest.NewServer(mux)
	defer s.Close()
	connect(t, mcp.Server{Name: "here", URL: s.URL + "/mcp"})
	if c, err := mcp.Connect(t.Context(), mcp.Server{Name: "away", URL: s.URL + "/away", Client: &http.Client{}}); err == nil || reached {
		t.Errorf("another host was reached: %v", reached)
		_ = c.Close()
	}
}
