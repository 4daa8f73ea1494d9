package history

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/message"
)

func TestSourceIDsAreStableAndTellRecordsApart(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	id := SourceID(at, "pi", "session", "1")
	if id != SourceID(at, "pi", "session", "1") {
		t.Error("the same record got two ids")
	}
	if id.Version() != 7 {
		t.Errorf("version %d", id.Version())
	}
	if sec, nsec := id.Time().UnixTime(); !time.Unix(sec, nsec).Equal(at) {
		t.Errorf("time %v", time.Unix(sec, nsec).UTC())
	}
	seen := map[ID]bool{id: true}
	for _, words := range [][]string{{"pi", "session", "2"}, {"pi", "session1", ""}, {"pi", "session", "1", ""}, {"pisession", "1"}} {
		if other := SourceID(at, words...); seen[other] {
			t.Errorf("%q shares an id", words)
		} else {
			seen[other] = true
		}
	}
}

func TestHandles(t *testing.T) {
	for _, s := range []string{"1", "412", "412.2"} {
		h, err := ParseHandle(s)
		if err != nil || h.String() != s {
			t.Errorf("%s became %v (%v)", s, h, err)
		}
	}
	for _, s := range []string{"", "0", "-1", "4.", "4.0", ".2", "4.2.1", "x"} {
		if h, err := ParseHandle(s); err == nil {
			t.Errorf("%q was read as %v", s, h)
		}
	}
}

func TestPreviewsAreOneShortLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := message.Prompt(rapid.String().Draw(t, "text"))
		p := Preview(&Entry{Message: &m})
		if len(p) > PreviewLen || strings.ContainsFunc(p, unicode.IsControl) || p != strings.TrimSpace(p) {
			t.Fatalf("%q", p)
		}
	})
	if p := message.Prompt("\x1b[31mred \u009b31mtoo"); Preview(&Entry{Message: &p}) != "[31mred 31mtoo" {
		t.Errorf("%q", Preview(&Entry{Message: &p}))
	}
	answer := message.Message{Role: message.Assistant, Parts: []message.Part{message.Thinking{Text: "hm"}, message.ToolCall{Name: "bash", Arguments: []byte(`{"command":"ls"}`)}}}
	if p := Preview(&Entry{Message: &answer}); p != `hm, bash {"command":"ls"}` {
		t.Errorf("%q", p)
	}
	failed := message.Results(message.ToolResult{Outcome: message.Failed, Content: []message.Content{message.Text{Text: "no such file"}}})
	if p := Preview(&Entry{Message: &failed}); p != "error: no such file" {
		t.Errorf("%q", p)
	}
	seen := message.Results(message.ToolResult{Content: []message.Content{message.Image{Media: message.Media{Type: "image/png"}}}})
	if p := Preview(&Entry{Message: &seen}); p != "[image image/png]" {
		t.Errorf("%q", p)
	}
}

func TestACompactionSaysHowMuchIsShownHow(t *testing.T) {
	part := func(as As) Treatment {
		return Treatment{From: Handle{Depth: 1, Part: 1}, To: Handle{Depth: 1, Part: 1}, As: as, Text: "x"}
	}
	pages := Treatment{From: Handle{Depth: 1}, To: Handle{Depth: 2}, As: AsPages, Pages: &Pages{Pages: make([]Page, 3)}}
	c := Compaction{Reason: Reason{Trigger: ByThreshold}, Treatments: []Treatment{part(AsStub), part(AsStub), part(AsOutline), pages, part(AsImages)}}
	if got := c.Describe(); got != "compaction (threshold) 2 stubs, 1 without images, 3 pages, 1 outline" {
		t.Errorf("%q", got)
	}
}

func TestACompactionSaysWhatIsKnownOfItsSize(t *testing.T) {
	for want, r := range map[string]Reason{
		"compaction (import) 1 summary":                         {Trigger: ByImport},
		"compaction (import) 1 summary, of about 900 tokens":    {Trigger: ByImport, Before: 900},
		"compaction (import) 1 summary, to about 30 tokens":     {Trigger: ByImport, After: 30},
		"compaction (command) 1 summary, about 900 → 30 tokens": {Trigger: ByCommand, Before: 900, After: 30},
	} {
		c := Compaction{Reason: r, Treatments: []Treatment{{From: Handle{Depth: 1}, To: Handle{Depth: 2}, As: AsSummary, Text: "x"}}}
		if got := c.Describe(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
