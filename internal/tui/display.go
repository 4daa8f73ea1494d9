package tui

import (
	"context"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/stemma-history/stemma/internal/graphics"
)

// A display is how this terminal shows pictures.
type display struct {
	graphics.Terminal
	known   bool // it has answered, or had the time to
	colours colorprofile.Profile
	images  int // how many were given a number

	// later brings a message when the terminal has had its time to answer.
	later func(tea.Msg) tea.Cmd
}

// answerTime is how long a terminal may take to say what it can show, over a
// slow line too. Nothing waits for it: pictures come later.
const answerTime = time.Second

// answersDue says that a terminal had its time to answer.
type answersDue struct{}

func newDisplay(ctx context.Context, t graphics.Terminal) *display {
	return &display{Terminal: t, known: t.Query() == "", later: func(msg tea.Msg) tea.Cmd { return after(ctx, answerTime, msg) }}
}

// ask asks the terminal.
func (d *display) ask() tea.Cmd {
	if d.known {
		return nil
	}
	return tea.Batch(tea.Raw(d.Query()), d.later(answersDue{}))
}

// take takes what the terminal says of itself, and reports whether pictures
// stand otherwise in the text now.
func (d *display) take(msg tea.Msg) (changed bool) {
	before, cell := d.inText(), d.Cell
	switch msg := msg.(type) {
	case tea.ColorProfileMsg:
		d.colours = msg.Profile
	case tea.TerminalVersionMsg:
		d.Take(uv.TerminalVersionEvent(msg))
	case answersDue:
		d.known = true
	default:
		if d.Take(msg) {
			d.known = true
		}
	}
	return before != d.inText() || cell != d.Cell
}

// inText is how pictures stand between lines of text, where they have to move
// and vanish with them: in kitty's placeholders, whose colour says which picture
// it is, or in blocks. Sixels and inline images would be left behind.
func (d *display) inText() graphics.Protocol {
	switch {
	case !d.known || d.Protocol == graphics.Off:
		return graphics.Off
	case d.Placeholders && d.colours >= colorprofile.TrueColor:
		return graphics.Kitty
	case d.colours >= colorprofile.ANSI256:
		return graphics.Blocks
	}
	return graphics.Off
}

// alone is how a picture stands by itself on the screen.
func (d *display) alone() graphics.Protocol {
	if in := d.inText(); in == graphics.Kitty || !d.known || d.Protocol == graphics.Blocks {
		return in
	}
	return d.Protocol
}

// number returns the number of a new image. Those of one program are in a range
// of their own, as far as that goes: behind tmux, many share a terminal.
func (d *display) number() int {
	d.images++
	return os.Getpid()<<8&0xffff00 | d.images%255 + 1
}
