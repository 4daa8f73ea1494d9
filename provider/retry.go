package provider

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// A Retry says how often, and how late, a request that failed is sent again.
type Retry struct {
	// Attempts is the most requests for one Send. Default: 8.
	Attempts int
	// First is the wait before the second request, where the provider asks for
	// none; it doubles each time, up to Longest. Each wait is shortened at random
	// by up to a half, so that those who failed together do not come back
	// together. Default: 1 second, and 1 minute.
	First, Longest time.Duration
	// Patience is the longest wait that a provider may ask for; a longer one is
	// for people to decide. Default: 5 minutes.
	Patience time.Duration
	// Waiting is told of each wait before it begins. Default: nobody is.
	Waiting func(Wait)
	// Sleep waits, or returns the error of the context. Default: by the clock.
	Sleep func(context.Context, time.Duration) error
	// Random returns a number from 0 up to 1. Default: [rand.Float64].
	Random func() float64
}

// A Wait is a pause before a request is sent again.
type Wait struct {
	Err *Error // what went wrong
	For time.Duration
	// Attempt is the number of the request that comes, of Attempts at most.
	Attempt, Attempts int
}

// Retrying returns a provider that sends again what failed on the way or on the
// provider's side, as long as nothing of an answer has been shown.
func Retrying(p Provider, how Retry) Provider {
	how.Attempts = cmp.Or(how.Attempts, 8)
	how.First = cmp.Or(how.First, time.Second)
	how.Longest = cmp.Or(how.Longest, time.Minute)
	how.Patience = cmp.Or(how.Patience, 5*time.Minute)
	if how.Waiting == nil {
		how.Waiting = func(Wait) {}
	}
	if how.Sleep == nil {
		how.Sleep = sleep
	}
	if how.Random == nil {
		how.Random = rand.Float64
	}
	return &retrying{p, how}
}

type retrying struct {
	Provider
	how Retry
}

var _ Provider = (*retrying)(nil)

func (p *retrying) Send(ctx context.Context, r Request, show func(Delta)) (Answer, error) {
	for attempt := 1; ; attempt++ {
		answer, err := p.Provider.Send(ctx, r, show)
		var e *Error
		if !errors.As(err, &e) || !e.Again() || e.Shown || attempt == p.how.Attempts || e.RetryAfter > p.how.Patience {
			return answer, err
		}
		w := Wait{Err: e, For: p.how.wait(e, attempt), Attempt: attempt + 1, Attempts: p.how.Attempts}
		p.how.Waiting(w)
		if err := p.how.Sleep(ctx, w.For); err != nil {
			return answer, err
		}
	}
}

// wait returns how long to wait after an attempt. What the provider asks for is
// never shortened, only spread a little.
func (how *Retry) wait(e *Error, attempt int) time.Duration {
	if e.RetryAfter > 0 {
		const spread = 0.1
		return e.RetryAfter + time.Duration(spread*how.Random()*float64(e.RetryAfter))
	}
	backOff := how.First
	for range attempt - 1 {
		backOff = min(2*backOff, how.Longest)
	}
	return backOff - time.Duration(how.Random()*float64(backOff)/2)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
