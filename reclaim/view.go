package reclaim

import (
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// View returns what a model is shown of a path, from its root to its tip, with
// the compactions on it applied. draw makes the images of pages; where it is
// nil, pages stand in the view without their bytes. The error is one of draw.
func View(path []history.Entry, draw Draw) (wire.View, error) {
	return new(Standing).View(path, draw)
}

func newViewer(path []history.Entry, draw Draw) *viewer {
	v := viewer{draw: draw, fold: history.FoldTreatments(compactions(path)), shown: map[*history.Treatment]bool{}}
	v.view.Messages = make([]wire.Message, 0, len(path))
	return &v
}

// compactions returns those of a path, as a view shows them.
func compactions(path []history.Entry) []*history.Compaction {
	var found []*history.Compaction
	for i := range path {
		if c := path[i].Compaction; c != nil {
			found = append(found, asShown(c))
		}
	}
	return found
}

type viewer struct {
	path  []history.Entry
	draw  Draw
	fold  history.Fold
	view  wire.View
	shown map[*history.Treatment]bool // the ranges whose text stands in the view
}

// extend shows the entries of path that are new: it begins with the path so far,
// and no compaction is among them that the fold does not know.
func (v *viewer) extend(path []history.Entry) error {
	from := len(v.path)
	v.path = path
	for i := from; i < len(path); i++ {
		if path[i].Message == nil {
			continue
		}
		if err := v.add(&path[i]); err != nil {
			return err
		}
	}
	return nil
}

func (v *viewer) add(e *history.Entry) error {
	if s := v.fold.At(e.Handle()); s != nil {
		return v.addRange(e, s)
	}
	m := wire.Message{Message: *e.Message, At: e.Handle(), Seals: e.Seals}
	if v.treatsPartOf(e) {
		v.addParts(&m, e)
	}
	v.view.Messages = append(v.view.Messages, m)
	if v.view.Head == 0 && m.IsPrompt() {
		v.view.Head = len(v.view.Messages)
	}
	return nil
}

func (v *viewer) treatsPartOf(e *history.Entry) bool {
	for i := range e.Message.Parts {
		if v.fold.At(history.Handle{Depth: e.Depth, Part: i + 1}) != nil {
			return true
		}
	}
	return false
}

// addParts puts the parts of e into m as they stand in the view.
func (v *viewer) addParts(m *wire.Message, e *history.Entry) {
	m.Parts, m.Seals = make([]message.Part, 0, len(e.Message.Parts)), nil
	thinking := 0
	for i, p := range e.Message.Parts {
		s := v.fold.At(history.Handle{Depth: e.Depth, Part: i + 1})
		if s != nil {
			p = treated(p, s.Treatment)
		}
		if isThinking(e.Message.Parts[i]) {
			if p != nil && thinking < len(e.Seals) {
				m.Seals = append(m.Seals, e.Seals[thinking])
			}
			thinking++
		}
		if p != nil {
			m.Parts = append(m.Parts, p)
		}
	}
}

// addRange shows an entry whose whole is treated: the text of the treatment
// stands once, where its range begins.
func (v *viewer) addRange(e *history.Entry, s *history.Segment) error {
	if v.shown[s.Treatment] {
		return nil
	}
	v.shown[s.Treatment] = true
	parts := []message.Part{message.Text{Text: s.Text}}
	if s.As == history.AsPages {
		var err error
		if parts, err = pageParts(v.path, s.Treatment, v.draw); err != nil {
			return err
		}
	}
	v.view.Messages = append(v.view.Messages, wire.Message{
		Message: message.Message{Role: message.User, Author: message.ByHarness, Parts: parts},
		At:      e.Handle(),
	})
	return nil
}

// treated returns what stands in the view for one part: a result keeps its
// place and its outcome, since its call must be answered; thinking leaves
// nothing behind, since nothing may be put into a model's mouth.
func treated(p message.Part, t *history.Treatment) message.Part {
	switch p := p.(type) {
	case message.ToolResult:
		if t.As == history.AsImages {
			p.Content = withoutImages(p.Content, t.Text)
		} else {
			p.Content = []message.Content{message.Text{Text: t.Text}}
		}
		return p
	case message.Thinking, message.RedactedThinking:
		return nil
	case message.ToolCall:
		p.Arguments = append(rawjson.AppendString([]byte(`{"left_out":`), t.Text), '}')
		return p
	}
	return message.Text{Text: t.Text}
}

// withoutImages puts one line of text in the place of each image and document.
func withoutImages(content []message.Content, text string) []message.Content {
	lines := strings.Split(text, "\n")
	shown := make([]message.Content, 0, len(content))
	for _, c := range content {
		switch c.(type) {
		case message.Image, message.Document:
			if len(lines) > 0 {
				c, lines = message.Text{Text: lines[0]}, lines[1:]
			}
		}
		shown = append(shown, c)
	}
	return shown
}

func isThinking(p message.Part) bool {
	switch p.(type) {
	case message.Thinking, message.RedactedThinking:
		return true
	}
	return false
}
