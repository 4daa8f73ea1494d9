// Package graphics shows images on terminals: it finds out what a terminal can
// show, decodes images within limits, and writes what each protocol wants.
// Where there is none, characters of two pixels each give an impression.
//
// Everything here is a value or a pure function: who holds the terminal sends
// what [Terminal.Query] asks, hands the answers to [Terminal.Take], and writes
// what the other functions return.
package graphics

import (
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// A Protocol is a way to show an image on a terminal.
type Protocol string

const (
	Kitty  Protocol = "kitty"  // kitty's graphics protocol
	ITerm  Protocol = "iterm"  // inline images of iTerm2
	Sixel  Protocol = "sixel"  // six pixels a character, as of DEC's printers
	Blocks Protocol = "blocks" // two pixels a character: shows the layout, not the letters
	Off    Protocol = "off"    // images are named only
)

// Auto leaves the choice of a protocol to what the terminal says.
const Auto = "auto"

// Choices are what a person may choose of.
func Choices() []string {
	return []string{Auto, string(Kitty), string(ITerm), string(Sixel), string(Blocks), string(Off)}
}

// A Terminal is what is known of a terminal: at first a guess by its
// environment, and in the end what it answers itself.
type Terminal struct {
	Protocol Protocol
	// Placeholders is true where images may stand in characters that move and
	// vanish as text does: kitty's Unicode placeholders.
	Placeholders bool
	// Cell is the size of a character in pixels.
	Cell image.Point

	forced bool // the person chose the protocol
	mute   bool // what it does not know would stand on its screen as text
	inTmux bool

	kitty, iterm, sixel bool // as it answered
	mostSixels          image.Point
	version             string
}

// usualCell is the size of a character where a terminal does not say it: the
// VGA font's. Most are larger, so that images come out smaller, not cut.
var usualCell = image.Pt(8, 16)

// usualSixels is the largest image that is shown of sixels, in pixels, where a
// terminal does not say it: xterm shows nothing of a larger one (379, its
// resource maxGraphicSize).
var usualSixels = image.Pt(1000, 1000)

// guesses are the protocols of terminals by what they set TERM to, or, locally
// and over ssh, TERM_PROGRAM and LC_TERMINAL. (KITTY_WINDOW_ID tells nothing:
// every terminal that is started inside kitty inherits it.)
var guesses = map[string]Protocol{
	"xterm-kitty": Kitty, "xterm-ghostty": Kitty,
	"iTerm.app": ITerm, "iTerm2": ITerm, "WezTerm": ITerm, "mintty": ITerm,
	"foot": Sixel, "mlterm": Sixel,
}

// Of returns what an environment tells of a terminal. choice is one of
// [Choices].
func Of(choice string, getenv func(string) string) Terminal {
	name := getenv("TERM")
	t := Terminal{Protocol: Blocks, Cell: usualCell, mostSixels: usualSixels}
	switch {
	case name == "dumb":
		t.Protocol, t.mute = Off, true
	case name == "linux", getenv("TERM_PROGRAM") == "Apple_Terminal": // they print control strings that they do not know
		t.mute = true
	case getenv("TMUX") != "", strings.HasPrefix(name, "tmux"), strings.HasPrefix(name, "screen"):
		t.inTmux = getenv("TMUX") != "" // what is behind it, it hides
		t.mute = !t.inTmux
	default:
		for _, known := range []string{name, getenv("TERM_PROGRAM"), getenv("LC_TERMINAL")} {
			if p, ok := guesses[known]; ok {
				t.Protocol = p
				break
			}
		}
	}
	if choice != Auto && choice != "" {
		t.Protocol, t.forced = Protocol(choice), true
	}
	t.Placeholders = t.placeholders()
	return t
}

// reportSixels asks for the size of the largest image of sixels
// (XTSMGRAPHICS: item 2, action 4).
const reportSixels = "\x1b[?2;4;0S"

// reportCellSize is the window operation (XTWINOPS) that asks for the size of a
// character in pixels.
const reportCellSize = 16

// kittyID names the image of one pixel that a terminal is asked to check.
const kittyID = 31

// Query asks a terminal for all protocols and its sizes, and last for something
// that every terminal answers: its attributes (DA1), of which 4 is sixel. It is
// empty where nothing may be asked.
func (t *Terminal) Query() string {
	switch {
	case t.mute, t.Protocol == Off:
		return ""
	case t.inTmux: // takes kitty's for the title of its pane
		return reportSixels + ansi.RequestPrimaryDeviceAttributes
	}
	return ansi.KittyGraphics([]byte("AAAA"), "i="+strconv.Itoa(kittyID), "s=1", "v=1", "a=q", "t=d", "f=24") +
		"\x1b]1337;ReportCellSize\a" + ansi.WindowOp(reportCellSize) + reportSixels + ansi.RequestNameVersion + ansi.RequestPrimaryDeviceAttributes
}

// Take takes an answer of the terminal. done is true for the last one: what is
// known by then holds.
func (t *Terminal) Take(answer uv.Event) (done bool) {
	switch e := answer.(type) {
	case uv.KittyGraphicsEvent:
		t.kitty = t.kitty || e.Options.ID == kittyID && string(e.Payload) == "OK"
	case uv.UnknownOscEvent:
		t.iterm = t.iterm || strings.Contains(string(e), "1337;ReportCellSize=")
	case uv.CellSizeEvent:
		if e.Width > 0 && e.Height > 0 {
			t.Cell = image.Pt(e.Width, e.Height)
		}
	case uv.UnknownCsiEvent:
		var most image.Point
		if n, _ := fmt.Sscanf(string(e), "\x1b[?2;0;%d;%dS", &most.X, &most.Y); n == 2 && most.X > 0 && most.Y > 0 {
			t.mostSixels = most
		}
	case uv.TerminalVersionEvent:
		t.version = e.Name
		t.Placeholders = t.placeholders()
	case uv.PrimaryDeviceAttributesEvent:
		t.sixel = slices.Contains(e, 4)
		if !t.forced {
			t.Protocol = t.best()
		}
		t.Placeholders = t.placeholders()
		return true
	}
	return false
}

// best is the protocol that shows most of what the terminal answered.
func (t *Terminal) best() Protocol {
	switch {
	case t.kitty && hasPlaceholders(t.version):
		return Kitty
	case t.iterm: // WezTerm has both, and more of this one
		return ITerm
	case t.kitty:
		return Kitty
	case t.sixel:
		return Sixel
	}
	return Blocks
}

// placeholders reports whether the terminal may be sent placeholders: those
// that do not know them show them as text. Where kitty's protocol was chosen
// and nothing contradicts, it is taken to know them.
func (t *Terminal) placeholders() bool {
	return t.Protocol == Kitty && (hasPlaceholders(t.version) || t.forced && (t.version == "" || t.inTmux))
}

// hasPlaceholders reports whether the terminal of a name and version (XTVERSION)
// knows kitty's placeholders: kitty since 0.28.0 (2023-04), and Ghostty.
func hasPlaceholders(version string) bool {
	var major, minor int
	if n, _ := fmt.Sscanf(version, "kitty(%d.%d", &major, &minor); n == 2 {
		return major > 0 || minor >= 28
	}
	return strings.HasPrefix(strings.ToLower(version), "ghostty")
}
