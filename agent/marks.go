package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// Names of the tools that a run brings.
const (
	checkpointTool = "checkpoint"
	rewindTool     = "rewind"
)

// ownTools are the tools that work on the conversation itself.
func (r *Run) ownTools() []tool.Tool {
	return []tool.Tool{
		ownTool{wire.Tool{
			Name:        checkpointTool,
			Description: "Marks the end of this turn with a name, to come back to with rewind. Use it before you explore something that may fail or be long.",
			Schema:      json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`),
		}, r.markAtBoundary, true},
		ownTool{wire.Tool{
			Name:        rewindTool,
			Description: "Goes back to a checkpoint at the end of this turn. Of all that came since, only the digest stays in sight: write down everything that was learned. Files are not changed back.",
			Schema:      json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"digest":{"type":"string"}},"required":["name","digest"]}`),
		}, r.rewindAtBoundary, true},
		tool.Recall(r.originals),
	}
}

// An ownTool works on the conversation. It changes nothing else, so that nobody
// is asked about it.
type ownTool struct {
	definition wire.Tool
	run        func(tool.Call) tool.Result
	allowed    bool
}

func (t ownTool) Definition() wire.Tool { return t.definition }

func (t ownTool) ReadOnly() bool { return true }

func (t ownTool) Run(_ context.Context, c tool.Call) tool.Result { return t.run(c) }

// A deferred is what a call asks for at the boundary that ends its turn: no
// mark, and no tip, may stand inside of one.
type deferred struct {
	name   string
	digest string // of a rewind
	rewind bool
}

var errTwice = errors.New("a rewind waits already: one turn goes back once")

// deferrals are what the calls of a turn, which run in parallel, ask for.
type deferrals struct {
	mu    sync.Mutex
	asked []deferred
}

func (d *deferrals) add(a deferred) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.rewind && slices.ContainsFunc(d.asked, func(o deferred) bool { return o.rewind }) {
		return errTwice
	}
	d.asked = append(d.asked, a)
	return nil
}

func (d *deferrals) take() []deferred {
	d.mu.Lock()
	defer d.mu.Unlock()
	asked := d.asked
	d.asked = nil
	return asked
}

type markArguments struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

func (r *Run) markAtBoundary(c tool.Call) tool.Result {
	a, err := readMark(c)
	if err == nil {
		err = r.deferrals.add(deferred{name: a.Name})
	}
	if err != nil {
		return tool.Fail(err.Error())
	}
	return tool.Text(fmt.Sprintf("The end of this turn is checkpoint %q.", a.Name))
}

func (r *Run) rewindAtBoundary(c tool.Call) tool.Result {
	a, err := readMark(c)
	if err == nil && strings.TrimSpace(a.Digest) == "" {
		err = errors.New("the digest is empty: write down what was learned, nothing else stays")
	}
	if err == nil {
		_, err = r.liveMark(a.Name)
	}
	if err == nil {
		err = r.deferrals.add(deferred{a.Name, a.Digest, true})
	}
	if err != nil {
		return tool.Fail(err.Error())
	}
	return tool.Text(fmt.Sprintf("At the end of this turn, the conversation goes back to checkpoint %q.", a.Name))
}

func readMark(c tool.Call) (markArguments, error) {
	var a markArguments
	if err := json.Unmarshal(c.Arguments, &a); err != nil {
		return a, fmt.Errorf("the arguments are not as expected: %w", err)
	}
	if a.Name = strings.TrimSpace(a.Name); a.Name == "" {
		return a, errors.New("the name of the checkpoint is missing")
	}
	return a, nil
}

// originals returns what stands at a handle of the run's path.
func (r *Run) originals(ctx context.Context, at history.Handle) ([]message.Blob, error) {
	if at.Depth < 1 || at.Depth > r.depth() {
		return nil, fmt.Errorf("there is no entry %d: the conversation has %d", at.Depth, r.depth())
	}
	if i := r.index(at.Depth); r.path[i].Depth == at.Depth {
		return history.Recall(ctx, r.Store, r.path[i], at.Part)
	}
	e, err := history.EntryAt(ctx, r.Store, r.Conversation, r.Position(), at)
	if err != nil {
		return nil, err
	}
	return history.Recall(ctx, r.Store, e, at.Part)
}

// hiddenMarks are checkpoints on the path whose entry is not whole in the view:
// a model that comes back there would not see where it is. (P8)
func (r *Run) hiddenMarks() []history.Checkpoint {
	fold := r.fold()
	var hidden []history.Checkpoint
	for _, m := range r.marks {
		if i := slices.IndexFunc(r.path, func(e history.Entry) bool { return e.ID == m.Entry }); i < 0 || !r.whole(&fold, i) {
			hidden = append(hidden, m)
		}
	}
	return hidden
}

// whole reports whether nothing is left out of an entry of the path. Of a
// compaction, that is the message before it.
func (r *Run) whole(fold *history.Fold, i int) bool {
	for i > 0 && r.path[i].Message == nil {
		i--
	}
	at := r.path[i].Handle()
	if fold.At(at) != nil {
		return false
	}
	if r.path[i].Message != nil {
		for range r.path[i].Message.Parts {
			if at.Part++; fold.At(at) != nil {
				return false
			}
		}
	}
	return true
}

// fold is what the compactions of the path come to, without those of long
// results: these never stood in the view in another way.
func (r *Run) fold() history.Fold {
	var compactions []*history.Compaction
	for i := range r.path {
		if c := r.path[i].Compaction; c != nil && c.Reason.Trigger != history.ByLength {
			compactions = append(compactions, c)
		}
	}
	return history.FoldTreatments(compactions)
}

// liveMark returns the checkpoint of a name that was set last, if the run still
// offers it.
func (r *Run) liveMark(name string) (history.Checkpoint, error) {
	for _, m := range r.marks {
		if m.Name != name {
			continue
		}
		if slices.ContainsFunc(r.hiddenMarks(), func(h history.Checkpoint) bool { return h.ID == m.ID }) {
			return m, fmt.Errorf("checkpoint %q was dropped from this run: its place is no longer whole in the view", name)
		}
		return m, nil
	}
	return history.Checkpoint{}, fmt.Errorf("there is no checkpoint %q; there are: %s", name, r.markNames())
}

func (r *Run) markNames() string {
	var names []string
	for _, m := range r.marks {
		if !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Checkpoint marks where the run stands, for a person.
func (r *Run) Checkpoint(ctx context.Context, name string) (history.Checkpoint, error) {
	if !r.busy.TryLock() {
		return history.Checkpoint{}, ErrBusy
	}
	defer r.busy.Unlock()
	return r.mark(ctx, history.Checkpoint{Name: name, SetBy: message.ByPerson})
}

// mark marks the run's position.
func (r *Run) mark(ctx context.Context, m history.Checkpoint) (history.Checkpoint, error) {
	if r.Position() == (history.ID{}) {
		return m, errors.New("the conversation is empty: there is nothing to mark")
	}
	at, err := history.BoundaryAt(ctx, r.Store, r.Conversation, r.Position())
	if err != nil {
		return m, err
	}
	m.Created = r.Now()
	if m, err = r.Store.Mark(ctx, at, m); err != nil {
		return m, err
	}
	if !slices.ContainsFunc(r.marks, func(o history.Checkpoint) bool { return o.ID == m.ID }) {
		r.marks = slices.Insert(r.marks, 0, m)
	}
	return m, nil
}

// Rewind goes back to a checkpoint, and keeps a digest of what came since.
func (r *Run) Rewind(ctx context.Context, name, digest string) Events {
	return r.work(ctx, func(ctx context.Context) error {
		if err := r.catchUp(ctx); err != nil {
			return err
		}
		return r.rewind(ctx, name, digest)
	})
}

func (r *Run) rewind(ctx context.Context, name, digest string) error {
	mark, err := r.liveMark(name)
	if err != nil {
		return err
	}
	request, err := history.PlanRewind(r.path, mark, digest)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(r.path, func(e history.Entry) bool { return e.ID == mark.Entry })
	left := r.path
	r.goTo(left[:at+1])
	if _, err := r.save(ctx, request); err != nil {
		r.goTo(left)
		return err
	}
	r.keepMarks(r.marks)
	return r.fill(ctx)
}

// atBoundary does what the calls of a turn asked for, now that it is saved.
func (r *Run) atBoundary(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	end := r.Position()
	for _, d := range r.deferrals.take() {
		var err error
		if d.rewind {
			err = r.rewind(ctx, d.name, d.digest)
		} else {
			_, err = r.mark(ctx, history.Checkpoint{ID: markID(end, r.path, d.name), Name: d.name, SetBy: message.ByModel})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// markID is the same for the same call, so that a mark that was set before a
// crash is not set twice.
func markID(entry history.ID, path []history.Entry, name string) history.ID {
	return history.SourceID(path[len(path)-1].Created, "checkpoint", entry.String(), name)
}

// settle does what the last turn asked for at its boundary, where the program
// ended between the two.
func (r *Run) settle(ctx context.Context) error {
	n := len(r.path)
	for n > 0 && r.path[n-1].Compaction != nil {
		n--
	}
	if n < 2 || r.path[n-1].Message.Role != message.Tool || r.path[n-2].Message == nil || r.path[n-1].Source != "" {
		return nil // what another tool's run asked for is that tool's to do
	}
	var rewind deferred
	done := map[string]bool{}
	r.path[n-1].Message.Results(func(_ int, res message.ToolResult) bool {
		done[res.CallID] = res.Outcome == message.OK
		return true
	})
	r.path[n-2].Message.Calls(func(_ int, c message.ToolCall) bool {
		a, err := readMark(tool.Call{Arguments: c.Arguments})
		if err != nil || !done[c.ID] {
			return true
		}
		switch c.Name {
		case checkpointTool:
			_ = r.deferrals.add(deferred{name: a.Name})
		case rewindTool:
			rewind = deferred{a.Name, a.Digest, true}
		}
		return true
	})
	if rewind.rewind {
		done, err := r.wentBack(ctx, rewind.name)
		if err != nil {
			return err
		}
		if !done {
			_ = r.deferrals.add(rewind)
		}
	}
	return r.atBoundary(ctx)
}

// wentBack reports whether the run's position was left by a rewind to a
// checkpoint already, and somebody has come back to it since; or whether it is
// no place to go back from.
func (r *Run) wentBack(ctx context.Context, name string) (bool, error) {
	mark, err := r.liveMark(name)
	if err != nil {
		return true, nil
	}
	c, err := r.Store.Conversation(ctx, r.Conversation)
	if err != nil {
		return false, err
	}
	if last := r.path[len(r.path)-1]; last.Created.Before(c.Created) {
		return true, nil // the turn is a copy: the rewind was its origin's
	}
	for child, err := range r.Store.Children(ctx, r.Conversation, mark.Entry) {
		if err != nil {
			return false, err
		}
		if child.Author != message.ByDigest {
			continue
		}
		digest, err := r.Store.Entry(ctx, r.Conversation, child.ID)
		if err != nil {
			return false, err
		}
		if digest.Left == r.Position() {
			return true, nil
		}
	}
	return false, nil
}
