package providertest

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/openai"
)

// marked returns a body of Anthropic's with a text of its own in each message,
// marked for the cache where a word says for how long.
func marked(words ...string) string {
	var blocks []string
	for i, ttl := range words {
		mark := ""
		if ttl != "" {
			mark = `,"cache_control":{"type":"ephemeral","ttl":"` + ttl + `"}`
		}
		blocks = append(blocks, fmt.Sprintf(`{"type":"text","text":"%d %s"%s}`, i, Words(700), mark))
	}
	return `{"model":"claude-opus-5-5","max_tokens":10,"messages":[{"role":"user","content":[` + strings.Join(blocks, ",") + `]}]}`
}

// bills posts bodies, each after a while, and returns what of each was new, read
// and written, in tokens.
func bills(t *testing.T, steps ...any) (all [][3]int64) {
	c := newClock()
	s := serve(t, Config{Now: c.now})
	for _, step := range steps {
		switch step := step.(type) {
		case time.Duration:
			c.pass(step)
		case string:
			s.must("/v1/messages", step)
			j := s.Journal()
			u := j[len(j)-1].Usage
			all = append(all, [3]int64{u.Input, u.CacheRead, u.CacheWrite})
		}
	}
	return all
}

func TestMarksWriteTheCacheAndLaterRequestsReadIt(t *testing.T) {
	b := bills(t, marked("5m", ""), marked("5m", ""), marked("5m", "", "5m"))
	first := b[0][2]
	if first < 700 || b[0][1] != 0 || b[0][0] == 0 {
		t.Errorf("first: %v", b[0])
	}
	if b[1] != [3]int64{b[0][0], first, 0} {
		t.Errorf("again: %v after %v", b[1], b[0])
	}
	if b[2][0] != 0 || b[2][1] != first || b[2][2] < b[0][0] {
		t.Errorf("longer: %v", b[2])
	}
}

func TestTheCacheForgets(t *testing.T) {
	short, long := marked("5m"), marked("1h")
	for _, c := range []struct {
		name  string
		steps []any
		read  bool
	}{
		{"before five minutes", []any{short, 299 * time.Second, short}, true},
		{"after five minutes", []any{short, 300 * time.Second, short}, false},
		{"a read begins the time anew", []any{short, 4 * time.Minute, short, 4 * time.Minute, short}, true},
		{"before an hour", []any{long, 59 * time.Minute, long}, true},
		{"after an hour", []any{long, time.Hour, long}, false},
	} {
		b := bills(t, c.steps...)
		if last := b[len(b)-1]; (last[1] > 0) != c.read || (last[2] == 0) != c.read {
			t.Errorf("%s: %v", c.name, last)
		}
	}
}

func TestAMarkLooksTwentyBlocksBack(t *testing.T) {
	for _, c := range []struct {
		added int
		read  bool
	}{{20, true}, {21, false}} {
		words := append([]string{"5m"}, make([]string, c.added)...)
		words[len(words)-1] = "5m"
		b := bills(t, marked("5m"), strings.Replace(marked(words...), `,"cache_control":{"type":"ephemeral","ttl":"5m"}`, "", 1))
		if (b[1][1] > 0) != c.read {
			t.Errorf("%d blocks later: %v", c.added, b[1])
		}
	}
}

func TestShortPrefixesAreNotCached(t *testing.T) {
	c := serve(t, Config{})
	body := func(words int) string {
		return `{"model":"claude-opus-4-5","max_tokens":10,"system":[{"type":"text","text":"` + Words(words) + `","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"x"}]}`
	}
	for _, words := range []int{2000, 2000, 4000, 4000} { // the minimum is 4096 tokens
		c.must("/v1/messages", body(words))
	}
	for i, want := range [][2]bool{{false, false}, {false, false}, {false, true}, {true, false}} {
		u := c.Journal()[i].Usage
		if (u.CacheRead > 0) != want[0] || (u.CacheWrite > 0) != want[1] {
			t.Errorf("request %d: %+v", i+1, u)
		}
	}
}

func TestWhatStandsBeforeTheMessagesStaysCachedWhereOnlyTheModeChanges(t *testing.T) {
	c := serve(t, Config{})
	body := func(thinking string) string {
		return `{"model":"claude-opus-5-5","max_tokens":10,` + thinking + `"system":[{"type":"text","text":"` + Words(700) + `","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"` + Words(700) + `","cache_control":{"type":"ephemeral"}}]}]}`
	}
	c.must("/v1/messages", body(""))
	c.must("/v1/messages", body(`"thinking":{"type":"adaptive"},`))
	first, second := c.Journal()[0].Usage, c.Journal()[1].Usage
	if second.CacheRead < first.CacheWrite/3 || second.CacheRead > first.CacheWrite*2/3 {
		t.Errorf("%+v, then %+v", first, second)
	}
}

func TestOpenAICachesByItself(t *testing.T) {
	clock := newClock()
	c := serve(t, Config{Now: clock.now})
	body := func(key string, more ...string) string {
		b := `{"model":"gpt-5.6-sol","prompt_cache_key":"` + key + `","messages":[{"role":"user","content":"` + Words(1500) + `"}`
		for _, m := range more {
			b += `,{"role":"user","content":"` + m + `"}`
		}
		return b + `]}`
	}
	path := paths[openai.WireChat]
	c.must(path, body("a"))
	c.must(path, body("a", "more"))
	c.must(path, body("b", "more"))
	clock.pass(31 * time.Minute)
	c.must(path, body("a", "more"))
	j := c.Journal()
	if u := j[1].Usage; u.CacheRead == 0 || u.CacheRead%128 != 0 || u.CacheRead > int64(j[0].Tokens) || u.CacheRead < int64(j[0].Tokens)-128 {
		t.Errorf("read %d of %d", u.CacheRead, j[0].Tokens)
	}
	if j[0].Usage.CacheWrite != int64(j[0].Tokens) || j[1].Usage.Input != 0 {
		t.Errorf("written: %+v, %+v", j[0].Usage, j[1].Usage)
	}
	if j[2].Usage.CacheRead != 0 || j[3].Usage.CacheRead != 0 {
		t.Errorf("another key: %+v; after half an hour: %+v", j[2].Usage, j[3].Usage)
	}
}

func TestUsageIsReportedAsEachWireDoes(t *testing.T) {
	c := serve(t, Config{})
	body := marked("1h", "5m", "")
	c.must("/v1/messages", body)
	answer := []byte(c.must("/v1/messages", strings.Replace(body, `"ttl":"5m"`, `"ttl":"1h"`, 1)))
	usage := get(answer, "usage")
	read, written, rest := integer(get(usage, "cache_read_input_tokens")), integer(get(usage, "cache_creation_input_tokens")), integer(get(usage, "input_tokens"))
	if r := c.Journal()[1]; read+written+rest != int64(r.Tokens) || read == 0 || written != 0 || rest == 0 {
		t.Errorf("%d read, %d written and %d more of %d", read, written, rest, r.Tokens)
	}
}

func TestWhatItCosts(t *testing.T) {
	c := serve(t, Config{Factor: 1})
	c.must("/v1/messages", marked("1h", "5m", ""))
	c.must("/v1/messages", marked("1h", "5m", ""))
	first, second := c.Journal()[0], c.Journal()[1]
	// claude-opus-5-5: 4, 20 out, 0.2 read, 5 written; an hour costs 2 x 4.
	third := float64(first.Tokens) / 3
	want := third*8 + third*5 + third*4 + float64(first.Usage.Output)*20
	if got := first.Usage.CostUSD * 1e6; math.Abs(got-want) > want/100 {
		t.Errorf("first: %v, want about %v", got, want)
	}
	want = 2*third*0.2 + third*4 + float64(second.Usage.Output)*20
	if got := second.Usage.CostUSD * 1e6; math.Abs(got-want) > want/100 {
		t.Errorf("second: %v, want about %v", got, want)
	}
	if sum := c.Journal().CostUSD(); math.Abs(sum-first.Usage.CostUSD-second.Usage.CostUSD) > 1e-12 {
		t.Errorf("together: %v", sum)
	}
}

// TestAGrowingConversationIsReadFromTheCache (P9) on every wire that has one.
func TestAGrowingConversationIsReadFromTheCache(t *testing.T) {
	for wireName, model := range checking {
		c := serve(t, Config{Script: reads})
		d := c.dialogue(wireName, model)
		for i := range 10 {
			d.exchange(fmt.Sprint("prompt ", i), fmt.Sprint(i, Words(800)))
		}
		j := c.Journal()
		if share := j[len(j)-10:].CacheReadShare(); share < 0.8 {
			t.Errorf("%s: %.2f", wireName, share)
		}
		if wireName == anthropic.Wire && j.Usage().CacheWrite == 0 {
			t.Error("nothing was written")
		}
	}
}
