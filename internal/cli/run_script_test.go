package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// playProviders runs stemma fake until the script ends, and sets the variables
// that lead there: fake --window 8000.
func playProviders(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! fake")
	}
	ctx, stop := context.WithCancel(context.Background())
	in, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		code := newApp(strings.NewReader(""), out, io.Discard).execute(ctx, append([]string{"fake", "--json"}, args...))
		out.Close()
		ended <- code
	}()
	ts.Defer(func() {
		stop()
		<-ended
	})
	var start struct{ Env []setting }
	ts.Check(json.NewDecoder(in).Decode(&start))
	go io.Copy(io.Discard, in)
	for _, s := range start.Env {
		ts.Setenv(s.Name, s.Value)
	}
}

// serveTools is a program with one tool, for the scripts to name in their
// settings. It shows whether it was given a key.
func serveTools() {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	type arguments struct {
		Name string `json:"name"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "greet"}, func(_ context.Context, _ *mcp.CallToolRequest, a arguments) (*mcp.CallToolResult, any, error) {
		text := "good day, " + a.Name + os.Getenv("ANTHROPIC_API_KEY")
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}
