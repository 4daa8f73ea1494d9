package cli

import (
	"context"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
)

// marks is what people and runs have said about entries of a conversation.
type marks struct {
	tip         history.ID
	checkpoints map[history.ID][]string
	pinned      map[history.ID]bool
}

func marksOf(ctx context.Context, s history.Store, c history.Conversation) (marks, error) {
	m := marks{tip: c.Tip, checkpoints: map[history.ID][]string{}, pinned: map[history.ID]bool{}}
	checkpoints, err := s.Checkpoints(ctx, c.ID)
	if err != nil {
		return m, err
	}
	for _, mark := range checkpoints {
		m.checkpoints[mark.Entry] = append(m.checkpoints[mark.Entry], mark.Name)
	}
	pins, err := s.Pins(ctx, c.ID)
	for _, id := range pins {
		m.pinned[id] = true
	}
	return m, err
}

// has reports whether anything is said about an entry.
func (m *marks) has(id history.ID) bool {
	return id == m.tip || m.pinned[id] || len(m.checkpoints[id]) > 0
}

// labels returns the words for what is said about an entry, each behind two
// spaces.
func (m *marks) labels(out *output, id history.ID) string {
	text := ""
	if id == m.tip {
		text += "  " + out.paint(green, "tip")
	}
	for _, name := range m.checkpoints[id] {
		text += "  " + out.paint(yellow, "◆ "+words.OneLine(name))
	}
	if m.pinned[id] {
		text += "  " + out.paint(yellow, "pinned")
	}
	return text
}
