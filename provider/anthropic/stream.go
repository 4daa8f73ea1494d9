package anthropic

import (
	"io"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/draft"
	"github.com/stemma-history/stemma/provider/internal/transport"
	wireanthropic "github.com/stemma-history/stemma/wire/anthropic"
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
		wireanthropic.DecodeUsage(&r.Usage, rawjson.Get(message, "usage"))
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
		wireanthropic.DecodeUsage(&r.Usage, usage)
		r.transformed(rawjson.Get(data, "input_transformations"))
		if reason := rawjson.Text(rawjson.Get(delta, "stop_reason")); reason != "" {
			r.Message.Stop, r.full = wireanthropic.DecodeStop(reason), reason == wireanthropic.StopWindow
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
