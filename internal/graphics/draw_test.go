package graphics

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"regexp"
	"strconv"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

// noise is an image in which no two neighbours are alike: a file of some size.
func noise(width, height int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, width, height))
	x := uint32(1)
	for i := range img.Pix {
		x = x*1664525 + 1013904223
		img.Pix[i] = uint8(x>>31) * 255
	}
	return img
}

func terminal(p Protocol, list ...string) *Terminal {
	t := Of(string(p), environment(list...))
	return &t
}

func drawn(t *testing.T, p Protocol, img image.Image, at Place) string {
	t.Helper()
	s, err := terminal(p).Draw(img, at)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fromBase64(t *testing.T, text string) image.Image {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func same(a, b image.Image) bool {
	if a.Bounds().Size() != b.Bounds().Size() {
		return false
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if color.GrayModel.Convert(a.At(x, y)) != color.GrayModel.Convert(b.At(x, y)) {
				return false
			}
		}
	}
	return true
}

var kittyCommand = regexp.MustCompile(`\x1b_G([^;\x1b]*)(?:;([^\x1b]*))?\x1b\\`)

// Whatever the protocol, the pixels that reach the terminal are the image's.
func TestProtocolsCarryTheImage(t *testing.T) {
	img := noise(300, 200)
	var chunks strings.Builder
	commands := kittyCommand.FindAllStringSubmatch(drawn(t, Kitty, img, Place{Columns: 80}), -1)
	for i, c := range commands {
		if more := i < len(commands)-1; strings.Contains(c[1], "m=1") != more || len(c[2]) > kitty.MaxChunkSize || !strings.Contains(c[1], "q=2") {
			t.Errorf("command %d of %d has options %s and %d bytes", i+1, len(commands), c[1], len(c[2]))
		}
		chunks.WriteString(c[2])
	}
	if len(commands) < 2 || !strings.Contains(commands[0][1], "f=100") || !strings.Contains(commands[0][1], "a=T") || !same(fromBase64(t, chunks.String()), img) {
		t.Errorf("kitty does not get the image in %d commands", len(commands))
	}

	file := regexp.MustCompile(`\x1b\]1337;File=[^:]*width=80;inline=1:([^\a]*)\a`).FindStringSubmatch(drawn(t, ITerm, img, Place{Columns: 80}))
	if file == nil || !same(fromBase64(t, file[1]), img) {
		t.Error("iTerm2 does not get the image")
	}

	_, payload, _ := strings.Cut(drawn(t, Sixel, img, Place{Columns: 80}), "q")
	payload, _, _ = strings.Cut(payload, "\x1b\\")
	black := sixelInk(t, payload)
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if ink := img.GrayAt(x, y).Y == 0; black[image.Pt(x, y)] != ink {
				t.Fatalf("sixel: pixel %d, %d is ink: %v", x, y, !ink)
			}
		}
	}
}

func TestAnImageInABoxIsNoLargerThanIt(t *testing.T) {
	img := noise(1000, 500)
	first := kittyCommand.FindAllStringSubmatch(drawn(t, Kitty, img, Place{ID: 7, Columns: 20, Rows: 5}), -1)
	var data strings.Builder
	for _, c := range first {
		data.WriteString(c[2])
	}
	if size := fromBase64(t, data.String()).Bounds().Size(); size != image.Pt(160, 80) {
		t.Errorf("20×5 characters of 8×16 pixels get %v", size)
	}
	for _, option := range []string{"i=7", "c=20", "r=5", "C=1"} {
		if !strings.Contains(first[0][1], option) {
			t.Errorf("%s is missing in %s", option, first[0][1])
		}
	}
}

func TestSixelsAreNoMoreThanTheTerminalShows(t *testing.T) {
	img := noise(1200, 600)
	screen := terminal(Sixel)
	for _, c := range []struct{ answer, want string }{
		{"\x1b[?2;3;0S", `"1;1;1000;500`}, // it failed
		{"\x1b[?2;0;400;1000S", `"1;1;400;200`},
		{"\x1b[?2;0;4000;4000S", `"1;1;1200;600`},
	} {
		answers(t, screen, c.answer)
		if sixels, err := screen.Draw(img, Place{Columns: 80}); err != nil || !strings.HasPrefix(sixels, "\x1bP0;1q"+c.want) {
			t.Errorf("%q: %.40q, %v", c.answer, sixels, err)
		}
	}
}

// Each cell of a placeholder has to come through the screen's own cells whole.
func TestPlaceholdersAreCells(t *testing.T) {
	at := Place{ID: 0x010203, Columns: 3, Rows: 2}
	lines := PlaceholderLines(at)
	for _, method := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
		screen := uv.NewScreenBuffer(5, 2)
		screen.Method = method
		uv.NewStyledString(strings.Join(lines, "\n")).Draw(screen, screen.Bounds())
		for row := range 2 {
			for column := range 3 {
				cell := screen.CellAt(column, row)
				want := string([]rune{kitty.Placeholder, kitty.Diacritic(row), kitty.Diacritic(column)})
				r, g, b, _ := cell.Style.Fg.RGBA()
				if cell.Content != want || cell.Width != 1 || r>>8 != 1 || g>>8 != 2 || b>>8 != 3 {
					t.Errorf("%d, %d: %+q, colour %v", row, column, cell.Content, cell.Style.Fg)
				}
			}
		}
		if c := screen.CellAt(3, 0); c.Content != " " {
			t.Errorf("behind it stands %q", c.Content)
		}
	}
	sent, err := terminal(Kitty).Send(noise(24, 32), at)
	if err != nil {
		t.Fatal(err)
	}
	for _, option := range []string{"U=1", "a=T", "i=66051", "c=3", "r=2", "q=2"} {
		if options := kittyCommand.FindStringSubmatch(sent)[1]; !strings.Contains(options, option) {
			t.Errorf("%s is missing in %s", option, options)
		}
	}
}

func TestAnImageIsTakenAwayAgain(t *testing.T) {
	if got, want := terminal(Kitty).Delete(9), "\x1b_Gq=2,i=9,d=I,a=d\x1b\\"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
}

func TestCommandsPassThroughTmux(t *testing.T) {
	screen := terminal(Kitty, "TMUX=1")
	sent, err := screen.Send(noise(100, 100), Place{ID: 1, Columns: 10, Rows: 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{sent, screen.Delete(1)} {
		if !strings.HasPrefix(s, "\x1bPtmux;\x1b\x1b_G") || strings.Contains(strings.ReplaceAll(s, "\x1b\x1b", ""), "\x1b_") {
			t.Errorf("%.60q", s)
		}
	}
}

func TestBlocksAreTwoPixelsEach(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 2, 4))
	for y := range 4 {
		for x := range 2 {
			img.Set(x, y, color.RGBA{uint8(y * 10), uint8(x * 10), 0, 255})
		}
	}
	img.Set(0, 3, color.Transparent)
	want := []string{
		"\x1b[38;2;0;0;0;48;2;10;0;0m▀\x1b[38;2;0;10;0;48;2;10;10;0m▀\x1b[m",
		"\x1b[38;2;20;0;0;48;2;255;255;255m▀\x1b[38;2;20;10;0;48;2;30;10;0m▀\x1b[m",
	}
	if got := strings.Split(drawn(t, Blocks, img, Place{Columns: 2}), "\n"); !equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := BlockLines(img, 2, 1); len(got) != 1 || ansi.StringWidth(got[0]) != 2 {
		t.Errorf("in one row: %q", got)
	}
}

func equal(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") }

// sixelInk returns the pixels that sixel data paints in black. (The decoder of
// the package that encodes it loses what follows a repeated sixel.)
func sixelInk(t *testing.T, payload string) map[image.Point]bool {
	black := map[image.Point]bool{}
	colours := map[string]string{}
	colour, at := "", image.Point{}
	for _, m := range regexp.MustCompile(`#(\d+)(?:;2;([\d;]+))?|!(\d+)([?-~])|([?-~])|(\$)|(-)`).FindAllStringSubmatch(payload, -1) {
		switch {
		case m[2] != "":
			colours[m[1]] = m[2]
		case m[1] != "":
			colour = colours[m[1]]
		case m[6] != "":
			at.X = 0
		case m[7] != "":
			at = image.Pt(0, at.Y+6)
		default:
			count, sixel := 1, m[5]
			if m[3] != "" {
				var err error
				if count, err = strconv.Atoi(m[3]); err != nil {
					t.Fatal(err)
				}
				sixel = m[4]
			}
			for range count {
				for bit := range 6 {
					if colour == "0;0;0" && (sixel[0]-'?')>>bit&1 == 1 {
						black[at.Add(image.Pt(0, bit))] = true
					}
				}
				at.X++
			}
		}
	}
	return black
}
