package body

import (
	"encoding/json"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// wrote returns what write appends, and the notes it leaves.
func wrote(t *testing.T, write func(*Writer)) (string, []wire.Note) {
	t.Helper()
	w := &Writer{}
	write(w)
	if !json.Valid(w.JSON) {
		t.Errorf("not JSON: %s", w.JSON)
	}
	return string(w.JSON), w.notes
}

func TestValuesKeepTheirBytesWhereTheyAreText(t *testing.T) {
	for in, want := range map[string]string{
		`{"z":1.0, "a":"\u00e9\/"}`: `{"z":1.0, "a":"\u00e9\/"}`,
		`"\ud83d"`:                  `"\ufffd"`,
		"\"\xff\"":                  "\"\uFFFD\"",
	} {
		if got, _ := wrote(t, func(w *Writer) { w.Value([]byte(in)) }); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

func TestSchemasAreThoseOfObjects(t *testing.T) {
	for in, want := range map[string]string{
		``:                                  `{"type":"object"}`,
		` { } `:                             `{"type":"object"}`,
		`{"properties":{"a":{}}}`:           `{"type":"object","properties":{"a":{}}}`,
		`{"properties":{},"type":"object"}`: `{"properties":{},"type":"object"}`,
		`true`:                              `true`,
	} {
		if got, _ := wrote(t, func(w *Writer) { w.Schema([]byte(in)) }); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

func TestArgumentsAreObjects(t *testing.T) {
	for in, want := range map[string]struct {
		json  string
		notes int
	}{
		`{"b":1, "a":2}`:  {`{"b":1, "a":2}`, 0},
		` {"a":1}` + "\n": {` {"a":1}` + "\n", 0},
		``:                {`{}`, 0},
		`[1]`:             {`{"malformed_arguments":"[1]"}`, 1},
		`{"a":1}{"b":2}`:  {`{"malformed_arguments":"{\"a\":1}{\"b\":2}"}`, 1},
		"\xff":            {`{"malformed_arguments":"` + "\uFFFD" + `"}`, 1},
	} {
		got, notes := wrote(t, func(w *Writer) { w.Value(w.Arguments(history.Handle{Depth: 1}, []byte(in))) })
		if got != want.json || len(notes) != want.notes {
			t.Errorf("%s became %s with %d notes, want %s with %d", in, got, len(notes), want.json, want.notes)
		}
	}
}

func TestMarksStandWhereTheNextRequestHasThemToo(t *testing.T) {
	step := func(role message.Role, m int) wire.Step {
		return wire.Step{Role: role, Message: m, Parts: []wire.Part{{Part: message.Text{Text: "x"}, At: history.Handle{Depth: m + 1, Part: 1}}}}
	}
	goOn := wire.Step{Role: message.User, Message: 2, Parts: []wire.Part{{Part: message.Text{Text: wire.GoOn}}}}
	for _, c := range []struct {
		name         string
		steps        []wire.Step
		head         int
		first, newer int
	}{
		{"a prompt", []wire.Step{step(message.User, 0)}, 1, 0, 0},
		{"results last", []wire.Step{step(message.User, 0), step(message.Assistant, 1), step(message.Tool, 1)}, 1, 0, 2},
		{"an answer last", []wire.Step{step(message.User, 0), step(message.Assistant, 1), step(message.User, 2), goOn}, 0, -1, 2},
		{"nothing", nil, 3, -1, -1},
	} {
		if got, want := marksOf(c.steps, wire.View{Head: c.head}), (marks{c.first, c.newer}); got != want {
			t.Errorf("%s: marks at %v, want %v", c.name, got, want)
		}
	}
}

func TestASizeThatIsOnlySaidTakesNoMemory(t *testing.T) {
	huge := message.Image{Media: message.Media{Size: 1 << 62}}
	messages := []wire.Message{{Message: message.Message{Parts: []message.Part{huge, message.Document{Media: message.Media{Size: -1 << 62}}}}}}
	if got := size(messages); got < 0 || got > 64<<20 {
		t.Errorf("%d bytes", got)
	}
}

func TestNamesFit(t *testing.T) {
	for in, want := range map[string]string{"bash": "bash", "fs.read x": "fs_read_", "": "unnamed", "名": "___"} {
		if got := Name(in, 8, "_-"); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if got := Name("fs.read", 8, "."); got != "fs.read" {
		t.Errorf("got %q", got)
	}
}
