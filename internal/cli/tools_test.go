package cli

import (
	"reflect"
	"testing"

	"github.com/stemma-history/stemma/wire"
)

func TestToolsOfEveryAPIAreTheSame(t *testing.T) {
	want := []wire.Tool{{Name: "bash", Description: "runs", Schema: []byte(`{"type":"object","properties":{"command":{"type":"string"}}}`)}}
	schema := `{"type": "object", "properties": {"command": {"type": "string"}}}`
	for _, data := range []string{
		`[{"name": "bash", "description": "runs", "input_schema": ` + schema + `, "cache_control": {"type": "ephemeral"}}]`,
		`[{"type": "function", "function": {"name": "bash", "description": "runs", "parameters": ` + schema + `}}]`,
		`[{"type": "function", "name": "bash", "description": "runs", "parameters": ` + schema + `, "strict": true}]`,
		`[{"functionDeclarations": [{"name": "bash", "description": "runs", "parametersJsonSchema": ` + schema + `}]}]`,
		`{"model": "m", "tools": [{"name": "bash", "description": "runs", "input_schema": ` + schema + `}]}`,
	} {
		got, err := parseTools([]byte(data))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s, %v", data, got, err)
		}
	}
	if got, err := parseTools([]byte(`[{"type":"function","name":"now"}]`)); err != nil || string(got[0].Schema) != `{"type":"object","properties":{}}` {
		t.Errorf("a tool without arguments: %s, %v", got, err)
	}
	if got, err := parseTools([]byte("[]")); err != nil || len(got) != 0 {
		t.Errorf("no tools: %v, %v", got, err)
	}
}

func TestWrongToolsAreNamedByTheirField(t *testing.T) {
	for data, want := range map[string]string{
		``:                                     "expected a list of tools: the JSON ends too early",
		`"bash"`:                               "expected a list of tools: expected a list, got string",
		`{"model": "m"}`:                       "tools: expected a list of tools, or an object that has one as tools",
		"[\n{\"name\": }]":                     "expected a list of tools: line 2: invalid character '}' looking for beginning of value",
		`[] []`:                                "expected a list of tools: there is something behind the JSON",
		`[{"name": "a"}, {}]`:                  "[1].name: expected the name of the tool",
		`[{"name": 3}]`:                        "[0]: name: expected a string, got number",
		`["bash"]`:                             "[0]: expected an object, got string",
		`[{"function": {"x": 1}}]`:             "[0].function.name: expected the name of the tool",
		`{"tools": [{"name": ""}]}`:            "tools[0].name: expected the name of the tool",
		`[{"name": "a", "input_schema": "x"}]`: "[0].input_schema: expected a JSON Schema, which is an object",
		`[{"name": "a"}, {"name": "a"}]`:       "two tools are named a",
		`[{"functionDeclarations": [{"name": "a"}, {}]}]`:     "[0].functionDeclarations[1].name: expected the name of the tool",
		`[{"type": "web_search_20250305", "name": "search"}]`: `[0].type: "web_search_20250305" is a tool of the provider's own; expected one with a name and a schema`,
	} {
		if _, err := parseTools([]byte(data)); err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", data, err, want)
		}
	}
}
