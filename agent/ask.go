package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/tokens"
	"github.com/stemma-history/stemma/wire"
)

// A sent is a request that went out.
type sent struct {
	request wire.Request
	body    wire.Body
	// estimate is what the prompt is taken to cost, in tokens, before calibration
	// and with it.
	estimate, calibrated int
}

// ask sends what the path shows and returns the answer. Where that is too
// large, for the budget or for the provider, it makes room first.
func (r *Run) ask(ctx context.Context) (provider.Answer, *sent, error) {
	if err := r.makeRoom(ctx); err != nil {
		return provider.Answer{}, nil, err
	}
	for tries := 1; ; tries++ {
		s, err := r.request(ctx)
		if err != nil {
			return provider.Answer{}, nil, err
		}
		answer, err := r.send(ctx, s)
		var refusal *provider.Error
		if ctx.Err() != nil || !errors.As(err, &refusal) || refusal.Kind != provider.Overflow {
			return answer, s, err
		}
		if refusal.Overflow.Silent && saysSomething(&answer.Message) {
			r.state.truncated = refusal // it was answered all the same: make room before the next request
			return answer, s, nil
		}
		if err := r.shrink(ctx, s, billed(refusal, answer.Usage), tries); err != nil {
			return provider.Answer{}, nil, err
		}
		r.tell(Repeated{refusal})
	}
}

// request writes the body for the path as it stands.
func (r *Run) request(ctx context.Context) (*sent, error) {
	view, err := r.standing.View(r.path, r.Draw)
	if err != nil {
		return nil, err
	}
	return r.requestOf(ctx, view)
}

// requestOf writes the body for a view of the path, or for one that begins so.
func (r *Run) requestOf(ctx context.Context, view wire.View) (*sent, error) {
	s := &sent{request: wire.Request{
		Frame:          r.frame,
		View:           view,
		MaxOutput:      r.maxOutput(),
		ChecksThinking: r.Model.Known.ChecksThinking,
		CacheKey:       r.cacheKey(),
		Blob:           func(h message.Hash) (message.Blob, error) { return r.Store.Blob(ctx, h) },
	}}
	var err error
	if s.body, err = r.session.Encode(s.request); err != nil {
		return nil, fmt.Errorf("the request cannot be written: %w", err)
	}
	cost := r.standing.Cost(r.problem(""))
	s.estimate, s.calibrated = tokens.Meter{}.Tokens(cost), r.meter().Tokens(cost)
	return s, nil
}

// send sends a request once, and again where it failed on the way.
func (r *Run) send(ctx context.Context, s *sent) (provider.Answer, error) {
	draft := r.newDraft()
	answer, err := r.patient(r.Model.Provider).Send(ctx, r.outgoing(s), func(d provider.Delta) {
		draft.grow(ctx, d)
		r.tell(Delta{d})
	})
	answer.Usage.Estimate = int64(s.estimate)
	if answer.Usage.CostUSD == 0 {
		answer.Usage.CostUSD = r.Model.price(answer.Usage)
	}
	if err != nil || ctx.Err() != nil {
		draft.discard(ctx)
	}
	return answer, err
}

// outgoing is a request as the provider takes it.
func (r *Run) outgoing(s *sent) provider.Request {
	return provider.Request{
		Model:    r.Model.name(),
		Body:     s.body,
		Effort:   r.Model.Effort,
		CacheKey: s.request.CacheKey,
		Estimate: s.calibrated,
		Window:   r.window(),
	}
}

// maxOutput is the longest answer that is asked for.
func (r *Run) maxOutput() int {
	most := cmp.Or(r.Model.MaxOutput, r.problem("").Budget.Reserve)
	if r.Model.Known.MaxOutput > 0 {
		most = min(most, r.Model.Known.MaxOutput)
	}
	if r.state.maxOutput > 0 {
		most = min(most, r.state.maxOutput)
	}
	return most
}

// cacheKey is the same for a conversation and its forks: they begin alike.
func (r *Run) cacheKey() string {
	if len(r.path) > 0 {
		return r.path[0].Created.UTC().Format("20060102150405.000000")
	}
	return r.Conversation.String()
}

// price is what an answer costs by the catalogue, in US dollars.
func (m *Model) price(u history.Usage) float64 {
	return m.Known.Cost(u.Input, u.CacheRead, u.CacheWrite, u.Output)
}
