package main

import (
	"bufio"
	"fmt"
	"image"
	"image/draw"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// readHex reads a font in Unifont's .hex format: a line a character, its code
// point and the rows of 8 or 16 pixels, all in hexadecimal.
func readHex(path string) (*source, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f := &source{width: 8, height: 16, pictures: map[rune]picture{}}
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		code, rows, ok := strings.Cut(lines.Text(), ":")
		r, err := strconv.ParseUint(code, 16, 21)
		if !ok || err != nil || (len(rows) != 32 && len(rows) != 64) {
			return nil, fmt.Errorf("%s:%d: want CODE:ROWS with 32 or 64 digits of rows", path, n)
		}
		p := picture{width: len(rows) / 4}
		for digits := len(rows) / 16; len(rows) > 0; rows = rows[digits:] {
			row, err := strconv.ParseUint(rows[:digits], 16, 16)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, n, err)
			}
			p.rows = append(p.rows, uint32(row))
		}
		f.pictures[rune(r)] = p
	}
	return f, lines.Err()
}

// upperBlocks are the blocks taken from Unifont Upper: mathematical letters,
// and everything from mahjong tiles to the newest emoji.
var upperBlocks = [][2]rune{{0x1D400, 0x1D7FF}, {0x1F000, 0x1FAFF}}

// addUpper adds characters from Unifont Upper, an outline font whose outlines
// are the pixels of a 16 pixel bitmap.
func addUpper(f *source, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	parsed, err := opentype.Parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: 16, DPI: 72, Hinting: xfont.HintingNone})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var buf sfnt.Buffer
	for _, block := range upperBlocks {
		for r := block[0]; r <= block[1]; r++ {
			if i, err := parsed.GlyphIndex(&buf, r); err != nil || i == 0 || !unicode.IsGraphic(r) {
				continue
			}
			p, err := rasterise(face, r)
			if err != nil {
				return fmt.Errorf("%s: U+%04X: %w", path, r, err)
			}
			f.pictures[r] = p
		}
	}
	return nil
}

// rasterise draws a character on Unifont's grid, whose base line is 14 pixels
// from the top.
func rasterise(face xfont.Face, r rune) (picture, error) {
	advance, ok := face.GlyphAdvance(r)
	width := advance.Round()
	if !ok || (width != 8 && width != 16) {
		return picture{}, fmt.Errorf("advance of %d pixels, want 8 or 16", width)
	}
	img := image.NewGray(image.Rect(0, 0, width, 16))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	d := xfont.Drawer{Dst: img, Src: image.Black, Face: face, Dot: fixed.P(0, 14)}
	d.DrawBytes([]byte(string(r)))
	if slices.ContainsFunc(img.Pix, func(v byte) bool { return v != 0 && v != 0xFF }) {
		return picture{}, fmt.Errorf("grey pixels: the outline is not on the grid")
	}
	p := picture{width: width, rows: make([]uint32, 16)}
	for y := range p.rows {
		for x := range width {
			if img.GrayAt(x, y).Y < 128 {
				p.rows[y] |= 1 << (width - 1 - x)
			}
		}
	}
	return p, nil
}
