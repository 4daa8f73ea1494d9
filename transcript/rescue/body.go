package rescue

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/gemini"
	"github.com/stemma-history/stemma/wire/openai"
	"github.com/stemma-history/stemma/wire/wires"
)

// body is the body of a request: one JSON object with a list of messages.
type body struct {
	wire string
	list string // the member with the messages
	json []byte
}

// bodyOf recognises the body of a request by the members that only one wire
// has, and else by how its first message looks.
func bodyOf(f *transcript.File) (body, bool) {
	data, err := io.ReadAll(f.Reader())
	if data = bytes.TrimSpace(data); err != nil || len(data) == 0 || data[0] != '{' || !rawjson.Valid(data) {
		return body{}, false
	}
	has := func(keys ...string) bool {
		for _, key := range keys {
			if rawjson.Get(data, key) != nil {
				return true
			}
		}
		return false
	}
	switch {
	case has("contents"):
		return body{gemini.Wire, "contents", data}, true
	case has("input") && rawjson.Get(data, "input")[0] == '[' && has("model"):
		return body{openai.WireResponses, "input", data}, true
	case !has("messages") || !has("model"):
		return body{}, false
	case has("system", "anthropic_version") || has("max_tokens") && blocksOfAnthropic(data):
		return body{anthropic.Wire, "messages", data}, true
	}
	return body{openai.WireChat, "messages", data}, true
}

// blocksOfAnthropic reports whether a list of messages has a block, and no role
// or member, that OpenAI's does not.
func blocksOfAnthropic(data []byte) bool {
	found, foreign := false, false
	_ = rawjson.Elements(rawjson.Get(data, "messages"), func(m []byte) error {
		switch rawjson.Text(rawjson.Get(m, "role")) {
		case "system", "developer", "tool":
			foreign = true
		}
		foreign = foreign || rawjson.Get(m, "tool_calls") != nil
		_ = rawjson.Elements(rawjson.Get(m, "content"), func(b []byte) error {
			switch rawjson.Text(rawjson.Get(b, "type")) {
			case "tool_use", "tool_result", "thinking":
				found = true
			}
			return nil
		})
		return nil
	})
	return found || !foreign
}

func (b body) material() (material, error) {
	m := material{format: b.wire, model: rawjson.Text(rawjson.Get(b.json, "model"))}
	m.frame = wire.Frame{Wire: b.wire}
	for _, key := range []string{"system", "instructions", "systemInstruction", "tools"} {
		if v := rawjson.Get(b.json, key); v != nil {
			m.frame.System = append(m.frame.System, string(v)) // for its size only
		}
	}
	kept, messages, err := b.messages(m.model)
	if err != nil {
		return m, err
	}
	for _, k := range kept {
		m.frame.System = append(m.frame.System, string(k))
	}
	for i := range messages {
		m.path = append(m.path, history.Entry{ID: history.NewID(), Depth: i + 1, Message: &messages[i]})
	}
	m.write = func(r *Result, request wire.Request) error { return b.write(r, request, kept) }
	return m, nil
}

// messages decodes the list. kept are system messages at its beginning, which
// stay as they are.
func (b body) messages(model string) (kept [][]byte, messages []message.Message, err error) {
	n := -1
	err = rawjson.Elements(rawjson.Get(b.json, b.list), func(v []byte) error {
		n++
		role := rawjson.Text(rawjson.Get(v, "role"))
		if (role == "system" || role == "developer") && len(messages) == 0 {
			kept = append(kept, v)
			return nil
		}
		decoded, err := b.decode(role, v)
		if err != nil {
			return fmt.Errorf("%s[%d]: %w", b.list, n, err)
		}
		if b.wire == openai.WireResponses {
			for _, m := range decoded {
				messages = openai.Join(messages, m)
			}
			return nil
		}
		messages = append(messages, decoded...)
		return nil
	})
	for i := range messages {
		if m := &messages[i]; m.Role == message.Assistant {
			m.Wire, m.Model, m.Settled = b.wire, model, true
		}
	}
	return kept, messages, err
}

func (b body) decode(role string, v []byte) ([]message.Message, error) {
	switch b.wire {
	case anthropic.Wire:
		parts, err := anthropic.DecodeContent(rawjson.Get(v, "content"))
		return anthropic.SplitRoles(role, parts), err
	case gemini.Wire:
		parts, err := gemini.DecodeParts(rawjson.Get(v, "parts"))
		return gemini.SplitRoles(role, parts), err
	case openai.WireChat:
		m, err := openai.DecodeChat(v)
		return []message.Message{m}, err
	}
	m, err := openai.DecodeItem(v)
	return []message.Message{m}, err
}

// write puts the list of a new body in the place of the old one; every other
// member stays as it was.
func (b body) write(r *Result, request wire.Request, kept [][]byte) error {
	w, err := wires.Named(b.wire)
	if err != nil {
		return err
	}
	request.Frame.Wire = b.wire
	request.Frame.Model = cmp.Or(request.Frame.Model, "unknown")
	encoded, err := w.Encode(request)
	if err != nil {
		return err
	}
	list := []byte{'['}
	add := func(v []byte) error {
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(list, v...)
		return nil
	}
	for _, k := range kept {
		_ = add(k)
	}
	if err := rawjson.Elements(rawjson.Get(encoded.JSON, b.list), add); err != nil {
		return err
	}
	list = append(list, ']')
	out := transcript.MemberWriter{JSON: []byte{'{'}}
	err = rawjson.Members(b.json, func(key string, v []byte) error {
		if key == b.list {
			v = list
		}
		out.Raw(key, v)
		return nil
	})
	r.Data, r.Notes = append(out.JSON, '}', '\n'), encoded.Notes
	return err
}
