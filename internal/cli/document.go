package cli

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
)

// A document writes entries for people to read.
type document struct {
	out *output
	// full shows texts to their end.
	full bool
	// recall is the command that gets a part back, up to its handle.
	recall string
	marks  marks
}

// How much of a part is shown where the document is not full.
const (
	textLines     = 16
	thinkingLines = 3
	resultLines   = 6
	shownLineLen  = 500 // bytes
)

func (d *document) entry(e *history.Entry) {
	d.heading(e)
	if e.Compaction != nil {
		d.compaction(e.Compaction)
	} else {
		for i, p := range e.Message.Parts {
			d.part(history.Handle{Depth: e.Depth, Part: i + 1}, p)
		}
	}
	d.out.print("\n")
}

func (d *document) heading(e *history.Entry) {
	role, about := message.Role(""), []string{}
	if m := e.Message; m != nil {
		role = m.Role
		if m.Model != "" {
			about = append(about, m.Model)
		}
		if m.Stop != "" && m.Stop != message.StopEnd && m.Stop != message.StopTools {
			about = append(about, "stopped: "+string(m.Stop))
		}
	}
	if !e.Created.IsZero() {
		about = append(about, e.Created.Local().Format("2006-01-02 15:04"))
	}
	if e.Usage != nil && e.Usage.Prompt() > 0 {
		about = append(about, words.Thousands(e.Usage.Prompt())+" tokens in, "+words.Thousands(e.Usage.Output)+" out")
	}
	d.out.printf("%s %s", d.out.paint(bold, e.Handle().String()), d.out.paint(speakerStyle(role, e.Author()), words.Speaker(role, e.Author())))
	d.out.print(d.marks.labels(d.out, e.ID))
	if len(about) > 0 {
		d.out.printf("  %s", d.out.paint(faint, words.OneLine(strings.Join(about, " · "))))
	}
	d.out.print("\n")
}

func (d *document) compaction(c *history.Compaction) {
	d.text(history.Handle{}, c.Describe(), "  ", plain, textLines)
	for _, t := range c.Treatments {
		where := t.From.String()
		if t.To != t.From {
			where += " to " + t.To.String()
		}
		d.text(history.Handle{}, where+" as "+string(t.As)+": "+t.Text, "  ", faint, 2)
	}
}

func (d *document) part(at history.Handle, p message.Part) {
	switch p := p.(type) {
	case message.Text:
		d.text(at, p.Text, "  ", plain, textLines)
	case message.Thinking:
		d.text(at, p.Text, "  ┊ ", faint, thinkingLines)
	case message.RedactedThinking:
		d.out.printf("  ┊ %s\n", d.out.paint(faint, "thinking, hidden by the provider"))
	case message.ToolCall:
		d.out.printf("  %s %s", d.out.paint(blue, "▸"), d.out.paint(blue, words.OneLine(p.Name)))
		d.arguments(at, p.Arguments)
	case message.ToolResult:
		d.result(at, p)
	default:
		d.out.printf("  %s\n", d.out.paint(faint, describe(p)))
	}
}

// arguments writes the arguments of a call on the line of its name.
func (d *document) arguments(at history.Handle, arguments []byte) {
	text := words.Printable(string(arguments))
	if !d.full && len(text) > 2*history.PreviewLen {
		text = ansi.Truncate(words.OneLine(text), 2*history.PreviewLen, "…") + d.more(at)
	}
	d.out.printf(" %s\n", text)
}

func (d *document) result(at history.Handle, r message.ToolResult) {
	s, outcome := faint, "ok"
	if r.IsError() {
		s, outcome = red, string(r.Outcome)
	}
	text := r.PlainText()
	d.out.printf("  %s %s\n", d.out.paint(s, "◂"), d.out.paint(s, fmt.Sprintf("%s, %s", outcome, words.ByteSize(int64(len(text))))))
	if text != "" {
		d.text(at, text, "    ", faint, resultLines)
	}
	for _, c := range r.Content {
		if _, isText := c.(message.Text); !isText {
			d.out.printf("    %s\n", d.out.paint(faint, describe(c)))
		}
	}
}

// text writes the lines of a text behind an indent, and how to see the rest
// where it is longer than is shown.
func (d *document) text(at history.Handle, text, indent string, s style, lines int) {
	text = strings.TrimRight(words.Printable(text), "\n")
	n := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !d.full {
			if n == lines {
				break
			}
			if len(line) > shownLineLen {
				line = ansi.Truncate(line, shownLineLen, "…")
			}
		}
		n++
		for _, piece := range d.wrapped(line, len(indent)) {
			d.out.printf("%s\n", strings.TrimRight(indent+d.out.paint(s, piece), " "))
		}
	}
	if rest := 1 + strings.Count(text, "\n") - n; rest > 0 && text != "" {
		d.out.printf("%s%s\n", indent, d.out.paint(faint, "… "+words.Count(rest, "more line")+d.more(at)))
	}
}

// wrapped breaks a line where it does not fit the terminal.
func (d *document) wrapped(line string, indent int) []string {
	if d.out.width == 0 {
		return []string{line}
	}
	line = strings.ReplaceAll(line, "\t", "    ") // a tab's width would depend on the indent
	return strings.Split(ansi.Wrap(line, max(d.out.width-indent, 20), ""), "\n")
}

// more returns how to see the whole of a part.
func (d *document) more(at history.Handle) string {
	if at.Depth == 0 || d.recall == "" {
		return ""
	}
	return d.out.paint(faint, fmt.Sprintf(" (%s %v)", d.recall, at))
}

// describe returns a line about a part that is no text.
func describe(p message.Part) string {
	switch p := p.(type) {
	case message.Image:
		line := "image " + describeMedia(p.Media)
		if p.WidthPx > 0 {
			line += fmt.Sprintf(", %d×%d pixels", p.WidthPx, p.HeightPx)
		}
		return line
	case message.Document:
		return "document " + describeMedia(p.Media)
	case message.Opaque:
		return words.OneLine(p.Format) + " record, " + words.ByteSize(int64(len(p.Raw)))
	}
	return fmt.Sprintf("%T", p)
}

func describeMedia(m message.Media) string {
	line := m.Type
	if m.Name != "" {
		line += " " + m.Name
	}
	if m.Size > 0 {
		line += ", " + words.ByteSize(m.Size)
	}
	return words.OneLine(line)
}
