package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider/providertest"
	"github.com/stemma-history/stemma/reclaim"
)

// TestP14RetryHasThreeAnswers, and gives the same ones after a restart.
func TestP14RetryHasThreeAnswers(t *testing.T) {
	for _, restart := range []bool{false, true} {
		script := providertest.In(providertest.Say("Late, but here.")).Failing(map[int]providertest.Fault{1: providertest.Refuse{Status: 401, Type: "authentication_error", Message: "invalid x-api-key"}})
		b := newBench(t, models[0], providertest.Config{Script: script})
		again := func(how agent.Retry) error {
			if restart {
				b.open()
			}
			_, err := all(b.run.Retry(t.Context(), how))
			return err
		}
		if err := again(agent.Retry{}); !errors.Is(err, agent.ErrNothingToRetry) {
			t.Errorf("an empty conversation: %v", err)
		}
		if _, err := all(b.run.Prompt(t.Context(), message.Text{Text: "Hello?"})); err == nil {
			t.Fatal("the fake should have refused")
		}
		if got := shape(b.stored()); got != "u" {
			t.Fatalf("path %s: the prompt is saved before the request", got)
		}
		if err := again(agent.Retry{}); err != nil {
			t.Fatalf("a prompt without an answer: %v", err)
		}
		first := b.run.Position()
		if err := again(agent.Retry{}); !errors.Is(err, agent.ErrNothingToRetry) {
			t.Errorf("a finished answer: %v", err)
		}
		if err := again(agent.Retry{Again: true}); err != nil {
			t.Errorf("again: %v", err)
		}
		if got := shape(b.stored()); got != "ua" || b.run.Position() == first {
			t.Errorf("path %s", got)
		}
		if _, err := b.store.Entry(t.Context(), b.id, first); err != nil {
			t.Errorf("the first answer is gone: %v", err)
		}
	}
	c := newBench(t, models[0], providertest.Config{}).config
	c.Conversation = history.NewID()
	var unloaded *agent.LoadError
	if _, _, err := agent.Open(t.Context(), c); !errors.As(err, &unloaded) || !errors.Is(err, history.ErrNotFound) {
		t.Errorf("what cannot be read: %v", err)
	}
}

func TestRetryGivesAnInterruptedAnswerAnew(t *testing.T) {
	b := newBench(t, models[0], providertest.Config{Script: providertest.In(providertest.Say(providertest.Words(2000)), providertest.Say("Short."))})
	for e := range b.run.Prompt(t.Context(), message.Text{Text: "Talk."}) {
		if _, ok := e.(agent.Delta); ok {
			break
		}
	}
	b.open()
	if _, err := all(b.run.Retry(t.Context(), agent.Retry{})); err != nil {
		t.Fatal(err)
	}
	path := b.stored()
	if shape(path) != "ua" || path[1].Message.PlainText() != "Short." {
		t.Errorf("path %s", shape(path))
	}
}

// brokenTurn leaves a draft as a run does that ends in the middle of its calls.
func brokenTurn(b *bench, states ...history.CallState) history.ID {
	b.Helper()
	prompt := message.Prompt("Do it.")
	saved, err := b.store.Append(b.Context(), history.AppendRequest{Conversation: b.id, Entries: []history.Entry{{Message: &prompt}}})
	if err != nil {
		b.Fatal(err)
	}
	d := history.Draft{Conversation: b.id, Run: history.NewID(), Parent: saved[0].ID, Message: message.Message{Role: message.Assistant, Author: message.ByModel}}
	for i, s := range states {
		id := string(rune('a' + i))
		d.Message.Parts = append(d.Message.Parts, message.ToolCall{ID: id, Name: "change", Arguments: []byte(`{}`)})
		call := history.DraftCall{State: s}
		if s == history.CallDone {
			call.Result = &message.ToolResult{CallID: id, Name: "change", Content: []message.Content{message.Text{Text: "changed"}}}
		}
		d.Calls = append(d.Calls, call)
	}
	if err := b.store.SaveDraft(b.Context(), d); err != nil {
		b.Fatal(err)
	}
	b.open()
	if len(b.found.Drafts) != 1 {
		b.Fatalf("%+v", b.found)
	}
	return d.Run
}

// TestNothingIsRepeatedUnsaid: a turn that broke off while calls with effects
// ran is closed with what is known of them.
func TestNothingIsRepeatedUnsaid(t *testing.T) {
	change := &probe{name: "change"}
	for name, resume := range map[string]func(*bench) agent.Events{
		"retry":  func(b *bench) agent.Events { return b.run.Retry(b.Context(), agent.Retry{}) },
		"prompt": func(b *bench) agent.Events { return b.run.Prompt(b.Context(), message.Text{Text: "Go on."}) },
	} {
		b := newBench(t, models[0], providertest.Config{Script: providertest.In(providertest.Say("I look first."))}, with(change))
		brokenTurn(b, history.CallDone, history.CallStarted, history.CallNotStarted)
		events, err := all(resume(b))
		if err != nil {
			t.Fatal(err)
		}
		path := b.stored()
		if got := shape(path); got != "uata" && got != "uatua" {
			t.Fatalf("%s: path %s", name, got)
		}
		var outcomes []message.Outcome
		for _, r := range resultsOf(path[2]) {
			outcomes = append(outcomes, r.Outcome)
		}
		if len(outcomes) != 3 || outcomes[0] != message.OK || outcomes[1] != message.Unknown || outcomes[2] != message.Aborted {
			t.Errorf("%s: outcomes %q", name, outcomes)
		}
		notices := of[agent.Notice](events)
		if len(notices) == 0 || !strings.Contains(notices[len(notices)-1].Text, "Of 1 of its calls nobody knows") {
			t.Errorf("%s: %+v", name, notices)
		}
		if change.runs.Load() != 0 {
			t.Error("a call was repeated")
		}
		if drafts, _ := b.store.Drafts(t.Context(), b.id); len(drafts) != 0 {
			t.Errorf("%s: %d drafts are left", name, len(drafts))
		}
	}
}

func TestATurnWithoutEffectsRunsAgain(t *testing.T) {
	b := newBench(t, models[0], providertest.Config{Script: providertest.In(providertest.Say("Done."))})
	brokenTurn(b, history.CallNotStarted)
	if _, err := all(b.run.Retry(t.Context(), agent.Retry{})); err != nil {
		t.Fatal(err)
	}
	if got := shape(b.stored()); got != "ua" {
		t.Errorf("path %s", got)
	}
}

func TestABrokenTurnCanBeLeftOut(t *testing.T) {
	b := newBench(t, models[0], providertest.Config{Script: providertest.In(providertest.Say("From the start."))})
	brokenTurn(b, history.CallStarted)
	if _, err := all(b.run.Retry(t.Context(), agent.Retry{Discard: true})); err != nil {
		t.Fatal(err)
	}
	if got := shape(b.stored()); got != "ua" {
		t.Errorf("path %s", got)
	}
}

// TestTheTurnOfALivingRunIsLeftAlone: its draft is saved again and again.
func TestTheTurnOfALivingRunIsLeftAlone(t *testing.T) {
	started, finish := make(chan bool), make(chan bool)
	slow := &probe{name: "slow", do: func(context.Context, tool.Call) tool.Result {
		close(started)
		<-finish
		return tool.Text("done")
	}}
	b := newBench(t, models[0], providertest.Config{Script: providertest.In(providertest.Call("slow", `{}`), providertest.Say("Done."))}, with(slow))
	ended := make(chan error)
	go func() {
		_, err := all(b.run.Prompt(t.Context(), message.Text{Text: "Slowly."}))
		ended <- err
	}()
	<-started
	other, _, err := agent.Open(t.Context(), b.config)
	if err != nil {
		t.Fatal(err)
	}
	var running *agent.RunningError
	if _, err := all(other.Retry(t.Context(), agent.Retry{})); !errors.As(err, &running) {
		t.Errorf("error %v", err)
	}
	close(finish)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := shape(b.stored()); got != "uata" {
		t.Errorf("path %s", got)
	}
}

func TestAResumedRunIsHeldToItsNewestMessages(t *testing.T) {
	script := func(a providertest.Ask) providertest.Answer {
		if len(a.Results()) > 0 {
			return providertest.Say("Seen.")
		}
		return providertest.Call("look", `{}`).Call("look", `{}`)
	}
	b := newBench(t, models[0], providertest.Config{Script: script}, with(&probe{name: "look", readOnly: true}))
	for range 10 {
		b.prompt("Look.")
		if _, err := b.run.Checkpoint(t.Context(), "mark"); err != nil {
			t.Fatal(err)
		}
	}
	b.config.Limit = history.Limit{Entries: 6} // the sixth newest is a result: the cut comes after it
	b.open()
	if b.found.Trimmed == 0 || len(b.found.Dropped) == 0 {
		t.Fatalf("%+v", b.found)
	}
	before := len(b.stored())
	b.open()
	if len(b.stored()) != before {
		t.Error("it is cut again without need")
	}
	b.prompt("And now?")
	journal := b.fake.Journal()
	if last := journal[len(journal)-1]; last.Refused != "" || last.Tokens > journal[len(journal)-3].Tokens {
		t.Errorf("%+v", last)
	}
	if live := len(b.run.Path()); live <= before {
		t.Errorf("%d entries", live)
	}
}

func TestACheckpointWhosePlaceIsHiddenIsNotOffered(t *testing.T) {
	script := func(a providertest.Ask) providertest.Answer { return providertest.Say(providertest.Words(3000)) }
	b := newBench(t, models[0], providertest.Config{Window: 60_000, Script: script})
	b.prompt("Begin.")
	if _, err := b.run.Checkpoint(t.Context(), "early"); err != nil {
		t.Fatal(err)
	}
	var dropped []history.Checkpoint
	for range 20 {
		for _, c := range of[agent.Compacted](b.prompt("More.")) {
			dropped = append(dropped, c.Dropped...)
		}
		if len(dropped) > 0 {
			break
		}
	}
	if len(dropped) != 1 || dropped[0].Name != "early" {
		t.Fatalf("dropped %+v", dropped)
	}
	if _, err := all(b.run.Rewind(t.Context(), "early", "what I know")); err == nil || !strings.Contains(err.Error(), "dropped from this run") {
		t.Errorf("error %v", err)
	}
	b.open()
	if len(b.found.Dropped) != 1 {
		t.Errorf("%+v", b.found)
	}
	if marks, _ := b.store.Checkpoints(t.Context(), b.id); len(marks) != 1 {
		t.Error("the record on the tree should stay")
	}
}

// TestP8OnlyAWholeEntryIsOfferedToComeBackTo: a part that a compaction hides is
// enough to drop the checkpoint. A result that was too long from the beginning
// never stood there in another way.
func TestP8OnlyAWholeEntryIsOfferedToComeBackTo(t *testing.T) {
	for _, c := range []struct {
		name    string
		words   int // of the result
		elide   bool
		dropped int
	}{
		{"nothing is hidden", 100, false, 0},
		{"a result is shown short from the beginning", 20_000, false, 0},
		{"a result is elided later", 1_000, true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			look := &probe{name: "read", readOnly: true, do: func(context.Context, tool.Call) tool.Result { return tool.Text(providertest.Words(c.words)) }}
			script := providertest.In(providertest.Call("checkpoint", `{"name":"here"}`).Call("read", `{"path":"a"}`), providertest.Say("Seen."))
			b := newBench(t, models[0], providertest.Config{Window: 100_000, Script: script}, with(look))
			b.prompt("Look.")
			for i := range 3 {
				b.prompt(fmt.Sprint("On. ", i))
			}
			if c.elide {
				compacted := of[agent.Compacted](must(t, b.run.Compact(t.Context(), agent.CompactRequest{Rungs: []reclaim.Rung{reclaim.Elision}, Target: -1})))
				if len(compacted) != 1 || len(compacted[0].Dropped) != 1 {
					t.Errorf("%+v", compacted)
				}
			}
			b.open()
			if len(b.found.Dropped) != c.dropped {
				t.Errorf("dropped %+v", b.found.Dropped)
			}
		})
	}
}

func must(t *testing.T, events agent.Events) []agent.Event {
	t.Helper()
	seen, err := all(events)
	if err != nil {
		t.Fatal(err)
	}
	return seen
}
