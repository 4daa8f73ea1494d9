package graphics

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/iterm2"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/ansi/sixel"
)

// A Place is where an image stands on the screen: at the cursor, in a box of
// columns and rows. Where Rows is 0, it is as high as its width makes it.
type Place struct {
	ID            int // of the image, for kitty's protocol; 0 for one that stays
	Columns, Rows int
}

// Draw returns what shows an image at the cursor: a sequence of the protocol, or
// lines of characters. Where the place has rows, the cursor stays near it and
// nothing scrolls.
func (t *Terminal) Draw(img image.Image, at Place) (string, error) {
	if at.Rows > 0 {
		img = Shrink(img, image.Pt(at.Columns*t.Cell.X, at.Rows*t.Cell.Y))
	}
	switch t.Protocol {
	case Kitty:
		return t.kittyImage(img, kitty.Options{
			Action: kitty.TransmitAndPut, ID: at.ID, Columns: at.Columns, Rows: at.Rows, DoNotMoveCursor: at.Rows > 0,
		})
	case ITerm:
		return itermImage(img, at)
	case Sixel:
		img = Shrink(img, t.mostSixels)
		var payload bytes.Buffer
		if err := (&sixel.Encoder{}).Encode(&payload, img); err != nil {
			return "", fmt.Errorf("sixel: %w", err)
		}
		return ansi.SixelGraphics(0, 1, 0, payload.Bytes()), nil
	}
	if at.Rows == 0 {
		at.Columns, at.Rows = blocksOf(img.Bounds().Size(), at.Columns)
	}
	return strings.Join(BlockLines(img, at.Columns, at.Rows), "\n"), nil
}

func itermImage(img image.Image, at Place) (string, error) {
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		return "", err
	}
	file := iterm2.File{Inline: true, Size: int64(data.Len()), Width: iterm2.Cells(at.Columns), Content: base64.StdEncoding.AppendEncode(nil, data.Bytes())}
	if at.Rows > 0 {
		file.Height = iterm2.Cells(at.Rows)
	}
	return ansi.ITerm2(file), nil
}

// kittyImage returns the commands that send an image. The terminal answers none
// of them: the answers would come in between what a person types.
func (t *Terminal) kittyImage(img image.Image, o kitty.Options) (string, error) {
	o.Format, o.Quiet, o.Chunk, o.Transmission = kitty.PNG, 2, true, kitty.Direct
	if t.inTmux {
		o.ChunkFormatter = ansi.TmuxPassthrough
	}
	var b strings.Builder
	err := kitty.EncodeGraphics(&b, img, &o)
	return b.String(), err
}

// mostCells is how many columns or rows placeholders can count: as many as there
// are marks for (297 in kitty's list).
const mostCells = 256

// Send returns what gives an image to the terminal, to stand where its
// placeholders do.
func (t *Terminal) Send(img image.Image, at Place) (string, error) {
	img = Shrink(img, image.Pt(at.Columns*t.Cell.X, at.Rows*t.Cell.Y))
	return t.kittyImage(img, kitty.Options{
		Action: kitty.TransmitAndPut, VirtualPlacement: true, ID: at.ID, Columns: min(at.Columns, mostCells), Rows: min(at.Rows, mostCells),
	})
}

// PlaceholderLines returns the lines of characters that an image which was sent
// stands in. Its number is in their colour, and each says its own row and
// column, so that every one of them is right by itself.
func PlaceholderLines(at Place) []string {
	lines := make([]string, min(at.Rows, mostCells))
	for row := range lines {
		var b strings.Builder
		fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dm", at.ID>>16&0xff, at.ID>>8&0xff, at.ID&0xff)
		for column := range min(at.Columns, mostCells) {
			b.WriteRune(kitty.Placeholder)
			b.WriteRune(kitty.Diacritic(row))
			b.WriteRune(kitty.Diacritic(column))
		}
		b.WriteString(ansi.ResetStyle)
		lines[row] = b.String()
	}
	return lines
}

// Delete returns what takes an image from the terminal again, and its memory.
func (t *Terminal) Delete(id int) string {
	o := kitty.Options{Action: kitty.Delete, Delete: kitty.DeleteID, DeleteResources: true, ID: id, Quiet: 2, Format: kitty.RGBA}
	command := ansi.KittyGraphics(nil, o.Options()...)
	if t.inTmux {
		return ansi.TmuxPassthrough(command)
	}
	return command
}

// blocksOf is how many characters an image takes in some columns, two square
// pixels each.
func blocksOf(size image.Point, columns int) (c, r int) {
	c = max(min(columns, size.X), 1)
	return c, max((size.Y*c/max(size.X, 1)+1)/2, 1)
}

// BlockLines returns an image in characters, each of which is two pixels, one
// above the other.
func BlockLines(img image.Image, columns, rows int) []string {
	if columns <= 0 || rows <= 0 {
		return nil
	}
	small := resize(img, image.Pt(columns, 2*rows))
	lines := make([]string, rows)
	for row := range lines {
		var b strings.Builder
		last := ""
		for column := range columns {
			upper, lower := small.RGBAAt(column, 2*row), small.RGBAAt(column, 2*row+1)
			colours := fmt.Sprintf("\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm", upper.R, upper.G, upper.B, lower.R, lower.G, lower.B)
			if colours != last {
				b.WriteString(colours)
				last = colours
			}
			b.WriteString("▀")
		}
		b.WriteString(ansi.ResetStyle)
		lines[row] = b.String()
	}
	return lines
}
