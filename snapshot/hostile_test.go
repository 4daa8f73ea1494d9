package snapshot

import (
	"context"
	"runtime"
	"strings"
	"testing"
)

// heapGrowth returns by how many bytes the heap was larger at most while run
// called grown, than before.
func heapGrowth(run func(grown func())) uint64 {
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most := uint64(0)
	calls := 0
	run(func() {
		if calls++; calls%64 == 1 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			if now.HeapAlloc > before.HeapAlloc {
				most = max(most, now.HeapAlloc-before.HeapAlloc)
			}
		}
	})
	return most
}

func TestHostileSizes(t *testing.T) {
	const bound = 48 << 20 // bytes over what the text itself takes
	shape := largeShape("6x13")
	t.Run("nothing", func(t *testing.T) {
		for _, src := range [][]Segment{nil, {{}}, {{Handle: "1"}, {Text: "\x1b[0m"}}} {
			if pages := render(t, src, shape, Options{}); len(pages) != 0 {
				t.Errorf("%v has %d pages", src, len(pages))
			}
		}
	})
	t.Run("100 MB", func(t *testing.T) {
		src := []Segment{{Handle: "1", Text: strings.Repeat("all work and no play\n\tmakes 7 dull boys; ", 2_500_000/slowdown)}}
		pages := 0
		grown := heapGrowth(func(grown func()) {
			for p, err := range Cut(context.Background(), src, shape, Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				pages = p.Number
				grown()
			}
		})
		if pages < 1000/slowdown || grown > bound {
			t.Errorf("%d pages, %d MB of memory", pages, grown>>20)
		}
	})
	t.Run("a line of 10 MB", func(t *testing.T) {
		src := []Segment{{Text: strings.Repeat("0123456789abcdef", 10<<16/slowdown)}}
		size := 0
		grown := heapGrowth(func(grown func()) {
			for p, err := range Render(context.Background(), src, shape, Options{Workers: 2}) {
				if err != nil {
					t.Fatal(err)
				}
				size += p.Size
				grown()
			}
		})
		if size == 0 || grown > bound {
			t.Errorf("%d bytes of pages, %d MB of memory", size, grown>>20)
		}
	})
}

// Text made to be slow must not be: every kind of sequence that is looked at
// ahead, cut short again and again.
func TestSlowTextIsNotSlow(t *testing.T) {
	shape, _ := ShapeNamed("6x13")
	for name, piece := range map[string]string{
		"control strings that do not end": "\x1b]0;" + strings.Repeat("x", 100),
		"control sequences":               "\x1b[0;0;0;0;0;0;0;",
		"combining marks":                 "\u0301\u0323",
		"one letter and its marks":        "a\u0323\u0301\u0302",
		"bytes":                           "\xff\xfe",
		"alternating alphabets":           "aаaа",
		"bursts and letters":              "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字" + strings.Repeat("letters ", 60),
		"letters in Arabic and Hebrew":    "لا אב (12.5) ",
	} {
		t.Run(name, func(t *testing.T) {
			src := []Segment{{Text: strings.Repeat(piece, 1_000_000/slowdown/len(piece))}}
			start := cpuTime()
			for _, err := range Cut(context.Background(), src, shape, Options{}) {
				if err != nil {
					t.Fatal(err)
				}
			}
			if took := cpuTime() - start; took.Seconds() > 6 {
				t.Errorf("a megabyte takes %v", took)
			}
		})
	}
}
