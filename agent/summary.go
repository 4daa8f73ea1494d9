package agent

import (
	"cmp"
	"context"
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/wire"
)

// summariser is the model that writes the summaries of the run.
func (r *Run) summariser() reclaim.Summariser {
	other := &r.Compaction.SummaryModel
	if other.Provider == nil {
		return reclaim.Summariser{Cached: r.warm(), Ask: func(ctx context.Context, q reclaim.SummaryQuestion) (reclaim.SummaryAnswer, error) {
			if q.OfView {
				return r.askOfView(ctx, q)
			}
			return r.askOfText(ctx, &r.Model, q)
		}}
	}
	return reclaim.Summariser{
		Limit: reclaim.DefaultBudget(other.window()).Limit(),
		Ask: func(ctx context.Context, q reclaim.SummaryQuestion) (reclaim.SummaryAnswer, error) {
			return r.askOfText(ctx, other, q)
		},
	}
}

// warm reports whether the provider has what the path shows in its cache: the
// last answer is young, came to the same frame, and no compaction has changed
// since what stands before it.
func (r *Run) warm() bool {
	if r.answered.IsZero() || r.Now().Sub(r.answered) > r.Compaction.Cold {
		return false
	}
	frame, _, err := r.frameBlob()
	for _, e := range slices.Backward(r.path) {
		switch {
		case err != nil || e.Compaction != nil && e.Compaction.Reason.Trigger != history.ByLength:
			return false
		case e.Author() == message.ByModel:
			return e.Frame == frame
		}
	}
	return false
}

// askOfView sends what the path shows once more, with a question behind it.
// Whatever stands before that is as it was, thinking included: it is read from
// the cache.
func (r *Run) askOfView(ctx context.Context, q reclaim.SummaryQuestion) (reclaim.SummaryAnswer, error) {
	view, err := r.standing.View(r.path, r.Draw)
	if err != nil {
		return reclaim.SummaryAnswer{}, err
	}
	view.Messages = append(view.Messages, question(q, r.depth()+1)) // a clipped slice: that of the run stays
	s, err := r.requestOf(ctx, view)
	if err != nil {
		return reclaim.SummaryAnswer{}, err
	}
	return r.askAside(ctx, &r.Model, r.outgoing(s))
}

// askOfText sends a question alone: with none of the conversation's persona,
// tools or images.
func (r *Run) askOfText(ctx context.Context, m *Model, q reclaim.SummaryQuestion) (reclaim.SummaryAnswer, error) {
	w := m.Provider.Wire()
	room := q.MaxOutput + thinkingRoom
	body, err := w.Encode(wire.Request{
		Frame:     wire.Frame{System: []string{q.System}, Model: m.name(), Wire: w.Name},
		View:      wire.View{Messages: []wire.Message{question(q, 1)}},
		MaxOutput: min(room, cmp.Or(m.Known.MaxOutput, room)),
	})
	if err != nil {
		return reclaim.SummaryAnswer{}, err
	}
	return r.askAside(ctx, m, provider.Request{Model: m.name(), Body: body, Effort: m.Effort, ThinkingOff: true})
}

func question(q reclaim.SummaryQuestion, depth int) wire.Message {
	return wire.Message{
		Message: message.Message{Role: message.User, Author: message.ByHarness, Parts: []message.Part{message.Text{Text: q.Text}}},
		At:      history.Handle{Depth: depth},
	}
}

// askAside sends a request whose answer is on no path, and counts what it costs.
func (r *Run) askAside(ctx context.Context, m *Model, q provider.Request) (reclaim.SummaryAnswer, error) {
	a, err := r.patient(m.Provider).Send(ctx, q, nil)
	if a.Usage.CostUSD == 0 {
		a.Usage.CostUSD = m.price(a.Usage)
	}
	r.aside.Add(a.Usage)
	return reclaim.SummaryAnswer{Text: a.Message.PlainText(), Stop: a.Message.Stop}, err
}

// thinkingRoom is what an answer may take besides its text, in tokens: some
// models cannot be asked not to think.
const thinkingRoom = 4096
