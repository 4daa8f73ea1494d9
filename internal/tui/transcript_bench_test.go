package tui

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/reclaim"
)

// BenchmarkScrolling goes up a long conversation page by page. It measures a key with the screen after it, what comes of reading
// included, and what is held.
func BenchmarkScrolling(b *testing.B) {
	store, c := long(b)
	t := newTranscript(b.Context(), store, c, &markdown{}, newAlbum(b.Context(), noPictures()), reclaim.DrawPage)
	t.run(t.resize(100, 40))
	t.run(t.readNewest())
	t.view(nil)
	held := heap()
	var keys []time.Duration
	most := 0
	for b.Loop() {
		begun := time.Now()
		read := t.scroll(-t.height + 2)
		t.view(nil)
		took := time.Since(begun)
		if read != nil {
			piece := read().(chunkRead) // beside the screen
			begun = time.Now()
			t.take(piece)
			t.run(t.fill())
			t.view(nil)
			took = max(took, time.Since(begun))
		}
		keys, most = append(keys, took), max(most, len(t.blocks))
		if t.before == (history.ID{}) { // at the root
			t.run(t.end())
		}
	}
	slices.Sort(keys)
	b.ReportMetric(float64(keys[len(keys)/2])/1e6, "ms/middle-key")
	b.ReportMetric(float64(keys[len(keys)-1])/1e6, "ms/longest-key")
	b.ReportMetric(float64(most), "blocks-held")
	b.ReportMetric((heap()-held)/1e6, "MB-more")

	begun := time.Now()
	t.run(t.top())
	t.view(nil)
	b.ReportMetric(float64(time.Since(begun))/1e6, "ms/home")
	begun = time.Now()
	t.run(t.end())
	t.view(nil)
	b.ReportMetric(float64(time.Since(begun))/1e6, "ms/end")
	runtime.KeepAlive(store)
}

// heap is how many bytes are in use.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
