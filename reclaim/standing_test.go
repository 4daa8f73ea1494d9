package reclaim_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/tokens"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wiretest"
)

// TestAStandingAnswersAsIfItWereNew: whatever has become of the path since.
func TestAStandingAnswersAsIfItWereNew(t *testing.T) {
	models := catalog.Default().Models()
	rapid.Check(t, func(t *rapid.T) {
		var standing reclaim.Standing
		var path []history.Entry
		var pins []history.ID
		frame := wire.Frame{Model: wiretest.Model, Wire: "anthropic", System: []string{"Be brief."}}
		window := rapid.SampledFrom([]int{4_000, 16_000, 200_000}).Draw(t, "window")
		model := rapid.SampledFrom(models).Draw(t, "model")
		for range rapid.IntRange(2, 8).Draw(t, "requests") {
			for _, m := range wiretest.Path("anthropic").Draw(t, "more") {
				path = append(path, history.Entry{ID: history.NewID(), Depth: len(path) + 1, Message: &m})
			}
			switch rapid.IntRange(0, 8).Draw(t, "change") {
			case 0:
				path = path[:rapid.IntRange(1, len(path)).Draw(t, "tip")]
			case 1:
				model = rapid.SampledFrom(models).Draw(t, "model")
				frame.Model = model.ID
			case 2:
				pins = append(pins, rapid.SampledFrom(path).Draw(t, "pin").ID)
			case 3:
				frame.System = []string{rapid.SampledFrom([]string{"Be brief.", "Be kind."}).Draw(t, "system")}
			}
			p := reclaim.ProblemFor(model, frame, path, pins, window)
			if got, want := standing.Due(p), reclaim.Due(p); got != want {
				t.Fatalf("due %q, want %q", got, want)
			}
			ready, plan, err := standing.Ready(p)
			wantReady, wantPlan, wantErr := reclaim.Ready(p)
			if !reflect.DeepEqual(ready, wantReady) || !reflect.DeepEqual(plan, wantPlan) || !reflect.DeepEqual(err, wantErr) {
				t.Fatalf("%v, %v\nwant %v, %v", plan, err, wantPlan, wantErr)
			}
			if len(ready) > len(path) {
				path = ready
				path[len(path)-1].ID = history.NewID()
			}
			view, err := standing.View(path, reclaim.DrawPage)
			wantView, wantErr := reclaim.View(path, reclaim.DrawPage)
			if !reflect.DeepEqual(view, wantView) || err != nil || wantErr != nil {
				t.Fatalf("view\n%+v\nwant\n%+v (%v, %v)", view, wantView, err, wantErr)
			}
			p.Path = path
			if got, want := p.Meter.Tokens(standing.Cost(p)), reclaim.Context(p).Total; got != want {
				t.Fatalf("%d tokens, want %d", got, want)
			}
		}
	})
}

// TestAStandingSharesWhatItHasShown: a view that has grown begins with the same
// messages in memory.
func TestAStandingSharesWhatItHasShown(t *testing.T) {
	var standing reclaim.Standing
	say := func(path []history.Entry, text string) []history.Entry {
		m := message.Prompt(text)
		return append(path, history.Entry{ID: history.NewID(), Depth: len(path) + 1, Message: &m})
	}
	path := say(nil, "first")
	before, _ := standing.View(path, nil)
	path = say(path, "second")
	after, _ := standing.View(path, nil)
	if len(after.Messages) != 2 || &before.Messages[0].Parts[0] != &after.Messages[0].Parts[0] {
		t.Error("the first message was made again")
	}
	if cost, more := standing.Cost(reclaim.Problem{Path: path[:1]}), standing.Cost(reclaim.Problem{Path: path}); more.Sub(cost) != (tokens.Meter{}).Message(path[1].Message) {
		t.Errorf("the second prompt costs %v", more.Sub(cost))
	}
}
