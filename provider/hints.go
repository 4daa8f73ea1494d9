package provider

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// retryAfter returns how long a server asks to wait, 0 where it does not say:
// in headers made for it, in those of a rate that is used up, or in words.
// Instants are measured from the server's own Date, so that its clock and ours
// need not agree.
func retryAfter(h http.Header, s said) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return seconds(ms / 1000)
	}
	if d := wait(h.Get("Retry-After"), h); d > 0 {
		return d
	}
	if d := wait(s.retryDelay, h); d > 0 {
		return d
	}
	if d := usedUp(h); d > 0 {
		return d
	}
	if m := tryAgainIn().FindStringSubmatch(strings.ToLower(s.message)); m != nil {
		return wait(strings.ReplaceAll(m[1], " ", ""), h)
	}
	return 0
}

// usedUp returns when the last of the rates that are used up is granted anew.
func usedUp(h http.Header) time.Duration {
	var longest time.Duration
	for name := range h {
		var reset string
		switch lower := strings.ToLower(name); {
		case strings.HasPrefix(lower, "anthropic-ratelimit-") && strings.HasSuffix(lower, "-remaining"):
			reset = strings.TrimSuffix(lower, "-remaining") + "-reset"
		case strings.HasPrefix(lower, "x-ratelimit-remaining"): // OpenAI, Groq, OpenRouter and others
			reset = strings.Replace(lower, "remaining", "reset", 1)
		default:
			continue
		}
		if h.Get(name) == "0" {
			longest = max(longest, wait(h.Get(reset), h))
		}
	}
	return longest
}

// wait reads a time to wait: in seconds, as a duration (6m0s), or as an instant
// (of HTTP, of RFC 3339, or in seconds or milliseconds since 1970).
func wait(value string, h http.Header) time.Duration {
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		const manyYears, thousandFold = 1e9, 1e11 // what is larger is an instant, in seconds or in milliseconds
		switch {
		case n > thousandFold:
			return until(time.UnixMilli(int64(min(n, math.MaxInt32*1000))), h)
		case n > manyYears:
			return until(time.Unix(int64(n), 0), h)
		}
		return seconds(n)
	}
	if d, err := time.ParseDuration(value); err == nil {
		return max(d, 0)
	}
	if at, err := http.ParseTime(value); err == nil {
		return until(at, h)
	}
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return until(at, h)
	}
	return 0
}

func until(at time.Time, h http.Header) time.Duration {
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	return max(at.Sub(now), 0)
}

// seconds returns a number of seconds; 0 where it is none to wait.
func seconds(n float64) time.Duration {
	const most = 365 * 24 * 60 * 60
	if !(n > 0) {
		return 0
	}
	return time.Duration(min(n, most) * float64(time.Second))
}

// tryAgainIn matches the words of OpenAI, Groq and Google.
var tryAgainIn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:try again|retry) in ((?:\d+(?:\.\d+)? ?(?:h|ms|m|s))+)`)
})
