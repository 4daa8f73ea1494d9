package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// render collects all pages of a source.
func render(t interface{ Fatalf(string, ...any) }, src []Segment, shape Shape, opts Options) []Page {
	var pages []Page
	for p, err := range Render(context.Background(), src, shape, opts) {
		if err != nil {
			t.Fatalf("rendering: %v", err)
		}
		pages = append(pages, p)
	}
	return pages
}

// readAll reads pages and joins their text.
func readAll(t interface{ Fatalf(string, ...any) }, pages []Page) string {
	var b strings.Builder
	for _, p := range pages {
		r, err := Read(p.PNG)
		if err != nil {
			t.Fatalf("page %d: %v", p.Number, err)
		}
		if want := (Header{p.Number, p.From, p.To, p.CRC}); r.Header != want {
			t.Fatalf("page %d: header %v, want %v", p.Number, r.Header, want)
		}
		b.WriteString(r.Text)
	}
	return b.String()
}

// canonical returns what pages keep of a source.
func canonical(src []Segment) string {
	var b strings.Builder
	for _, s := range src {
		b.WriteString(Canonical(s.Text))
	}
	return b.String()
}

func TestTextComesBackFromPages(t *testing.T) {
	names, err := filepath.Glob("testdata/text/*.txt")
	if err != nil || len(names) < 13 {
		t.Fatalf("%d texts, %v", len(names), err)
	}
	texts := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(name)] = string(text)
	}
	for _, kind := range corpusKinds {
		texts[kind] = string([]rune(corpus(kind, 15_000))[:15_000])
	}
	for name, text := range texts {
		for _, shape := range append(Shapes(), Shape{Name: "9x15", Font: "9x15", CellWidth: 9, CellHeight: 15,
			PageWidth: 1200, PageHeight: 800}) {
			t.Run(name+"/"+shape.Name, func(t *testing.T) {
				t.Parallel()
				src := []Segment{{Handle: "410", Text: text}}
				got := readAll(t, render(t, src, shape, Options{}))
				if want := Canonical(text); got != want {
					t.Errorf("not the same text: %s", difference(got, want))
				}
			})
		}
	}
}

// difference shows where two texts part.
func difference(got, want string) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	cut := func(s string) string { return s[min(len(s), max(0, i-20)):min(len(s), i+40)] }
	return fmt.Sprintf("at byte %d got %q, want %q", i, cut(got), cut(want))
}

func TestAnyTextComesBackFromPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, shape := anySource().Draw(t, "source"), smallShape().Draw(t, "shape")
		got := readAll(t, render(t, src, shape, Options{Workers: 1}))
		if want := canonical(src); got != want {
			t.Fatalf("not the same text: %s", difference(got, want))
		}
	})
}

// The pages' own account of themselves must hold.
func TestPagesCoverTheSource(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, shape := anySource().Draw(t, "source"), smallShape().Draw(t, "shape")
		first := rapid.IntRange(0, 500).Draw(t, "first")
		pages := render(t, src, shape, Options{First: first, Workers: 1})
		at := 0
		for i, p := range pages {
			if p.Number != max(first, 1)+i || p.Start != at || p.End < p.Start || p.Full != (i < len(pages)-1) {
				t.Fatalf("page %d of %d is %d, bytes %d to %d, full %v; expected to start at %d",
					i, len(pages), p.Number, p.Start, p.End, p.Full, at)
			}
			at = p.End
			slice := Slice(src, p.Start, p.End)
			if sum := crc32.ChecksumIEEE([]byte(canonical(slice))); sum != p.CRC {
				t.Fatalf("page %d has checksum %08x, its text %08x", p.Number, p.CRC, sum)
			}
			image, err := png.DecodeConfig(bytes.NewReader(p.PNG))
			if err != nil || image.Width != p.Width || image.Height != p.Height {
				t.Fatalf("page %d is %d×%d, the image %d×%d: %v", p.Number, p.Width, p.Height, image.Width, image.Height, err)
			}
			if p.Width > shape.PageWidth || p.Height > shape.PageHeight {
				t.Fatalf("page %d of %d×%d is larger than the shape's %d×%d",
					p.Number, p.Width, p.Height, shape.PageWidth, shape.PageHeight)
			}
		}
		if size := Size(src); len(pages) > 0 && at != size {
			t.Fatalf("the pages end at %d of %d bytes", at, size)
		}
		if len(pages) == 0 && canonical(src) != "" {
			t.Fatalf("no pages for %q", canonical(src))
		}
	})
}

// P10: full pages never change when text is added.
func TestP10FullPagesStayWhenTextIsAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := smallShape().Draw(t, "shape")
		src := anySource().Draw(t, "source")
		more := slices.Concat(src, anySource().Draw(t, "more"))
		if rapid.Bool().Draw(t, "grows inside a segment") {
			last := &more[len(src)-1]
			last.Text += rapid.SampledFrom([]string{"x", "\u0301", "   ", "文字文字文字文字文字文字文字", "\nל", "1"}).Draw(t, "growth")
		}
		before, after := render(t, src, shape, Options{Workers: 1}), render(t, more, shape, Options{Workers: 1})
		for i, p := range before {
			if p.Full && (!bytes.Equal(p.PNG, after[i].PNG) || p.End != after[i].End || p.CRC != after[i].CRC) {
				t.Fatalf("page %d of %d changed when text was added", p.Number, len(before))
			}
		}
	})
}

// P10: the same text, shape and version give the same bytes, with any number
// of workers, and page by page.
func TestP10SameTextSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, shape := anySource().Draw(t, "source"), smallShape().Draw(t, "shape")
		alone := render(t, src, shape, Options{Workers: 1})
		together := render(t, src, shape, Options{Workers: rapid.IntRange(2, 5).Draw(t, "workers")})
		for i, p := range alone {
			if !bytes.Equal(p.PNG, together[i].PNG) {
				t.Fatalf("page %d differs with several workers", p.Number)
			}
			again := render(t, Slice(src, p.Start, p.End), shape, Options{First: p.Number, Workers: 1})
			if len(again) != 1 || !bytes.Equal(p.PNG, again[0].PNG) {
				t.Fatalf("page %d differs when drawn from its own text: %d pages", p.Number, len(again))
			}
		}
	})
}

// A golden page: its bytes may change only together with Version.
func TestP10BytesOfThisVersion(t *testing.T) {
	prose, err := os.ReadFile("testdata/text/pl.txt")
	if err != nil {
		t.Fatal(err)
	}
	signs, err := os.ReadFile("testdata/text/signs.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]uint32{"6x13": 0x4aab7d27, "8x16": 0xdffcb631, "8x22": 0x961c608c, "cjk": 0x6a53c24a}
	for _, shape := range Shapes() {
		shape.Grey = true
		sum := uint32(0)
		for _, src := range [][]Segment{
			{{"7", string(prose), false}, {"8.1", string(prose), true}},
			{{"9", string(signs), false}},
		} {
			for _, p := range render(t, src, shape, Options{}) {
				sum = crc32.Update(sum, crc32.IEEETable, p.PNG)
			}
		}
		if sum != want[shape.Name] {
			t.Errorf("version %d: the pages of %s have checksum %#08x, want %#08x", Version, shape.Name, sum, want[shape.Name])
		}
	}
}

func TestCutIsRenderWithoutImages(t *testing.T) {
	src := transcript(60_000, corpusKinds...)
	shape, _ := ShapeNamed("6x13")
	pages := render(t, src, shape, Options{})
	i := 0
	for p, err := range Cut(context.Background(), src, shape, Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		pages[i].PNG, pages[i].Size, p.Size = nil, 0, 0
		if fmt.Sprint(p) != fmt.Sprint(pages[i]) {
			t.Errorf("page %d is cut as %+v and rendered as %+v", i+1, p, pages[i])
		}
		i++
	}
	if i != len(pages) {
		t.Errorf("cut into %d pages, rendered as %d", i, len(pages))
	}
}

// P10: pages can be cut from where any of them begins.
func TestCutGoesOnFromAPage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, shape := anySource().Draw(t, "source"), smallShape().Draw(t, "shape")
		pages := render(t, src, shape, Options{Workers: 1})
		if len(pages) == 0 {
			return
		}
		n := rapid.IntRange(0, len(pages)-1).Draw(t, "pages")
		got := render(t, src, shape, Options{First: n + 1, From: pages[n].Start, Workers: 1})
		if !reflect.DeepEqual(got, pages[n:]) {
			t.Fatalf("from page %d:\n%+v\nwant\n%+v", n+1, got, pages[n:])
		}
	})
}

func TestRenderStopsWithItsContextAndItsReader(t *testing.T) {
	src := transcript(200_000, "go")
	shape, _ := ShapeNamed("8x16")
	for _, workers := range []int{1, 3} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		n := 0
		var last error
		for _, err := range Render(ctx, src, shape, Options{Workers: workers}) {
			if last = err; err == nil {
				n++
				cancel()
			}
		}
		if n == 0 || !errors.Is(last, context.Canceled) {
			t.Errorf("%d workers: %d pages, then %v", workers, n, last)
		}
		for range Render(context.Background(), src, shape, Options{Workers: workers}) {
			break // must not hang or leave workers behind; the race detector watches
		}
	}
}

func TestWrongShapesAndHandlesAreRefused(t *testing.T) {
	ok, _ := ShapeNamed("8x16")
	for want, change := range map[string]func(*Shape){
		`shape "8x16": font "5x7": want one of 6x13, 8x13, 9x15, unifont`:                                          func(s *Shape) { s.Font = "5x7" },
		`shape "8x16": cell 7×16 is smaller than the font's 8×13`:                                                  func(s *Shape) { s.CellWidth = 7 },
		`shape "8x16": cell 8×60 is larger than 16×48`:                                                             func(s *Shape) { s.CellHeight = 60 },
		`shape "8x16": page 9000×784 has a side of more than 8000 pixels`:                                          func(s *Shape) { s.PageWidth = 9000 },
		`shape "8x16": page 400×784 holds 50 columns and 49 rows of 8×16: want 72 columns and 1024 cells at least`: func(s *Shape) { s.PageWidth = 400 },
		`shape "8x16": page 1568×32 holds 196 columns and 2 rows of 8×16: want 72 columns and 1024 cells at least`: func(s *Shape) { s.PageHeight = 32 },
	} {
		s := ok
		change(&s)
		for _, err := range Render(context.Background(), []Segment{{Text: "x"}}, s, Options{}) {
			var shapeErr *ShapeError
			if !errors.As(err, &shapeErr) || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
	for _, handle := range []string{"4 1", "12345678901234567", "é", "4-5"} {
		for _, err := range Cut(context.Background(), []Segment{{}, {Handle: handle}}, ok, Options{}) {
			var handleErr *HandleError
			if !errors.As(err, &handleErr) || handleErr.Segment != 1 {
				t.Errorf("handle %q: %v", handle, err)
			}
		}
	}
}

func FuzzPages(f *testing.F) {
	f.Add("a\n  b\t\x1b[0m", uint8(0))
	f.Add("עברית (12.5) عربي لا", uint8(1))
	f.Add("漢字かなハングル\u1100\u1161 e\u0301\xff", uint8(2))
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		shapes := Shapes()
		shape := shapes[int(n)%len(shapes)].WithPage(640, 320)
		shape.Grey = n >= 128
		src := []Segment{{Handle: "1", Text: text, Grey: true}}
		if got := readAll(t, render(t, src, shape, Options{Workers: 1})); got != Canonical(text) {
			t.Errorf("not the same text: %s", difference(got, Canonical(text)))
		}
	})
}

// Decoders that others wrote accept every page, and a page that one of them
// has written anew reads the same.
func TestOtherDecodersAcceptPages(t *testing.T) {
	src := []Segment{{Handle: "1", Text: corpus("go", 1500)[:1500]}, {Handle: "2", Text: "grey\n" + corpus("tr", 1500)[:1500], Grey: true}}
	for _, shape := range Shapes() {
		shape.Grey = true
		for _, p := range render(t, src, shape, Options{}) {
			name := filepath.Join(t.TempDir(), "page.png")
			if err := os.WriteFile(name, p.PNG, 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := png.Decode(bytes.NewReader(p.PNG)); err != nil {
				t.Errorf("%s: image/png: %v", shape.Name, err)
			}
			if check, err := exec.LookPath("pngcheck"); err == nil {
				if out, err := exec.Command(check, "-q", name).CombinedOutput(); err != nil || len(out) > 0 {
					t.Errorf("%s: pngcheck: %v: %s", shape.Name, err, out)
				}
			}
			if convert, err := exec.LookPath("convert"); err == nil { // ImageMagick
				again := name + ".rgb.png"
				if out, err := exec.Command(convert, name, "-define", "png:color-type=2", again).CombinedOutput(); err != nil {
					t.Errorf("%s: convert: %v: %s", shape.Name, err, out)
					continue
				}
				data, err := os.ReadFile(again)
				if err != nil {
					t.Fatal(err)
				}
				own, _ := Read(p.PNG)
				if r, err := Read(data); err != nil || r.Text != own.Text {
					t.Errorf("%s: written anew: %v", shape.Name, err)
				}
			}
		}
	}
}

func TestWhatIsNoPageIsRefused(t *testing.T) {
	shape, _ := ShapeNamed("6x13")
	page := render(t, []Segment{{Text: corpus("go", 3000)[:3000]}}, shape, Options{})[0]
	img, err := png.Decode(bytes.NewReader(page.PNG))
	if err != nil {
		t.Fatal(err)
	}
	encode := func(img image.Image) []byte {
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	cropped := encode(img.(*image.Paletted).SubImage(image.Rect(0, 0, page.Width-6, page.Height)))
	if r, err := Read(cropped); err == nil {
		t.Errorf("a cropped page reads as %q", r.Text)
	}
	speck := image.NewPaletted(img.Bounds(), img.(*image.Paletted).Palette)
	copy(speck.Pix, img.(*image.Paletted).Pix)
	speck.Pix[20*speck.Stride+20] ^= 1
	if r, err := Read(encode(speck)); err == nil {
		t.Errorf("a page with another pixel reads as %q", r.Text)
	}
	// A letter in place of another is no picture that is unknown: the checksum tells.
	c, err := newCutter([]Segment{{Text: "one letter"}}, shape, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sheet, _ := c.next(nil)
	sheet.cells[sheet.columns()] = 'O'
	var a artist
	r, err := Read(a.draw(&sheet).PNG)
	var checksum *ChecksumError
	if !errors.As(err, &checksum) || r.Text != "One letter" {
		t.Errorf("another letter reads as %q, %v", r.Text, err)
	}
	for name, data := range map[string][]byte{
		"nothing": nil, "text": []byte("page 1 crc 00000000"), "half": page.PNG[:len(page.PNG)/2],
		"too large": encode(image.NewGray(image.Rect(0, 0, 8001, 1))), "white": encode(image.NewGray(image.Rect(0, 0, 60, 26))), "a dot": encode(image.NewGray(image.Rect(0, 0, 1, 1))),
	} {
		if _, err := Read(data); err == nil {
			t.Errorf("%s is a page", name)
		}
	}
	if _, err := Read(encode(image.NewGray(image.Rect(0, 0, 600, 260)))); !errors.Is(err, ErrNotAPage) {
		t.Errorf("a black image: %v", err)
	}
}
