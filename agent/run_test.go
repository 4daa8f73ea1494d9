package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/memory"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/providers"
	"github.com/stemma-history/stemma/provider/providertest"
	"github.com/stemma-history/stemma/wire"
)

// A bench is a run against a strict fake.
type bench struct {
	testing.TB
	store  history.Store
	id     history.ID
	fake   *providertest.Server
	config agent.Config
	run    *agent.Run
	found  agent.Resumed
}

// newBench has a conversation and a fake of the provider that a model is at.
func newBench(t testing.TB, model string, fake providertest.Config, change ...func(*agent.Config)) *bench {
	t.Helper()
	known, _, ok := catalog.Default().Find(model)
	if !ok {
		t.Fatalf("model %s is not known", model)
	}
	b := &bench{TB: t, store: memory.New(memory.Options{}), id: history.NewID(), fake: providertest.New(fake)}
	server := httptest.NewServer(b.fake)
	t.Cleanup(server.Close)
	if err := b.store.Create(t.Context(), history.Conversation{ID: b.id, Created: time.Now()}); err != nil {
		t.Fatal(err)
	}
	b.config = agent.Config{
		Store: b.store, Conversation: b.id, System: []string{"You are careful."},
		Model:    agent.Model{Provider: newProvider(t, known.Wire, server.URL), Name: model, Known: known, Window: fake.Window},
		Patience: provider.Retry{Sleep: func(context.Context, time.Duration) error { return nil }},
		Lease:    30 * time.Millisecond,
	}
	for _, c := range change {
		c(&b.config)
	}
	b.open()
	return b
}

func newProvider(t testing.TB, wireName, url string) provider.Provider {
	t.Helper()
	name := map[string]string{"anthropic": "anthropic", "openai-responses": "openai", "openai-chat": "openai-compatible", "gemini": "gemini"}[wireName]
	p, err := providers.Named(name, provider.Settings{BaseURL: url, Key: func(context.Context) (string, error) { return "any", nil }})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// open opens the conversation as after a restart.
func (b *bench) open() {
	b.Helper()
	var err error
	if b.run, b.found, err = agent.Open(b.Context(), b.config); err != nil {
		b.Fatal(err)
	}
}

// all collects what a run does.
func all(events agent.Events) (seen []agent.Event, err error) {
	for e, err := range events {
		if err != nil {
			return seen, err
		}
		seen = append(seen, e)
	}
	return seen, nil
}

func of[T agent.Event](events []agent.Event) (found []T) {
	for _, e := range events {
		if t, ok := e.(T); ok {
			found = append(found, t)
		}
	}
	return found
}

func (b *bench) prompt(text string) []agent.Event {
	b.Helper()
	events, err := all(b.run.Prompt(b.Context(), message.Text{Text: text}))
	if err != nil {
		b.Fatal(err)
	}
	return events
}

// stored returns the path as it is stored, and checks that the run has the same.
func (b *bench) stored() []history.Entry {
	b.Helper()
	path, err := history.Collect(b.store.Path(b.Context(), history.PathQuery{Conversation: b.id}))
	if err != nil {
		b.Fatal(err)
	}
	return path
}

// shape is who speaks on a path, a letter each: user, assistant, tool,
// compaction, digest.
func shape(path []history.Entry) string {
	var s strings.Builder
	for _, e := range path {
		switch {
		case e.Compaction != nil:
			s.WriteByte('c')
		case e.Author() == message.ByDigest:
			s.WriteByte('d')
		default:
			s.WriteByte(e.Message.Role[0])
		}
	}
	return s.String()
}

// A probe is a tool that a test listens to.
type probe struct {
	name     string
	readOnly bool
	do       func(context.Context, tool.Call) tool.Result
	runs     atomic.Int32
}

func (p *probe) Definition() wire.Tool {
	return wire.Tool{Name: p.name, Schema: json.RawMessage(`{"type":"object"}`)}
}
func (p *probe) ReadOnly() bool { return p.readOnly }
func (p *probe) Run(ctx context.Context, c tool.Call) tool.Result {
	p.runs.Add(1)
	if p.do == nil {
		return tool.Text(p.name + " " + string(c.Arguments))
	}
	return p.do(ctx, c)
}

func with(tools ...tool.Tool) func(*agent.Config) {
	return func(c *agent.Config) {
		c.Tools = append(c.Tools, tools...)
		c.Rules = append(c.Rules, tool.Rule{Tool: "*", Permission: tool.Allow})
	}
}

var models = []string{"claude-opus-5-5", "gpt-6.2-sol", "deepseek-flash", "gemini-4-argon"}

func TestAModelWorksUntilItIsDone(t *testing.T) {
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			look := &probe{name: "look", readOnly: true}
			script := providertest.In(
				providertest.Answer{}.Think("Look first.").Say("I look.").Call("look", `{"at":"a"}`).Call("look", `{"at": "b"}`),
				providertest.Say("Both are fine."), providertest.Say("Again."))
			b := newBench(t, model, providertest.Config{Script: script}, with(look))
			events := b.prompt("Look at a and b.")
			if got := shape(b.stored()); got != "uata" {
				t.Fatalf("path %s", got)
			}
			if look.runs.Load() != 2 || len(of[agent.CallEnded](events)) != 2 || len(of[agent.Saved](events)) != 3 {
				t.Errorf("%d runs, events %T", look.runs.Load(), events)
			}
			var said strings.Builder
			for _, d := range of[agent.Delta](events) {
				if d.Kind == provider.TextDelta {
					said.WriteString(d.Text)
				}
			}
			if said.String() != "I look.Both are fine." {
				t.Errorf("%q was shown", said.String())
			}
			done := of[agent.Done](events)
			if len(done) != 1 || done[0].Stop != message.StopEnd || done[0].Usage.Prompt() == 0 || done[0].Usage.CostUSD == 0 {
				t.Errorf("%+v", done)
			}
			answer := b.stored()[1]
			if answer.Usage == nil || answer.Usage.Estimate == 0 || answer.Frame.IsZero() || answer.Message.Model != model {
				t.Errorf("%+v", answer)
			}
			// A restart changes nothing: what was thought goes back, and is taken.
			b.open()
			b.prompt("And again?")
			if got := shape(b.stored()); got != "uataua" {
				t.Errorf("path %s", got)
			}
			for _, r := range b.fake.Journal() {
				if r.Refused != "" || r.Dropped != 0 {
					t.Errorf("request %d: %s, %d blocks of thinking dropped", r.Number, r.Refused, r.Dropped)
				}
			}
		})
	}
}

func TestEveryCallHasAResult(t *testing.T) {
	broken := &probe{name: "broken", do: func(context.Context, tool.Call) tool.Result { panic("no") }}
	secret := &probe{name: "secret"}
	script := providertest.In(
		providertest.Call("broken", `{}`).Call("nowhere", `{}`).Call("secret", `{}`).Call("broken", `{"a":`),
		providertest.Say("Well."))
	b := newBench(t, models[0], providertest.Config{Script: script}, with(broken, secret), func(c *agent.Config) {
		c.Rules = append(c.Rules, tool.Rule{Tool: "secret", Permission: tool.Deny})
	})
	b.prompt("Try.")
	var got []string
	for _, r := range resultsOf(b.stored()[2]) {
		got = append(got, string(r.Outcome)+": "+r.PlainText())
	}
	for i, want := range []string{"error: The tool broke down: no", `error: There is no tool "nowhere".`, "denied: Not run", "error: The arguments are no JSON"} {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("%q, wanted %q", got[i], want)
		}
	}
	if secret.runs.Load() != 0 {
		t.Error("a denied call has run")
	}
}

func resultsOf(e history.Entry) (results []message.ToolResult) {
	e.Message.Results(func(_ int, r message.ToolResult) bool {
		results = append(results, r)
		return true
	})
	return results
}

func TestAPersonIsAskedAboutWhatMayChangeSomething(t *testing.T) {
	change := &probe{name: "change"}
	var asked []string
	script := providertest.In(providertest.Call("change", `{"name":"a"}`).Call("change", `{"name":"b"}`), providertest.Say("Done."))
	b := newBench(t, models[0], providertest.Config{Script: script}, func(c *agent.Config) {
		c.Tools = []tool.Tool{change}
		c.Permit = func(_ context.Context, _ tool.Tool, c tool.Call) bool {
			asked = append(asked, tool.Subject(c))
			return tool.Subject(c) == "a"
		}
	})
	b.prompt("Change both.")
	if !slices.Equal(asked, []string{"a", "b"}) || change.runs.Load() != 1 {
		t.Errorf("asked about %q, %d runs", asked, change.runs.Load())
	}
}

// TestP5AnInterruptedTurnIsClosedAndSaved: real results are kept, others say
// what is known, and the next request is taken.
func TestP5AnInterruptedTurnIsClosedAndSaved(t *testing.T) {
	for _, model := range models {
		t.Run(model, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			fast := &probe{name: "fast"}
			begun := make(chan struct{})
			slow := &probe{name: "slow", do: func(ctx context.Context, _ tool.Call) tool.Result {
				close(begun)
				<-ctx.Done()
				return tool.Fail("stopped")
			}}
			script := providertest.In(providertest.Answer{}.Think("Hm.").Say("I try.").Call("fast", `{}`).Call("slow", `{}`), providertest.Say("Go on, then."))
			b := newBench(t, model, providertest.Config{Script: script}, with(fast, slow))
			var err error
			for e, failed := range b.run.Prompt(ctx, message.Text{Text: "Try."}) {
				if ended, ok := e.(agent.CallEnded); ok && ended.Index == 0 {
					<-begun
					cancel()
				}
				err = failed
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			path := b.stored()
			if shape(path) != "uat" {
				t.Fatalf("path %s", shape(path))
			}
			results := resultsOf(path[2])
			if results[0].Outcome != message.OK || results[1].Outcome != message.Unknown {
				t.Errorf("outcomes %q, %q", results[0].Outcome, results[1].Outcome)
			}
			b.prompt("What now?")
			if drafts, err := b.store.Drafts(t.Context(), b.id); err != nil || len(drafts) != 0 {
				t.Errorf("drafts %+v, %v", drafts, err)
			}
		})
	}
}

func TestBreakingOutInterrupts(t *testing.T) {
	b := newBench(t, models[0], providertest.Config{Script: providertest.In(providertest.Say(providertest.Words(2000)), providertest.Say("Yes."))})
	for e := range b.run.Prompt(t.Context(), message.Text{Text: "Talk."}) {
		if _, ok := e.(agent.Delta); ok {
			break
		}
	}
	path := b.stored()
	if shape(path) != "ua" || path[1].Message.Stop != message.StopAborted {
		t.Fatalf("path %s %+v", shape(path), path[len(path)-1])
	}
	b.prompt("Are you there?")
	if got := shape(b.stored()); got != "uaua" {
		t.Errorf("path %s", got)
	}
}

// TestP6ARunWhoseTipWasMovedGoesOnAsABranch: it says so once, finishes, and
// never moves the tip back.
func TestP6ARunWhoseTipWasMovedGoesOnAsABranch(t *testing.T) {
	var b *bench
	var other history.ID
	move := &probe{name: "move", do: func(context.Context, tool.Call) tool.Result {
		c, err := b.store.Conversation(b.Context(), b.id)
		if err != nil {
			return tool.Fail(err.Error())
		}
		prompt := message.Prompt("meanwhile")
		saved, err := b.store.Append(b.Context(), history.AppendRequest{Conversation: b.id, Parent: c.Tip, ExpectedTip: c.Tip, Entries: []history.Entry{{Message: &prompt}}})
		if err != nil {
			return tool.Fail(err.Error())
		}
		other = saved[0].ID
		return tool.Text("moved")
	}}
	script := providertest.In(providertest.Call("move", `{}`), providertest.Call("look", `{}`), providertest.Say("Done."))
	b = newBench(t, models[0], providertest.Config{Script: script}, with(move, &probe{name: "look"}))
	events := b.prompt("Go.")
	c, err := b.store.Conversation(t.Context(), b.id)
	if err != nil || c.Tip != other {
		t.Errorf("the tip is %v, not where the other left it", c.Tip)
	}
	if notices := of[agent.Notice](events); len(notices) != 1 || !strings.Contains(notices[0].Text, "branch of its own") {
		t.Errorf("%+v", notices)
	}
	if got := shape(b.run.Path()); got != "uatata" {
		t.Errorf("the run's path is %s", got)
	}
	if _, err := b.store.Entry(t.Context(), b.id, b.run.Position()); err != nil {
		t.Error(err)
	}
	b.prompt("And now?")
	if got := shape(b.stored()); got != "uuua" {
		t.Errorf("the next prompt should go on where the conversation stands: %s", got)
	}
}

// TestP6WhatIsTypedMeanwhileGoesToTheConversation, not onto the branch of a run
// whose tip was moved: there, nobody would look for it.
func TestP6WhatIsTypedMeanwhileGoesToTheConversation(t *testing.T) {
	for _, other := range []bool{false, true} { // another run is at work where the conversation stands
		var b *bench
		move := &probe{name: "move", do: func(ctx context.Context, _ tool.Call) tool.Result {
			c, err := b.store.Conversation(ctx, b.id)
			if err != nil {
				return tool.Fail(err.Error())
			}
			prompt := message.Prompt("meanwhile")
			saved, err := b.store.Append(ctx, history.AppendRequest{Conversation: b.id, Parent: c.Tip, ExpectedTip: c.Tip, Entries: []history.Entry{{Message: &prompt}}})
			if err == nil && other {
				err = b.store.SaveDraft(ctx, history.Draft{Conversation: b.id, Run: history.NewID(), Parent: saved[0].ID, Message: message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{message.Text{Text: "Let me"}}}})
			}
			if err == nil {
				_, err = b.run.Queue(ctx, message.Text{Text: "By the way …"})
			}
			if err != nil {
				return tool.Fail(err.Error())
			}
			return tool.Text("moved")
		}}
		script := providertest.In(providertest.Call("move", `{}`), providertest.Call("look", `{}`), providertest.Say("Done."), providertest.Say("Noted."))
		b = newBench(t, models[0], providertest.Config{Script: script}, with(move, &probe{name: "look"}), func(c *agent.Config) { c.Lease = time.Hour })
		events := b.prompt("Go.")
		queue, err := b.store.Queue(t.Context(), b.id)
		if err != nil {
			t.Fatal(err)
		}
		if other {
			if last := last(of[agent.Notice](events)); shape(b.run.Path()) != "uatata" || len(queue) != 1 || !strings.Contains(last.Text, "waits for the run") {
				t.Errorf("path %s, %d prompts wait, %q", shape(b.run.Path()), len(queue), last.Text)
			}
			continue
		}
		path := b.stored()
		if shape(path) != "uuua" || path[2].Message.PlainText() != "By the way …" || path[3].Message.PlainText() != "Noted." || len(queue) != 0 {
			t.Errorf("path %s, %d prompts wait", shape(path), len(queue))
		}
		if b.run.Position() != path[3].ID {
			t.Error("the run stands elsewhere than the conversation")
		}
		if leaves := leavesOf(t, b); leaves != 2 {
			t.Errorf("%d branches", leaves)
		}
	}
}

func last[T any](all []T) (t T) {
	if len(all) > 0 {
		t = all[len(all)-1]
	}
	return t
}

// leavesOf is how many branches the tree has.
func leavesOf(t *testing.T, b *bench) int {
	t.Helper()
	nodes, err := history.Collect(b.store.Nodes(t.Context(), b.id))
	if err != nil {
		t.Fatal(err)
	}
	leaves := len(nodes)
	parents := map[history.ID]bool{}
	for _, n := range nodes {
		if n.Parent != (history.ID{}) && !parents[n.Parent] {
			parents[n.Parent] = true
			leaves--
		}
	}
	return leaves
}

func TestPromptsThatAreTypedMeanwhileComeAtTheNextBoundary(t *testing.T) {
	var b *bench
	typing := &probe{name: "work", do: func(ctx context.Context, _ tool.Call) tool.Result {
		if _, err := b.run.Queue(ctx, message.Text{Text: "By the way …"}); err != nil {
			return tool.Fail(err.Error())
		}
		return tool.Text("done")
	}}
	script := providertest.In(providertest.Call("work", `{}`), providertest.Say("Noted."))
	b = newBench(t, models[0], providertest.Config{Script: script}, with(typing))
	b.prompt("Work.")
	if got := shape(b.stored()); got != "uatua" {
		t.Errorf("path %s", got)
	}
	if queue, err := b.store.Queue(t.Context(), b.id); err != nil || len(queue) != 0 {
		t.Errorf("%+v %v", queue, err)
	}
}

func TestOneExchangeAtATime(t *testing.T) {
	var b *bench
	var err error
	again := &probe{name: "again", do: func(ctx context.Context, _ tool.Call) tool.Result {
		_, err = all(b.run.Prompt(ctx, message.Text{Text: "at the same time"}))
		return tool.Text("tried")
	}}
	b = newBench(t, models[0], providertest.Config{Script: providertest.In(providertest.Call("again", `{}`), providertest.Say("Done."))}, with(again))
	b.prompt("Go.")
	if !errors.Is(err, agent.ErrBusy) {
		t.Errorf("error %v", err)
	}
}

func TestRequestsThatFailOnTheWayAreSentAgain(t *testing.T) {
	script := providertest.In(providertest.Say("Here.")).Failing(map[int]providertest.Fault{
		1: providertest.RateLimited(2 * time.Second), 2: providertest.Overloaded(),
	})
	b := newBench(t, models[0], providertest.Config{Script: script})
	events := b.prompt("Hello?")
	if waits := of[agent.Waiting](events); len(waits) != 2 || waits[0].For < 2*time.Second {
		t.Errorf("%+v", waits)
	}
	if got := shape(b.stored()); got != "ua" {
		t.Errorf("path %s", got)
	}
}

func TestMarksAreSetAtTheBoundaryOfTheirTurn(t *testing.T) {
	script := providertest.In(
		providertest.Call("checkpoint", `{"name":"start"}`),
		providertest.Call("look", `{}`),
		providertest.Call("rewind", `{"name":"start","digest":"It is not in a."}`).Call("look", `{}`),
		providertest.Call("look", `{}`),
		providertest.Call("rewind", `{"name":"start","digest":"Nor in b."}`).Call("rewind", `{"name":"start","digest":"twice"}`),
		providertest.Say("So it is in c."))
	b := newBench(t, models[0], providertest.Config{Script: script}, with(&probe{name: "look"}))
	b.prompt("Where is it?")
	path := b.stored()
	if got := shape(path); got != "uatda" {
		t.Fatalf("path %s", got)
	}
	if digest := path[3].Message.PlainText(); digest != "It is not in a.\n\nNor in b." {
		t.Errorf("digest %q", digest)
	}
	marks, err := b.store.Checkpoints(t.Context(), b.id)
	if err != nil || len(marks) != 1 || marks[0].Entry != path[2].ID || marks[0].SetBy != message.ByModel {
		t.Errorf("%+v %v", marks, err)
	}
	nodes, err := history.Collect(b.store.Nodes(t.Context(), b.id))
	if err != nil || len(nodes) != 14 {
		t.Errorf("%d entries: what was left should still be there", len(nodes))
	}
	for _, r := range b.fake.Journal() {
		if r.Refused != "" {
			t.Errorf("request %d: %s", r.Number, r.Refused)
		}
	}
}

func TestAMarkIsSetAlsoWhenTheProgramEndedBeforeIt(t *testing.T) {
	call := message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{message.ToolCall{ID: "1", Name: "checkpoint", Arguments: []byte(`{"name":"here"}`)}}}
	done := message.Results(message.ToolResult{CallID: "1", Content: []message.Content{message.Text{Text: "ok"}}})
	prompt := message.Prompt("Mark it.")
	b := newBench(t, models[0], providertest.Config{})
	if _, err := b.store.Append(t.Context(), history.AppendRequest{Conversation: b.id, Entries: []history.Entry{{Message: &prompt}, {Message: &call}, {Message: &done}}}); err != nil {
		t.Fatal(err)
	}
	b.open()
	b.open()
	if marks, err := b.store.Checkpoints(t.Context(), b.id); err != nil || len(marks) != 1 || marks[0].Name != "here" {
		t.Errorf("%+v %v", marks, err)
	}
}

// TestWhoComesBackToATurnThatWentBackStaysThere: the rewind of a turn has its
// effect once.
func TestWhoComesBackToATurnThatWentBackStaysThere(t *testing.T) {
	script := providertest.In(
		providertest.Call("checkpoint", `{"name":"start"}`), providertest.Call("look", `{}`),
		providertest.Call("rewind", `{"name":"start","digest":"It is not in a."}`), providertest.Say("Elsewhere, then."))
	b := newBench(t, models[0], providertest.Config{Script: script}, with(&probe{name: "look"}))
	b.prompt("Where is it?")
	digest := b.stored()[3]
	if digest.Left == (history.ID{}) {
		t.Fatalf("path %s", shape(b.stored()))
	}
	at, err := history.BoundaryAt(t.Context(), b.store, b.id, digest.Left)
	if err == nil {
		err = b.store.MoveTip(t.Context(), at, b.run.Position())
	}
	if err != nil {
		t.Fatal(err)
	}
	b.open()
	if b.run.Position() != digest.Left {
		t.Errorf("the run stands at %v, path %s", b.run.Position(), shape(b.stored()))
	}
	fork, err := b.store.Fork(t.Context(), history.ForkRequest{At: at})
	if err != nil {
		t.Fatal(err)
	}
	c := b.config
	c.Conversation = fork.ID
	run, _, err := agent.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if got := shape(run.Path()); got != "uatatat" {
		t.Errorf("a fork of the turn stands at %s", got)
	}
}

func TestLongResultsAreKeptWholeAndShownShort(t *testing.T) {
	long := &probe{name: "long", readOnly: true, do: func(context.Context, tool.Call) tool.Result {
		return tool.Text("begin\n" + strings.Repeat("words and words\n", 30_000) + "end")
	}}
	var results []message.ToolResult
	script := providertest.Script(func(a providertest.Ask) providertest.Answer {
		if results = a.Results(); len(results) == 0 {
			return providertest.Call("long", `{}`)
		}
		return providertest.Say("Long indeed.")
	})
	b := newBench(t, models[0], providertest.Config{Window: 100_000, Script: script}, with(long))
	b.prompt("How long?")
	if got := shape(b.stored()); got != "uatca" {
		t.Fatalf("path %s", got)
	}
	if whole := resultsOf(b.stored()[2])[0].PlainText(); len(whole) < 400_000 {
		t.Errorf("%d bytes are stored", len(whole))
	}
	if len(b.fake.Journal()) != 2 || b.fake.Journal()[1].Tokens > 40_000 {
		t.Errorf("%+v", b.fake.Journal())
	}
}

func ExampleRun_Prompt() {
	fake := httptest.NewServer(providertest.New(providertest.Config{Script: providertest.In(providertest.Say("Hello."))}))
	defer fake.Close()
	p, err := providers.Named("anthropic", provider.Settings{BaseURL: fake.URL, Key: func(context.Context) (string, error) { return "any", nil }})
	if err != nil {
		panic(err)
	}
	store, id := memory.New(memory.Options{}), history.NewID()
	ctx := context.Background()
	if err := store.Create(ctx, history.Conversation{ID: id}); err != nil {
		panic(err)
	}
	known, _, _ := catalog.Default().Find("claude-opus-5-5")
	run, _, err := agent.Open(ctx, agent.Config{Store: store, Conversation: id, Model: agent.Model{Provider: p, Known: known}})
	if err != nil {
		panic(err)
	}
	for event, err := range run.Prompt(ctx, message.Text{Text: "Say hello."}) {
		switch e := event.(type) {
		case agent.Delta:
			fmt.Print(e.Text)
		case agent.Done:
			fmt.Println("\nstop:", e.Stop)
		}
		if err != nil {
			panic(err)
		}
	}
	// Output:
	// Hello.
	// stop: end
}
