package gemini

import (
	"bytes"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/internal/draft"
	"github.com/stemma-history/stemma/provider/internal/transport"
	wiregemini "github.com/stemma-history/stemma/wire/gemini"
)

// reader reads the chunks of one answer.
type reader struct {
	*draft.Draft
	open     int  // the part that the next text may go on with; -1 for none
	thinking bool // it is thinking
	calls    bool
	complete bool
}

func newReader(d *draft.Draft) *reader { return &reader{Draft: d, open: -1} }

// Event implements [transport.Reader].
func (r *reader) Event(data []byte) error {
	var candidates, feedback, failed []byte
	err := rawjson.Members(data, func(key string, v []byte) error {
		switch key {
		case "candidates":
			candidates = v
		case "promptFeedback":
			feedback = v
		case "usageMetadata":
			if u := wiregemini.DecodeUsage(v); u != nil {
				r.Usage = *u
			}
		case "error":
			failed = v
		}
		return nil
	})
	switch blocked := rawjson.Text(rawjson.Get(feedback, "blockReason")); {
	case err != nil:
		return err
	case !rawjson.IsNull(failed):
		return transport.Fault{Event: bytes.Clone(data)}
	case blocked != "":
		words := "the prompt was blocked: " + blocked
		if more := rawjson.Text(rawjson.Get(feedback, "blockReasonMessage")); more != "" {
			words += ": " + more
		}
		return &provider.Error{Kind: provider.Declined, Message: words}
	case rawjson.IsNull(candidates):
		return nil
	}
	first := true
	return rawjson.Elements(candidates, func(candidate []byte) error {
		if !first {
			return nil // one answer was asked for
		}
		first = false
		return r.candidate(candidate)
	})
}

// Complete implements [transport.Reader]. The last chunk says why the answer
// ended, and nothing more than that it is the last.
func (r *reader) Complete() bool { return r.complete }

func (r *reader) candidate(candidate []byte) error {
	var reason, words string
	err := rawjson.Members(candidate, func(key string, v []byte) error {
		switch key {
		case "content":
			if parts := rawjson.Get(v, "parts"); !rawjson.IsNull(parts) {
				return rawjson.Elements(parts, r.part)
			}
		case "finishReason":
			reason = rawjson.Text(v)
		case "finishMessage":
			words = rawjson.Text(v)
		}
		return nil
	})
	if err != nil || reason == "" {
		return err
	}
	return r.finish(reason, words)
}

// part takes a part. Texts and thoughts come in pieces, which go together unless
// one of them is signed: the vendor wants signed parts back as they were.
// (Vendor's documentation, 2025-11.)
func (r *reader) part(v []byte) error {
	p, err := wiregemini.DecodePart(bytes.Clone(v))
	if err != nil {
		return err
	}
	switch p := p.(type) {
	case message.Text:
		r.text(p.Text, message.Text{Signature: p.Signature}, p.Signature != "")
		return nil
	case message.Thinking:
		r.text(p.Text, message.Thinking{Signature: p.Signature}, p.Signature != "")
		return nil
	case message.ToolCall:
		r.calls = true
		arguments := p.Arguments
		p.Arguments = nil
		r.Grow(r.Begin(p), string(arguments))
	default:
		r.Begin(p)
	}
	r.open = -1
	return nil
}

// text adds to the open part, or begins one as empty is.
func (r *reader) text(text string, empty message.Part, signed bool) {
	_, thinking := empty.(message.Thinking)
	if r.open < 0 || signed || thinking != r.thinking {
		if text == "" && !signed {
			return
		}
		r.open, r.thinking = r.Begin(empty), thinking
	}
	r.Grow(r.open, text)
	if signed {
		r.open = -1
	}
}

// finish notes why the answer ended. words is what the API adds to that.
func (r *reader) finish(reason, words string) error {
	r.complete = true
	switch reason {
	case "STOP":
		r.Message.Stop = message.StopEnd
		if r.calls {
			r.Message.Stop = message.StopTools
		}
	case "MAX_TOKENS":
		r.Message.Stop = message.StopLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE":
		r.Message.Stop = message.StopRefusal
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE":
		// The model wrote a call that the API could not read. Another try goes well
		// mostly.
		text := "the model's answer could not be read: " + reason
		if words != "" {
			text += ": " + words
		}
		return &provider.Error{Kind: provider.Overloaded, Message: text}
	default:
		r.Message.Stop = message.Stop(reason)
	}
	return nil
}
