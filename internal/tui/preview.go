package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
)

// A preview shows one entry beside the tree.
type preview struct {
	id    history.ID
	entry *history.Entry // nil until it is read
	err   error

	left     string    // what a digest stands for
	top      int       // the first line of the text that is shown
	pictures []picture // of the entry
	at       int       // which of them is shown
}

// read reads the entry, where the cursor still rests on it.
func (p *preview) read(n *navigator, look lookNow) tea.Cmd {
	if look.id != p.id || p.entry != nil {
		return nil
	}
	id := n.conversation.ID
	return func() tea.Msg {
		e, err := n.store.Entry(n.ctx, id, look.id)
		return entryRead{look.id, &e, err}
	}
}

func (p *preview) take(r entryRead) {
	if r.id != p.id {
		return
	}
	if p.err = r.err; r.err == nil {
		p.entry = r.entry
	}
}

// previewBytes is how much of a text a preview lays out: more than a screen
// holds.
const previewBytes = 16 << 10

// leastRows is what a picture needs to be worth its place.
const leastRows = 4

// turn shows another picture.
func (p *preview) turn(by int) { p.at = max(min(p.at+by, len(p.pictures)-1), 0) }

func (p *preview) view(a *album, width, height int) string {
	lines := p.text(width)
	shown := p.picture(a, width, height-min(len(lines), height/2))
	room := height - len(shown)
	p.top = max(min(p.top, len(lines)-room), 0)
	lines = lines[p.top:]
	if len(lines) > room {
		lines = append(lines[:max(room-1, 0)], faint.Render("… J K scroll"))
	}
	for i := range lines {
		lines[i] = ansi.Truncate(strings.ReplaceAll(lines[i], "\t", "    "), width, "…")
	}
	lines = append(lines, shown...)
	for len(lines) < height {
		lines = append(lines, "")
	}
	return strings.Join(lines, "\n")
}

// text is what is said of the entry, and what it says.
func (p *preview) text(width int) []string {
	switch {
	case p.err != nil:
		return strings.Split(red.Render(ansi.Wrap(words.Printable(p.err.Error()), width, "")), "\n")
	case p.entry == nil:
		return nil
	}
	text := p.body()
	if p.left != "" {
		text = p.left + "\n\n" + text
	}
	if p.at < len(p.pictures) && p.pictures[p.at].index != "" {
		text += "\n\n" + clip(p.pictures[p.at].index, previewBytes)
	}
	return strings.Split(p.heading()+"\n"+ansi.Wrap(words.Printable(text), width, ""), "\n")
}

// picture returns the picture that is shown, with a line about it above, in at
// most so many lines.
func (p *preview) picture(a *album, width, height int) []string {
	if len(p.pictures) == 0 {
		return nil
	}
	about := "v " + p.pictures[p.at].about
	if len(p.pictures) > 1 {
		about = fmt.Sprintf("v < > %d of %d: %s", p.at+1, len(p.pictures), p.pictures[p.at].about)
	}
	lines := []string{"", cyan.Render(ansi.Truncate(about, width, "…"))}
	if height < len(lines)+leastRows {
		return lines[1:]
	}
	columns, rows := a.fit(p.pictures[p.at], width, height-len(lines))
	if rows == 0 {
		return lines[1:]
	}
	return append(lines, a.lines(p.pictures[p.at], columns, rows)...)
}

// heading is one line about the entry.
func (p *preview) heading() string {
	e := p.entry
	facts := []string{e.Handle().String()}
	if e.Message != nil {
		facts = append(facts, words.Speaker(e.Message.Role, e.Author()))
		if e.Message.Model != "" {
			facts = append(facts, e.Message.Model)
		}
	}
	if !e.Created.IsZero() {
		facts = append(facts, e.Created.Local().Format(time.DateTime))
	}
	if u := e.Usage; u != nil {
		facts = append(facts, fmt.Sprintf("%s tokens in, %s out", words.Thousands(u.Prompt()), words.Thousands(u.Output)))
	}
	return bold.Render(words.OneLine(strings.Join(facts, " · ")))
}

// body is the text of the entry, as far as a screen may show it.
func (p *preview) body() string {
	if c := p.entry.Compaction; c != nil {
		return describeCompaction(c)
	}
	var b strings.Builder
	for _, part := range p.entry.Message.Parts {
		if b.Len() > previewBytes {
			break
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(clip(describePart(part), previewBytes))
	}
	return b.String()
}

// describePart is a part of a message in words.
func describePart(p message.Part) string {
	switch p := p.(type) {
	case message.Text:
		return p.Text
	case message.Thinking:
		return "(thinking)\n" + p.Text
	case message.RedactedThinking:
		return "(thinking that the provider hides)"
	case message.ToolCall:
		return "→ " + p.Name + " " + string(p.Arguments)
	case message.ToolResult:
		text := p.PlainText()
		if p.IsError() {
			text = "(" + string(p.Outcome) + ")\n" + text
		}
		return text
	case message.Image:
		return "(" + describeImage(p) + ")"
	case message.Document:
		return fmt.Sprintf("(document, %s, %s)", p.Type, words.ByteSize(p.Size))
	case message.Opaque:
		return fmt.Sprintf("(record of %s, %s)", p.Format, words.ByteSize(int64(len(p.Raw))))
	}
	return ""
}

// describeCompaction says what a compaction shows how.
func describeCompaction(c *history.Compaction) string {
	var b strings.Builder
	b.WriteString(c.Describe() + "\n")
	for _, t := range c.Treatments {
		if t.Pages != nil { // its text tells a model how to read them
			fmt.Fprintf(&b, "\n%v–%v as %s", t.From, t.To, words.Count(len(t.Pages.Pages), "page"))
			continue
		}
		fmt.Fprintf(&b, "\n%v–%v as %s", t.From, t.To, t.As)
		if t.Text != "" {
			fmt.Fprintf(&b, ": %s", clip(words.OneLine(t.Text), 400))
		}
		if b.Len() > previewBytes {
			break
		}
	}
	return b.String()
}

// clip returns the beginning of a text, cut at a character.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + " …"
}
