package transcript

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/internal/rawjson"
)

func memoryFile(content string) *File {
	return &File{
		Path: "memory", Size: int64(len(content)),
		Head:     []byte(content[:min(len(content), HeadLen)]),
		ReaderAt: strings.NewReader(content),
	}
}

// readObjects describes what a file comes to, and checks that each object can
// be read again where it stands.
func readObjects(tb testing.TB, f *File) (objects, problems []string) {
	tb.Helper()
	report := func(p Problem) { problems = append(problems, fmt.Sprintf("%d: %s", p.Line, p.What)) }
	for o, err := range Objects(context.Background(), f, report) {
		if err != nil {
			tb.Fatal(err)
		}
		again, err := f.ReadObject(o.Span)
		if err != nil || string(again) != string(o.Data) {
			tb.Errorf("line %d: read again as %q (%v), was %q", o.Line, again, err, o.Data)
		}
		objects = append(objects, fmt.Sprintf("%d:%s", o.Line, o.Data))
	}
	return objects, problems
}

func TestObjectsSurviveWhatBecomesOfFiles(t *testing.T) {
	tests := []struct {
		name, content     string
		objects, problems string
	}{
		{"plain", "{\"a\":1}\n\n{\"b\":2}\n", `1:{"a":1} 3:{"b":2}`, ""},
		{"without the last newline", "{\"a\":1}\n{\"b\":2}", `1:{"a":1} 2:{"b":2}`, ""},
		{"two on one line", "{\"a\":1}{\"b\":2}\n{\"c\":3}", `1:{"a":1} 1:{"b":2} 2:{"c":3}`, ""},
		{"torn, then welded", "{\"a\":\"x{\"b\":2}{\"c\":3}\n", `1:{"b":2} 1:{"c":3}`, "1: not read"},
		{"torn inside an object", "{\"a\":{\"in\":1},\"b\":\"x{\"c\":3}\n", `1:{"c":3}`, "1: not read"},
		{"torn at the end", "{\"a\":1}\n{\"b\":{\"in\":2},\"c", `1:{"a":1}`, "2: the file ends in the middle"},
		{"no object", "42\n[1]\n\"x\"\n{\"a\":1}", `4:{"a":1}`, "1: expected a JSON object|2: expected a JSON object|3: expected a JSON object"},
		{"no JSON", "hello\n{\"a\":1}", `2:{"a":1}`, "1: not read"},
		{"a comma behind", "{\"a\":1},\n{\"b\":1}", `1:{"a":1} 2:{"b":1}`, "1: not read"},
		{"byte order mark", "\uFEFF{\"a\":1}\r\n{\"b\":1}", `1:{"a":1} 2:{"b":1}`, ""},
		{"zeros of a cut write", "{\"a\":1}\n\x00\x00\x00{\"b\":1}\x00\n", `1:{"a":1} 2:{"b":1}`, ""},
		{"control characters", "{\"a\":\"x\x00\ty\"}\n{\"b\":1}", `1:{"a":"x\u0000\u0009y"} 2:{"b":1}`, "1: it has control characters"},
		{"lone surrogates", `{"a":"\ud800"}`, `1:{"a":"\ud800"}`, ""},
		{"no UTF-8", "{\"a\":\"\xff\"}", "1:{\"a\":\"\xff\"}", ""},
		{"empty", "", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			objects, problems := readObjects(t, memoryFile(test.content))
			if got := strings.Join(objects, " "); got != test.objects {
				t.Errorf("objects\n got %s\nwant %s", got, test.objects)
			}
			for i, want := range strings.Split(test.problems, "|") {
				if want == "" {
					if len(problems) > 0 {
						t.Errorf("problems %q", problems)
					}
				} else if i >= len(problems) || !strings.HasPrefix(problems[i], want) {
					t.Errorf("problems %q, want %q", problems, want)
				}
			}
		})
	}
}

func TestObjectsOfALongLineNeedNoCopy(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", lineBuffer) + `"}`
	for o, err := range Objects(t.Context(), memoryFile(long+"\n"+`{"b":1}`), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if kept := o.Keep(); (&kept[0] == &o.Data[0]) != (o.Line == 1) {
			t.Errorf("line %d: the data is copied: %v", o.Line, o.Line == 1)
		}
	}
}

func TestObjectsEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range Objects(ctx, memoryFile("{}\n{}"), nil) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
	}
}

func FuzzObjects(f *testing.F) {
	for _, seed := range []string{"{\"a\":1}{\"b\":2}\n{\"a\":\"x{\"b\":{\"c\":1}}", "{\"a\":\"\x00\"}", "\uFEFF{}\n[{}]", "{{{{\"{\"{\"{\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		for o, err := range Objects(t.Context(), memoryFile(content), func(Problem) {}) {
			if err != nil {
				t.Fatal(err)
			}
			again, err := memoryFile(content).ReadObject(o.Span)
			if err != nil || string(again) != string(o.Data) || !rawjson.Valid(o.Data) {
				t.Fatalf("%q was read again as %q (%v)", o.Data, again, err)
			}
		}
	})
}
