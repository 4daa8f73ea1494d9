package rescue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/wire"
)

// Options of [Rescue]. The zero value is ready to use.
type Options struct {
	Model  string // Default: the one that the file was made with
	Window int    // in tokens. Default: the model's
	Target int    // in tokens. Default: half of what the window holds
	// Models is where models are looked up. Default: the built-in catalogue.
	Models *catalog.Catalog
	Now    func() time.Time // Default: time.Now
	NewID  func() string    // Default: random UUIDs
}

// A Result is a session or a body that fits.
type Result struct {
	Format string // of input and output
	// ID is that of the new session, "" for a body. Name is what the tool wants
	// the file to be called.
	ID, Name string
	Data     []byte
	Model    string
	Plan     *reclaim.Plan // nil where the input fitted already
	// Before and After are the estimated tokens of the request, system prompt
	// and tools included as far as they are known.
	Before, After int
	Window        int
	Notes         []wire.Note
	Problems      []transcript.Problem // of reading the input
}

// ErrNoWriter: the format can be read, but not written.
var ErrNoWriter = errors.New("sessions of this format cannot be written yet")

// unknownWindow is planned for where nothing is known of a model.
const unknownWindow = 128_000

// A material is what is rescued: a path, what stands around it, and how to
// write the view of it.
type material struct {
	format   string
	model    string
	frame    wire.Frame // for its cost, and for the encoder
	path     []history.Entry
	problems []transcript.Problem
	blobs    history.Blobs // nil where the path holds its bytes
	// write encodes the view into the result's data, id and name.
	write func(r *Result, request wire.Request) error
}

// Rescue reads f, which one of the formats recognises or which is the body of a
// request, and returns it in a form that fits. The error is a
// [*reclaim.FitError] where nothing does.
func Rescue(ctx context.Context, formats []transcript.Format, f *transcript.File, o Options) (Result, error) {
	o = o.orDefault()
	m, err := materialOf(ctx, formats, f, o)
	if err != nil {
		return Result{}, fmt.Errorf("rescue %s: %w", f.Path, err)
	}
	if o.Model != "" {
		m.model = o.Model
	}
	model, _, known := o.Models.Find(m.model)
	if !known {
		model.Window = unknownWindow
	}
	m.frame.Model = m.model
	p := reclaim.ProblemFor(model, m.frame, m.path, nil, o.Window)
	if o.Target > 0 {
		p.Budget.Target = o.Target
	}
	r := Result{Format: m.format, Model: m.model, Window: p.Budget.Window, Problems: m.problems}
	path, plan, err := reclaim.Ready(p)
	if err != nil {
		return r, fmt.Errorf("rescue %s: %w", f.Path, err)
	}
	r.Plan = plan
	r.Before = reclaim.Context(p).Total
	p.Path = path
	r.After = reclaim.Context(p).Total
	view, err := reclaim.View(path, reclaim.DrawPage)
	if err != nil {
		return r, fmt.Errorf("rescue %s: %w", f.Path, err)
	}
	request := wire.Request{View: view, Frame: wire.Frame{Model: m.model}, MaxOutput: 1, ChecksThinking: model.ChecksThinking || !known}
	if m.blobs != nil {
		request.Blob = blobOf(ctx, m.blobs)
	}
	if err := m.write(&r, request); err != nil {
		return r, fmt.Errorf("rescue %s: %w", f.Path, err)
	}
	return r, nil
}

func (o Options) orDefault() Options {
	if o.Models == nil {
		o.Models = catalog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = uuid.NewString
	}
	return o
}

func materialOf(ctx context.Context, formats []transcript.Format, f *transcript.File, o Options) (material, error) {
	if b, ok := bodyOf(f); ok {
		return b.material()
	}
	format, err := transcript.Detect(formats, f)
	if err != nil {
		return material{}, err
	}
	return sessionOf(ctx, format, f, o)
}
