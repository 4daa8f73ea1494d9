package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// nameLen is the longest name of a tool that the providers take (2026-11).
const nameLen = 64

// serverTool is a tool of a server.
type serverTool struct {
	connection *Connection
	name       string // as the server knows it
	definition wire.Tool
	readOnly   bool
}

func (c *Connection) tool(t *sdk.Tool) (tool.Tool, error) {
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return nil, fmt.Errorf("mcp server %s: the schema of %s: %w", c.server.Name, t.Name, err)
	}
	if object, ok := t.InputSchema.(map[string]any); !ok || object["type"] != "object" {
		schema = anyObject
	}
	return serverTool{
		connection: c,
		name:       t.Name,
		definition: wire.Tool{Name: toolName(c.server.Name, t.Name), Description: t.Description, Schema: schema},
		readOnly:   t.Annotations != nil && t.Annotations.ReadOnlyHint,
	}, nil
}

// anyObject is the schema of a tool whose server gives none that a provider
// would take: one bad tool must not have every request refused.
var anyObject = json.RawMessage(`{"type":"object","properties":{}}`)

// toolName returns a name that is a tool's alone among those of all servers. One
// that is too long, or has letters that providers refuse, ends in a hash of the
// whole.
func toolName(server, name string) string {
	whole := "mcp__" + server + "__" + name
	plain := strings.Map(plainLetter, whole)
	if plain == whole && len(whole) <= nameLen {
		return whole
	}
	return plain[:min(len(plain), nameLen-9)] + "_" + message.HashOf([]byte(whole)).String()[:8]
}

// plainLetter replaces what may not be in the name of a tool.
func plainLetter(r rune) rune {
	if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return '_'
}

func (t serverTool) Definition() wire.Tool { return t.definition }

// ReadOnly is the server's own word.
func (t serverTool) ReadOnly() bool { return t.readOnly }

func (t serverTool) Run(ctx context.Context, c tool.Call) tool.Result {
	arguments := c.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	if !json.Valid(arguments) {
		return tool.Fail("the arguments are no JSON object")
	}
	session, err := t.connection.connected(ctx)
	if err != nil {
		return tool.Fail(err.Error())
	}
	params := &sdk.CallToolParams{Name: t.name, Arguments: arguments}
	if c.Progress != nil {
		token := uuid.NewString()
		params.SetProgressToken(token)
		defer t.connection.watch(token, c.Progress)()
	}
	answer, err := session.CallTool(ctx, params)
	switch {
	case err != nil && ctx.Err() != nil && !t.readOnly:
		r := tool.Fail("Interrupted: the server may have done what it was asked to.")
		r.Outcome = message.Unknown
		return r
	case err != nil:
		return tool.Fail(err.Error())
	}
	r := result(answer)
	r.Uneventful = t.readOnly && r.Outcome == message.OK
	return r
}

// result turns what a server answered into what a model can take.
func result(answer *sdk.CallToolResult) tool.Result {
	var r tool.Result
	for _, c := range answer.Content {
		r.Content = append(r.Content, content(c))
	}
	if len(r.Content) == 0 && answer.StructuredContent != nil {
		if data, err := json.Marshal(answer.StructuredContent); err == nil {
			r.Content = append(r.Content, message.Text{Text: string(data)})
		}
	}
	if answer.IsError {
		r.Outcome = message.Failed
	}
	return r
}

func content(c sdk.Content) message.Content {
	switch c := c.(type) {
	case *sdk.TextContent:
		return message.Text{Text: c.Text}
	case *sdk.ImageContent:
		return picture(c.MIMEType, c.Data)
	case *sdk.EmbeddedResource:
		return resource(c.Resource)
	case *sdk.ResourceLink:
		return message.Text{Text: strings.TrimSpace(c.URI + " " + c.Description)}
	case *sdk.AudioContent:
		return message.Text{Text: fmt.Sprintf("(%s, %d bytes: not shown)", c.MIMEType, len(c.Data))}
	}
	return message.Text{Text: fmt.Sprintf("(content of a kind that is not known: %T)", c)}
}

// picture is an image as what it is, whatever the server calls it: one that a
// provider cannot read would have every later request refused.
func picture(media string, data []byte) message.Content {
	switch is := http.DetectContentType(data); is {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return message.NewImage(is, data)
	}
	return message.Text{Text: fmt.Sprintf("(%s, %d bytes: not shown)", media, len(data))}
}

func resource(r *sdk.ResourceContents) message.Content {
	switch {
	case r == nil:
		return message.Text{}
	case len(r.Blob) == 0:
		return message.Text{Text: r.Text}
	case strings.HasPrefix(r.MIMEType, "image/"):
		return picture(r.MIMEType, r.Blob)
	}
	return message.Document{Media: message.Media{Type: r.MIMEType, Data: r.Blob, Size: int64(len(r.Blob)), URL: r.URI}}
}
