package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/stemma-history/stemma/wire"
)

// noArguments is the schema of a tool that takes none. OpenAI and Gemini let it
// be left out.
var noArguments = json.RawMessage(`{"type":"object","properties":{}}`)

// A toolJSON is a tool in any of the forms that the APIs take: with its schema
// as input_schema (Anthropic), as parameters (OpenAI Responses), inside function
// (OpenAI Chat) or as a list in functionDeclarations (Gemini).
type toolJSON struct {
	Type         string          `json:"type"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema"`
	Parameters   json.RawMessage `json:"parameters"`
	Schema       json.RawMessage `json:"parametersJsonSchema"`
	Function     *toolJSON       `json:"function"`
	Declarations []toolJSON      `json:"functionDeclarations"`
}

// parseTools reads a list of tools, or the body of a request that has one.
// Errors name the field.
func parseTools(data []byte) ([]wire.Tool, error) {
	where := ""
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		var body struct {
			Tools json.RawMessage `json:"tools"`
		}
		if err := decodeJSON(data, &body); err != nil {
			return nil, err
		}
		if body.Tools == nil {
			return nil, errors.New("tools: expected a list of tools, or an object that has one as tools")
		}
		data, where = body.Tools, "tools"
	}
	var each []json.RawMessage
	if err := decodeJSON(data, &each); err != nil {
		return nil, fmt.Errorf("%sexpected a list of tools: %w", prefixed(where), err)
	}
	var tools []wire.Tool
	for i, raw := range each {
		at := fmt.Sprintf("%s[%d]", where, i)
		var t toolJSON
		if err := decodeJSON(raw, &t); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		more, err := t.tools(at)
		if err != nil {
			return nil, err
		}
		tools = append(tools, more...)
	}
	for i, t := range tools {
		if slices.ContainsFunc(tools[:i], func(other wire.Tool) bool { return other.Name == t.Name }) {
			return nil, fmt.Errorf("%stwo tools are named %s", prefixed(where), t.Name)
		}
	}
	return tools, nil
}

func prefixed(where string) string {
	if where == "" {
		return ""
	}
	return where + ": "
}

// decodeJSON reads one value, and nothing behind it.
func decodeJSON(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	err := d.Decode(v)
	var wrongType *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrongType) && wrongType.Field != "":
		return fmt.Errorf("%s: expected %s, got %s", wrongType.Field, jsonKind(wrongType), wrongType.Value)
	case errors.As(err, &wrongType):
		return fmt.Errorf("expected %s, got %s", jsonKind(wrongType), wrongType.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: %w", 1+bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n")), err)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON ends too early")
	case err != nil:
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something behind the JSON")
	}
	return nil
}

// jsonKind names what a field takes as JSON does.
func jsonKind(err *json.UnmarshalTypeError) string {
	switch kind := err.Type.Kind().String(); kind {
	case "struct", "ptr":
		return "an object"
	case "slice":
		return "a list"
	default:
		return "a " + kind
	}
}

// tools returns what one element of the list stands for.
func (t *toolJSON) tools(at string) ([]wire.Tool, error) {
	switch {
	case t.Declarations != nil:
		var all []wire.Tool
		for i := range t.Declarations {
			tool, err := t.Declarations[i].tool(fmt.Sprintf("%s.functionDeclarations[%d]", at, i))
			if err != nil {
				return nil, err
			}
			all = append(all, tool)
		}
		return all, nil
	case t.Function != nil:
		tool, err := t.Function.tool(at + ".function")
		return []wire.Tool{tool}, err
	case t.Type != "" && t.Type != "function" && t.Type != "custom":
		return nil, fmt.Errorf("%s.type: %q is a tool of the provider's own; expected one with a name and a schema", at, t.Type)
	}
	tool, err := t.tool(at)
	return []wire.Tool{tool}, err
}

func (t *toolJSON) tool(at string) (wire.Tool, error) {
	if t.Name == "" {
		return wire.Tool{}, fmt.Errorf("%s.name: expected the name of the tool", at)
	}
	result := wire.Tool{Name: t.Name, Description: t.Description, Schema: noArguments}
	for _, schema := range []struct {
		field string
		json  json.RawMessage
	}{{"input_schema", t.InputSchema}, {"parameters", t.Parameters}, {"parametersJsonSchema", t.Schema}} {
		switch {
		case schema.json == nil || string(schema.json) == "null":
			continue
		case schema.json[0] != '{':
			return wire.Tool{}, fmt.Errorf("%s.%s: expected a JSON Schema, which is an object", at, schema.field)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, schema.json); err != nil {
			return wire.Tool{}, fmt.Errorf("%s.%s: %w", at, schema.field, err)
		}
		result.Schema = compact.Bytes()
	}
	return result, nil
}
