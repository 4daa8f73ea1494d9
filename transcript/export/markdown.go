package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// Markdown writes a path, or the whole tree, as CommonMark. Every line that a
// person, a model or a tool gave begins with "> "; headings and all else at the
// margin are the export's own.
//
// It fails with [history.ErrNotFound] where there is no such conversation or
// tip, and with an [*IncompleteError] where the rest is written. It is meant
// for reading: only [JSONL] can be imported again without loss.
func Markdown(ctx context.Context, store history.Store, conversation history.ID, w io.Writer, options Options) error {
	o, err := newOutline(ctx, store, conversation, options)
	if err != nil {
		return err
	}
	out := markdownWriter{outline: o, w: bufio.NewWriterSize(w, 64<<10), imageAt: map[message.Hash]bool{}}
	out.title()
	for _, b := range o.branches {
		if err := out.branch(b); err != nil {
			return err
		}
	}
	if err := out.imageBytes(); err != nil {
		return err
	}
	if err := out.w.Flush(); err != nil {
		return err
	}
	return o.incomplete.Err()
}

// markdownWriter leaves errors of writing to the final Flush of w.
type markdownWriter struct {
	*outline
	w *bufio.Writer
	// images are written at the end, so that the text stays readable.
	images  []message.Media
	imageAt map[message.Hash]bool
}

func (w *markdownWriter) printf(format string, args ...any) { fmt.Fprintf(w.w, format, args...) }

func (w *markdownWriter) title() {
	w.printf("# %s\n\n", escapeMarkdown(w.name()))
	for _, f := range w.facts() {
		w.printf("- %s: %s\n", f.Name, codeSpan(f.Value))
	}
	w.printf("\nLines that begin with `>` are the words of people, models and tools; all others were written by the export.\n")
}

func (w *markdownWriter) branch(b *branch) error {
	if b.Number > 1 {
		w.printf("\n# Branch %d\n\n%s\n", b.Number, w.origin(b)+".")
	}
	for p, err := range w.pieces(b) {
		if err != nil {
			return err
		}
		w.entry(&p)
	}
	return nil
}

func (w *markdownWriter) entry(p *piece) {
	if p.Damage != nil {
		w.printf("\n## %v · Damaged\n\nThe store cannot read this entry: %s\n", p.Handle(), escapeMarkdown(line(p.Damage.Error(), 400)))
		return
	}
	w.printf("\n## %v · %s\n", p.Handle(), speakerOf(p.Message).Name)
	if notes := w.notes(p); notes != "" {
		w.printf("\n%s\n", notes)
	}
	switch {
	case p.Compaction != nil:
		w.compaction(p.Compaction)
	default:
		for i, part := range p.Message.Parts {
			w.part(p, history.Handle{Depth: p.Depth, Part: i + 1}, part)
		}
	}
	for _, b := range p.Leaving {
		w.printf("\n*Branch %d leaves here: %s.*\n", b.Number, count(len(b.Nodes), "entry", "entries"))
	}
}

// notes is the line under the heading of an entry.
func (w *markdownWriter) notes(p *piece) string {
	notes := []string{}
	add := func(note string) {
		if note != "" {
			notes = append(notes, note)
		}
	}
	add(stamp(p.Created))
	if m := p.Message; m != nil {
		add(codeSpan(line(m.Model, 80)))
		add(escapeMarkdown(ended(m.Stop)))
	}
	add(escapeMarkdown(billed(p.Usage)))
	for _, c := range p.Checkpoints {
		add(fmt.Sprintf("checkpoint %s (set by the %s)", codeSpan(line(c.Name, 80)), c.SetBy))
	}
	if p.Pinned {
		add("pinned")
	}
	if p.Left != (history.ID{}) {
		add("left the branch that ends at " + codeSpan(p.Left.String()))
	}
	return strings.Join(notes, " · ")
}

func (w *markdownWriter) part(p *piece, h history.Handle, part message.Part) {
	switch part := part.(type) {
	case message.Text:
		w.prose(part.Text)
	case message.Thinking:
		if part.Text == "" {
			w.printf("\n*Thinking, not shown by the provider.*\n")
			return
		}
		w.folded("Thinking", part.Text, "text")
	case message.RedactedThinking:
		w.printf("\n*Thinking, hidden by the provider.*\n")
	case message.ToolCall:
		w.folded(fmt.Sprintf("Call %v: %s %s", h, line(part.Name, 80), target(part)), indented(part.Arguments), "json")
	case message.ToolResult:
		w.result(p, h, part)
	case message.Image:
		w.image(part)
	case message.Document:
		w.printf("\n*%s*\n", escapeMarkdown(about("document", part.Media, 0, 0)))
	case message.Opaque:
		w.folded(fmt.Sprintf("Record %v (%s)", h, line(part.Format, 40)), indented(part.Raw), "json")
	}
}

func (w *markdownWriter) result(p *piece, h history.Handle, r message.ToolResult) {
	title := fmt.Sprintf("Result %v: %s", h, line(p.toolOf(r), 80))
	if how := outcome(r.Outcome); how != "" {
		title += ", " + how
	}
	if text := r.PlainText(); text != "" || len(r.Content) == 0 {
		w.folded(title+", "+size(int64(len(text))), text, "text")
	} else {
		w.printf("\n%s\n", escapeMarkdown(title))
	}
	for _, c := range r.Content {
		if _, ok := c.(message.Text); !ok {
			w.part(p, h, c)
		}
	}
}

func (w *markdownWriter) compaction(c *history.Compaction) {
	w.printf("\nMade because %s. From here on the model is shown:\n\n", escapeMarkdown(why(&c.Reason)))
	ranges := shownRanges(c)
	for _, r := range ranges {
		w.printf("- %s: %s\n", r.Range, r.As)
	}
	for _, r := range ranges {
		if r.Text != "" {
			w.folded("Text for "+r.Range, r.Text, "text")
		}
	}
	if c.Reason.Note != "" {
		w.folded("Note", c.Reason.Note, "text")
	}
}

// prose writes text that may be Markdown.
func (w *markdownWriter) prose(text string) {
	text = visible(text)
	if text, ok := inert(text); ok {
		w.printf("\n")
		w.quote(text)
		return
	}
	w.printf("\n")
	w.fenced(text, "text")
}

// folded writes a block under a title that opens and closes.
func (w *markdownWriter) folded(title, text, language string) {
	w.printf("\n<details><summary>%s</summary>\n\n", html.EscapeString(line(title, 240)))
	w.fenced(visible(text), language)
	w.printf("\n</details>\n")
}

// fenced writes text in a code block that it cannot close.
func (w *markdownWriter) fenced(text, language string) {
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	w.quote(fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence)
}

// quote writes each line of text behind "> ".
func (w *markdownWriter) quote(text string) {
	for l := range strings.Lines(strings.TrimSuffix(text, "\n") + "\n") {
		if l == "\n" {
			w.printf(">\n")
			continue
		}
		w.printf("> %s", l)
	}
}

func (w *markdownWriter) image(img message.Image) {
	words := about("image", img.Media, img.WidthPx, img.HeightPx)
	switch { // the store gives an image by its hash
	case !img.Blob.IsZero() && isPicture(img.Type):
		w.printf("\n![%s][%s]\n", escapeMarkdown(words), imageLabel(img.Blob))
		if !w.imageAt[img.Blob] {
			w.imageAt[img.Blob] = true
			w.images = append(w.images, img.Media)
		}
	case img.URL != "":
		w.printf("\n*%s, not stored:* %s\n", escapeMarkdown(words), codeSpan(line(img.URL, 400)))
	default:
		w.printf("\n*%s*\n", escapeMarkdown(words))
	}
}

func imageLabel(hash message.Hash) string { return "sha256-" + hash.String()[:16] }

// imageBytes writes the images as definitions that the text refers to.
func (w *markdownWriter) imageBytes() error {
	for _, m := range w.images {
		data, err := w.blob(m)
		if err != nil {
			return err
		}
		if data != nil {
			w.printf("\n[%s]: data:%s;base64,%s\n", imageLabel(m.Blob), m.Type, base64.StdEncoding.EncodeToString(data))
		}
	}
	return nil
}

// isPicture reports whether a media type is one that browsers show and that
// cannot hold a script.
func isPicture(mediaType string) bool {
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp":
		return true
	}
	return false
}

// indented returns JSON with line breaks, or data as it is.
func indented(data []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, data, "", "  ") != nil {
		return string(data)
	}
	return b.String()
}

// codeSpan returns s as code within a line; "" stays "".
func codeSpan(s string) string {
	if s = line(s, 1000); s == "" {
		return ""
	}
	ticks := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

func longestRun(s string, of byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// escapeMarkdown returns a line that Markdown shows as it is.
func escapeMarkdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_{}[]<>&#|~!", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
