package pagecache

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stemma-history/stemma/snapshot"
)

var someShape, _ = snapshot.ShapeNamed("8x16")

func segments(text string) []snapshot.Segment { return []snapshot.Segment{{Handle: "1", Text: text}} }

// A drawer draws texts as themselves, twice over, and counts.
type drawer struct {
	mu    sync.Mutex
	drawn int
}

func (d *drawer) draw(_ snapshot.Shape, number int, text []snapshot.Segment) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.drawn++
	return fmt.Appendf(nil, "%d: %s", number, text[0].Text), nil
}

// A clock stands still until it is moved.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)} }

func files(t *testing.T, directory string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(directory, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func mustDraw(t *testing.T, draw func(snapshot.Shape, int, []snapshot.Segment) ([]byte, error), text string) []byte {
	t.Helper()
	page, err := draw(someShape, 1, segments(text))
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func TestAPageIsDrawnOnceForAllProcesses(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "pages")
	var d drawer
	for range 3 {
		draw := New(directory, 1e6, newClock().now).Draw(d.draw)
		if page := mustDraw(t, draw, "hello"); string(page) != "1: hello" {
			t.Errorf("page %q", page)
		}
	}
	if d.drawn != 1 {
		t.Errorf("drawn %d times", d.drawn)
	}
	if err := os.RemoveAll(directory); err != nil {
		t.Fatal(err)
	}
	mustDraw(t, New(directory, 1e6, newClock().now).Draw(d.draw), "hello")
	if d.drawn != 2 {
		t.Error("a cache that was deleted gave a page")
	}
}

// Whatever changes the bytes of a page changes its name. (P10)
func TestP10EverythingThatDecidesAPageNamesIt(t *testing.T) {
	grey, tall, font := someShape, someShape, someShape
	grey.Grey = !grey.Grey
	tall.CellHeight++
	font.Font = "6x13"
	seen := map[key]string{}
	for name, k := range map[string]key{
		"as it is":     keyOf(someShape, 1, segments("a")),
		"text":         keyOf(someShape, 1, segments("b")),
		"number":       keyOf(someShape, 2, segments("a")),
		"grey shape":   keyOf(grey, 1, segments("a")),
		"cell":         keyOf(tall, 1, segments("a")),
		"page":         keyOf(someShape.WithPage(800, 800), 1, segments("a")),
		"font":         keyOf(font, 1, segments("a")),
		"handle":       keyOf(someShape, 1, []snapshot.Segment{{Handle: "2", Text: "a"}}),
		"grey":         keyOf(someShape, 1, []snapshot.Segment{{Handle: "1", Text: "a", Grey: true}}),
		"two segments": keyOf(someShape, 1, []snapshot.Segment{{Handle: "1"}, {Text: "a"}}),
	} {
		if other, ok := seen[k]; ok {
			t.Errorf("%s and %s have one name", name, other)
		}
		seen[k] = name
	}
	renamed := someShape
	renamed.Name = "mine"
	if keyOf(renamed, 1, segments("a")) != keyOf(someShape, 1, segments("a")) {
		t.Error("the name of a shape, which changes nothing, changes the name of the page")
	}
}

func TestADamagedPageIsDrawnAgain(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"cut":     func(b []byte) []byte { return b[:len(b)-1] },
		"short":   func(b []byte) []byte { return b[:3] },
		"empty":   func([]byte) []byte { return nil },
		"changed": func(b []byte) []byte { b[2] ^= 1; return b },
		"grown":   func(b []byte) []byte { return append(b, 0) },
	} {
		directory := t.TempDir()
		var d drawer
		draw := New(directory, 1e6, newClock().now).Draw(d.draw)
		mustDraw(t, draw, "hello")
		file := files(t, directory)[0]
		data, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, damage(data), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if page := mustDraw(t, draw, "hello"); string(page) != "1: hello" || d.drawn != 2 {
			t.Errorf("%s: page %q, drawn %d times", name, page, d.drawn)
		}
		if mustDraw(t, draw, "hello"); d.drawn != 2 {
			t.Errorf("%s: the page was not mended", name)
		}
	}
}

func TestAPageUnderAnotherNameIsNotTaken(t *testing.T) {
	directory := t.TempDir()
	var d drawer
	c := New(directory, 1e6, newClock().now)
	draw := c.Draw(d.draw)
	mustDraw(t, draw, "hello")
	wrong := c.file(keyOf(someShape, 1, segments("bye")))
	if err := os.MkdirAll(filepath.Dir(wrong), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(c.file(keyOf(someShape, 1, segments("hello"))), wrong); err != nil {
		t.Fatal(err)
	}
	if page := mustDraw(t, draw, "bye"); string(page) != "1: bye" {
		t.Errorf("page %q", page)
	}
}

func TestWithoutADirectoryPagesAreDrawn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var d drawer
	draw := New(filepath.Join(file, "pages"), 1e6, newClock().now).Draw(d.draw)
	for range 2 {
		mustDraw(t, draw, "hello")
	}
	if d.drawn != 2 {
		t.Errorf("drawn %d times", d.drawn)
	}
}

func TestNothingIsKeptWhereNothingMayBe(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "pages")
	var d drawer
	mustDraw(t, New(directory, 0, newClock().now).Draw(d.draw), "hello")
	if _, err := os.Stat(directory); !os.IsNotExist(err) {
		t.Errorf("the directory: %v", err)
	}
}

func TestWhatWasUsedLongestAgoGoesFirst(t *testing.T) {
	directory := t.TempDir()
	clock := newClock()
	var d drawer
	pad := string(bytes.Repeat([]byte("x"), 1000))
	draw := func(name string) {
		mustDraw(t, New(directory, 10_500, clock.now).Draw(d.draw), name+pad)
		clock.at = clock.at.Add(2 * time.Hour)
	}
	for i := range 10 {
		draw(fmt.Sprint(i))
	}
	draw("0") // used again: 1 is the oldest now
	draw("10")
	d.drawn = 0
	draw("0")
	draw("10")
	if d.drawn != 0 {
		t.Error("what was used last is gone")
	}
	draw("1")
	if d.drawn != 1 {
		t.Error("what was used longest ago is still there")
	}
	var total int64
	for _, file := range files(t, directory) {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if total > 10_500 {
		t.Errorf("%d bytes are kept", total)
	}
}

func TestWhatWasLeftHalfWrittenGoesWhenItIsOld(t *testing.T) {
	directory := t.TempDir()
	clock := newClock()
	var d drawer
	mustDraw(t, New(directory, 1e6, clock.now).Draw(d.draw), "hello")
	left := filepath.Join(filepath.Dir(files(t, directory)[0]), "new-123")
	if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(left, clock.at, clock.at); err != nil {
		t.Fatal(err)
	}
	mustDraw(t, New(directory, 1e6, clock.now).Draw(d.draw), "young")
	if _, err := os.Stat(left); err != nil {
		t.Errorf("another process may be writing it: %v", err)
	}
	clock.at = clock.at.Add(2 * time.Hour)
	mustDraw(t, New(directory, 1e6, clock.now).Draw(d.draw), "old")
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestManyAtOnceGetTheirOwnPages(t *testing.T) {
	directory := t.TempDir()
	var d drawer
	var all sync.WaitGroup
	for worker := range 8 {
		c := New(directory, 3000, time.Now) // small: it is pruned all the time
		draw := c.Draw(d.draw)
		all.Go(func() {
			for i := range 60 {
				text := fmt.Sprint((i + worker) % 20)
				page, err := draw(someShape, 1, segments(text))
				if err != nil || string(page) != "1: "+text {
					t.Errorf("page %q, %v", page, err)
				}
			}
		})
	}
	all.Wait()
}

// render draws as a request does.
func render(shape snapshot.Shape, number int, text []snapshot.Segment) ([]byte, error) {
	for page, err := range snapshot.Render(context.Background(), text, shape, snapshot.Options{First: number, Workers: 1}) {
		return page.PNG, err
	}
	return nil, fmt.Errorf("page %d has no text", number)
}

// fullPage is prose that fills a page.
func fullPage() []snapshot.Segment {
	var text bytes.Buffer
	for i := 0; text.Len() < 17_000; i++ {
		fmt.Fprintf(&text, "Line %d of what func parse(input string) error does at %x, in so many words.\n", i, i*7919)
	}
	return segments(text.String())
}

func benchmarkDraw(b *testing.B, draw func(snapshot.Shape, int, []snapshot.Segment) ([]byte, error)) {
	text := fullPage()
	page, err := draw(someShape, 1, text)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(page)), "B/page")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := draw(someShape, 1, text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDrawn(b *testing.B) { benchmarkDraw(b, render) }

func BenchmarkHit(b *testing.B) {
	benchmarkDraw(b, New(b.TempDir(), 1e9, time.Now).Draw(render))
}

func BenchmarkMiss(b *testing.B) {
	directory := b.TempDir()
	c := New(directory, 1e9, time.Now)
	draw := c.Draw(render)
	benchmarkDraw(b, func(shape snapshot.Shape, number int, text []snapshot.Segment) ([]byte, error) {
		if err := os.Remove(c.file(keyOf(shape, number, text))); err != nil && !os.IsNotExist(err) {
			b.Fatal(err)
		}
		return draw(shape, number, text)
	})
}
