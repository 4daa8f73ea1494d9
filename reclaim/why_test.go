package reclaim

import (
	"testing"

	"github.com/stemma-history/stemma/message"
)

func TestAPlanSaysWhyThereIsNothingToDo(t *testing.T) {
	var s session
	s.add(message.Prompt("the task"))
	s.call("edit", `{"path":"a.go"}`, "done")
	for _, c := range []struct {
		target int
		want   string
	}{
		{10_000, "the view is within the target already"},
		{0, "nothing can be taken out of the view"},
	} {
		plan, err := Make(Problem{Path: s.path, Budget: Budget{Window: 200_000, Target: c.target}, Rungs: []Rung{Elision}})
		if err != nil || plan.Compaction != nil || !plan.Fits || plan.Why != c.want {
			t.Errorf("target %d: %q, want %q (%+v, %v)", c.target, plan.Why, c.want, plan, err)
		}
	}
}
