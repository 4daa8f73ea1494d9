package reclaim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// Shake plans the rung that costs nothing: results of reads are taken out of
// the view where a later call of the path read the same file again or changed
// it, so that they show what is no longer true. The current exchange, pinned
// entries, and what is out of the view already are left alone. The compaction
// is nil where there is nothing to take.
func Shake(path []history.Entry, pins []history.ID) (*history.Compaction, []Saving) {
	if len(path) == 0 {
		return nil, nil
	}
	d := newDraft(&Problem{Path: path, Pins: pins})
	var savings []Saving
	for _, e := range elidables(d, currentExchange(path)) {
		if e.rank == superseded {
			savings = append(savings, e.take(d))
		}
	}
	if len(savings) == 0 {
		return nil, nil
	}
	return &history.Compaction{Treatments: d.added, Reason: history.Reason{Trigger: history.ByCommand}}, savings
}

// call is a tool call of a path with what matters for the plan.
type call struct {
	message.ToolCall
	kind    toolKind
	target  string
	shown   string // the part of the target that a read asked for
	ok      bool   // answered without an error
	idle    bool   // uneventful, by the tool's own word
	entry   int    // index in the path of the entry with the result
	result  history.Handle
	content []message.Content
}

// callsOf returns the calls of a path in order, each with its result.
func callsOf(path []history.Entry) []call {
	var entries []int // of messages, by their index in the pairing
	pairing := message.Pair(func(yield func(*message.Message) bool) {
		for i := range path {
			if m := path[i].Message; m != nil {
				entries = append(entries, i)
				if !yield(m) {
					return
				}
			}
		}
	})
	calls := make([]call, len(pairing.Calls))
	for i, paired := range pairing.Calls {
		c := call{ToolCall: paired.ToolCall, kind: kindOf(paired.Name, paired.Arguments)}
		c.target, c.shown = fileOf(paired.Arguments)
		if paired.State == message.Answered {
			c.entry = entries[paired.Result.Message]
			e := &path[c.entry]
			r := e.Message.Parts[paired.Result.Part].(message.ToolResult)
			c.ok, c.idle, c.content = !r.IsError(), r.Uneventful, r.Content
			c.result = history.Handle{Depth: e.Depth, Part: paired.Result.Part + 1}
		}
		calls[i] = c
	}
	return calls
}

// supersededBy says for each call why its result is no longer what the file is,
// or "" where it may still be, or never was a read's.
func supersededBy(calls []call) []string {
	reasons := make([]string, len(calls))
	changed := map[string]string{}   // file: why a read before this point is out of date
	reread := map[[2]string]string{} // file and part of it
	for i, c := range slices.Backward(calls) {
		if !c.ok || c.target == "" {
			continue
		}
		switch c.kind {
		case readTool:
			reasons[i] = cmp.Or(changed[c.target], reread[[2]string{c.target, ""}], reread[[2]string{c.target, c.shown}])
			reread[[2]string{c.target, c.shown}] = fmt.Sprintf("since the file was read again later (%v)", c.result)
		case changeTool:
			changed[c.target] = fmt.Sprintf("since the file was changed later (%v)", c.result)
		}
	}
	return reasons
}

// currentExchange returns the index at which the newest exchange begins.
func currentExchange(path []history.Entry) int {
	for i := len(path) - 1; i >= 0; i-- {
		if m := path[i].Message; m != nil && m.IsPrompt() {
			return i
		}
	}
	return 0
}

// sizeOf is how many bytes of text and media a result has.
func sizeOf(content []message.Content) int {
	size := 0
	for _, c := range content {
		switch c := c.(type) {
		case message.Text:
			size += len(c.Text)
		case message.Image:
			size += int(max(c.Size, int64(len(c.Data))))
		case message.Document:
			size += int(max(c.Size, int64(len(c.Data))))
		case message.Opaque:
			size += len(c.Raw)
		}
	}
	return size
}
