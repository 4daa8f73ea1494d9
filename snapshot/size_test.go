package snapshot

import (
	"context"
	"encoding/base64"
	"math/rand/v2"
	"testing"
)

// The estimate of a page's size must seldom be too low, or too high to be of
// use.
func TestSizesAreEstimatedCarefully(t *testing.T) {
	noise := make([]byte, 9_000)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	texts := map[string]string{"random strings": base64.StdEncoding.EncodeToString(noise)}
	for _, kind := range append([]string{"ja", "ko", "ru"}, corpusKinds...) {
		texts[kind] = string([]rune(corpus(kind, 12_000))[:12_000])
	}
	for name, text := range texts {
		for _, shape := range append(Shapes(), Shape{Name: "9x15", Font: "9x15", CellWidth: 9, CellHeight: 15,
			PageWidth: DefaultPageWidth, PageHeight: DefaultPageHeight}) {
			src := []Segment{{Text: text}}
			estimate := 0
			for p := range Cut(context.Background(), src, shape, Options{}) {
				estimate += p.Size
			}
			size := 0
			for _, p := range render(t, src, shape, Options{}) {
				size += p.Size
			}
			least := 1.0
			if name == "random strings" {
				least = 0.8
			}
			if ratio := float64(estimate) / float64(size); ratio < least || ratio > 3 {
				t.Errorf("%s in %s: %d bytes estimated, %d drawn", name, shape.Name, estimate, size)
			}
		}
	}
}
