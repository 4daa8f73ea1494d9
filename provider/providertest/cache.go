package providertest

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/gemini"
)

// A cache knows which beginnings of prompts a provider has at hand.
type cache struct {
	now func() time.Time
	mu  sync.Mutex
	at  map[message.Hash]life // of the beginning with that hash
}

// life is how long something stays in the cache. Each read begins its time anew.
type life struct {
	end time.Time
	ttl time.Duration
}

// cached is what of a prompt came from the cache, and what went into it, in
// tokens.
type cached struct {
	read      int
	write     int // for five minutes, or for as long as the provider likes
	writeHour int
}

func newCache(now func() time.Time) *cache { return &cache{now: now, at: map[message.Hash]life{}} }

const (
	lookBack       = 20   // blocks before a mark (Anthropic, vendor's documentation, 2026)
	defaultMinimum = 1024 // tokens; what most models of OpenAI and Anthropic want
	cachedIn       = 128  // OpenAI caches in steps of so many tokens
)

// account bills a prompt, and remembers it.
func (c *cache) account(wireName string, m catalog.Model, p *prompt, b bill) cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	minimum := cmp.Or(m.CacheMinimum, defaultMinimum)
	at := func(i int) message.Hash { return chained(b.read[i], m.ID+"\x00"+p.cacheKey, message.Hash{}) }
	if m.Wire == anthropic.Wire || wireName == anthropic.Wire { // Claude caches what it is asked to, wherever it is
		return c.marked(p, b, minimum, at)
	}
	return c.automatic(wireName, m, b, minimum, at)
}

// marked caches up to the marks of a request, and finds what was cached up to
// 20 blocks before each.
func (c *cache) marked(p *prompt, b bill, minimum int, at func(int) message.Hash) (bill cached) {
	now, hit := c.now(), -1
	for i := range p.blocks {
		if p.blocks[i].cached == 0 {
			continue
		}
		for k := i; k > hit && k >= i-lookBack; k-- {
			if now.Before(c.at[at(k)].end) {
				hit = k
			}
		}
	}
	if hit >= 0 {
		bill.read = b.upTo[hit]
	}
	longest, hour := bill.read, bill.read
	for i, block := range p.blocks {
		if block.cached == 0 || b.upTo[i] < minimum {
			continue
		}
		c.keep(at(i), block.cached)
		longest = max(longest, b.upTo[i])
		if block.cached == time.Hour {
			hour = max(hour, b.upTo[i])
		}
	}
	if hit >= 0 {
		c.keep(at(hit), 0)
	}
	bill.writeHour, bill.write = hour-bill.read, longest-hour
	return bill
}

// automatic caches every prompt, and finds the longest beginning of this one.
func (c *cache) automatic(wireName string, m catalog.Model, b bill, minimum int, at func(int) message.Hash) (bill cached) {
	ttl := 5 * time.Minute
	bills := billsWrites(m)
	if bills {
		ttl = 30 * time.Minute
	}
	now := c.now()
	for i := len(b.upTo) - 1; i >= 0 && bill.read == 0; i-- {
		if b.upTo[i] >= minimum && now.Before(c.at[at(i)].end) {
			bill.read = b.upTo[i]
		}
	}
	if wireName != gemini.Wire {
		bill.read -= bill.read % cachedIn
	}
	for i := range b.upTo {
		c.keep(at(i), ttl)
	}
	if bills && b.tokens >= minimum {
		bill.write = b.tokens - bill.read
	}
	return bill
}

// keep holds a beginning for a time, or for the longer one that it has.
func (c *cache) keep(at message.Hash, ttl time.Duration) {
	l := c.at[at]
	l.ttl = max(l.ttl, ttl)
	l.end = c.now().Add(l.ttl)
	c.at[at] = l
}

// billsWrites reports whether a model of OpenAI's bills what goes into the
// cache, and keeps it for half an hour: since gpt-5.6. (SDK v3.99.0, 2026-11.)
func billsWrites(m catalog.Model) bool { return strings.HasPrefix(m.ID, "gpt-") && since(m.ID) >= 5.6 }

// Prices that the catalogue does not have, as multiples of the input's: most
// vendors read the cache for a tenth, and write it for a quarter more. An hour in
// the cache costs twice the input. A prompt over the step costs twice as much to
// read, and its answer half as much again. (Price lists of Anthropic and OpenAI,
// 2026-11.)
const (
	usualRead  = 0.1
	usualWrite = 1.25
	hourWrite  = 2.0
	longPrompt = 2.0
	longAnswer = 1.5
	perMillion = 1e6
)

// price returns what a request costs in dollars.
func price(m catalog.Model, prompt int, c cached, output int) float64 {
	p := m.Price
	rest := prompt - c.read - c.write - c.writeHour
	in := float64(rest)*p.Input +
		float64(c.read)*cmp.Or(p.CacheRead, p.Input*usualRead) +
		float64(c.write)*cmp.Or(p.CacheWrite, p.Input*usualWrite) +
		float64(c.writeHour)*p.Input*hourWrite
	out := float64(output) * p.Output
	if m.PriceStep > 0 && prompt > m.PriceStep {
		in, out = in*longPrompt, out*longAnswer
	}
	return (in + out) / perMillion
}
