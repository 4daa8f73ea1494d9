package openai

import (
	"bytes"
	"io"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider/internal/draft"
	"github.com/stemma-history/stemma/provider/internal/transport"
	wireopenai "github.com/stemma-history/stemma/wire/openai"
)

// responsesReader reads the events of one answer.
type responsesReader struct {
	*draft.Draft
	items    []*item // by their output_index
	complete bool
}

// item is an output item that is coming in.
type item struct {
	kind  string
	parts []int // of the draft, by content_index
	done  bool
}

// Event implements [transport.Reader].
func (r *responsesReader) Event(data []byte) error {
	var kind, delta string
	var it, response []byte
	var output, content, summary int64
	err := rawjson.Members(data, func(key string, v []byte) error {
		switch key {
		case "type":
			kind = rawjson.Text(v)
		case "delta":
			delta = rawjson.Text(v)
		case "item":
			it = v
		case "response":
			response = v
		case "output_index":
			output = rawjson.Int(v)
		case "content_index":
			content = rawjson.Int(v)
		case "summary_index":
			summary = rawjson.Int(v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch kind {
	case "response.output_item.added":
		r.begin(r.item(output), it)
	case "response.output_item.done":
		return r.end(r.item(output), it)
	case "response.output_text.delta":
		r.Grow(r.part(r.item(output), content, message.Text{}), delta)
	case "response.reasoning_summary_part.added":
		if summary > 0 {
			r.Grow(r.part(r.item(output), 0, message.Thinking{}), "\n\n")
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		r.Grow(r.part(r.item(output), 0, message.Thinking{}), delta)
	case "response.function_call_arguments.delta":
		r.Grow(r.part(r.item(output), 0, message.ToolCall{}), delta)
	case "response.completed", "response.incomplete":
		return r.finish(response)
	case "response.failed", "error":
		return transport.Fault{Event: bytes.Clone(data)}
	}
	return nil
}

// Complete implements [transport.Reader].
func (r *responsesReader) Complete() bool { return r.complete }

func (r *responsesReader) item(index int64) *item {
	const most = 10_000 // in one answer
	index = min(max(index, 0), most)
	for int64(len(r.items)) <= index {
		r.items = append(r.items, &item{})
	}
	return r.items[index]
}

// part returns the part of an item that a delta belongs to; it begins as p where
// it is new.
func (r *responsesReader) part(it *item, index int64, p message.Part) int {
	if index = max(index, 0); index < int64(len(it.parts)) {
		return it.parts[index]
	}
	it.parts = append(it.parts, r.Begin(p))
	return it.parts[len(it.parts)-1]
}

func (r *responsesReader) begin(it *item, start []byte) {
	it.kind = rawjson.Text(rawjson.Get(start, "type"))
	switch it.kind {
	case "message": // its parts begin with their text
	case "reasoning":
		r.part(it, 0, message.Thinking{})
	case "function_call":
		r.part(it, 0, message.ToolCall{ID: rawjson.Text(rawjson.Get(start, "call_id")), Name: rawjson.Text(rawjson.Get(start, "name"))})
	default:
		r.part(it, 0, message.Opaque{Format: wireopenai.WireResponses})
	}
}

// end puts what an item has become in the place of what came of it.
func (r *responsesReader) end(it *item, whole []byte) error {
	if rawjson.IsNull(whole) || it.done {
		return nil
	}
	m, err := wireopenai.DecodeItem(bytes.Clone(whole))
	if err != nil {
		return err
	}
	it.done = true
	for i, p := range m.Parts {
		at := r.part(it, int64(i), p)
		r.Set(at, p)
	}
	return nil
}

// finish reads the response as a whole: its bill, why it ended, and the items
// that no event ended.
func (r *responsesReader) finish(response []byte) error {
	responsesUsage(&r.Usage, rawjson.Get(response, "usage"))
	r.complete = true
	n := int64(0)
	if output := rawjson.Get(response, "output"); len(output) > 0 && output[0] == '[' {
		err := rawjson.Elements(output, func(v []byte) error {
			n++
			return r.end(r.item(n-1), v)
		})
		if err != nil {
			return err
		}
	}
	_ = rawjson.Elements(rawjson.Get(response, "input_transformations"), func(v []byte) error { // valid, or not there
		if rawjson.Text(rawjson.Get(v, "action")) == "removed" {
			r.Dropped++
		}
		return nil
	})
	r.Message.Stop = r.stop(rawjson.Text(rawjson.Get(rawjson.Get(response, "incomplete_details"), "reason")))
	return io.EOF
}

// stop says why the answer ended; incomplete is the reason that it is so.
func (r *responsesReader) stop(incomplete string) message.Stop {
	switch incomplete {
	case "":
	case "max_output_tokens":
		return message.StopLength
	case "content_filter":
		return message.StopRefusal
	default:
		return message.Stop(incomplete)
	}
	stop := message.StopEnd
	for _, p := range r.Parts() {
		switch p := p.(type) {
		case message.ToolCall:
			return message.StopTools
		case message.Opaque:
			if rawjson.Text(rawjson.Get(p.Raw, "type")) == "refusal" {
				stop = message.StopRefusal
			}
		}
	}
	return stop
}
