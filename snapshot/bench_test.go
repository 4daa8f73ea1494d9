package snapshot

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/flate"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// What a reader of the largest pages gets; see package catalog.
func largeShape(name string) Shape {
	s, _ := ShapeNamed(name)
	return s.WithPage(1932, 1932)
}

// BenchmarkRender draws a million characters, PNG included: Mchar/s a core at
// one worker, bytes a character, and what two workers gain.
func BenchmarkRender(b *testing.B) {
	for _, bench := range []struct {
		name, shape string
		kinds       []string
		workers     int
	}{
		{"6x13", "6x13", latinKinds, 1},
		{"6x13/workers=2", "6x13", latinKinds, 2},
		{"6x13/mixed", "6x13", mixedKinds, 1},
		{"8x16", "8x16", latinKinds, 1},
		{"8x16/mixed", "8x16", mixedKinds, 1},
		{"8x22", "8x22", latinKinds, 1},
		{"cjk", "cjk", []string{"zh"}, 1},
	} {
		b.Run(bench.name, func(b *testing.B) {
			src := transcript(1_000_000, bench.kinds...)
			chars := utf8.RuneCountInString(joined(src))
			shape := largeShape(bench.shape)
			b.ReportAllocs()
			var size, pages int
			cpu := cpuTime()
			for b.Loop() {
				size, pages = 0, 0
				for p, err := range Render(context.Background(), src, shape, Options{Workers: bench.workers}) {
					if err != nil {
						b.Fatal(err)
					}
					size += len(p.PNG)
					pages++
				}
			}
			seconds := b.Elapsed().Seconds()
			b.ReportMetric(float64(chars)*float64(b.N)/seconds/1e6, "Mchar/s")
			b.ReportMetric(float64(chars)*float64(b.N)/(cpuTime()-cpu).Seconds()/1e6, "Mchar/cpu-s")
			b.ReportMetric(float64(pages)*float64(b.N)/seconds, "pages/s")
			b.ReportMetric(float64(size)/float64(chars), "bytes/char")
		})
	}
}

// BenchmarkCut lays a million characters out without drawing them, which is
// what a plan costs.
func BenchmarkCut(b *testing.B) {
	for _, kinds := range [][]string{latinKinds, {"zh"}} {
		b.Run(kinds[0], func(b *testing.B) {
			src := transcript(1_000_000, kinds...)
			b.ReportAllocs()
			cut := func() {
				for range Cut(context.Background(), src, largeShape("6x13"), Options{}) {
				}
			}
			cut() // load the fonts
			cpu := cpuTime()
			for b.Loop() {
				cut()
			}
			chars := float64(utf8.RuneCountInString(joined(src))) * float64(b.N)
			b.ReportMetric(chars/b.Elapsed().Seconds()/1e6, "Mchar/s")
			b.ReportMetric(chars/(cpuTime()-cpu).Seconds()/1e6, "Mchar/cpu-s")
		})
	}
}

// BenchmarkEncode writes the same page as PNG: this package, image/png and
// klauspost's deflate under the same scanlines. The peers and this one take
// turns, so that they see the same machine.
func BenchmarkEncode(b *testing.B) {
	shape := largeShape("6x13")
	src := transcript(200_000, latinKinds...)
	c, err := newCutter(src, shape, Options{})
	if err != nil {
		b.Fatal(err)
	}
	sheet, _ := c.next(nil)
	var p painter
	bitmap := p.paint(sheet.face, sheet.cells, sheet.columns(), false)
	var own pngWriter
	img, err := png.Decode(bytes.NewReader(own.encode(bitmap)))
	if err != nil {
		b.Fatal(err)
	}
	fast := png.Encoder{CompressionLevel: png.BestSpeed}
	var buf bytes.Buffer
	deflater, err := flate.NewWriter(&buf, 2)
	if err != nil {
		b.Fatal(err)
	}
	var a artist
	runs := []struct {
		name string
		size int
		took time.Duration
		run  func() int
	}{
		{name: "own", run: func() int { return len(own.encode(bitmap)) }},
		{name: "own-with-drawing", run: func() int { return len(a.draw(&sheet).PNG) }},
		{name: "image-png", run: func() int {
			buf.Reset()
			if err := fast.Encode(&buf, img); err != nil {
				b.Fatal(err)
			}
			return buf.Len()
		}},
		{name: "klauspost", run: func() int {
			buf.Reset()
			deflater.Reset(&buf)
			deflater.Write(bitmap.Scanlines)
			deflater.Close()
			return buf.Len()
		}},
	}
	for b.Loop() {
		for i := range runs {
			start := time.Now()
			runs[i].size = runs[i].run()
			took := time.Since(start)
			if runs[i].took == 0 || took < runs[i].took {
				runs[i].took = took // the best, for a shared machine
			}
		}
	}
	chars := float64(sheet.page.Cells)
	for _, r := range runs {
		b.ReportMetric(chars/r.took.Seconds()/1e6, r.name+"-Mchar/s")
		b.ReportMetric(float64(r.size)/chars, r.name+"-bytes/char")
	}
	b.ReportMetric(runs[2].took.Seconds()/runs[0].took.Seconds(), "x-image-png")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkFontDrawer draws a page the usual way: x/image's font.Drawer on an
// RGBA image, and image/png.
func BenchmarkFontDrawer(b *testing.B) {
	text := corpus("go", 20_000)[:20_000]
	const columns, rows = 223, 60
	b.ReportAllocs()
	for b.Loop() {
		img := image.NewRGBA(image.Rect(0, 0, columns*7, rows*13))
		draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
		d := xfont.Drawer{Dst: img, Src: image.NewUniform(color.Black), Face: basicfont.Face7x13}
		for row := range rows {
			d.Dot = fixed.P(0, 13*row+11)
			d.DrawString(text[row*columns:][:columns])
		}
		var buf bytes.Buffer
		if err := png.Encode(&buf, img); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(columns*rows*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mchar/s")
}

// BenchmarkRead turns pages back into text.
func BenchmarkRead(b *testing.B) {
	src := transcript(100_000, latinKinds...)
	var pages [][]byte
	for p := range Render(context.Background(), src, largeShape("6x13"), Options{}) {
		pages = append(pages, p.PNG)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range pages {
			if _, err := Read(p); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(pages))*float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}
