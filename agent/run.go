package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/wire"
)

// ErrBusy: an exchange is under way. Queue keeps a prompt for it.
var ErrBusy = errors.New("the run is busy")

// A LoadError says that the conversation could not be read: there may be
// something to retry, but nothing is known of it.
type LoadError struct{ Err error }

func (e *LoadError) Error() string { return "the conversation is not loaded: " + e.Err.Error() }

func (e *LoadError) Unwrap() error { return e.Err }

// A Run is a model at work on a conversation. It holds a position of its own:
// the last entry of its path. One exchange runs at a time; Queue may be called
// at any time.
type Run struct {
	Config
	id history.ID

	// busy is held while an exchange, a compaction or a move is under way.
	busy sync.Mutex

	// path is from the root to the run's position. Of what stands behind the line
	// of a trim, only the first message, the compactions and the pinned entries
	// may have been read.
	path     []history.Entry
	tip      history.ID // where the run has left, or found, the conversation's tip
	branched bool       // the tip was moved by another: the run is on a branch of its own
	pins     []history.ID
	marks    []history.Checkpoint // on the path, the newest first
	buried   map[history.ID]bool  // marked entries of the path that were not read
	tools    map[string]tool.Tool
	frame    wire.Frame
	frameAt  message.Hash // of the frame that is stored already

	standing reclaim.Standing // the view of the path, and what it costs
	session  wire.Session     // the body of the last request

	answered  time.Time     // when the last answer came
	aside     history.Usage // of the exchange: what summaries cost
	state     ladderState
	listener  *listener
	deferrals deferrals
}

// Resumed is what a run found when it was opened.
type Resumed struct {
	Entries int // of the path
	// Trimmed is how many entries stand behind one line, since the run is held
	// to its newest messages.
	Trimmed int
	// Dropped are checkpoints on the path that the run does not offer.
	Dropped []history.Checkpoint
	// Drafts are turns that other runs have begun and not saved, the latest
	// first: those of runs that have ended, or are at work.
	Drafts []history.Draft
}

// Open loads a conversation for a run. The error is a [*LoadError] where it
// cannot be read.
func Open(ctx context.Context, c Config) (*Run, Resumed, error) {
	c.defaults()
	r := &Run{Config: c, id: history.NewID()}
	if err := r.equip(); err != nil {
		return nil, Resumed{}, err
	}
	trimmed, err := r.resume(ctx)
	if err != nil {
		return nil, Resumed{}, err
	}
	found := Resumed{Entries: r.depth(), Trimmed: trimmed}
	if err := r.settle(ctx); err != nil {
		return nil, Resumed{}, err
	}
	found.Dropped = r.hiddenMarks()
	if found.Drafts, err = r.Store.Drafts(ctx, c.Conversation); err != nil {
		return nil, Resumed{}, err
	}
	return r, found, nil
}

// Reload goes to where the conversation stands now, for instance after its tip
// was moved.
func (r *Run) Reload(ctx context.Context) error {
	if !r.busy.TryLock() {
		return ErrBusy
	}
	defer r.busy.Unlock()
	_, err := r.resume(ctx)
	return err
}

// equip makes the frame: the same as long as model, system prompt and tools are.
func (r *Run) equip() error {
	if r.Model.Provider == nil {
		return errors.New("no provider is given")
	}
	if r.Model.name() == "" {
		return errors.New("no model is named")
	}
	r.tools = map[string]tool.Tool{}
	r.frame = wire.Frame{System: r.System, Model: r.Model.name(), Wire: r.Model.Provider.Wire().Name}
	for _, t := range append(slices.Clone(r.Tools), r.ownTools()...) {
		d := t.Definition()
		if r.tools[d.Name] != nil {
			return fmt.Errorf("two tools are called %s", d.Name)
		}
		r.tools[d.Name] = t
		r.frame.Tools = append(r.frame.Tools, d)
	}
	r.session = r.Model.Provider.Wire().NewSession()
	return nil
}

// Switch goes on with another model. What it cannot take of the view is shown
// in another way from the next request on.
func (r *Run) Switch(m Model) error {
	if !r.busy.TryLock() {
		return ErrBusy
	}
	defer r.busy.Unlock()
	before := r.Model
	r.Model = m
	if err := r.equip(); err != nil {
		r.Model = before
		return errors.Join(err, r.equip())
	}
	r.state = ladderState{}
	return nil
}

// Path returns the entries of the run's path; of what stands behind the line of
// a trim perhaps only some. They must not be changed.
func (r *Run) Path() []history.Entry { return r.path }

// Position returns the last entry of the run's path; none where it is empty.
func (r *Run) Position() history.ID {
	if len(r.path) == 0 {
		return history.ID{}
	}
	return r.path[len(r.path)-1].ID
}

// goTo makes another path that of the run: a part of its own, or one that was
// read.
func (r *Run) goTo(path []history.Entry) {
	r.path = slices.Clip(path) // what is appended must not overwrite what is left
	if r.depth() == len(path) {
		r.buried = nil // all of it was read
	}
	r.state.meter, r.state.posed = nil, nil
}

// depth is that of the run's position.
func (r *Run) depth() int {
	if len(r.path) == 0 {
		return 0
	}
	return r.path[len(r.path)-1].Depth
}

// patient returns a provider with the patience of the run.
func (r *Run) patient(p provider.Provider) provider.Provider {
	how := r.Patience
	how.Waiting = func(w provider.Wait) { r.listener.tell(Waiting{w}) }
	return provider.Retrying(p, how)
}

// frameBlob returns the frame as it is stored, and whether it has to be.
func (r *Run) frameBlob() (hash message.Hash, blobs []message.Blob, err error) {
	data, err := json.Marshal(r.frame)
	if err != nil {
		return hash, nil, err
	}
	blob := message.NewBlob("application/json", data)
	if blob.Hash != r.frameAt {
		blobs = append(blobs, blob)
	}
	return blob.Hash, blobs, nil
}

// work runs something as a sequence of events.
func (r *Run) work(ctx context.Context, do func(context.Context) error) Events {
	return func(yield func(Event, error) bool) {
		if !r.busy.TryLock() {
			yield(nil, ErrBusy)
			return
		}
		defer r.busy.Unlock()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		l := &listener{yield: yield, cancel: cancel}
		r.listener = l
		defer func() { r.listener = nil }()
		if err := do(ctx); err != nil && !l.gone {
			yield(nil, err)
		}
	}
}
