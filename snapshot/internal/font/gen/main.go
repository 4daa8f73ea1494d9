// Command gen makes the font data of package font from the fonts as their
// projects publish them. On Debian the packages xfonts-base, unifont and
// fonts-unifont hold them:
//
//	go generate ./snapshot/internal/font
//
// The same files give the same data, byte for byte.
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"unicode"

	"github.com/klauspost/compress/zstd"

	"github.com/stemma-history/stemma/snapshot/internal/font"
)

//go:embed repairs.txt
var repairs string

func main() {
	misc := flag.String("misc", "/usr/share/fonts/X11/misc", "directory of the X.org misc-fixed fonts")
	hex := flag.String("unifont", "/usr/share/unifont/unifont.hex", "GNU Unifont, Basic Multilingual Plane")
	upper := flag.String("upper", "/usr/share/fonts/opentype/unifont/unifont_upper.otf", "GNU Unifont Upper")
	out := flag.String("out", "data", "directory to write to")
	flag.Parse()
	if err := run(*misc, *hex, *upper, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(misc, hex, upper, out string) error {
	fixes, err := parseRepairs(repairs)
	if err != nil {
		return err
	}
	unifont, err := readHex(hex)
	if err != nil {
		return err
	}
	if err := addUpper(unifont, upper); err != nil {
		return err
	}
	small, err := readPCF(filepath.Join(misc, "5x8.pcf.gz"))
	if err != nil {
		return err
	}
	fallback, err := build("unifont", unifont, unifont, fixes)
	if err != nil {
		return err
	}
	if err := write(out, "unifont", unifont, fallback, nil); err != nil {
		return err
	}
	for _, name := range []string{"6x13", "8x13", "9x15"} {
		src, err := readPCF(filepath.Join(misc, name+".pcf.gz"))
		if err != nil {
			return err
		}
		tiles := src
		if src.width == 6 {
			tiles = small // a black border needs letters narrower than the cell
		}
		chars, err := build(name, src, tiles, fixes)
		if err != nil {
			return err
		}
		var hidden []rune
		if src.width == unifont.width {
			if hidden, err = hide(chars, src, fallback); err != nil {
				return err
			}
		}
		if err := write(out, name, src, chars, hidden); err != nil {
			return err
		}
	}
	return nil
}

// build makes the set of a font: what can be drawn, repaired, with the tiles,
// and without look-alikes.
func build(name string, src, tileLetters *source, fixes []repair) (set, error) {
	chars := set{' ': {width: src.width, rows: make([]uint32, src.height)}}
	for r, p := range src.pictures {
		// Blanks, controls and private characters have no picture of their own.
		if unicode.IsGraphic(r) && !unicode.Is(unicode.Z, r) {
			chars[r] = p
		}
	}
	for _, fix := range fixes {
		if fix.font != name {
			continue
		}
		if len(fix.rows) > src.height || fix.width%src.width != 0 || fix.width > 2*src.width {
			return nil, fmt.Errorf("repairs.txt:%d: picture does not fit the cell", fix.line)
		}
		chars[fix.code] = fix.picture(src.height)
	}
	for c := rune('!'); c <= '~'; c++ {
		chars[font.TileBase+c] = tile(tileLetters.pictures[c], src)
	}
	chars[font.TileBase+'\n'] = tile(tileLetters.pictures['¶'], src)
	dropped := chars.dropTwins(byRank)
	pairs := chars.dropPairs(src.width, byRank)
	fmt.Printf("%s: %d characters, %d look like another and %d like a pair of others\n",
		name, len(chars), len(dropped), len(pairs))
	return chars, nil
}

// tile turns a letter white on black, on all rows but the first.
func tile(letter picture, src *source) picture {
	p := picture{width: src.width, rows: make([]uint32, src.height)}
	drop, indent := (src.height-len(letter.rows)+1)/2, 0
	if letter.width < src.width {
		indent = 1
	}
	for y := 1; y < src.height; y++ {
		p.rows[y] = 1<<src.width - 1
		if at := y - drop; at >= 0 && at < len(letter.rows) {
			p.rows[y] &^= letter.rows[at] << (src.width - letter.width) >> indent
		}
	}
	return p
}

// hide lists the characters of the fallback that must not be drawn beside the
// font, because they look like one of the font's own.
func hide(chars set, src *source, fallback set) ([]rune, error) {
	both := maps.Clone(fallback)
	for r, p := range chars {
		rows := make([]uint32, font.MaxHeight)
		copy(rows[font.Lowered:], p.rows)
		both[r] = picture{width: p.width, rows: rows}
	}
	order := func(a, b rune) int {
		_, ownA := chars[a]
		_, ownB := chars[b]
		switch {
		case ownA && !ownB:
			return -1
		case ownB && !ownA:
			return 1
		}
		return byRank(a, b)
	}
	hidden := append(both.dropTwins(order), both.dropPairs(src.width, order)...)
	for _, r := range hidden {
		if _, own := chars[r]; own {
			return nil, fmt.Errorf("U+%04X of the font itself would be hidden", r)
		}
	}
	// A letter of the font never shares its picture with one of the fallback:
	// telling scripts apart is left to one font's own letters.
	own := map[string]bool{}
	for r := range chars {
		own[both[r].key()] = true
	}
	for r, p := range both {
		if _, mine := chars[r]; !mine && own[p.key()] {
			hidden = append(hidden, r)
		}
	}
	slices.Sort(hidden)
	return hidden, nil
}

// maxUnpacked bounds what the loader will decompress.
const maxUnpacked = 8 << 20

func write(dir, name string, src *source, chars set, hidden []rune) error {
	codes := slices.Sorted(maps.Keys(chars))
	var halves []font.Half
	for _, r := range codes {
		p := chars[r]
		for right := range p.width / src.width {
			var h font.Half
			for y, row := range p.half(src.width, right).rows {
				h[y] = uint16(row)
			}
			halves = append(halves, h)
		}
	}
	wide := func(r rune) bool { return chars[r].width > src.width }
	raw := font.Encode(src.width, src.height, codes, wide, hidden, halves)
	if len(raw) > maxUnpacked {
		return errors.New("the font is larger than the loader accepts")
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression),
		zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstd.MaxWindowSize>>7))
	if err != nil {
		return err
	}
	packed := z.EncodeAll(raw, nil)
	fmt.Printf("%s: %d bytes, packed %d\n", name, len(raw), len(packed))
	return os.WriteFile(filepath.Join(dir, name+".zst"), packed, 0o644)
}
