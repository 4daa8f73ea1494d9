package cli

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
)

// A drawing is a tree on a screen: a line an entry, behind rails.
type drawing struct {
	out   *output
	marks marks
	short map[history.ID]string
}

func (d *drawing) heading(name string, c history.Conversation, nodes []history.Node) {
	leaves := len(nodes)
	parents := map[history.ID]bool{}
	for i := range nodes {
		if id := nodes[i].Parent; id != (history.ID{}) && !parents[id] {
			parents[id] = true
			leaves--
		}
	}
	facts := []string{words.Count(len(nodes), "entry"), words.Count(leaves, "branch")}
	if c.Source.Tool != "" {
		facts = append(facts, "from "+c.Source.Tool)
	}
	if c.ForkedFrom.Conversation != (history.ID{}) {
		facts = append(facts, "forked from "+c.ForkedFrom.Conversation.String())
	}
	d.line(d.out.paint(bold, name) + d.out.paint(faint, "  "+strings.Join(facts, " · ")))
}

func (d *drawing) lines(lines []history.TreeLine) {
	deepest := 0
	for i := range lines {
		deepest = max(deepest, lines[i].Depth)
	}
	width := len(strconv.Itoa(deepest))
	for i := range lines {
		l := &lines[i]
		text := d.rails(l)
		if l.Run.Entries > 0 {
			text += d.run(l, width)
		} else {
			text += d.entry(l, width)
		}
		d.line(text)
	}
}

// line writes a line, no wider than the terminal.
func (d *drawing) line(text string) {
	if d.out.width > 0 {
		text = ansi.Truncate(text, d.out.width, "…")
	}
	d.out.print(strings.TrimRight(text, " "))
	d.out.print("\n")
}

// rails are the lines on the left: what goes on behind this branch, and where
// it leaves.
func (d *drawing) rails(l *history.TreeLine) string {
	if l.Level == 0 {
		return ""
	}
	rails := strings.Repeat("│ ", l.Level-1)
	if l.Begins {
		return d.out.paint(faint, rails+"├─")
	}
	return d.out.paint(faint, rails+"│ ")
}

func (d *drawing) entry(l *history.TreeLine, width int) string {
	glyph, s := "○", plain
	switch {
	case l.ID == d.marks.tip:
		glyph, s = "●", green
	case l.Kind == history.KindCompaction:
		glyph, s = "◇", purple
	}
	who := words.Speaker(l.Role, l.Author)
	if l.Kind == history.KindCompaction {
		who = "" // the preview says it
	}
	text := d.out.paint(s, glyph) + " " + pad(strconv.Itoa(l.Depth), width) + "  " + d.out.paint(speakerStyle(l.Role, l.Author), pad(who, len("assistant")))
	if !l.OnPath && (l.Begins || l.Branches == 0) {
		text += "  " + d.out.paint(yellow, d.short[l.ID])
	}
	text += d.marks.labels(d.out, l.ID)
	preview := words.OneLine(l.Preview)
	if l.Author != message.ByPerson {
		preview = d.out.paint(faint, preview)
	}
	return text + "  " + preview
}

// run is the line that stands for entries in a row.
func (d *drawing) run(l *history.TreeLine, width int) string {
	var what []string
	for _, n := range []struct {
		count int
		noun  string
	}{{l.Run.Prompts, "prompt"}, {l.Run.Answers, "answer"}, {l.Run.Others, "other"}} {
		if n.count > 0 {
			what = append(what, words.Count(n.count, n.noun))
		}
	}
	return d.out.paint(faint, "┆ "+strings.Repeat(" ", width)+"  "+words.Count(l.Run.Entries, "entry")+": "+strings.Join(what, ", ")+", "+words.ByteSize(l.Run.Bytes))
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-ansi.StringWidth(text), 0))
}
