package exportfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/sinktest"
)

// archive returns a ZIP of files given as name and content in turn.
func archive(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = f.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sink keeps problems and checks that progress only grows.
type sink struct {
	transcript.Sink
	problems []string
	progress []int64
}

func (s *sink) Problem(p transcript.Problem) { s.problems = append(s.problems, p.What) }
func (s *sink) Progress(n int64)             { s.progress = append(s.progress, n) }

func conversations(t *testing.T, content []byte) (got []string, s *sink) {
	t.Helper()
	e, err := Open(sinktest.File(content))
	if err != nil {
		t.Fatal(err)
	}
	s = &sink{}
	err = e.Conversations(t.Context(), s, func(data []byte) error {
		if bytes.Contains(data, []byte("odd")) {
			return &UnreadableError{errors.New("not mine")}
		}
		got = append(got, string(data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, s
}

func TestConversationsOfEachKindOfFile(t *testing.T) {
	for name, content := range map[string][]byte{
		"array":  []byte(` [{"a":1}, {"b":2}] `),
		"zip":    archive(t, "x/conversations.json", `[{"a":1},{"b":2}]`, "user.json", `{}`),
		"pieces": archive(t, "conversations-002.json", `[{"b":2}]`, "chat.html", "", "conversations-001.json", `[{"a":1}]`),
	} {
		got, s := conversations(t, content)
		if !slices.Equal(got, []string{`{"a":1}`, `{"b":2}`}) || len(s.problems) > 0 {
			t.Errorf("%s: %q, problems %q", name, got, s.problems)
		}
		if !slices.IsSorted(s.progress) || len(s.progress) != 2 || s.progress[1] > int64(len(content)) || s.progress[1] == 0 {
			t.Errorf("%s: progress %v of %d", name, s.progress, len(content))
		}
	}
	if got, _ := conversations(t, []byte("\uFEFF {\"one\": [1]}\n")); len(got) != 1 || strings.TrimSpace(got[0]) != `{"one": [1]}` {
		t.Errorf("one object: %q", got)
	}
}

func TestDamageIsReportedAndTheRestRead(t *testing.T) {
	for content, want := range map[string]string{
		`[{"a":1},{"odd":2},{"c":3}]`: `[{"a":1} {"c":3}] ["the conversation at byte 9 is not understood; it is skipped: not mine"]`,
		`[{"a":1},{"b" 2},{"c":3}]`:   `[{"a":1} {"c":3}] ["the conversation at byte 9 is not understood; it is skipped: invalid JSON at byte 5: expected ':'"]`,
		`[{"a":1},{"b":`:              `[{"a":1}] ["the file is read up to byte 14: invalid JSON at byte 14: expected the end of the value"]`,
		`{"a":`:                       `[] ["the conversation at byte 0 is not understood; it is skipped: expected one JSON object up to the end of the file"]`,
	} {
		got, s := conversations(t, []byte(content))
		if text := fmt.Sprintf("%s %q", got, s.problems); text != want {
			t.Errorf("%s: %s", content, text)
		}
	}
	if _, err := Open(sinktest.File([]byte("PK\x03\x04 and nothing"))); err == nil {
		t.Error("a damaged ZIP was opened")
	}
}

func TestSharedFilesAreFoundByTheBeginningOfTheirName(t *testing.T) {
	e, err := Open(sinktest.File(archive(t, "conversations.json", "[]", "dalle/file-b.webp", "B", "file-abc-name.png", "A", "x", "X")))
	if err != nil {
		t.Fatal(err)
	}
	for prefix, want := range map[string]string{"file-abc": "A", "file-b": "B", "file-a": "A", "file-z": "", "": "", "zzz": ""} {
		if data, err := e.Asset(prefix); err != nil || string(data) != want {
			t.Errorf("%q: %q, %v", prefix, data, err)
		}
	}
}

func TestAnErrorOfTheTakerEndsReading(t *testing.T) {
	e, _ := Open(sinktest.File([]byte(`[1,2]`)))
	boom := errors.New("boom")
	if err := e.Conversations(t.Context(), &sink{}, func([]byte) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
}
