package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/internal/graphics"
	"github.com/stemma-history/stemma/internal/words"
)

// A viewer shows one picture at a time as large as the screen. It can do so by
// every protocol: nothing else changes on the screen while the picture is there.
type viewer struct {
	ctx      context.Context
	display  *display
	album    *album // draws what stands in characters
	pictures []picture
	at       int

	// A picture that does not stand in characters is written over an empty
	// screen, which has to be there first.
	turn   int // grows with every picture, so that what comes late is known
	id     int // of the image that the terminal has; 0 for none
	ready  string
	err    error
	asked  bool // the terminal, to hear when the empty screen is there
	placed bool // the picture is on the screen

	width, height int
}

type (
	// leavePictures closes the viewer.
	leavePictures struct{}
	// pictureReady brings what shows a picture.
	pictureReady struct {
		viewer *viewer
		turn   int
		text   string
		err    error
	}
	// emptyDue says that the terminal had its time to show the empty screen.
	emptyDue struct {
		viewer *viewer
		turn   int
	}
)

func newViewer(ctx context.Context, d *display, pictures []picture, at int) *viewer {
	return &viewer{ctx: ctx, display: d, album: newAlbum(ctx, d), pictures: pictures, at: at}
}

func (v *viewer) Init() tea.Cmd { return nil }

func (v *viewer) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		v.width, v.height = msg.Width, msg.Height
		cmd = v.begin()
	case pictureReady:
		cmd = v.take(msg)
	case uv.PrimaryDeviceAttributesEvent:
		cmd = v.place()
	case emptyDue:
		if msg.viewer == v && msg.turn == v.turn {
			cmd = v.place()
		}
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelUp {
			return v.show(v.at - 1)
		}
		return v.show(v.at + 1)
	case tea.KeyPressMsg:
		cmd = v.press(msg.String())
	}
	if v.inText() {
		v.lines()
		return tea.Batch(cmd, v.album.load())
	}
	return cmd
}

func (v *viewer) press(key string) tea.Cmd {
	switch key {
	case "q", "esc", "v":
		return func() tea.Msg { return leavePictures{} }
	case "left", "up", "pgup", "h", "k", "<":
		return v.show(v.at - 1)
	case "right", "down", "pgdown", "space", "l", "j", ">":
		return v.show(v.at + 1)
	case "home", "g":
		return v.show(0)
	case "end", "G":
		return v.show(len(v.pictures) - 1)
	}
	return nil
}

// show goes to another picture.
func (v *viewer) show(at int) tea.Cmd {
	if at = max(min(at, len(v.pictures)-1), 0); at == v.at {
		return nil
	}
	v.at = at
	return v.begin()
}

func (v *viewer) inText() bool {
	switch v.display.alone() {
	case graphics.Off, graphics.Blocks:
		return true
	case graphics.Kitty:
		return v.display.inText() == graphics.Kitty
	}
	return false
}

// box is the room for the picture: all but a line above and one below.
func (v *viewer) box() (columns, rows int) {
	return graphics.Fit(v.pictures[v.at].size, v.display.Cell, v.width, v.height-2)
}

// begin draws the picture, where it does not stand in characters.
func (v *viewer) begin() tea.Cmd {
	cleared := v.clear()
	columns, rows := v.box()
	if v.inText() || rows == 0 {
		return cleared
	}
	at := graphics.Place{Columns: columns, Rows: rows}
	if v.display.Protocol == graphics.Kitty {
		at.ID = v.display.number()
	}
	v.id = at.ID
	picture, turn, screen := v.pictures[v.at], v.turn, v.display.Terminal
	return tea.Batch(cleared, func() tea.Msg {
		data, err := picture.read(v.ctx)
		if err != nil {
			return pictureReady{v, turn, "", err}
		}
		img, err := graphics.Decode(data)
		if err != nil {
			return pictureReady{v, turn, "", err}
		}
		text, err := screen.Draw(img, at)
		return pictureReady{v, turn, text, err}
	})
}

// take asks the terminal for anything: what it answers comes after the screen,
// empty by now, that is written with the question.
func (v *viewer) take(msg pictureReady) tea.Cmd {
	if msg.viewer != v || msg.turn != v.turn {
		return nil
	}
	if v.ready, v.err = msg.text, msg.err; v.err != nil {
		return nil
	}
	v.asked = true
	return tea.Batch(tea.Raw(ansi.RequestPrimaryDeviceAttributes), v.display.later(emptyDue{v, v.turn}))
}

// place writes the picture below the first line, and leaves the cursor where it
// is.
func (v *viewer) place() tea.Cmd {
	if !v.asked {
		return nil
	}
	v.asked, v.placed = false, true
	return tea.Raw(ansi.SaveCursor + ansi.CursorPosition(1, 2) + v.ready + ansi.RestoreCursor)
}

// clear takes the picture from the screen.
func (v *viewer) clear() tea.Cmd {
	var cmds []tea.Cmd
	if v.placed {
		cmds = append(cmds, tea.ClearScreen)
		if v.id != 0 {
			cmds = append(cmds, tea.Raw(v.display.Delete(v.id)))
		}
	}
	v.turn++
	v.id, v.ready, v.err, v.asked, v.placed = 0, "", nil, false, false
	return tea.Batch(cmds...)
}

func (v *viewer) close() tea.Cmd { return tea.Batch(v.clear(), v.album.close()) }

// lines returns the picture in characters.
func (v *viewer) lines() []string {
	if columns, rows := v.box(); rows > 0 && v.display.inText() != graphics.Off {
		return v.album.lines(v.pictures[v.at], columns, rows)
	}
	return nil
}

// View returns the screen.
func (v *viewer) View() string {
	if v.width == 0 || v.height < 2 {
		return ""
	}
	title := words.OneLine(v.pictures[v.at].about)
	if len(v.pictures) > 1 {
		title += fmt.Sprintf("  %d of %d", v.at+1, len(v.pictures))
	}
	lines := []string{bold.Render(ansi.Truncate(title, v.width, "…"))}
	lines = append(lines, v.body()...)
	for len(lines) < v.height-1 {
		lines = append(lines, "")
	}
	keys := "esc back"
	if len(v.pictures) > 1 {
		keys = "← → others · " + keys
	}
	if v.display.alone() == graphics.Blocks {
		keys += " · in blocks of colour: no way to show pixels is known of this terminal"
	}
	return strings.Join(append(lines[:v.height-1], faint.Render(ansi.Truncate(keys, v.width, "…"))), "\n")
}

func (v *viewer) body() []string {
	switch {
	case v.display.alone() == graphics.Off && v.display.known:
		return wrap("This terminal shows no pictures, or they are switched off: stemma recall with -o writes an image to a file.", v.width)
	case v.err != nil:
		return wrap(red.Render(words.Printable("It cannot be shown: "+v.err.Error())), v.width)
	case v.inText():
		return v.lines()
	case v.ready == "":
		return []string{faint.Render("Drawing …")}
	}
	return nil // the picture's place
}
