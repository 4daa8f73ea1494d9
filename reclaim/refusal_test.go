package reclaim

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/snapshot"
	"github.com/stemma-history/stemma/tokens"
	"github.com/stemma-history/stemma/wire"
)

// TestP11RecoveryEndsWithinThreeRequests: whatever a provider counts, and
// however little it says, three requests after a refusal, each smaller than the
// one before, bring the view into its window, or the error says that nothing
// can.
func TestP11RecoveryEndsWithinThreeRequests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path, pins := drawPath(t)
		wrong := rapid.Float64Range(0.4, 1.6).Draw(t, "true tokens for each estimated")
		window := rapid.SampledFrom([]int{4000, 16_000, 64_000, 200_000}).Draw(t, "window")
		believed := window * rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "times too large a window in the catalogue")
		says := rapid.SampledFrom([]string{"used and limit", "limit", "nothing"}).Draw(t, "the refusal says")
		p := Problem{
			Path: path, Pins: pins, Budget: DefaultBudget(believed), Frame: wire.Frame{Model: "m", System: []string{"Be brief."}},
			Reader: Reader{Sees: true, MaxImages: 20}, Reason: history.Reason{Model: "m"},
		}
		if rapid.Bool().Draw(t, "reads pages") {
			p.Reader.Shape, _ = snapshot.ShapeNamed("8x16")
		}
		p.Meter.Image = func(w, h int) int { return w * h / 784 }
		ready, _, err := Ready(p)
		if err != nil {
			return // the catalogue's window was too small already
		}
		p.Path = ready
		billed := func() int { return int(float64(tokens.Meter{}.Tokens(CostOf(p))) * wrong) }
		size := CostOf(p)
		for requests := 0; billed() > window; requests++ {
			r := Refusal{Limit: window, Used: billed()}
			switch says {
			case "limit":
				r.Used = 0
			case "nothing":
				r = Refusal{}
			}
			plan, err := AfterRefusal(p, r)
			var fit *FitError
			if errors.As(err, &fit) && strings.Contains(err.Error(), "use a model with a larger window") {
				return
			}
			if err != nil {
				t.Fatalf("after %d requests: %v", requests, err)
			}
			if requests == MostRecoveries {
				t.Fatalf("%d requests were not enough: %d of %d", requests, billed(), window)
			}
			p.Path = append(p.Path[:len(p.Path):len(p.Path)], history.Entry{ID: history.NewID(), Depth: len(p.Path) + 1, Compaction: plan.Compaction})
			smaller := CostOf(p)
			if smaller.Text+smaller.Media >= size.Text+size.Media {
				t.Fatalf("request %d is not smaller: %+v after %+v", requests, smaller, size)
			}
			size = smaller
		}
	})
}

// refusedPath is a conversation of about 100,000 tokens.
func refusedPath() *session {
	var s session
	s.add(message.Prompt("the task"))
	s.work(20)
	return &s
}

func (s *session) problem(window int) Problem {
	return ProblemFor(catalog.Model{ID: "m", Window: window}, wire.Frame{Model: "m"}, s.path, nil, 0)
}

func (s *session) afterRefusal(t *testing.T, window int, r Refusal) Plan {
	t.Helper()
	plan, err := AfterRefusal(s.problem(window), r)
	if err != nil {
		t.Fatal(err)
	}
	s.path = append(s.path, history.Entry{ID: history.NewID(), Depth: len(s.path) + 1, Compaction: plan.Compaction})
	return plan
}

func TestARefusalTeachesWindowAndFactor(t *testing.T) {
	s := refusedPath()
	before := s.problem(1_000_000)
	estimate := before.Meter.Tokens(CostOf(before))
	plan := s.afterRefusal(t, 1_000_000, Refusal{Used: estimate * 14 / 10, Limit: estimate, Text: "prompt is too long"})
	if r := plan.Compaction.Reason; r.Trigger != history.ByRefusal || r.Note != "prompt is too long" || int(r.Estimate) != estimate || int(r.Limit) != estimate {
		t.Errorf("reason %+v", r)
	}
	after := s.problem(1_000_000)
	if after.Budget.Window != estimate || after.Meter.Factor < 1.39 || after.Meter.Factor > 1.41 {
		t.Errorf("window %d, factor %v", after.Budget.Window, after.Meter.Factor)
	}
	if n := after.Meter.Tokens(CostOf(after)); n > after.Budget.Limit() {
		t.Errorf("%d tokens of %d", n, after.Budget.Limit())
	}
	other := ProblemFor(catalog.Model{ID: "n", Window: 1_000_000}, wire.Frame{Model: "n"}, s.path, nil, 0)
	if other.Budget.Window != 1_000_000 || other.Meter.Factor != 1 {
		t.Errorf("another model's window is %d, its factor %v", other.Budget.Window, other.Meter.Factor)
	}
	s.path[len(s.path)-1].Compaction.Reason.Limit = 2_000_000
	if w := s.problem(1_000_000).Budget.Window; w != 1_000_000 {
		t.Errorf("a refusal raised the window to %d", w)
	}
}

func TestAFourthRefusalEndsTheRecovery(t *testing.T) {
	s := refusedPath()
	size := CostOf(s.problem(200_000)).Text
	for range MostRecoveries {
		s.afterRefusal(t, 200_000, Refusal{})
		next := CostOf(s.problem(200_000)).Text
		if next > size/2+100 {
			t.Errorf("%d tokens after %d: not half", next, size)
		}
		size = next
	}
	_, err := AfterRefusal(s.problem(200_000), Refusal{Text: "too long"})
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Requests != MostRecoveries || !strings.Contains(err.Error(), "larger window") {
		t.Errorf("error %v", err)
	}
	s.add(message.Prompt("shorter"))
	if _, err := AfterRefusal(s.problem(200_000), Refusal{}); err != nil {
		t.Errorf("a new prompt is not tried: %v", err)
	}
}

// pictures is a conversation with n images, of sides from 100 pixels on and
// bytes from 1000 on.
func pictures(n int) *session {
	var s session
	s.add(message.Prompt("the task"))
	for i := range n {
		s.add(message.Message{Role: message.User, Author: message.ByPerson, Parts: []message.Part{
			message.Text{Text: fmt.Sprintf("picture %d", i)},
			message.Image{Media: message.Media{Type: "image/png", Size: int64(i+1) * 100_000}, WidthPx: 100 * (i + 1), HeightPx: 100},
		}})
	}
	return &s
}

func TestImagesThatAreRefusedGo(t *testing.T) {
	sees := catalog.Model{ID: "m", Window: 1_000_000, Images: catalog.Images{Price: catalog.ImagePrice{By: "flat", Tokens: 1000}}}
	for _, c := range []struct {
		name    string
		refusal Refusal
		left    int
	}{
		{"the model is blind", Refusal{Of: OfImages, Blind: true}, 0},
		{"too many", Refusal{Of: OfImages, Used: 30, Limit: 20}, 20},
		{"too large in pixels", Refusal{Of: OfImages, Limit: 2000}, 20},
		{"too large in bytes", Refusal{Of: OfImages, Used: 3_000_000, Limit: 2_000_000}, 15},
		{"nobody says", Refusal{Of: OfImages}, 15},
		{"the body is too large", Refusal{Of: OfBytes}, 8}, // the newest are the largest
	} {
		t.Run(c.name, func(t *testing.T) {
			s := pictures(30)
			for row := range MostRecoveries {
				p := ProblemFor(sees, wire.Frame{Model: "m"}, s.path, nil, 0)
				plan, err := AfterRefusal(p, c.refusal)
				if c.left == 0 && row == 1 {
					var refused *RefusedError
					if !errors.As(err, &refused) {
						t.Errorf("error %v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				s.path = append(s.path, history.Entry{ID: history.NewID(), Depth: len(s.path) + 1, Compaction: plan.Compaction})
				if n := imagesIn(t, s.path); row == 0 && n != c.left {
					t.Errorf("%d images are left, want %d", n, c.left)
				}
			}
			if n := imagesIn(t, s.path); c.refusal.Of == OfImages && n != 0 {
				t.Errorf("%d images are left at last", n)
			}
		})
	}
}

func imagesIn(t *testing.T, path []history.Entry) int {
	n := 0
	for _, m := range view(t, path).Messages {
		for _, p := range m.Parts {
			if _, ok := p.(message.Image); ok {
				n++
			}
		}
	}
	return n
}
