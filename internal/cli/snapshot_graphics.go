package cli

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/iterm2"
	"github.com/charmbracelet/x/ansi/sixel"
	"github.com/muesli/cancelreader"
	"golang.org/x/term"
)

// A graphics is a way to show an image on a terminal.
type graphics string

const (
	kittyGraphics graphics = "kitty"
	itermGraphics graphics = "iterm2"
	sixelGraphics graphics = "sixel"
	blockGraphics graphics = "blocks" // two pixels a character: shows the layout, not the letters
)

// graphicsQuery asks for all of them, and last for something that every
// terminal answers: kitty to check an image of one pixel, iTerm2 for the size
// of its cells, and the terminal for its attributes (DA1), of which 4 is sixel.
const graphicsQuery = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\" + "\x1b]1337;ReportCellSize\a" + "\x1b[c"

// graphicsTimeout is how long a terminal may take to answer, over a slow line
// too.
const graphicsTimeout = time.Second

// graphicsFrom reads what a terminal answered. done is false where the last
// answer has not come yet.
func graphicsFrom(reply string) (g graphics, done bool) {
	attributes, done := attributesIn(reply)
	switch {
	case strings.Contains(reply, "\x1b_Gi=31;OK"):
		g = kittyGraphics
	case strings.Contains(reply, "\x1b]1337;ReportCellSize="):
		g = itermGraphics
	case slices.Contains(attributes, "4"):
		g = sixelGraphics
	default:
		g = blockGraphics
	}
	return g, done
}

// attributesIn returns the numbers of a terminal's answer to DA1: ESC [ ? 62 ;
// 4 c. It is the last thing that is asked for.
func attributesIn(reply string) (attributes []string, ok bool) {
	_, last, found := strings.Cut(reply, "\x1b[?")
	numbers, _, ended := strings.Cut(last, "c")
	return strings.Split(numbers, ";"), found && ended
}

// graphics asks the terminal what it can show. What it is called says nothing:
// terminals take each other's names.
func (a *app) graphics() graphics {
	keyboard, ok := a.in.(*os.File)
	if !ok || !isTerminal(keyboard) { // the text comes from there
		tty, err := os.Open("/dev/tty")
		if err != nil {
			return blockGraphics
		}
		defer func() { _ = tty.Close() }()
		keyboard = tty
	}
	before, err := term.MakeRaw(int(keyboard.Fd()))
	if err != nil {
		return blockGraphics
	}
	defer func() { _ = term.Restore(int(keyboard.Fd()), before) }()
	replies, err := cancelreader.NewReader(keyboard)
	if err != nil {
		return blockGraphics
	}
	defer func() { _ = replies.Close() }()
	timer := time.AfterFunc(graphicsTimeout, func() { replies.Cancel() })
	defer timer.Stop()
	a.out.print(graphicsQuery)
	if a.out.Flush() != nil {
		return blockGraphics
	}
	var reply strings.Builder
	for buffer := make([]byte, 256); ; {
		n, err := replies.Read(buffer)
		reply.Write(buffer[:n])
		if g, done := graphicsFrom(reply.String()); done || err != nil {
			return g
		}
	}
}

// show writes an image, a PNG, as wide as the screen.
func (g graphics) show(out *output, data []byte) error {
	switch g {
	case kittyGraphics:
		showKitty(out, data)
		return nil
	case itermGraphics:
		out.print(ansi.ITerm2(iterm2.File{Inline: true, Size: int64(len(data)), Width: iterm2.Percent(100), Content: encode64(data)}))
		out.print("\n")
		return nil
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return err
	}
	if g == blockGraphics {
		showBlocks(out, img, max(out.width, 1))
		return nil
	}
	var payload bytes.Buffer
	if err := (&sixel.Encoder{}).Encode(&payload, img); err != nil {
		return fmt.Errorf("sixel: %w", err)
	}
	out.print(ansi.SixelGraphics(0, 1, 0, payload.Bytes()))
	out.print("\n")
	return nil
}

// kittyChunk is the most base64 that one command of kitty's protocol may hold.
const kittyChunk = 4096

func showKitty(out *output, data []byte) {
	rest := encode64(data)
	options := []string{"a=T", "f=100", "q=2", fmt.Sprintf("c=%d", out.width)}
	for len(rest) > kittyChunk {
		out.print(ansi.KittyGraphics(rest[:kittyChunk], append(options, "m=1")...))
		rest, options = rest[kittyChunk:], nil
	}
	out.print(ansi.KittyGraphics(rest, append(options, "m=0")...))
	out.print("\n")
}

func encode64(data []byte) []byte { return base64.StdEncoding.AppendEncode(nil, data) }

// showBlocks shows an image in characters, each of which is two pixels, one
// above the other, in shades of grey.
func showBlocks(out *output, img image.Image, columns int) {
	side := max(float64(img.Bounds().Dx())/float64(columns), 1) // of a pixel shown
	columns = int(float64(img.Bounds().Dx()) / side)
	rows := int(float64(img.Bounds().Dy())/side+1) / 2
	for row := range rows {
		for column := range columns {
			upper, lower := meanGrey(img, column, 2*row, side), meanGrey(img, column, 2*row+1, side)
			out.printf("\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm▀", upper, upper, upper, lower, lower, lower)
		}
		out.print("\x1b[0m\n")
	}
}

// meanGrey is the brightness of a square of an image.
func meanGrey(img image.Image, column, row int, side float64) int {
	r := image.Rect(int(float64(column)*side), int(float64(row)*side), int(float64(column+1)*side), int(float64(row+1)*side)).
		Add(img.Bounds().Min).Intersect(img.Bounds())
	sum := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			sum += int(color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y)
		}
	}
	if r.Empty() {
		return 255
	}
	return sum / (r.Dx() * r.Dy())
}
