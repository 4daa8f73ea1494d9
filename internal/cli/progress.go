package cli

import (
	"context"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
)

// A progress is one line on stderr that is written over again and again, where
// that is a terminal.
type progress struct {
	*app
	last  time.Time
	shown bool
}

// progressInterval is how long a line stands before it may be replaced.
const progressInterval = 100 * time.Millisecond

// show replaces the line with what text returns, unless the one before has
// only just been written.
func (p *progress) show(text func() string) {
	if now := p.now(); p.err.terminal && now.Sub(p.last) >= progressInterval {
		p.last, p.shown = now, true
		p.err.printf("\r%s%s", ansi.Truncate(text(), p.err.width-1, "…"), ansi.EraseLineRight)
		_ = p.err.Flush()
	}
}

// clear takes the line away, so that something else can be written.
func (p *progress) clear() {
	if p.shown {
		p.err.printf("\r%s", ansi.EraseLineRight)
		_ = p.err.Flush()
		p.shown = false
	}
}

// indexStep is how many bodies are indexed in one transaction.
const indexStep = 500

// index reads bodies into the full-text index, at most limit of them (0 is all),
// and returns how many are left.
func (a *app) index(ctx context.Context, s history.Store, limit int) (left int, err error) {
	p := progress{app: a}
	defer p.clear()
	for done := 0; limit == 0 || done < limit; done += indexStep {
		if left, err = s.Index(ctx, indexStep); err != nil || left == 0 {
			return left, err
		}
		p.show(func() string { return "indexing: " + words.Count(left, "entry") + " left" })
	}
	return left, nil
}
