package tui

import (
	"context"
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/internal/graphics"
	"github.com/stemma-history/stemma/internal/words"
)

// mostPictures is how many pictures an album keeps: more than a screen shows.
const mostPictures = 24

// An album draws pictures to stand between lines of text. It draws one at a
// time, beside the app, and keeps those that were shown last.
type album struct {
	ctx     context.Context
	display *display

	kept   map[spot]*drawing
	order  []spot // the one that was shown longest ago first
	wanted []request
	busy   bool
	closed bool
}

// A spot is a picture in a size, drawn in one way.
type spot struct {
	key           string
	columns, rows int
	how           graphics.Protocol
}

type request struct {
	spot
	picture picture
}

// A drawing is a picture as it stands on the screen.
type drawing struct {
	lines []string // nil until the terminal has what they need
	id    int      // of the image that was sent to the terminal; 0 for none
	err   error
}

type (
	// pictureDrawn brings a drawing, and what the terminal has to be sent first.
	pictureDrawn struct {
		album *album
		spot  spot
		drawing
		send string
	}
	// pictureSent says that the terminal has been sent it.
	pictureSent struct {
		album *album
		spot  spot
		id    int
		lines []string
	}
)

func newAlbum(ctx context.Context, d *display) *album {
	return &album{ctx: ctx, display: d, kept: map[spot]*drawing{}}
}

// fit returns the columns and rows that a picture takes in a box of them, 0
// where it is not shown.
func (a *album) fit(p picture, columns, rows int) (c, r int) {
	if a.display.inText() == graphics.Off {
		return 0, 0
	}
	return graphics.Fit(p.size, a.display.Cell, columns, rows)
}

// lines returns what stands in so many columns and rows for a picture. They are
// blank until it is drawn, which load sees to.
func (a *album) lines(p picture, columns, rows int) []string {
	at := spot{p.key, columns, rows, a.display.inText()}
	if i := slices.Index(a.order, at); i >= 0 {
		a.order = append(slices.Delete(a.order, i, i+1), at)
	}
	blank := make([]string, rows)
	switch d := a.kept[at]; {
	case d == nil:
		a.wanted = append(a.wanted, request{at, p})
	case d.err != nil:
		copy(blank, wrap(words.Printable("(cannot be shown: "+d.err.Error()+")"), columns))
		for i := range blank {
			blank[i] = faint.Render(ansi.Truncate(blank[i], columns, "…"))
		}
	case d.lines != nil:
		return d.lines
	}
	return blank
}

// load draws the next of the pictures that were asked for since the last time:
// those that are on the screen now.
func (a *album) load() tea.Cmd {
	wanted := a.wanted
	a.wanted = nil
	if a.busy || a.closed || len(wanted) == 0 {
		return nil
	}
	a.busy = true
	next, screen := wanted[0], a.display.Terminal
	at := graphics.Place{Columns: next.columns, Rows: next.rows}
	if next.how == graphics.Kitty {
		at.ID = a.display.number()
	}
	return func() tea.Msg { return draw(a, next, &screen, at) }
}

// draw decodes a picture and makes it fit.
func draw(a *album, r request, screen *graphics.Terminal, at graphics.Place) tea.Msg {
	msg := pictureDrawn{album: a, spot: r.spot}
	var img image.Image
	data, err := r.picture.read(a.ctx)
	if err == nil {
		img, err = graphics.Decode(data)
	}
	switch {
	case err != nil:
	case at.ID != 0:
		msg.id, msg.lines = at.ID, graphics.PlaceholderLines(at)
		msg.send, err = screen.Send(img, at)
	default:
		msg.lines = graphics.BlockLines(img, at.Columns, at.Rows)
	}
	msg.err = err
	return msg
}

// take keeps a drawing. Its lines are shown once the terminal has been sent what
// they stand for.
func (a *album) take(msg pictureDrawn) tea.Cmd {
	if a.closed {
		return nil
	}
	d := msg.drawing
	if msg.send != "" {
		d.lines = nil
	}
	a.kept[msg.spot] = &d
	a.order = append(a.order, msg.spot)
	var cmds []tea.Cmd
	if len(a.order) > mostPictures {
		oldest := a.order[0]
		if id := a.kept[oldest].id; id != 0 {
			cmds = append(cmds, tea.Raw(a.display.Delete(id)))
		}
		delete(a.kept, oldest)
		a.order = a.order[1:]
	}
	if msg.send == "" {
		a.busy = false
		return tea.Batch(cmds...)
	}
	return tea.Sequence(append(cmds, tea.Raw(msg.send), func() tea.Msg { return pictureSent{a, msg.spot, msg.id, msg.lines} })...)
}

// sent shows a drawing. Where the album was closed meanwhile, the terminal may
// have been told to delete the image before it came.
func (a *album) sent(msg pictureSent) tea.Cmd {
	a.busy = false
	if a.closed {
		return tea.Raw(a.display.Delete(msg.id))
	}
	if d := a.kept[msg.spot]; d != nil {
		d.lines = msg.lines
	}
	return nil
}

// close takes every picture from the terminal again, and its memory.
func (a *album) close() tea.Cmd {
	var b strings.Builder
	for _, at := range a.order {
		if id := a.kept[at].id; id != 0 {
			b.WriteString(a.display.Delete(id))
		}
	}
	a.closed, a.kept, a.order = true, nil, nil
	if b.Len() == 0 {
		return nil
	}
	return tea.Raw(b.String())
}
