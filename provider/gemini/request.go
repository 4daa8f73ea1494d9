package gemini

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/transport"
)

// split takes a body's generationConfig, which the encoder writes last, off it:
// how much the model thinks belongs into the same object. head has no closing
// brace, nor has config, which is empty where there is none.
func split(body []byte) (head []byte, config string) {
	end := bytes.LastIndexByte(body, ']') + 1 // of the contents
	tail := string(body[end:])
	if inside, ok := strings.CutPrefix(tail, `,"generationConfig":`); ok {
		return body[:end], strings.TrimSuffix(inside, "}}")
	}
	return body[:len(body)-1], ""
}

// budgets are the tokens that stand for an effort on models that know no word
// for it. (Gemini 2.5; the least that all of them take is 512, the most 24,576.)
func budgets() map[string]int {
	return map[string]int{"minimal": 512, "low": 2 << 10, "medium": 8 << 10, "high": 24 << 10, "xhigh": 24 << 10, "max": 24 << 10}
}

// members returns the generationConfig: what the body had, and how much the
// model is to think. Models that do not think refuse to be told.
func members(r provider.Request, m catalog.Model, config string) []transport.Member {
	with := func(thinking string) transport.Member {
		inside := strings.TrimPrefix(config, "{")
		if inside != "" && thinking != "" {
			inside += ","
		}
		return transport.Member{JSON: `"generationConfig":{` + inside + thinking + `}`}
	}
	plain := with("")
	var thinking string
	switch effort := string(rawjson.AppendString(nil, r.Effort)); {
	case r.ThinkingOff && m.Thinking == "effort": // these always think
		thinking = `"thinkingConfig":{"thinkingLevel":"low"}`
	case r.ThinkingOff:
		thinking = `"thinkingConfig":{"thinkingBudget":0}`
	case m.Thinking == "" && r.Effort == "":
		return []transport.Member{plain}
	case r.Effort == "":
		thinking = `"thinkingConfig":{"includeThoughts":true}`
	case m.Thinking == "effort":
		thinking = `"thinkingConfig":{"includeThoughts":true,"thinkingLevel":` + effort + `}`
	case budgets()[r.Effort] > 0:
		thinking = fmt.Sprintf(`"thinkingConfig":{"includeThoughts":true,"thinkingBudget":%d}`, budgets()[r.Effort])
	default:
		thinking = `"thinkingConfig":{"includeThoughts":true}`
	}
	told := with(thinking)
	told.Words = []string{"thinking", "thoughts"}
	told.Else = &plain
	return []transport.Member{told}
}
