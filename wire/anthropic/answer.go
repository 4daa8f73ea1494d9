package anthropic

import (
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
)

// StopWindow is the reason of the API for an answer that ended because the
// window was full. (Since Claude 4.5.)
const StopWindow = "model_context_window_exceeded"

// DecodeStop returns why an answer ended. A reason that is unknown here, such as
// pause_turn, stays as it is.
func DecodeStop(reason string) message.Stop {
	switch reason {
	case "end_turn", "stop_sequence":
		return message.StopEnd
	case "tool_use":
		return message.StopTools
	case "max_tokens", StopWindow:
		return message.StopLength
	case "refusal":
		return message.StopRefusal
	}
	return message.Stop(reason)
}

// DecodeUsage reads a bill into u. A later bill of the same answer counts from
// its start, and leaves out what has not changed.
func DecodeUsage(u *history.Usage, bill []byte) {
	_ = rawjson.Members(bill, func(key string, v []byte) error { // valid, as part of an event or a line
		if rawjson.IsNull(v) {
			return nil
		}
		switch key {
		case "input_tokens":
			u.Input = rawjson.Int(v)
		case "cache_read_input_tokens":
			u.CacheRead = rawjson.Int(v)
		case "cache_creation_input_tokens":
			u.CacheWrite = rawjson.Int(v)
		case "output_tokens":
			u.Output = rawjson.Int(v)
		case "output_tokens_details":
			u.Reasoning = rawjson.Int(rawjson.Get(v, "thinking_tokens"))
		}
		return nil
	})
}
