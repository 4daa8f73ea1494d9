package catalog

import (
	"math"
	"testing"
)

func TestCost(t *testing.T) {
	const million = 1_000_000
	for _, c := range []struct {
		name, model              string
		input, read, write, says int64
		want                     float64
	}{
		{"each kind has its price", "claude-opus-5-5", million, million, million, million, 4 + 0.2 + 5 + 20},
		{"what is not known costs as much as input", "gemini-4-carbon", 100_000, 100_000, 100_000, 0, 0.2 + 0.2 + 0.2},
		{"writes are dearer where that is known", "gpt-5.6-sol", 0, 100_000, 100_000, 0, 0.4 + 0.5},
		{"a prompt of the step's size is not above it", "gpt-6.2-sol", 272_000, 0, 0, 0, 0.544},
		{"above it everything is dearer", "gpt-6.2-sol", 100_000, 100_000, 100_000, 100_000, 0.4 + 0.02 + 0.5 + 1.5},
		{"above it a model may have prices of its own", "claude-haiku-5-5", 0, million, 0, million, 0.05 + 2.5},
		{"no price is known", "qwen-3.8-27b", million, million, million, million, 0},
	} {
		m, exact, _ := Default().Find(c.model)
		if !exact {
			t.Fatalf("%s is not listed", c.model)
		}
		if got := m.Cost(c.input, c.read, c.write, c.says); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v dollars, want %v", c.name, got, c.want)
		}
	}
}

// TestNoCacheIsReadForNothing: of no model that costs anything.
func TestNoCacheIsReadForNothing(t *testing.T) {
	for _, m := range Default().Models() {
		if m.Price.Input > 0 && (m.Cost(0, 1000, 0, 0) <= 0 || m.Cost(0, 0, 1000, 0) <= 0) {
			t.Errorf("%s reads or writes its cache for nothing", m.ID)
		}
	}
}
