package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/stemma-history/stemma/history"
)

// indexStep is how many bodies are indexed before a search is made again.
const indexStep = 500

// indexed says that more can be found than before, and how many bodies are left.
type indexed struct{ left int }

// index reads bodies into the full-text index, which no append waits for. Where
// that fails, a search finds what was indexed before.
func index(ctx context.Context, s history.Store) tea.Cmd {
	return func() tea.Msg {
		left, err := s.Index(ctx, indexStep)
		if err != nil {
			return nil
		}
		return indexed{left}
	}
}

// more is the next step, if there is one.
func (i indexed) more(ctx context.Context, s history.Store) tea.Cmd {
	if i.left == 0 {
		return nil
	}
	return index(ctx, s)
}
