package tokens

import (
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

func answered(model string, estimate, billed int64) history.Entry {
	return history.Entry{Message: &message.Message{Role: message.Assistant, Model: model}, Usage: &history.Usage{Estimate: estimate, Input: billed / 2, CacheRead: billed / 2}}
}

func refused(model string, estimate, used int64) history.Entry {
	return history.Entry{Compaction: &history.Compaction{Reason: history.Reason{Trigger: history.ByRefusal, Model: model, Estimate: estimate, Used: used}}}
}

func TestCalibrate(t *testing.T) {
	prompt := message.Prompt("x")
	other := []history.Entry{{Message: &prompt}, answered("b", 100, 500), {Message: &message.Message{Role: message.Assistant, Model: "a"}}}
	for _, c := range []struct {
		name string
		path []history.Entry
		want float64
	}{
		{"nothing is known of the model", other, 1.5},
		{"one answer", append(other, answered("a", 1000, 1200)), 1.2},
		{"the newest count", append(other, answered("a", 10, 30), answered("a", 10, 12), answered("a", 10, 12), answered("a", 10, 12), answered("a", 10, 12), answered("a", 10, 12)), 1.2},
		{"one odd answer does not", append(other, answered("a", 10, 12), answered("a", 1000, 2), answered("a", 10, 12)), 1.2},
		{"a refusal teaches", append(other, refused("a", 150_000, 210_000)), 1.4},
		{"a refusal ends what was believed before", append(other, answered("a", 10, 10), answered("a", 10, 10), answered("a", 10, 10), refused("a", 100, 160)), 1.6},
		{"answers after a refusal count with it", append(other, answered("a", 10, 10), refused("a", 100, 160), answered("a", 100, 140), answered("a", 100, 150)), 1.5},
		{"no factor is believed without bounds", append(other, answered("a", 10, 900)), maxFactor},
	} {
		if got := Calibrate(c.path, "a", 1.5); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestTheFactorIsForTextOnly(t *testing.T) {
	m := Meter{Factor: 1.5, Image: func(w, h int) int { return w * h / 750 }}
	cost := m.Message(&message.Message{Parts: []message.Part{
		message.Text{Text: "some words"},
		message.Image{WidthPx: 750, HeightPx: 1000},
		message.ToolResult{Content: []message.Content{message.Image{WidthPx: 750, HeightPx: 10}}},
	}})
	if cost.Media != 1010 {
		t.Errorf("media %d", cost.Media)
	}
	if got, want := m.Tokens(cost), (cost.Text*3+1)/2+1010; got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
}
