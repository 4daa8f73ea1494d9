package ollama

import (
	"bytes"
	"io"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider/internal/draft"
	"github.com/stemma-history/stemma/provider/internal/transport"
)

// reader reads the lines of one answer.
type reader struct {
	*draft.Draft
	thinking, text int // one more than the index of the part; 0 before it begins
	calls          bool
	done           bool
}

// Event implements [transport.Reader].
func (r *reader) Event(line []byte) error {
	var said, failed []byte
	var reason string
	err := rawjson.Members(line, func(key string, v []byte) error {
		switch key {
		case "message":
			said = v
		case "error":
			failed = v
		case "done":
			r.done = rawjson.Bool(v)
		case "done_reason":
			reason = rawjson.Text(v)
		case "prompt_eval_count":
			r.Usage.Input = rawjson.Int(v)
		case "eval_count":
			r.Usage.Output = rawjson.Int(v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !rawjson.IsNull(failed) {
		return transport.Fault{Event: bytes.Clone(line)}
	}
	if said != nil {
		if err := r.message(said); err != nil {
			return err
		}
	}
	if !r.done {
		return nil
	}
	r.Message.Stop = r.stop(reason)
	return io.EOF
}

// Complete implements [transport.Reader].
func (r *reader) Complete() bool { return r.done }

func (r *reader) message(said []byte) error {
	return rawjson.Members(said, func(key string, v []byte) error {
		switch key {
		case "thinking":
			r.grow(&r.thinking, message.Thinking{}, rawjson.Text(v))
		case "content":
			r.grow(&r.text, message.Text{}, rawjson.Text(v))
		case "tool_calls":
			if v[0] == '[' {
				return rawjson.Elements(v, r.call)
			}
		}
		return nil
	})
}

func (r *reader) grow(at *int, p message.Part, text string) {
	if text == "" {
		return
	}
	if *at == 0 {
		*at = r.Begin(p) + 1
	}
	r.Grow(*at-1, text)
}

// call takes a call, which comes whole.
func (r *reader) call(v []byte) error {
	function := rawjson.Get(v, "function")
	at := r.Begin(message.ToolCall{ID: rawjson.Text(rawjson.Get(v, "id")), Name: rawjson.Text(rawjson.Get(function, "name"))})
	r.Grow(at, string(rawjson.Get(function, "arguments")))
	r.calls = true
	return nil
}

func (r *reader) stop(reason string) message.Stop {
	switch {
	case reason == "length":
		return message.StopLength
	case r.calls:
		return message.StopTools
	case reason == "" || reason == "stop" || reason == "load":
		return message.StopEnd
	}
	return message.Stop(reason)
}
