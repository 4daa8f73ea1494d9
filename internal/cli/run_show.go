package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
)

// A runView shows what a run does: as text, with everything but the answers on
// standard error, or as an object a line.
type runView struct {
	*app
	json   bool
	calls  map[int]message.ToolCall
	inText bool // the last thing on standard output is no whole line
}

func newRunView(a *app, json bool) *runView {
	return &runView{app: a, json: json, calls: map[int]message.ToolCall{}}
}

// begin says which conversation it is, and what was found in it.
func (v *runView) begin(c history.Conversation, r agent.Resumed) {
	if v.json {
		v.object(map[string]any{"type": "conversation", "id": c.ID, "entries": r.Entries, "trimmed": r.Trimmed, "dropped_checkpoints": markNames(r.Dropped), "drafts": len(r.Drafts)})
		return
	}
	about := "conversation " + c.ID.String()
	if r.Entries > 0 {
		about += ", " + words.Count(r.Entries, "entry")
	}
	v.aside(faint, about)
	if r.Trimmed > 0 {
		v.aside(yellow, fmt.Sprintf("held to its newest messages: %s stand behind one line", words.Count(r.Trimmed, "entry")))
	}
	v.dropped(r.Dropped)
}

func (v *runView) dropped(marks []history.Checkpoint) {
	if len(marks) > 0 {
		v.aside(yellow, "checkpoints dropped from this run, since their place is not whole in the view: "+strings.Join(markNames(marks), ", "))
	}
}

func markNames(marks []history.Checkpoint) []string {
	names := []string{}
	for _, m := range marks {
		names = append(names, m.Name)
	}
	return names
}

// events shows everything that a run does, to its end.
func (v *runView) events(events agent.Events) error {
	for e, err := range events {
		if err != nil {
			v.endLine()
			return err
		}
		if v.json {
			v.object(eventJSON(e))
		} else {
			v.event(e)
		}
		if err := v.out.Flush(); err != nil {
			return err
		}
		_ = v.err.Flush()
	}
	return nil
}

func (v *runView) event(e agent.Event) {
	switch e := e.(type) {
	case agent.Delta:
		if e.Kind == provider.TextDelta {
			text := words.Printable(e.Text)
			v.out.print(text)
			v.inText = !strings.HasSuffix(text, "\n")
		}
	case agent.CallStarted:
		v.calls[e.Index] = e.Call
	case agent.CallEnded:
		v.call(e)
	case agent.Compacted:
		v.aside(purple, fmt.Sprintf("room was made: about %s → %s tokens", words.Thousands(e.Plan.Before), words.Thousands(e.Plan.After)))
		v.dropped(e.Dropped)
	case agent.Waiting:
		v.aside(yellow, fmt.Sprintf("%v; again in %s (%d of %d)", e.Err, e.For.Round(100*time.Millisecond), e.Attempt, e.Attempts))
	case agent.Repeated:
		v.aside(yellow, "too large for the provider; sent again, smaller")
	case agent.Notice:
		v.aside(yellow, e.Text)
	case agent.Done:
		v.endLine()
		u := e.Usage
		text := words.Thousands(u.Prompt()) + " tokens in, " + words.Thousands(u.Output) + " out"
		if u.Prompt() > 0 && u.CacheRead > 0 {
			text += fmt.Sprintf(", %d%% from the cache", u.CacheRead*100/u.Prompt())
		}
		if u.CostUSD > 0 {
			text += fmt.Sprintf(", $%.4f", u.CostUSD)
		}
		v.aside(faint, text)
	}
}

// call is one line about a call.
func (v *runView) call(e agent.CallEnded) {
	c := v.calls[e.Index]
	subject := cmp.Or(tool.Subject(tool.Call{Arguments: c.Arguments}), string(c.Arguments))
	mark, look, how := "✓", green, words.Count(strings.Count(e.Result.PlainText(), "\n")+1, "line")
	if e.Result.IsError() {
		mark, look, how = "✗", red, string(e.Result.Outcome)
	}
	line := strings.TrimRight(mark+" "+cmp.Or(c.Name, e.Result.Name)+" "+words.OneLine(subject), " ")
	if v.err.width > 0 {
		line = ansi.Truncate(line, max(v.err.width-ansi.StringWidth(how)-3, 20), "…")
	}
	v.aside(look, line+"  "+how)
}

// aside is a line on standard error.
func (v *runView) aside(look style, text string) {
	v.endLine()
	_ = v.out.Flush() // the two streams in order
	v.err.printf("%s\n", v.err.paint(look, words.Printable(text)))
	_ = v.err.Flush()
}

func (v *runView) endLine() {
	if v.inText {
		v.out.print("\n")
		v.inText = false
	}
}

func (v *runView) object(o map[string]any) {
	data, err := json.Marshal(o)
	if err != nil {
		data = fmt.Appendf(nil, `{"type":"error","text":%q}`, err)
	}
	v.out.print(string(data) + "\n")
}

// eventJSON is an event as --json prints it.
func eventJSON(e agent.Event) map[string]any {
	switch e := e.(type) {
	case agent.Delta:
		kinds := map[provider.DeltaKind]string{provider.TextDelta: "text", provider.ThinkingDelta: "thinking", provider.CallBegins: "call_begins", provider.ArgumentsDelta: "arguments"}
		return map[string]any{"type": kinds[e.Kind], "part": e.Part, "text": e.Text}
	case agent.CallStarted:
		return map[string]any{"type": "call", "index": e.Index, "id": e.Call.ID, "name": e.Call.Name, "arguments": string(e.Call.Arguments)}
	case agent.CallProgress:
		return map[string]any{"type": "progress", "index": e.Index, "line": e.Line}
	case agent.CallEnded:
		return map[string]any{"type": "result", "index": e.Index, "outcome": cmp.Or(string(e.Result.Outcome), "ok"), "text": e.Result.PlainText()}
	case agent.Saved:
		entries := []nodeJSON{}
		for i := range e.Entries {
			n := e.Entries[i].Node()
			entries = append(entries, newNodeJSON(&n))
		}
		return map[string]any{"type": "saved", "entries": entries}
	case agent.Compacted:
		return map[string]any{"type": "compacted", "entry": e.Entry.ID, "before": e.Plan.Before, "after": e.Plan.After, "rungs": stepsJSON(e.Plan.Steps), "dropped_checkpoints": markNames(e.Dropped)}
	case agent.Waiting:
		return map[string]any{"type": "waiting", "seconds": e.For.Seconds(), "attempt": e.Attempt, "attempts": e.Attempts, "error": e.Err.Error()}
	case agent.Repeated:
		return map[string]any{"type": "repeated", "refusal": e.Refusal.Error()}
	case agent.Notice:
		return map[string]any{"type": "notice", "text": e.Text}
	case agent.Done:
		return map[string]any{"type": "done", "stop": e.Stop, "usage": e.Usage}
	}
	return map[string]any{"type": fmt.Sprintf("%T", e)}
}
