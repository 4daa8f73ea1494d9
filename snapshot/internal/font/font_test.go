package font

import (
	"slices"
	"testing"
	"unicode"

	"github.com/klauspost/compress/zstd"
)

func TestFontsHoldWhatTextsNeed(t *testing.T) {
	for name, blocks := range map[string][][2]rune{
		"6x13":    {{' ', '~'}, {0xA1, 0xAC}, {0xC0, 0x17F}, {0x391, 0x3A1}, {0x410, 0x44F}, {0x5D0, 0x5EA}, {0x2500, 0x257F}},
		"8x13":    {{' ', '~'}, {0xA1, 0xAC}, {0xC0, 0x17F}, {0x391, 0x3A1}, {0x410, 0x44F}, {0x5D0, 0x5EA}, {0x2500, 0x257F}},
		"9x15":    {{' ', '~'}, {0xA1, 0xAC}, {0xC0, 0x17F}, {0x391, 0x3A1}, {0x410, 0x44F}, {0x5D0, 0x5EA}, {0x2500, 0x257F}},
		"unifont": {{' ', '~'}, {0x3041, 0x3096}, {0x4E00, 0x9FA5}, {0xAC00, 0xD7A3}, {0x621, 0x63A}, {0x1F300, 0x1F5FF}},
	} {
		f := Load(name)
		if f == nil || f.Name != name {
			t.Fatalf("no font %s", name)
		}
		for _, b := range blocks {
			missing := 0
			for r := b[0]; r <= b[1]; r++ {
				if _, _, ok := f.Find(r); !ok {
					missing++
				}
			}
			if missing > int(b[1]-b[0])/12 { // Đ and Ð share a picture, for one
				t.Errorf("%s lacks %d characters of U+%04X to U+%04X", name, missing, b[0], b[1])
			}
		}
		for _, r := range "¶ABZ_><ux;/lgcnmivjwh" {
			if r == '¶' {
				r = '\n'
			}
			if _, wide, ok := f.Find(TileBase + r); !ok || wide {
				t.Errorf("%s has no tile %q", name, r)
			}
		}
		for _, r := range []rune{0, '\n', 0x7F, 0xA0, 0x2003, 0xE000, 0xD800, unicode.MaxRune, -1, MaxCode + 1} {
			if _, _, ok := f.Find(r); ok {
				t.Errorf("%s draws U+%04X, which has no picture", name, r)
			}
		}
	}
	if Load("7x14") != nil {
		t.Error("a font that is not there is found")
	}
}

// What a reader cannot tell apart must not be in a font twice, but for the
// letters of three alphabets; and a wide character is not two others.
func TestPicturesAreDistinct(t *testing.T) {
	for _, name := range Names {
		f := Load(name)
		narrow, wide := map[Half][]rune{}, map[[2]Half]rune{}
		lefts := map[Half][]rune{}
		for code := range f.Codes {
			n, isWide, _ := f.Find(code)
			if !isWide {
				narrow[f.Halves[n]] = append(narrow[f.Halves[n]], code)
				continue
			}
			picture := [2]Half{f.Halves[n], f.Halves[n+1]}
			if other, taken := wide[picture]; taken {
				t.Errorf("%s: U+%04X and U+%04X look the same", name, other, code)
			}
			wide[picture] = code
			lefts[picture[0]] = append(lefts[picture[0]], code)
		}
		for _, codes := range narrow {
			var scripts []Script
			for _, r := range codes {
				s := ScriptOf(r)
				if len(codes) > 1 && (s == NoScript || slices.Contains(scripts, s)) {
					t.Errorf("%s: %U look the same", name, codes)
				}
				scripts = append(scripts, s)
			}
		}
		for picture, code := range wide {
			if narrow[picture[0]] == nil {
				continue
			}
			if narrow[picture[1]] != nil {
				t.Errorf("%s: U+%04X looks like %U and %U", name, code, narrow[picture[0]], narrow[picture[1]])
			}
			if lefts[picture[1]] != nil {
				t.Errorf("%s: U+%04X looks like %U and the left of %U", name, code, narrow[picture[0]], lefts[picture[1]])
			}
		}
	}
}

// Letters and digits that models confuse must differ by more than a pixel or
// two, in the sizes for small print.
func TestConfusedCharactersAreFarApart(t *testing.T) {
	distance := func(f *Font, a, b rune) (n int) {
		i, _, _ := f.Find(a)
		j, _, _ := f.Find(b)
		for y := range MaxHeight {
			for x := f.Halves[i][y] ^ f.Halves[j][y]; x != 0; x &= x - 1 {
				n++
			}
		}
		return n
	}
	for _, name := range Names {
		f := Load(name)
		for _, pair := range []string{"0O", "0o", "0Q", "0D", "08", "l1", "lI", "l|", "l!", "1I", "5S", "8B", "HK", "MH", "RA", "fF", "wu", "2Z", "6b", "9q", "vy"} {
			if n := distance(f, rune(pair[0]), rune(pair[1])); n < 3 {
				t.Errorf("%s: %q and %q differ in %d pixels", name, pair[0], pair[1], n)
			}
		}
	}
}

func TestBrokenDataIsAnError(t *testing.T) {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := Encode(8, 2, []rune{'a', 'b', TileBase}, func(r rune) bool { return r == 'b' }, []rune{'c'}, make([]Half, 4))
	f, err := Decode(z.EncodeAll(whole, nil))
	if err != nil || f.Width != 8 || f.Height != 2 || len(f.Halves) != 5 || !f.Hidden['c'] {
		t.Fatalf("%+v, %v", f, err)
	}
	if n, wide, ok := f.Find(TileBase); n != 4 || wide || !ok {
		t.Errorf("the tile is picture %d, wide %v, %v", n, wide, ok)
	}
	for n := range whole {
		if _, err := Decode(z.EncodeAll(whole[:n], nil)); err == nil {
			t.Errorf("the first %d of %d bytes are a font", n, len(whole))
		}
	}
	for _, data := range [][]byte{nil, []byte("zstd"), z.EncodeAll([]byte{8, 17, 0, 0}, nil), z.EncodeAll([]byte{8, 2, 1, 200, 200, 200, 5, 2, 0}, nil)} {
		if _, err := Decode(data); err == nil {
			t.Errorf("%x is a font", data)
		}
	}
}
