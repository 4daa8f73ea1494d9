package anthropic

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/transport"
	"github.com/stemma-history/stemma/wire"
	wireanthropic "github.com/stemma-history/stemma/wire/anthropic"
)

// Values of the anthropic-beta header. (Vendor's documentation, 2026-09.)
const (
	betaBinding     = "thinking-binding-controls-2026-08-01"
	betaInterleaved = "interleaved-thinking-2025-05-14"
)

// binding asks that thinking whose prefix has changed is left out, and said to
// be, instead of the request being refused.
const binding = `,"block_binding":{"prefix_mismatch_behavior":"drop_block"}` //nolint:misspell // the API's words

// members returns what goes behind the body: that it is to be streamed, and how
// much the model is to think.
func members(r provider.Request, m catalog.Model) []transport.Member {
	all := []transport.Member{{JSON: `"stream":true`}}
	if m.Thinking == "budget" { // and knows no efforts
		if t, ok := budget(r); ok && !r.ThinkingOff {
			all = append(all, t)
		}
		return all
	}
	if !r.ThinkingOff && (m.Thinking == "effort" || r.Effort != "") {
		all = append(all, adaptive(m))
	}
	if r.Effort != "" {
		all = append(all, transport.Member{
			JSON:  `"output_config":{"effort":` + string(rawjson.AppendString(nil, r.Effort)) + `}`,
			Words: []string{"effort", "output_config"},
		})
	}
	return all
}

// adaptive lets the model think as much as it wants, and asks for a summary of
// it, which newer models leave out otherwise. (Vendor's documentation, 2026-04.)
func adaptive(m catalog.Model) transport.Member {
	words := []string{"adaptive", "thinking.type", "block_binding: extra inputs"}
	plain := transport.Member{JSON: `"thinking":{"type":"adaptive"}`, Words: words}
	t := transport.Member{JSON: `"thinking":{"type":"adaptive","display":"summarized"`, Words: append(words, "display"), Else: &plain}
	if m.ChecksThinking {
		t.JSON += binding
		t.Header = http.Header{"Anthropic-Beta": {betaBinding}}
	}
	t.JSON += `}`
	return t
}

// budgets are the tokens that stand for an effort on models that know no word
// for it.
func budgets() map[string]int {
	return map[string]int{"minimal": 1024, "low": 4 << 10, "medium": 12 << 10, "high": 32 << 10, "xhigh": 48 << 10, "max": 60 << 10}
}

// minBudget is the least that budget_tokens may be, and what an answer should
// have beside it.
const minBudget = 1024

// budget lets the model think for some tokens, where an effort is asked for and
// the body allows it: there must be room, and the answer that the results belong
// to must begin with thinking, which a view may have left out.
func budget(r provider.Request) (transport.Member, bool) {
	tokens := min(budgets()[r.Effort], maxTokens(r.Body.JSON)-minBudget)
	if tokens < minBudget {
		return transport.Member{}, false
	}
	t := transport.Member{
		JSON:   fmt.Sprintf(`"thinking":{"type":"enabled","budget_tokens":%d}`, tokens),
		Header: http.Header{"Anthropic-Beta": {betaInterleaved}},
		Words:  []string{"thinking.type", "budget_tokens", "interleaved-thinking"},
	}
	head := r.Body.JSON[:len(r.Body.JSON)-1]
	refusal := wireanthropic.Check(slices.Concat(head, []byte(","+t.JSON+"}")), wire.Limits{})
	return t, refusal == nil
}

// maxTokens reads max_tokens, which the encoder writes last.
func maxTokens(body []byte) int {
	last := body[bytes.LastIndexByte(body, ']')+1:]
	return int(rawjson.Int(rawjson.Get([]byte("{"+strings.TrimPrefix(string(last), ",")), "max_tokens")))
}
