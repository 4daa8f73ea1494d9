package catalog

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestImagePrices holds the formulas to bills and documented examples.
func TestImagePrices(t *testing.T) {
	for _, c := range []struct {
		model      string
		w, h, want int
	}{
		{"claude-opus-5", 1932, 1932, 4761}, // found by billing deltas
		{"claude-opus-5", 1000, 1000, 1296},
		{"claude-opus-5", 1920, 1080, 2691},
		{"claude-opus-5", 256, 256, 100},
		{"claude-sonnet-4-6", 1568, 784, 1568},
		{"claude-sonnet-4-6", 1568, 1568, 1521}, // shrunk to 39 x 39 patches
		{"gpt-5.6-sol", 1024, 1024, 1229},
		{"gpt-5.6-sol", 1600, 1600, 3000},
		{"gpt-5.4", 1920, 1080, 2040},
		{"gpt-4o", 1024, 1024, 765}, // four tiles of 768 x 768
		{"gpt-4o", 2048, 4096, 1105},
		{"gemini-4-argon", 100, 4096, 1120},
		{"deepseek-v4-pro", 1000, 1000, 0}, // reads none
	} {
		m, _, ok := Default().Find(c.model)
		if !ok {
			t.Fatalf("%s is not listed", c.model)
		}
		if got := m.Images.Price.Price(c.w, c.h); got != c.want {
			t.Errorf("%s: %d x %d costs %d, want %d", c.model, c.w, c.h, got, c.want)
		}
	}
}

// TestPagesReachTheModelAsDrawn: no provider shrinks a page of the size that
// the catalogue gives, and none refuses it among many others.
func TestPagesReachTheModelAsDrawn(t *testing.T) {
	for _, m := range Default().Models() {
		page := m.Images.Page
		if !m.ReadsPages() {
			continue
		}
		if m.Images.Price.Shrinks(page.Width, page.Height) {
			t.Errorf("%s: a page of %d x %d is shrunk", m.ID, page.Width, page.Height)
		}
		if edge := m.Images.ManyEdge; edge > 0 && max(page.Width, page.Height) > edge {
			t.Errorf("%s: a page of %d x %d is refused among more than %d images", m.ID, page.Width, page.Height, m.Images.ManyCount)
		}
	}
}

func TestShrinkingFitsTheLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := ImagePrice{By: "patches", Patch: 28, MaxEdge: 2576, MaxPatches: 4784}
		w, h := rapid.IntRange(1, 20_000).Draw(t, "w"), rapid.IntRange(1, 20_000).Draw(t, "h")
		if got := p.Price(w, h); got < 1 || got > 4784 {
			t.Fatalf("%d tokens", got)
		}
		sw, sh := p.shrunk(w, h)
		if p.Shrinks(w, h) == (sw == w && sh == h) || sw > w || sh > h {
			t.Fatalf("%d x %d became %d x %d", w, h, sw, sh)
		}
	})
}

func TestModelsAreFoundByAllTheirNames(t *testing.T) {
	for _, c := range []struct {
		name, want string
		exact      bool
	}{
		{"claude-opus-4-5", "claude-opus-4-5", true},
		{"claude-opus-4-5-20251101", "claude-opus-4-5", true},
		{"anthropic/claude-opus-4-5", "claude-opus-4-5", true},
		{"us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5", true},
		{"claude-opus-5-5[1m]", "claude-opus-5-5", true},
		{"claude-opus-5", "claude-opus-5", true},
		{"claude-opus-5-9", "claude-opus-5", false},
		{"claude-tale-7", "claude", false},
		{"gpt-5.4-2026-03-01", "gpt-5.4", true},
		{"gpt-5.40", "gpt-5", false},
		{"models/gemini-4-argon", "gemini-4-argon", true},
		{"MiniMax-M3", "minimax-m3", true},
		{"llama-9", "", false},
		{"", "", false},
	} {
		m, exact, ok := Default().Find(c.name)
		if m.ID != c.want || exact != c.exact || ok != (c.want != "") {
			t.Errorf("%s: found %q (exact %v), want %q (%v)", c.name, m.ID, exact, c.want, c.exact)
		}
	}
}

func TestAFileOverridesAndAdds(t *testing.T) {
	c, err := Default().Merge("mine.toml", []byte(`
[images.mine]
price = { by = "flat", tokens = 500 }
[[model]]
id = "llama-9"
window = 32_000
images = "mine"
[[model]]
id = "claude-opus-5"
window = 200_000
images = "claude-high"
`))
	if err != nil {
		t.Fatal(err)
	}
	if m, _, _ := c.Find("llama-9:70b"); m.Window != 32_000 || m.Images.Price.Price(1, 1) != 500 || m.Factor != 1 {
		t.Errorf("added %+v", m)
	}
	if m, _, _ := c.Find("claude-opus-5"); m.Window != 200_000 || m.Images.Page.Width != 1932 {
		t.Errorf("overridden %+v", m)
	}
	if m, _, _ := Default().Find("claude-opus-5"); m.Window != 1_000_000 {
		t.Error("the default changed")
	}
}

func TestMistakesInAFileAreNamed(t *testing.T) {
	for data, want := range map[string]string{
		"[[model]]\nid = \"x\"\nwindows = 3":                      `mine.toml: line 3, column 1: the key "model.windows" is not known`,
		"[[model]]\nid = \"x\"\nwindow = \"big\"":                 "mine.toml: line 3",
		"[[model]]\nid = \"x\"":                                   `model "x": expected an id and a window`,
		"[[model]]\nid = \"x\"\nwindow = 1\nimages = \"nothing\"": `images "nothing": expected the name of one of the tables`,
	} {
		if _, err := Default().Merge("mine.toml", []byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", data, err, want)
		}
	}
}
