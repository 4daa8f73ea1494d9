package snapshot

import (
	"context"
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stemma-history/stemma/catalog"
)

func imagesOf(t *testing.T, model string) catalog.Images {
	t.Helper()
	m, _, ok := catalog.Default().Find(model)
	if !ok {
		t.Fatalf("%s is not in the catalogue", model)
	}
	return m.Images
}

func TestPlanTellsWhatPagesComeTo(t *testing.T) {
	src := transcript(120_000, "go", "json", "shell", "tr", "ja")
	images := imagesOf(t, "claude-opus-5-5")
	shape := largeShape("8x16")
	plan, err := PlanPages(context.Background(), src, shape, Terms{Images: images, TextTokens: 40_000})
	if err != nil {
		t.Fatal(err)
	}
	pages := render(t, src, shape, Options{})
	tokens, bytes := 0, 0
	for _, p := range pages {
		tokens += images.Price.Price(p.Width, p.Height)
		bytes += len(p.PNG)
	}
	if len(plan.Pages) != len(pages) || plan.Tokens != tokens {
		t.Errorf("planned %d pages and %d tokens, drawn %d and %d", len(plan.Pages), plan.Tokens, len(pages), tokens)
	}
	if plan.Bytes < bytes || plan.Bytes > 2*bytes {
		t.Errorf("planned %d bytes, drawn %d", plan.Bytes, bytes)
	}
	if gain := plan.Gain(40_000, 1000); gain != 40_000/float64(tokens+1000) {
		t.Errorf("a gain of %.2f", gain)
	}
}

func TestPagesOfNoUseAreRefused(t *testing.T) {
	src := transcript(200_000, "go")
	large, small := largeShape("8x16"), largeShape("8x16").WithPage(1568, 784)
	for _, test := range []struct {
		name  string
		shape Shape
		terms Terms
		want  Reason
	}{
		{"a text-only model", small, Terms{Images: imagesOf(t, "deepseek-v4-pro"), TextTokens: 1e6}, Blind},
		{"a large page for a standard reader", large, Terms{Images: imagesOf(t, "claude-sonnet-4-6"), TextTokens: 1e6}, Shrunk},
		{"a model that works in tiles", small, Terms{Images: imagesOf(t, "gpt-4o"), TextTokens: 1e6}, Shrunk},
		{"more pages than there is room for", small, Terms{Images: imagesOf(t, "claude-sonnet-4-6"), TextTokens: 1e6, MaxPages: 3}, TooManyPages},
		{"more bytes than there is room for", large, Terms{Images: imagesOf(t, "claude-opus-5"), TextTokens: 1e6, MaxBytes: 100_000}, TooManyBytes},
		{"text as cheap as its pages", large, Terms{Images: imagesOf(t, "claude-opus-5"), TextTokens: 30_000}, NoGain},
		{"text cheaper with the indexes", large, Terms{Images: imagesOf(t, "claude-opus-5"), TextTokens: 60_000, OtherTokens: 40_000}, NoGain},
	} {
		plan, err := PlanPages(context.Background(), src, test.shape, test.terms)
		var refusal *RefusalError
		if !errors.As(err, &refusal) || refusal.Reason != test.want {
			t.Errorf("%s: got %v, want it refused for %q", test.name, err, test.want)
			continue
		}
		if refusal.Reason != Blind && refusal.Reason != Shrunk && refusal.Reason != NoGain && refusal.Have <= refusal.Limit {
			t.Errorf("%s: %v: has %d of %d", test.name, err, refusal.Have, refusal.Limit)
		}
		if test.want == TooManyPages && len(plan.Pages) != 4 {
			t.Errorf("%s: went on to cut %d pages", test.name, len(plan.Pages))
		}
	}
	if _, err := PlanPages(context.Background(), src, large, Terms{Images: imagesOf(t, "claude-opus-5"), TextTokens: 70_000}); err != nil {
		t.Errorf("pages that pay are refused: %v", err)
	}
	if _, err := PlanPages(context.Background(), src, Shape{}, Terms{Images: imagesOf(t, "claude-opus-5")}); err == nil {
		t.Error("a shape without a font is planned")
	}
}

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
