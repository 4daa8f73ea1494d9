package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/stemma-history/stemma/internal/graphics"
)

// viewPictures asks for pictures to be shown large, one of them first.
type viewPictures struct {
	pictures []picture
	at       int
}

// takePicture does what a message about pictures asks for.
func (a *app) takePicture(msg tea.Msg) tea.Cmd {
	if a.display.take(msg) {
		cmd := a.transcript.layAnew()
		if a.screen != nil {
			cmd = tea.Batch(cmd, a.screen.Update(tea.WindowSizeMsg{Width: a.width, Height: a.height}))
		}
		return cmd
	}
	switch msg := msg.(type) {
	case pictureDrawn:
		return msg.album.take(msg)
	case pictureSent:
		return msg.album.sent(msg)
	case viewPictures:
		return a.show(newViewer(a.ctx, a.display, msg.pictures, msg.at))
	case leavePictures:
		return a.leave()
	}
	return nil
}

// loadPictures draws what stands on the screen and is not drawn yet.
func (a *app) loadPictures() tea.Cmd {
	if a.screen != nil || a.display.inText() == graphics.Off {
		return nil // a screen does so itself
	}
	a.transcript.view(nil)
	return a.transcript.album.load()
}

// images shows the pictures of the chat large, the last on the screen first.
func (a *app) images([]string) tea.Cmd {
	found, at := a.transcript.pictures()
	if len(found) == 0 {
		return a.say("There are no images on this part of the path.")
	}
	return a.show(newViewer(a.ctx, a.display, found, at))
}

// quit leaves the terminal as it was.
func (a *app) quit() tea.Cmd {
	return tea.Sequence(a.drop(), a.transcript.album.close(), tea.Quit)
}

// drop closes every screen.
func (a *app) drop() tea.Cmd {
	var cmds []tea.Cmd
	for _, s := range a.screens {
		cmds = append(cmds, closed(s))
	}
	a.screens, a.screen = nil, nil
	return tea.Batch(cmds...)
}

// closed lets a screen take its pictures from the terminal.
func closed(s screen) tea.Cmd {
	if s, ok := s.(interface{ close() tea.Cmd }); ok {
		return s.close()
	}
	return nil
}

// A placed picture stands in lines of a block that are left empty for it.
type placed struct {
	picture       picture
	line, left    int
	columns, rows int
}

// The most room that a picture takes between lines: where only the outcome of a
// call is shown, and where details are.
const (
	pictureColumns = 80
	pictureRows    = 12
	openRows       = 30
)

// place leaves lines empty for pictures, behind those there are.
func (t *transcript) place(b *block, lines []string, left int, pictures []picture) []string {
	most := pictureRows
	if b.open {
		most = openRows
	}
	for _, p := range pictures {
		columns, rows := t.album.fit(p, min(t.width-left, pictureColumns), most)
		if rows == 0 {
			continue
		}
		b.placed = append(b.placed, placed{p, len(lines), left, columns, rows})
		lines = append(lines, make([]string, rows)...)
	}
	return lines
}

// withPictures returns the lines of a block with the pictures in their places.
func (t *transcript) withPictures(i int) []string {
	lines := t.rendered(i)
	if i >= len(t.blocks) || len(t.blocks[i].placed) == 0 {
		return lines
	}
	lines = slices.Clone(lines)
	for _, p := range t.blocks[i].placed {
		copy(lines[p.line:], indent(slices.Clone(t.album.lines(p.picture, p.columns, p.rows)), blank(p.left), blank(p.left)))
	}
	return lines
}

// pictures returns those of the blocks that are held, and which of them stands
// last on the screen.
func (t *transcript) pictures() (found []picture, at int) {
	for i, b := range t.blocks {
		for j := range b.entries {
			found = append(found, picturesOf(t.store, t.draw, t.conversation.ID, &b.entries[j])...)
		}
		if i <= t.last {
			at = max(len(found)-1, 0)
		}
	}
	return found, at
}

// layAnew lays every block out again, for another way to show pictures.
func (t *transcript) layAnew() tea.Cmd {
	for i := range t.blocks {
		t.blocks[i].lines = nil
	}
	return t.resize(t.width, t.height)
}
