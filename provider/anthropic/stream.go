package anthropic

import (
	"io"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/draft"
	"github.com/stemma-history/stemma/provider/internal/transport"
)

// reader reads the events of one answer.
type reader struct {
	*draft.Draft
	window int

	blocks   []*block // by their index
	full     bool     // the window is
	complete bool
}

// Event implements [transport.Reader]. Kinds of events that are unknown here
// are passed over: the API adds some.
func (r *reader) Event(data []byte) error {
	var kind string
	var index int64
	var message, content, delta, usage []byte
	err := rawjson.Members(data, func(key string, v []byte) error {
		switch key {
		case "type":
			kind = rawjson.Text(v)
		case "index":
			index = rawjson.Int(v)
		case "message":
			message = v
		case "content_block":
			content = v
		case "delta":
			delta = v
		case "usage":
			usage = v
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch kind {
	case "message_start":
		r.usage(rawjson.Get(message, "usage"))
		r.transformed(rawjson.Get(message, "input_transformations"))
	case "content_block_start":
		r.begin(index, content)
	case "content_block_delta":
		if b := r.block(index); b != nil {
			return b.add(r.Draft, delta)
		}
	case "content_block_stop":
		if b := r.block(index); b != nil {
			return b.end(r.Draft)
		}
	case "message_delta":
		r.usage(usage)
		r.transformed(rawjson.Get(data, "input_transformations"))
		if reason := rawjson.Text(rawjson.Get(delta, "stop_reason")); reason != "" {
			r.stop(reason)
		}
	case "message_stop":
		return r.end()
	case "error":
		return transport.Fault{Event: data}
	}
	return nil
}

// Complete implements [transport.Reader].
func (r *reader) Complete() bool { return r.complete }

func (r *reader) end() error {
	r.complete = true
	if r.full {
		return &provider.Error{Kind: provider.Overflow, Message: "the answer was cut where the window was full",
			Overflow: provider.Excess{Of: provider.OfTokens, Used: int(r.Usage.Prompt() + r.Usage.Output), Limit: r.window}}
	}
	return io.EOF
}

func (r *reader) stop(reason string) {
	switch reason {
	case "end_turn", "stop_sequence":
		r.Message.Stop = message.StopEnd
	case "tool_use":
		r.Message.Stop = message.StopTools
	case "max_tokens":
		r.Message.Stop = message.StopLength
	case "refusal":
		r.Message.Stop = message.StopRefusal
	case "model_context_window_exceeded":
		r.Message.Stop, r.full = message.StopLength, true
	default: // pause_turn, and what is to come
		r.Message.Stop = message.Stop(reason)
	}
}

// usage reads a bill. Later ones count from the start, and leave out what has
// not changed.
func (r *reader) usage(bill []byte) {
	u := &r.Usage
	_ = rawjson.Members(bill, func(key string, v []byte) error { // valid, as part of an event
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

// transformed counts the thinking that was left out.
func (r *reader) transformed(list []byte) {
	dropped := 0
	_ = rawjson.Elements(list, func(v []byte) error { // valid, or not there
		if rawjson.Text(rawjson.Get(v, "type")) == "thinking_dropped" {
			dropped++
		}
		return nil
	})
	r.Dropped = max(r.Dropped, dropped)
}

func (r *reader) block(index int64) *block {
	if index < 0 || index >= int64(len(r.blocks)) {
		return nil
	}
	return r.blocks[index]
}
