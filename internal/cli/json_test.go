package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A shell runs commands in one process, on one store.
type shell struct {
	t     *testing.T
	store string
}

func newShell(t *testing.T) shell {
	return shell{t, filepath.Join(t.TempDir(), "store.db")}
}

// run returns what a command that has to succeed printed.
func (s shell) run(args ...string) []byte {
	s.t.Helper()
	var out, err bytes.Buffer
	a := newApp(strings.NewReader(""), &out, &err)
	if code := a.execute(s.t.Context(), append([]string{"--store", s.store}, args...)); code != exitDone {
		s.t.Fatalf("stemma %s: exit code %d: %s", strings.Join(args, " "), code, &err)
	}
	return out.Bytes()
}

func TestJSONHasThePromisedKeys(t *testing.T) {
	const session = "../../testdata/samples/crush/dbos.db"
	entry := []string{"id", "parent", "depth", "role", "kind"}
	s := newShell(t)
	for _, test := range []struct {
		args    []string
		list    bool // an array of objects with the keys, not one such object
		keys    []string
		nothing bool // the array is empty
	}{
		{args: []string{"import", session}, list: true, keys: []string{"file", "format", "conversations", "problems", "problem_count"}},
		{args: []string{"list"}, list: true, keys: []string{"id", "title", "entries", "tool", "created", "updated"}},
		{args: []string{"show", "01988ccf"}, list: true, keys: append(entry, "message")},
		{args: []string{"show", "01988ccf", "--entry", "2"}, list: true, keys: entry},
		{args: []string{"tree", "01988ccf"}, list: true, keys: append(entry, "tip", "pinned", "checkpoints", "preview", "bytes")},
		{args: []string{"search", "crush"}, list: true, keys: []string{"conversation", "id", "depth", "role", "excerpt", "match"}},
		{args: []string{"search", "nowhere-to-be-found"}, list: true, nothing: true},
		{args: []string{"recall", "01988ccf", "2"}, keys: append(entry, "message")},
		{args: []string{"checkpoint", "01988ccf", "start", "1"}, keys: []string{"id", "name", "entry", "depth", "set_by"}},
		{args: []string{"checkpoint", "01988ccf"}, list: true, keys: []string{"id", "name", "entry", "depth", "set_by"}},
		{args: []string{"pin", "01988ccf", "2"}, keys: entry},
		{args: []string{"pin", "01988ccf"}, list: true, keys: entry},
		{args: []string{"unpin", "01988ccf", "2"}, keys: entry},
		{args: []string{"diff", "01988ccf", "1", "@"}, keys: []string{"conversation", "parting", "branches"}},
		{args: []string{"shake", "01988ccf", "--dry-run"}, keys: []string{"conversation", "compaction", "tokens_freed", "savings"}},
		{args: []string{"context", "01988ccf"}, keys: []string{"conversation", "model", "window", "reserve", "total", "free", "parts", "rungs"}},
		{args: []string{"compact", "01988ccf", "--dry-run"}, keys: []string{"conversation", "model", "window", "target", "tokens", "rungs", "pages", "model_calls", "fits"}},
		{args: []string{"models", "claude"}, list: true, keys: []string{"id", "provider", "wire", "window", "input_price", "sees_images"}},
		{args: []string{"rewind", "01988ccf", "start", "--digest", "learned"}, keys: []string{"conversation", "tip", "depth", "was"}},
		{args: []string{"branch", "01988ccf", "1"}, keys: []string{"conversation", "tip", "depth", "was"}},
		{args: []string{"fork", "01988ccf"}, keys: []string{"id", "entries", "forked_from"}},
		{args: []string{"check"}, list: true, nothing: true},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			s.t = t
			printed := s.run(append(test.args, "--json")...)
			var objects []map[string]json.RawMessage
			if test.list {
				if err := json.Unmarshal(printed, &objects); err != nil {
					t.Fatalf("%v in %s", err, printed)
				}
			} else {
				objects = make([]map[string]json.RawMessage, 1)
				if err := json.Unmarshal(printed, &objects[0]); err != nil {
					t.Fatalf("%v in %s", err, printed)
				}
			}
			if (len(objects) == 0) != test.nothing {
				t.Fatalf("%d objects", len(objects))
			}
			for _, o := range objects {
				for _, key := range test.keys {
					if _, ok := o[key]; !ok {
						t.Errorf("the key %q is missing in %v", key, o)
					}
				}
			}
		})
	}
}

func TestCommandsThatPrintDataTakeJSON(t *testing.T) {
	plain := []string{"export", "request", "chat", "completion", "man", "version", "help"} // bodies, texts and the terminal app
	for _, c := range newRoot(newApp(strings.NewReader(""), io.Discard, io.Discard)).Commands() {
		if has := c.Flags().Lookup("json") != nil; has == slices.Contains(plain, c.Name()) {
			t.Errorf("%s has --json: %v", c.Name(), has)
		}
	}
}
