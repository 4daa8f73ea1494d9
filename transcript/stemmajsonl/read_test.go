package stemmajsonl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/memory"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
)

// chain returns the file of a conversation of n prompts, as lines.
func chain(n int) (c history.ID, lines []string) {
	ctx, s := context.Background(), newStore()
	c = history.NewID()
	must(s.Create(ctx, history.Conversation{ID: c, Title: "chain", Owner: "ann"}))
	var tip history.ID
	for i := range n {
		m := message.Prompt(fmt.Sprintf("prompt %d", i+1))
		m.Parts = append(m.Parts, message.Image{Media: message.Media{Type: "image/png", Data: fmt.Appendf(nil, "image %d", i+1)}})
		stored, err := s.Append(ctx, history.AppendRequest{Conversation: c, Parent: tip, ExpectedTip: tip, Entries: []history.Entry{{Message: &m}}})
		must(err)
		tip = stored[0].ID
	}
	var file strings.Builder
	must(Write(ctx, s, c, &file))
	lines = strings.SplitAfter(file.String(), "\n")
	return c, lines[:len(lines)-1]
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// previews reads damaged lines into a new store, and returns the path and what
// was reported.
func previews(t *testing.T, c history.ID, lines []string) (path []string, report transcript.Report) {
	t.Helper()
	s := newStore()
	report, err := Read(t.Context(), strings.NewReader(strings.Join(lines, "")), s, transcript.Options{Owner: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range s.Path(t.Context(), history.PathQuery{Conversation: c}) {
		if err != nil {
			t.Fatal(err)
		}
		path = append(path, fmt.Sprintf("%d %s", e.Depth, history.Preview(&e)))
	}
	return path, report
}

// The lines of a chain of n: header, then blob and entry in turn, then end.

func entryLineOf(n int) int { return 2 * n }

func TestDamagedEntryKeepsItsPlaceAndItsLine(t *testing.T) {
	c, lines := chain(4)
	lines[entryLineOf(2)] = lines[entryLineOf(2)][:220] + "\x00\n"
	path, report := previews(t, c, lines)
	want := []string{"1 prompt 1", "2 [stemma record]", "3 prompt 3", "4 prompt 4"}
	if !slices.Equal(path, want) {
		t.Errorf("path %q, want %q", path, want)
	}
	if report.ProblemCount != 1 || report.Problems[0].Line != int64(entryLineOf(2)+1) {
		t.Errorf("problems: %v", report.Problems)
	}
}

func TestLinesThatAreGoneLeaveTheDepthOfTheRest(t *testing.T) {
	c, lines := chain(6)
	gone := slices.Delete(slices.Clone(lines), entryLineOf(3), entryLineOf(4)+1)
	path, report := previews(t, c, gone)
	want := []string{"1 prompt 1", "2 prompt 2", "3 [stemma record]", "4 [stemma record]", "5 prompt 5", "6 prompt 6"}
	if !slices.Equal(path, want) {
		t.Errorf("path %q, want %q", path, want)
	}
	if report.ProblemCount != 2 { // the parent of entry 5, and the number at the end
		t.Errorf("problems: %v", report.Problems)
	}
}

func TestWhatIsWrongIsNamedWithItsLine(t *testing.T) {
	for name, test := range map[string]struct {
		change func(lines []string) []string
		line   int
		want   string
	}{
		"no JSON":           {func(l []string) []string { return slices.Insert(l, 3, "garbage\n") }, 4, "cannot be read"},
		"unknown type":      {func(l []string) []string { return slices.Insert(l, 3, `{"type":"hologram"}`+"\n") }, 4, `"hologram" is not known`},
		"changed blob":      {func(l []string) []string { l[1] = strings.Replace(l[1], "aW1h", "aW1i", 1); return l }, 2, "they were changed"},
		"entry twice":       {func(l []string) []string { return slices.Insert(l, 3, l[2]) }, 4, "stands in the file already"},
		"entry without id":  {func(l []string) []string { return slices.Insert(l, 3, `{"type":"entry","message":{}}`+"\n") }, 4, "an entry that cannot be read"},
		"unknown mark":      {func(l []string) []string { return slices.Insert(l, 3, `{"type":"checkpoint","name":"x"}`+"\n") }, 4, `checkpoint "x"`},
		"unknown pin":       {func(l []string) []string { return slices.Insert(l, 3, `{"type":"pin"}`+"\n") }, 4, "the pin is skipped"},
		"queued without id": {func(l []string) []string { return slices.Insert(l, 3, `{"type":"queued"}`+"\n") }, 4, "without an id"},
		"cut off":           {func(l []string) []string { return l[:len(l)-1] }, 0, "cut off"},
		"half a line":       {func(l []string) []string { l[len(l)-1] = `{"type":"en`; return l }, entryLineOf(3) + 2, "cannot be read"},
		"behind the end":    {func(l []string) []string { return append(l, `{"type":"pin"}`+"\n") }, entryLineOf(3) + 3, "the pin is skipped"},
	} {
		t.Run(name, func(t *testing.T) {
			c, lines := chain(3)
			path, report := previews(t, c, test.change(lines))
			if want := []string{"1 prompt 1", "2 prompt 2", "3 prompt 3"}; !slices.Equal(path, want) {
				t.Errorf("path %q, want %q", path, want)
			}
			if report.ProblemCount == 0 || int(report.Problems[0].Line) != test.line || !strings.Contains(report.Problems[0].What, test.want) {
				t.Errorf("problems %v, want line %d: %s", report.Problems, test.line, test.want)
			}
		})
	}
}

func TestATextWhoseBlobIsGoneKeepsItsPlace(t *testing.T) {
	s := newStore()
	c := history.Conversation{ID: history.NewID()}
	large := message.Results(message.ToolResult{CallID: "x", Content: []message.Content{message.Text{Text: strings.Repeat("x", message.LargeText)}}})
	if _, err := s.Import(t.Context(), history.ImportRequest{Conversation: c, Entries: []history.Entry{{ID: history.NewID(), Message: &large}}}); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(exported(t.Context(), t, s, c.ID)), "\n")
	_, report := previews(t, c.ID, slices.Delete(lines, 1, 2))
	if report.ProblemCount != 1 || !strings.Contains(report.Problems[0].What, "neither in the file nor in the store") {
		t.Errorf("problems: %v", report.Problems)
	}
}

func TestASoundFileBringsWhatADamagedOneLacked(t *testing.T) {
	c, lines := chain(3)
	damaged := slices.Clone(lines)
	damaged[entryLineOf(2)] = damaged[entryLineOf(2)][:220] + "\n"
	s := newStore()
	for _, file := range [][]string{damaged, lines} {
		if _, err := Read(t.Context(), strings.NewReader(strings.Join(file, "")), s, transcript.Options{Owner: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
	found := false
	for n, err := range s.Nodes(t.Context(), c) {
		if err != nil {
			t.Fatal(err)
		}
		found = found || n.Preview == "prompt 2"
	}
	if !found {
		t.Error("the entry of the sound file is missing")
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	for file, want := range map[string]string{
		"":                       "expected the header",
		`{"type":"entry"}`:       "expected the header",
		`{"role":"user"}` + "\n": "expected the header",
		`{"type":"conversation","format":"stemma","version":2,"id":"0190a8c0-0000-7000-8000-000000000001"}`: "newer version",
		`{"type":"conversation","format":"stemma","id":"x"}`:                                                "header of a conversation",
	} {
		_, err := Read(t.Context(), strings.NewReader(file), newStore(), transcript.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", file, err, want)
		}
	}
}

func TestJoinedFilesAreAllRead(t *testing.T) {
	a, first := chain(2)
	_, second := chain(3)
	for i := range second { // the counted ids of both are the same
		second[i] = strings.ReplaceAll(second[i], "-8000-0000", "-8000-0001")
	}
	s := newStore()
	report := imported(t.Context(), t, s, []byte(strings.Join(append(first, second...), "")), "ann")
	if len(report.Conversations) != 2 || report.Conversations[0].Conversation != a || report.Conversations[1].Records != 3 {
		t.Errorf("%+v", report.Conversations)
	}
}

// failing is a store that loses its connection at the n-th write.
type failing struct {
	history.Store
	left int
}

var errConnection = errors.New("connection lost")

func (f *failing) Import(ctx context.Context, r history.ImportRequest) (history.ImportResult, error) {
	if f.left--; f.left < 0 {
		return history.ImportResult{}, errConnection
	}
	return f.Store.Import(ctx, r)
}

func (f *failing) Pin(ctx context.Context, conversation, entry history.ID) error {
	if f.left--; f.left < 0 {
		return errConnection
	}
	return f.Store.Pin(ctx, conversation, entry)
}

func TestAnImportThatWasStoppedIsFinishedByTheNext(t *testing.T) {
	c, lines := chain(3)
	entry := strings.Split(lines[2], `"`)[7]
	lines = slices.Insert(lines, len(lines)-1, `{"type":"pin","entry":"`+entry+`"}`+"\n")
	file := strings.Join(lines, "")
	whole := newStore()
	imported(t.Context(), t, whole, []byte(file), "ann")
	want := read(t.Context(), t, whole, c)
	if len(want.Pins) != 1 {
		t.Fatal("the pin is missing")
	}
	for writes := range 3 {
		s := newStore()
		if _, err := Read(t.Context(), strings.NewReader(file), &failing{s, writes}, transcript.Options{Owner: "ann"}); !errors.Is(err, errConnection) {
			t.Fatalf("after %d writes: error %v", writes, err)
		}
		imported(t.Context(), t, s, []byte(file), "ann")
		sameTree(t, read(t.Context(), t, s, c), want)
	}
}

// holey is a store with an entry and a blob that cannot be read.
type holey struct {
	history.Store
	entry history.ID
	blob  message.Hash
}

func (h holey) Entry(ctx context.Context, c, id history.ID) (history.Entry, error) {
	if id == h.entry {
		return history.Entry{}, &history.DamagedError{Conversation: c, Entry: id, Err: errors.New("checksum mismatch")}
	}
	return h.Store.Entry(ctx, c, id)
}

func (h holey) Blob(ctx context.Context, hash message.Hash) (message.Blob, error) {
	if hash == h.blob {
		return message.Blob{}, history.ErrNotFound
	}
	return h.Store.Blob(ctx, hash)
}

func TestADamagedStoreIsExportedAsFarAsItCanBeRead(t *testing.T) {
	c, lines := chain(3)
	s := newStore()
	imported(t.Context(), t, s, []byte(strings.Join(lines, "")), "ann")
	nodes, err := history.Collect(s.Nodes(t.Context(), c))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	err = Write(t.Context(), holey{s, nodes[1].ID, message.HashOf([]byte("image 3"))}, c, &file)
	var incomplete *IncompleteError
	if !errors.As(err, &incomplete) || incomplete.Count != 2 {
		t.Fatalf("error %v", err)
	}
	path, report := previews(t, c, []string{file.String()})
	if want := []string{"1 prompt 1", "2 [stemma record]", "3 prompt 3"}; !slices.Equal(path, want) {
		t.Errorf("path %q", path)
	}
	if report.ProblemCount != 1 || !strings.Contains(report.Problems[0].What, "checksum mismatch") {
		t.Errorf("problems: %v", report.Problems)
	}
}

func TestDetectGoesByContent(t *testing.T) {
	_, lines := chain(1)
	for head, want := range map[string]bool{
		strings.Join(lines, ""):     true,
		lines[0][:60]:               true, // a header longer than what is looked at
		lines[1]:                    false,
		`{"type":"conversation"}`:   false,
		`[{"format":"stemma"}]`:     false,
		"\x1f\x8b":                  false,
		`{"format":"stemma"` + "\n": false,
	} {
		if got := Detect(&transcript.File{Head: []byte(head)}); got != want {
			t.Errorf("%.60q: %v", head, got)
		}
	}
}

// FuzzRead holds the reader to its word: whatever a file says, what it stores
// can be read, exported and read again.
func FuzzRead(f *testing.F) {
	_, lines := chain(2)
	f.Add([]byte(strings.Join(lines, "")))
	f.Add([]byte(lines[0] + `{"type":"entry","id":"0190a8c0-0000-7000-8000-000000000001","parent":"0190a8c0-0000-7000-8000-000000000002","depth":5000,"mess`))
	f.Add([]byte(lines[0] + `{"type":"entry","id":"0190a8c0-0000-7000-8000-000000000001","depth":1,"compaction":{"treatments":[]}}` + "\n" + `{"type":"end","entries":1}`))
	f.Add([]byte(lines[0] + `{"type":"damaged","id":"0190a8c0-0000-7000-8000-000000000001","depth":1}` + "\n" + lines[0]))
	f.Fuzz(func(t *testing.T, file []byte) {
		s := memory.New(memory.Options{})
		report, err := Read(t.Context(), bytes.NewReader(file), s, transcript.Options{})
		if err != nil {
			return // a store may refuse what a file asks for, as long as nothing panics
		}
		for _, c := range report.Conversations {
			var out bytes.Buffer
			err := Write(t.Context(), s, c.Conversation, &out)
			var incomplete *IncompleteError // blobs that no line brings
			if err != nil && !errors.As(err, &incomplete) {
				t.Fatal(err)
			}
			other := memory.New(memory.Options{})
			if _, err := Read(t.Context(), &out, other, transcript.Options{}); err != nil {
				t.Fatal(err)
			}
			got, want := read(t.Context(), t, other, c.Conversation), read(t.Context(), t, s, c.Conversation)
			sameTree(t, got, want)
		}
	})
}

// This is how a program takes any file: this format is asked first, for it
// says more than a [transcript.Sink] can hold.
func Example() {
	_, lines := chain(2)
	path := filepath.Join(os.TempDir(), "stemmajsonl-example.jsonl")
	must(os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600))
	defer os.Remove(path)

	ctx, store := context.Background(), memory.New(memory.Options{})
	var formats []transcript.Format // of other tools

	file, closer, err := transcript.Open(path)
	must(err)
	defer closer.Close()
	var report transcript.Report
	if Detect(file) {
		report, err = Read(ctx, file.Reader(), store, transcript.Options{})
	} else if format, unknown := transcript.Detect(formats, file); unknown != nil {
		err = unknown
	} else {
		report, err = transcript.Import(ctx, store, format, file, transcript.Options{})
	}
	fmt.Println(report.Format, report.Conversations[0].Added, err)
	// Output: stemma 2 <nil>
}
