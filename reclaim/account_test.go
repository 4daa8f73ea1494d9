package reclaim

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/tokens"
	"github.com/stemma-history/stemma/wire"
)

func TestSharesAddUpToTheTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path, pins := drawPath(t)
		p := Problem{Path: path, Pins: pins, Budget: DefaultBudget(200_000), Meter: tokens.Meter{Factor: rapid.Float64Range(0.5, 2).Draw(t, "factor")},
			Frame: wire.Frame{System: []string{"rules"}, Tools: []wire.Tool{{Name: "bash", Schema: []byte(`{}`)}}}}
		a := Context(p)
		sum := 0
		for _, s := range a.Shares {
			if s.Tokens < 0 || s.Items == 0 {
				t.Fatalf("share %+v", s)
			}
			sum += s.Tokens
		}
		if sum != a.Total || a.Total+a.Free+a.Reserve != a.Window {
			t.Fatalf("shares come to %d, total %d, free %d, reserve %d, window %d", sum, a.Total, a.Free, a.Reserve, a.Window)
		}
		if before, err := Make(p); err == nil && before.Before != a.Total {
			t.Fatalf("the plan begins at %d, the account says %d", before.Before, a.Total)
		}
	})
}

func TestSharesAreNamedForWhatTheyAre(t *testing.T) {
	var s session
	s.prompt()
	s.call("grep", `{}`, long)
	s.add(message.Message{Role: message.Assistant, Parts: []message.Part{message.Thinking{Text: "hm"}, message.Text{Text: "done"}}})
	a := Context(Problem{Path: s.path, Budget: DefaultBudget(10_000)})
	for _, name := range []string{"user", "assistant", "thinking", "results of grep"} {
		if a.Of(name).Items == 0 {
			t.Errorf("%s is missing in %+v", name, a.Shares)
		}
	}
	if a.Shares[0].Name != "results of grep" {
		t.Errorf("the largest is %+v", a.Shares[0])
	}
}
