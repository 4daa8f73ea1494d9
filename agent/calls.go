package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// What stands as the result of a call that did not come to its own end.
const (
	notRun = "Not run: the turn was interrupted before."
	denied = "Not run: the person, or a rule, did not allow it."
)

// A call is a tool call of the answer under way.
type call struct {
	message.ToolCall
	tool   tool.Tool // nil where the model made its name up
	state  history.CallState
	result message.ToolResult // where state is done
}

func callsOf(m *message.Message) []*call {
	var calls []*call
	m.Calls(func(_ int, c message.ToolCall) bool {
		calls = append(calls, &call{ToolCall: c, state: history.CallNotStarted})
		return true
	})
	return calls
}

func resultsOf(calls []*call) []message.ToolResult {
	results := make([]message.ToolResult, len(calls))
	for i, c := range calls {
		results[i] = c.result
	}
	return results
}

// close gives a call a result that its tool did not make.
func (c *call) close(outcome message.Outcome, why string) {
	c.end(tool.Result{Content: []message.Content{message.Text{Text: why}}, Outcome: outcome})
}

func (c *call) end(r tool.Result) {
	c.state = history.CallDone
	c.result = message.ToolResult{CallID: c.ID, Name: c.Name, Content: r.Content, Outcome: r.Outcome, Uneventful: r.Uneventful}
}

// effects reports whether the call may change something.
func (c *call) effects() bool { return c.tool != nil && !c.tool.ReadOnly() }

// runCalls runs the calls of an answer, several at a time. Each has a result
// when it returns; the error is that of the store, before anything has run.
func (r *Run) runCalls(ctx context.Context, t *turn) error {
	draft := r.newDraft()
	draft.message, draft.calls = t.answer.Message, t.calls
	ready := r.admit(ctx, t.calls)
	effects := false
	for _, i := range ready {
		t.calls[i].state = history.CallStarted
		effects = effects || t.calls[i].effects()
	}
	if effects { // it is known to have started before it starts
		if err := draft.save(ctx); err != nil {
			return err
		}
	}
	stop := draft.keepAlive(ctx)
	defer stop()

	progress, ended := make(chan CallProgress), make(chan ending)
	over := make(chan struct{})
	defer close(over) // whoever still reports a line then is not heard
	slots := make(chan struct{}, r.Parallel)
	left := 0
	for _, i := range ready {
		c := t.calls[i]
		r.tell(CallStarted{i, c.ToolCall})
		if _, own := c.tool.(ownTool); own { // they take no time, and their order matters
			draft.end(c, runCall(ctx, c, nil))
			r.tell(CallEnded{i, c.result})
			continue
		}
		left++
		go func() {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				ended <- ending{index: i, result: tool.Result{Content: []message.Content{message.Text{Text: notRun}}, Outcome: message.Aborted}}
				return
			}
			result := runCall(ctx, c, func(line string) {
				select {
				case progress <- CallProgress{i, line}:
				case <-over:
				}
			})
			ended <- ending{i, result, true}
		}()
	}
	for left > 0 {
		select {
		case p := <-progress:
			r.tell(p)
		case e := <-ended:
			left--
			c := t.calls[e.index]
			draft.end(c, e.result)
			if c.effects() && left > 0 { // else the turn is saved whole now
				if err := draft.save(ctx); err != nil {
					r.tell(Notice{"The draft of the turn could not be saved: " + err.Error()})
				}
			}
			if e.ran {
				<-slots // the next one begins when it is known that this one is done
			}
			r.tell(CallEnded{e.index, c.result})
		}
	}
	return nil
}

// An ending is a call that came to its end.
type ending struct {
	index  int
	result tool.Result
	ran    bool // else it was interrupted before
}

// admit decides which calls run, and answers the others.
func (r *Run) admit(ctx context.Context, calls []*call) (ready []int) {
	for i, c := range calls {
		c.tool = r.tools[c.Name]
		asked := tool.Call{ID: c.ID, Arguments: c.Arguments}
		switch {
		case ctx.Err() != nil:
			c.close(message.Aborted, notRun)
		case c.tool == nil:
			c.close(message.Failed, fmt.Sprintf("There is no tool %q.", c.Name))
		case !json.Valid(c.Arguments) && len(c.Arguments) > 0:
			c.close(message.Failed, "The arguments are no JSON: they were cut, or written wrongly. Call again.")
		case !r.allows(ctx, c.tool, asked):
			c.close(message.Denied, denied)
		default:
			ready = append(ready, i)
		}
		if c.state == history.CallDone {
			r.tell(CallEnded{i, c.result})
		}
	}
	return ready
}

func (r *Run) allows(ctx context.Context, t tool.Tool, c tool.Call) bool {
	switch tool.Decide(r.Rules, t, c) {
	case tool.Allow:
		return true
	case tool.Deny:
		return false
	}
	if own, ok := t.(ownTool); ok && own.allowed {
		return true
	}
	return r.Permit(ctx, t, c)
}

// runCall runs a call. A tool that panics has failed.
func runCall(ctx context.Context, c *call, progress func(string)) (result tool.Result) {
	defer func() {
		if p := recover(); p != nil {
			result = tool.Fail(fmt.Sprintf("The tool broke down: %v", p))
		}
		if ctx.Err() != nil && result.Outcome == message.Failed && c.effects() {
			// It was stopped on the way, whatever it says of that.
			result.Outcome = message.Unknown
			result.Content = append(result.Content, message.Text{Text: wire.Interrupted})
		}
	}()
	return c.tool.Run(ctx, tool.Call{ID: c.ID, Arguments: c.Arguments, Progress: progress})
}
