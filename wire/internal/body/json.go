package body

import (
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
)

// Name makes the name of a tool fit what providers take: letters, digits, and
// what stands in also, up to maxLen of them. The rest becomes _.
func Name(name string, maxLen int, also string) string {
	fitted := []byte(name)
	for i, c := range fitted {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(also, c) >= 0) {
			fitted[i] = '_'
		}
	}
	if len(fitted) == 0 {
		return "unnamed"
	}
	return string(fitted[:min(len(fitted), maxLen)])
}

// Arguments returns the arguments of a call as the model wrote them. What is no
// JSON object is put into one: providers refuse it, or pass it to a template
// that does.
func (w *Writer) Arguments(at history.Handle, arguments []byte) []byte {
	object, rest, err := rawjson.First(arguments)
	switch {
	case err == nil && object[0] == '{' && len(strings.TrimSpace(string(rest))) == 0:
		return arguments
	case len(arguments) == 0:
		return []byte(`{}`)
	}
	w.Note(at, "the arguments of the call are no JSON object; they are sent as text inside one")
	object = append([]byte(nil), `{"malformed_arguments":`...)
	return append(rawjson.AppendString(object, strings.ToValidUTF8(string(arguments), "\uFFFD")), '}')
}

// Schema writes the schema of a tool's arguments, as that of an object where it
// does not say so itself.
func (w *Writer) Schema(schema []byte) {
	inside := strings.TrimSpace(string(schema))
	if rawjson.Get(schema, "type") != nil || inside != "" && inside[0] != '{' {
		w.Value(schema)
		return
	}
	w.Raw(`{"type":"object"`)
	if inside = strings.TrimSpace(strings.TrimPrefix(inside, "{")); inside != "" && inside != "}" {
		w.Raw(`,` + inside)
		return
	}
	w.Raw(`}`)
}

// Said returns the texts that say something.
func Said(texts []string) []string {
	var said []string
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			said = append(said, t)
		}
	}
	return said
}
