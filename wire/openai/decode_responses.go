package openai

import (
	"fmt"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
)

// DecodeItem reads one item of a Responses request or answer as a message. The
// items of one answer are messages that belong together: see [Join]. Items that
// this version does not know, and those of the provider's own tools, become
// opaque. The parts keep slices of item.
func DecodeItem(item []byte) (message.Message, error) {
	var i itemFields
	if err := rawjson.Members(item, i.member); err != nil {
		return message.Message{}, err
	}
	switch kind := rawjson.Text(i.kind); kind {
	case "message", "":
		return i.message()
	case "reasoning":
		return answered(decodeReasoning(item, &i)), nil
	case "function_call":
		arguments, err := decodeArguments(i.arguments)
		if err != nil {
			return message.Message{}, fmt.Errorf("%s: %w", kind, err)
		}
		return i.call(rawjson.Text(i.name), arguments), nil
	case "custom_tool_call":
		return i.call(rawjson.Text(i.name), freeInput(i.input)), nil
	case "local_shell_call":
		return i.call("local_shell", i.action), nil
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		return i.result(kind)
	}
	return answered(message.Opaque{Format: WireResponses, Raw: item}), nil
}

// Join puts an item behind the messages that came of the items before it. Items
// of an answer become one message.
func Join(messages []message.Message, item message.Message) []message.Message {
	if n := len(messages); n > 0 && item.Role == message.Assistant && messages[n-1].Role == message.Assistant {
		messages[n-1].Parts = append(messages[n-1].Parts, item.Parts...)
		return messages
	}
	return append(messages, item)
}

type itemFields struct {
	kind, role, content, summary, encrypted, name, arguments, input, action, output, id, callID, phase []byte
}

func (i *itemFields) member(key string, v []byte) error {
	switch key {
	case "type":
		i.kind = v
	case "role":
		i.role = v
	case "content":
		i.content = v
	case "summary":
		i.summary = v
	case "encrypted_content":
		i.encrypted = v
	case "name":
		i.name = v
	case "arguments":
		i.arguments = v
	case "input":
		i.input = v
	case "action":
		i.action = v
	case "output":
		i.output = v
	case "id":
		i.id = v
	case "call_id":
		i.callID = v
	case "phase":
		i.phase = v
	}
	return nil
}

func answered(parts ...message.Part) message.Message {
	return message.Message{Role: message.Assistant, Author: message.ByModel, Wire: WireResponses, Parts: parts}
}

func (i *itemFields) message() (message.Message, error) {
	parts, err := decodeContent(i.content, WireResponses)
	if err != nil {
		return message.Message{}, err
	}
	switch role := rawjson.Text(i.role); role {
	case "system", "developer":
		return message.Message{Role: message.User, Author: message.ByHarness, Parts: parts}, nil
	case "user":
		return message.Message{Role: message.User, Author: message.ByPerson, Parts: parts}, nil
	case "assistant":
		return answered(i.inPhase(parts)...), nil
	default:
		return message.Message{}, fmt.Errorf("role %q: expected system, developer, user or assistant", role)
	}
}

// inPhase keeps with the texts of an answer whether they comment on the work or
// are its end: models want to be told again. (Vendor's documentation, 2026.)
func (i *itemFields) inPhase(parts []message.Part) []message.Part {
	if rawjson.IsNull(i.phase) {
		return parts
	}
	for k, p := range parts {
		if t, ok := p.(message.Text); ok {
			t.Extra = string(rawjson.AppendMember(nil, "phase", i.phase))
			parts[k] = t
		}
	}
	return parts
}

// decodeReasoning keeps the item as it is where text and encrypted content
// cannot make it again.
func decodeReasoning(item []byte, i *itemFields) message.Thinking {
	t := message.Thinking{Text: joinTexts(i.summary), Signature: rawjson.Text(i.encrypted)}
	if t.Text == "" { // open models show their thoughts themselves
		t.Text = joinTexts(i.content)
	}
	if string(reasoning(t)) != string(item) {
		t.Raw = item
	}
	return t
}

// joinTexts joins the texts of an array of parts with blank lines.
func joinTexts(array []byte) string {
	var m message.Message
	_ = rawjson.Elements(array, func(v []byte) error {
		m.Parts = append(m.Parts, message.Text{Text: rawjson.Text(rawjson.Get(v, "text"))})
		return nil
	})
	return m.PlainText()
}

func (i *itemFields) call(name string, arguments []byte) message.Message {
	return answered(message.ToolCall{ID: i.answersTo(), Name: name, Arguments: arguments})
}

// answersTo is what a call and its output have in common. Outputs of the local
// shell name the call's item.
func (i *itemFields) answersTo() string {
	if id := rawjson.Text(i.callID); id != "" {
		return id
	}
	return rawjson.Text(i.id)
}

func (i *itemFields) result(kind string) (message.Message, error) {
	output := i.output
	failed := false
	if len(output) > 0 && output[0] == '{' { // as Codex kept it in 2025
		failed = string(rawjson.Get(output, "success")) == "false"
		output = rawjson.Get(output, "content")
	}
	parts, err := decodeContent(output, WireResponses)
	if err != nil {
		return message.Message{}, fmt.Errorf("%s: %w", kind, err)
	}
	r := message.ToolResult{CallID: i.answersTo(), Content: contents(parts)}
	if failed {
		r.Outcome = message.Failed
	}
	return message.Results(r), nil
}
