package provider

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire/wires"
)

func TestHintsOfAServerAreRead(t *testing.T) {
	const date = "Tue, 01 Dec 2026 10:00:00 GMT"
	for _, c := range []struct {
		header http.Header
		body   string
		want   time.Duration
	}{
		{header: http.Header{"Retry-After": {"12"}}, want: 12 * time.Second},
		{header: http.Header{"Retry-After": {"0.5"}}, want: 500 * time.Millisecond},
		{header: http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"9"}}, want: 250 * time.Millisecond},
		{header: http.Header{"Retry-After": {"Tue, 01 Dec 2026 10:01:30 GMT"}, "Date": {date}}, want: 90 * time.Second},
		{header: http.Header{"Retry-After": {"Tue, 01 Dec 2026 10:01:30 GMT"}}},
		{header: http.Header{"Retry-After": {"Tue, 01 Dec 2026 09:00:00 GMT"}, "Date": {date}}},
		{header: http.Header{"Retry-After": {"-3"}}},
		{header: http.Header{"Retry-After": {"soon"}}},
		{header: http.Header{"Anthropic-Ratelimit-Tokens-Remaining": {"0"}, "Anthropic-Ratelimit-Tokens-Reset": {"2026-12-01T10:00:40Z"}, "Date": {date}}, want: 40 * time.Second},
		{header: http.Header{"Anthropic-Ratelimit-Tokens-Remaining": {"10"}, "Anthropic-Ratelimit-Tokens-Reset": {"2026-12-01T10:00:40Z"}, "Date": {date}}},
		{header: http.Header{"X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {"6m0s"}, "X-Ratelimit-Remaining-Requests": {"3"}, "X-Ratelimit-Reset-Requests": {"2h"}}, want: 6 * time.Minute},
		{header: http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1796119220000"}, "Date": {date}}, want: 20 * time.Second},
		{header: http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1796119220"}, "Date": {date}}, want: 20 * time.Second},
		{header: http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1796119220"}}},
		{header: http.Header{"Retry-After": {"Inf"}}},
		{body: `{"error":{"code":429,"message":"x","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"37s"}]}}`, want: 37 * time.Second},
		{body: `{"error":{"message":"Rate limit reached. Please try again in 1m2.5s. Visit"}}`, want: 62500 * time.Millisecond},
		{body: `{"error":{"message":"Rate limit reached. Please try again in 250ms."}}`, want: 250 * time.Millisecond},
		{body: `{"error":{"message":"Please try again in your time zone"}}`},
	} {
		if got := Classify(Response{Status: 429, Header: c.header, Body: []byte(c.body)}).RetryAfter; got != c.want {
			t.Errorf("%v %s: %v, want %v", c.header, c.body, got, c.want)
		}
	}
}

// failing gives the errors in turn, then an answer.
type failing struct {
	errs []error
	sent int
}

func (*failing) Name() string     { return "failing" }
func (*failing) Wire() wires.Wire { return wires.Wire{} }

func (f *failing) Send(context.Context, Request, func(Delta)) (Answer, error) {
	f.sent++
	if f.sent <= len(f.errs) {
		return Answer{}, f.errs[f.sent-1]
	}
	return Answer{Message: message.Message{Stop: message.StopEnd}}, nil
}

func times(n int, err error) []error { return slices.Repeat([]error{err}, n) }

func TestOnlyWhatMayPassIsSentAgain(t *testing.T) {
	for name, c := range map[string]struct {
		errs []error
		sent int
		ok   bool
	}{
		"nothing wrong":            {nil, 1, true},
		"overloaded twice":         {times(2, &Error{Kind: Overloaded}), 3, true},
		"a network that is back":   {times(1, &Error{Kind: Network}), 2, true},
		"never back":               {times(100, &Error{Kind: Network}), 4, false},
		"shown":                    {times(1, &Error{Kind: Network, Shown: true}), 1, false},
		"final":                    {times(1, &Error{Kind: Overloaded, Final: true}), 1, false},
		"too large":                {times(1, &Error{Kind: Overflow}), 1, false},
		"invalid":                  {times(1, &Error{Kind: Invalid}), 1, false},
		"a wrong key":              {times(1, &Error{Kind: Auth}), 1, false},
		"declined":                 {times(1, &Error{Kind: Declined}), 1, false},
		"a wait of an hour":        {times(1, &Error{Kind: RateLimit, RetryAfter: time.Hour}), 1, false},
		"cancelled":                {times(1, context.Canceled), 1, false},
		"overloaded, then invalid": {[]error{&Error{Kind: Overloaded}, &Error{Kind: Invalid}}, 2, false},
	} {
		p := &failing{errs: c.errs}
		slept := 0
		again := Retrying(p, Retry{Attempts: 4, Sleep: func(context.Context, time.Duration) error { slept++; return nil }})
		_, err := again.Send(t.Context(), Request{}, nil)
		if p.sent != c.sent || slept != c.sent-1 || (err == nil) != c.ok {
			t.Errorf("%s: %d requests, %d waits, error %v", name, p.sent, slept, err)
		}
	}
}

func TestWaitsGrowAreSpreadAndObeyTheServer(t *testing.T) {
	errs := times(4, &Error{Kind: Overloaded})
	errs = append(errs, &Error{Kind: RateLimit, RetryAfter: 40 * time.Second})
	var waits []Wait
	for random, want := range map[float64][]time.Duration{
		0:   {time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 40 * time.Second},
		0.5: {750 * time.Millisecond, 1500 * time.Millisecond, 3 * time.Second, 3750 * time.Millisecond, 42 * time.Second},
	} {
		waits = nil
		var slept []time.Duration
		_, err := Retrying(&failing{errs: errs}, Retry{
			Longest: 5 * time.Second,
			Waiting: func(w Wait) { waits = append(waits, w) },
			Sleep:   func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil },
			Random:  func() float64 { return random },
		}).Send(t.Context(), Request{}, nil)
		if err != nil || !slices.Equal(slept, want) {
			t.Errorf("random %v: slept %v, error %v", random, slept, err)
		}
	}
	if last := waits[len(waits)-1]; last.Attempt != 6 || last.Attempts != 8 || last.Err.Kind != RateLimit {
		t.Errorf("told of %+v", last)
	}
}

func TestCancellingEndsAWait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := &failing{errs: times(9, &Error{Kind: Overloaded})}
	_, err := Retrying(p, Retry{First: time.Hour, Longest: time.Hour, Waiting: func(Wait) { cancel() }}).Send(ctx, Request{}, nil)
	if !errors.Is(err, context.Canceled) || p.sent != 1 {
		t.Errorf("%d requests, error %v", p.sent, err)
	}
}
