package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares what was written with a file in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s (write it anew with -update): got\n%s\nwant\n%s", path, got, want)
	}
}

// screen returns an output that takes itself for a terminal of that width.
func screen(width int) (*output, *bytes.Buffer) {
	var b bytes.Buffer
	o := newOutput(&b)
	o.terminal, o.width = true, width
	return o, &b
}

func TestTableOnATerminal(t *testing.T) {
	for _, width := range []int{40, 120} {
		out, b := screen(width)
		table := table{out: out, columns: []column{{title: "ID"}, {title: "TITLE", flexible: true}, {title: "MODEL", wide: true}, {title: "ENTRIES", right: true}, {title: "WHEN"}}}
		table.row(cell{value: "0197a3c1-long", shown: "0197a3c1"}, cell{value: "a title\tthat is longer than the screen is wide"}, cell{value: "some-model"}, cell{value: "5"}, cell{value: "now"})
		table.row(cell{value: "0197a3c2"}, cell{value: "会話の履歴を木にする道具と、その使い方についての長い話"}, cell{value: ""}, cell{value: "12,345"}, cell{value: "3 days ago"})
		table.row(cell{value: "0197a3c3"}, cell{value: "the words that match stand in the middle", lit: [2]int{15, 20}}, cell{value: ""}, cell{value: ""}, cell{value: ""})
		table.print()
		out.Flush()
		golden(t, "table-"+map[int]string{40: "narrow", 120: "wide"}[width]+".golden", b.Bytes())
	}
}

func TestTableOffATerminal(t *testing.T) {
	var b bytes.Buffer
	table := table{out: newOutput(&b), columns: []column{{title: "ID"}, {title: "TITLE"}}}
	table.row(cell{value: "0197a3c1-long", shown: "0197a3c1", style: red}, cell{value: "a\ttab\nand \x1b[31mred\x1b[0m"})
	table.print()
	table.out.Flush()
	if got, want := b.String(), "0197a3c1-long\ta tab and red\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDrawingOfATree(t *testing.T) {
	nodes := []history.Node{}
	add := func(parent int, role message.Role, author message.Author, preview string) {
		n := history.Node{ID: uuid.MustParse("0197a3c1-4f52-7000-8000-0000000000" + string("0123456789abcdef"[len(nodes)/16]) + string("0123456789abcdef"[len(nodes)%16])), Depth: 1, Kind: history.KindMessage, Role: role, Author: author, Preview: preview, Bytes: 1000}
		if role == "" {
			n.Kind = history.KindCompaction
		}
		if parent > 0 {
			n.Parent, n.Depth = nodes[parent-1].ID, nodes[parent-1].Depth+1
		}
		nodes = append(nodes, n)
	}
	add(0, message.User, message.ByPerson, "Fix the importer")
	for i := 1; i <= 6; i++ {
		add(i, message.Assistant, message.ByModel, "working")
	}
	add(7, message.User, message.ByPerson, "Try with channels")                      // 8
	add(8, message.Assistant, message.ByModel, "It deadlocks")                       // 9
	add(9, message.User, message.ByPerson, "Again")                                  // 10
	add(9, message.User, message.ByPerson, "Differently")                            // 11
	add(7, message.User, message.ByDigest, "Channels deadlock")                      // 12
	add(12, "", message.ByHarness, "compaction (command) 3 stubs")                   // 13
	add(13, message.Assistant, message.ByModel, strings.Repeat("a long answer ", 9)) // 14
	m := marks{tip: nodes[13].ID, checkpoints: map[history.ID][]string{nodes[6].ID: {"before"}}, pinned: map[history.ID]bool{nodes[0].ID: true}}
	out, b := screen(80)
	d := drawing{out: out, marks: m, short: words.ShortIDs(idsOf(nodes))}
	d.heading("Importer", history.Conversation{Source: history.Source{Tool: "codex"}}, nodes)
	d.lines(history.ArrangeTree(nodes, m.tip, func(n *history.Node) bool { return m.has(n.ID) || n.Kind == history.KindCompaction }))
	out.Flush()
	golden(t, "tree.golden", b.Bytes())
}

func TestDocumentOfAPath(t *testing.T) {
	long := strings.Repeat("line\n", 20)
	entries := []history.Entry{
		{Depth: 1, Message: &message.Message{Role: message.User, Author: message.ByPerson, Parts: []message.Part{message.Text{Text: "Look at this\x1b[2J\n\nand that"}, message.Image{Media: message.Media{Type: "image/png", Size: 34000}, WidthPx: 640, HeightPx: 480}}}},
		{Depth: 2, Created: time.Date(2026, 5, 1, 12, 0, 0, 0, time.Local), Usage: &history.Usage{Input: 12000, Output: 345}, Message: &message.Message{Role: message.Assistant, Author: message.ByModel, Model: "claude-sonnet-4-5", Stop: message.StopLength, Parts: []message.Part{
			message.Thinking{Text: "hm\nhm\nhm\nhm"}, message.RedactedThinking{Data: "x"}, message.Text{Text: long}, message.ToolCall{Name: "Bash", Arguments: []byte(`{"command":"` + strings.Repeat("x", 300) + `"}`)},
		}}},
		{Depth: 3, Message: &message.Message{Role: message.Tool, Author: message.ByTool, Parts: []message.Part{
			message.ToolResult{Outcome: message.Failed, Content: []message.Content{message.Text{Text: long}, message.Document{Media: message.Media{Type: "application/pdf", Name: "a.pdf"}}}},
			message.ToolResult{},
		}}},
		{Depth: 4, Compaction: &history.Compaction{Reason: history.Reason{Trigger: history.ByCommand}, Treatments: []history.Treatment{{From: history.Handle{Depth: 3, Part: 1}, To: history.Handle{Depth: 3, Part: 1}, As: history.AsStub, Text: "[Bash: 200 bytes]"}}}},
		{Depth: 5, Message: &message.Message{Role: message.User, Author: message.ByHarness, Parts: []message.Part{message.Opaque{Format: "claude-code", Raw: []byte(`{}`)}}}},
	}
	for _, full := range []bool{false, true} {
		out, b := screen(80)
		d := document{out: out, full: full, recall: "stemma recall @"}
		for i := range entries {
			entries[i].ID[15] = byte(i) + 1
			d.entry(&entries[i])
		}
		out.Flush()
		golden(t, map[bool]string{false: "document.golden", true: "document-full.golden"}[full], b.Bytes())
	}
}
