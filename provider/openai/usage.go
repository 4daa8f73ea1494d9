package openai

import (
	"strconv"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
)

// chatUsage reads the bill of a Chat Completions answer. What is counted as the
// prompt includes what came from the cache, or was written to it.
func chatUsage(u *history.Usage, bill []byte) {
	if rawjson.IsNull(bill) {
		return
	}
	var prompt, cached, written, output, reasoning, total int64
	_ = rawjson.Members(bill, func(key string, v []byte) error { // valid, as part of an event
		switch key {
		case "prompt_tokens":
			prompt = rawjson.Int(v)
		case "prompt_tokens_details":
			cached, written = max(cached, rawjson.Int(rawjson.Get(v, "cached_tokens"))), rawjson.Int(rawjson.Get(v, "cache_write_tokens"))
		case "prompt_cache_hit_tokens", "cached_tokens": // DeepSeek; Moonshot
			cached = max(cached, rawjson.Int(v))
		case "completion_tokens":
			output = rawjson.Int(v)
		case "completion_tokens_details":
			reasoning = rawjson.Int(rawjson.Get(v, "reasoning_tokens"))
		case "total_tokens":
			total = rawjson.Int(v)
		case "cost": // OpenRouter, in US dollars
			u.CostUSD = number(v)
		}
		return nil
	})
	if total == prompt+output+reasoning { // xAI counts thinking apart
		output += reasoning
	}
	u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning = max(prompt-cached-written, 0), cached, written, output, reasoning
}

// responsesUsage reads the bill of a Responses answer.
func responsesUsage(u *history.Usage, bill []byte) {
	if rawjson.IsNull(bill) {
		return
	}
	input, in := rawjson.Int(rawjson.Get(bill, "input_tokens")), rawjson.Get(bill, "input_tokens_details")
	u.CacheRead, u.CacheWrite = rawjson.Int(rawjson.Get(in, "cached_tokens")), rawjson.Int(rawjson.Get(in, "cache_write_tokens"))
	u.Input = max(input-u.CacheRead-u.CacheWrite, 0)
	u.Output = rawjson.Int(rawjson.Get(bill, "output_tokens"))
	u.Reasoning = rawjson.Int(rawjson.Get(rawjson.Get(bill, "output_tokens_details"), "reasoning_tokens"))
}

// number reads a JSON number, 0 where it is none.
func number(v []byte) float64 {
	n, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return 0
	}
	return n
}
