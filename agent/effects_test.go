package agent_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/provider/providertest"
)

// P5: what a person said is stored before a model hears of it.
func TestP5ThePromptIsSavedBeforeTheRequest(t *testing.T) {
	var b *bench
	saved := ""
	b = newBench(t, models[0], providertest.Config{Script: func(providertest.Ask) providertest.Answer {
		saved = shape(b.stored())
		return providertest.Say("Yes.")
	}})
	b.prompt("Are you there?")
	if saved != "u" {
		t.Errorf("when the request came, the path was %q", saved)
	}
}

// P5: a call with effects is known to have started before it does anything, and
// to be done before the next one begins.
func TestP5EffectsAreKnownBeforeTheyHappen(t *testing.T) {
	var b *bench
	var seen [][]history.CallState
	write := &probe{name: "write", do: func(context.Context, tool.Call) tool.Result {
		drafts, err := b.store.Drafts(t.Context(), b.id)
		if err != nil || len(drafts) != 1 {
			t.Errorf("%d drafts, %v", len(drafts), err)
		}
		var states []history.CallState
		for _, c := range drafts[0].Calls {
			states = append(states, c.State)
		}
		seen = append(seen, states)
		return tool.Text("written")
	}}
	script := providertest.In(providertest.Call("write", `{"n":1}`).Call("write", `{"n":2}`), providertest.Say("Done."))
	b = newBench(t, models[0], providertest.Config{Script: script}, with(write), func(c *agent.Config) { c.Parallel = 1 })
	b.prompt("Write.")
	if len(seen) != 2 {
		t.Fatalf("%d calls ran", len(seen))
	}
	if seen[0][0] == history.CallNotStarted && seen[0][1] == history.CallNotStarted {
		t.Errorf("while the first call ran, the draft said %v", seen[0])
	}
	if fmt.Sprint(seen[1]) != "[done started]" && fmt.Sprint(seen[1]) != "[started done]" {
		t.Errorf("while the second call ran, the draft said %v", seen[1])
	}
	if drafts, err := b.store.Drafts(t.Context(), b.id); len(drafts) > 0 || err != nil {
		t.Errorf("drafts are left: %v, %v", drafts, err)
	}
}
