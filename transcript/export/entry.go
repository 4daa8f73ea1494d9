package export

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
)

// entryView is an entry as the page shows it.
type entryView struct {
	ID       history.ID
	Depth    int
	Class    string
	Who      string
	Model    string
	Notes    []string
	Marks    []string
	Pinned   bool
	Created  time.Time
	Parts    []partView
	Left     history.ID // none where it is not on the page
	Branches []branchLink
}

// branchLink leads to a branch that leaves an entry.
type branchLink struct {
	ID     history.ID // of its first entry
	Number int
	Text   string
}

// partView is one of the ways to show a piece of an entry.
type partView struct {
	Text   template.HTML // shown at once
	Fold   *foldView     // shown when it is opened
	Image  *imageView
	Note   string // a line of the page's own
	Ranges []rangeView
}

// foldView is a block under a line that opens it.
type foldView struct {
	Class   string
	Handle  string
	Title   string
	Peek    string // the first words of what is inside
	Bad     string // how it went wrong
	Size    string
	Text    string
	Members []memberView
}

// memberView is an argument of a call.
type memberView struct{ Name, Text string }

type imageView struct {
	Source        template.URL
	About         string
	Width, Height int
}

// rangeView is a range of a compaction, with what stands for it.
type rangeView struct {
	Range, As string
	Fold      *foldView
}

func (w *htmlWriter) entry(p *piece) (*entryView, error) {
	v := &entryView{ID: p.ID, Depth: p.Depth, Created: p.Created.UTC(), Pinned: p.Pinned}
	if p.Damage != nil {
		v.Class, v.Who = "damaged", "Damaged"
		v.Parts = []partView{{Note: "The store cannot read this entry: " + line(p.Damage.Error(), 400)}}
		return v, nil //nolint:nilerr // the damage is shown in the entry's place
	}
	s := speakerOf(p.Message)
	v.Class, v.Who = s.Class, s.Name
	for _, c := range p.Checkpoints {
		v.Marks = append(v.Marks, fmt.Sprintf("%s (set by the %s)", line(c.Name, 80), c.SetBy))
	}
	if w.shown[p.Left] {
		v.Left = p.Left
	}
	for _, b := range p.Leaving {
		text := count(len(b.Nodes), "entry", "entries") + ": " + visible(b.First().Preview)
		v.Branches = append(v.Branches, branchLink{ID: b.First().ID, Number: b.Number, Text: text})
	}
	if u := billed(p.Usage); u != "" {
		v.Notes = append(v.Notes, u)
	}
	if p.Compaction != nil {
		v.Parts = compactionParts(p.Compaction)
		return v, nil
	}
	v.Model = line(p.Message.Model, 80)
	if how := ended(p.Message.Stop); how != "" {
		v.Notes = append(v.Notes, how)
	}
	for i, part := range p.Message.Parts {
		shown, err := w.part(p, history.Handle{Depth: p.Depth, Part: i + 1}, part)
		if err != nil {
			return nil, err
		}
		v.Parts = append(v.Parts, shown...)
	}
	return v, nil
}

func (w *htmlWriter) part(p *piece, h history.Handle, part message.Part) ([]partView, error) {
	switch part := part.(type) {
	case message.Text:
		return []partView{{Text: said(p.Message, part.Text)}}, nil
	case message.Thinking:
		if part.Text == "" {
			return []partView{{Note: "Thinking, not shown by the provider"}}, nil
		}
		text := visible(part.Text)
		return fold(foldView{Class: "thinking", Handle: h.String(), Title: "Thinking", Peek: line(text, 120), Text: text}), nil
	case message.RedactedThinking:
		return []partView{{Note: "Thinking, hidden by the provider"}}, nil
	case message.ToolCall:
		return fold(callView(h, part)), nil
	case message.ToolResult:
		return w.result(p, h, part)
	case message.Image:
		return w.image(h, part)
	case message.Document:
		return []partView{{Note: fmt.Sprintf("%v: %s", h, about("document", part.Media, 0, 0))}}, nil
	case message.Opaque:
		return fold(foldView{Class: "record", Handle: h.String(), Title: "Record of " + line(part.Format, 40), Text: visible(indented(part.Raw))}), nil
	}
	return nil, nil
}

func fold(v foldView) []partView { return []partView{{Fold: &v}} }

// said returns the words of a message. People's are theirs, letter for letter;
// models write Markdown.
func said(m *message.Message, text string) template.HTML {
	if m.Author == message.ByModel || m.Author == message.ByDigest {
		return prose(text)
	}
	return plain(visible(text))
}

func callView(h history.Handle, c message.ToolCall) foldView {
	v := foldView{Class: "call", Handle: h.String(), Title: line(c.Name, 80), Peek: target(c)}
	err := rawjson.Members(c.Arguments, func(name string, value []byte) error {
		m := memberView{Name: line(name, 80), Text: visible(rawjson.Text(value))}
		if value[0] != '"' {
			m.Text = visible(indented(value))
		}
		v.Members = append(v.Members, m)
		return nil
	})
	if err != nil { // no object, or one that was cut
		v.Members, v.Text = nil, visible(string(c.Arguments))
	}
	return v
}

func (w *htmlWriter) result(p *piece, h history.Handle, r message.ToolResult) ([]partView, error) {
	var parts []partView
	if text := r.PlainText(); text != "" || len(r.Content) == 0 {
		parts = fold(foldView{
			Class: "result", Handle: h.String(), Title: line(p.toolOf(r), 80), Peek: line(text, 120),
			Bad: outcome(r.Outcome), Size: size(int64(len(text))), Text: visible(text),
		})
	}
	for _, c := range r.Content {
		if _, ok := c.(message.Text); ok {
			continue
		}
		shown, err := w.part(p, h, c)
		if err != nil {
			return nil, err
		}
		parts = append(parts, shown...)
	}
	return parts, nil
}

func (w *htmlWriter) image(h history.Handle, img message.Image) ([]partView, error) {
	words := fmt.Sprintf("%v: %s", h, about("image", img.Media, img.WidthPx, img.HeightPx))
	data, err := w.blob(img.Media)
	switch {
	case err != nil:
		return nil, err
	case data == nil && img.URL != "":
		return []partView{{Note: words + ", not stored: " + line(img.URL, 400)}}, nil
	case data == nil || !isPicture(img.Type):
		return []partView{{Note: words}}, nil
	}
	source := template.URL("data:" + img.Type + ";base64," + base64.StdEncoding.EncodeToString(data))
	return []partView{{Image: &imageView{Source: source, About: words, Width: img.WidthPx, Height: img.HeightPx}}}, nil
}

func compactionParts(c *history.Compaction) []partView {
	v := partView{Note: "Made because " + why(&c.Reason) + ". From here on the model is shown:"}
	for _, r := range shownRanges(c) {
		shown := rangeView{Range: r.Range, As: r.As}
		if r.Text != "" {
			shown.Fold = &foldView{Class: "record", Peek: line(r.Text, 120), Text: r.Text}
		}
		v.Ranges = append(v.Ranges, shown)
	}
	parts := []partView{v}
	if c.Reason.Note != "" {
		parts = append(parts, fold(foldView{Class: "record", Title: "Note", Peek: line(c.Reason.Note, 120), Text: visible(c.Reason.Note)})...)
	}
	return parts
}
