package openai

import (
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
)

// DecodeChat reads one message of a Chat Completions request or answer. A
// message of the roles system and developer is the harness's; of function,
// which older programs use, a tool's. The parts keep slices of data.
func DecodeChat(data []byte) (message.Message, error) {
	var m chatFields
	if err := rawjson.Members(data, m.member); err != nil {
		return message.Message{}, err
	}
	parts, err := decodeContent(m.content, WireChat)
	if err != nil {
		return message.Message{}, err
	}
	switch role := rawjson.Text(m.role); role {
	case "system", "developer":
		return message.Message{Role: message.User, Author: message.ByHarness, Parts: parts}, nil
	case "user":
		return message.Message{Role: message.User, Author: message.ByPerson, Parts: parts}, nil
	case "assistant":
		return m.answer(parts)
	case "tool":
		return m.result(rawjson.Text(m.callID), parts), nil
	case "function":
		return m.result(functionCallID(rawjson.Text(m.name)), parts), nil
	default:
		return message.Message{}, fmt.Errorf("role %q: expected system, developer, user, assistant, tool or function", role)
	}
}

type chatFields struct {
	role, content, refusal, reasoning, details, calls, functionCall, callID, name []byte
}

func (m *chatFields) member(key string, v []byte) error {
	switch key {
	case "role":
		m.role = v
	case "content":
		m.content = v
	case "refusal":
		m.refusal = v
	case "reasoning_content", "reasoning": // DeepSeek and others; OpenRouter
		m.reasoning = v
	case "reasoning_details":
		m.details = v
	case "tool_calls":
		m.calls = v
	case "function_call":
		m.functionCall = v
	case "tool_call_id":
		m.callID = v
	case "name":
		m.name = v
	}
	return nil
}

// answer puts thinking first and calls last: the order in which this wire's
// members are meant.
func (m *chatFields) answer(parts []message.Part) (message.Message, error) {
	a := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: WireChat}
	thought := message.Thinking{Text: rawjson.Text(m.reasoning)}
	if isDetails(m.details) {
		thought.Raw = m.details
	}
	if thought.Text != "" || thought.Raw != nil {
		a.Parts = append(a.Parts, thought)
	}
	a.Parts = append(a.Parts, parts...)
	if rawjson.Text(m.refusal) != "" {
		a.Stop = message.StopRefusal
		raw := append(append([]byte(`{"type":"refusal","refusal":`), m.refusal...), '}')
		a.Parts = append(a.Parts, message.Opaque{Format: WireChat, Raw: raw})
	}
	if !rawjson.IsNull(m.functionCall) {
		call, err := decodeFunction(m.functionCall)
		if err != nil {
			return a, fmt.Errorf("function_call: %w", err)
		}
		call.ID = functionCallID(call.Name)
		a.Parts = append(a.Parts, call)
	}
	if rawjson.IsNull(m.calls) {
		return a, nil
	}
	err := rawjson.Elements(m.calls, func(v []byte) error {
		call, err := decodeCall(v)
		a.Parts = append(a.Parts, call)
		return err
	})
	if err != nil {
		return a, fmt.Errorf("tool_calls: %w", err)
	}
	return a, nil
}

// functionCallID stands for the id that calls had not in 2023. An answer had
// one call at most.
func functionCallID(name string) string { return "function_" + name }

func decodeCall(data []byte) (message.ToolCall, error) {
	id := rawjson.Text(rawjson.Get(data, "id"))
	extra := CallExtra(data)
	if custom := rawjson.Get(data, "custom"); custom != nil {
		return message.ToolCall{
			ID:        id,
			Name:      rawjson.Text(rawjson.Get(custom, "name")),
			Arguments: freeInput(rawjson.Get(custom, "input")),
			Extra:     extra,
		}, nil
	}
	function := rawjson.Get(data, "function")
	if function == nil {
		return message.ToolCall{}, errors.New("a call has neither a function nor a custom tool")
	}
	call, err := decodeFunction(function)
	call.ID, call.Extra = id, extra
	return call, err
}

// CallExtra returns what a call of Chat Completions has beside its tool, for
// [message.ToolCall]: its signature, where Gemini speaks this wire.
func CallExtra(call []byte) string {
	content := rawjson.Get(call, "extra_content")
	if rawjson.IsNull(content) {
		return ""
	}
	return string(rawjson.AppendMember(nil, "extra_content", content))
}

func decodeFunction(data []byte) (message.ToolCall, error) {
	call := message.ToolCall{Name: rawjson.Text(rawjson.Get(data, "name"))}
	var err error
	call.Arguments, err = decodeArguments(rawjson.Get(data, "arguments"))
	return call, err
}

// decodeArguments returns what the model wrote: the inside of a string on these
// wires. Some programs store the object itself.
func decodeArguments(value []byte) ([]byte, error) {
	if len(value) == 0 || value[0] != '"' {
		return value, nil
	}
	text, err := rawjson.String(value)
	if err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	return []byte(text), nil
}

// freeInput makes arguments of the input of a custom tool, which is a text.
func freeInput(input []byte) []byte {
	if rawjson.IsNull(input) {
		return nil
	}
	return append(append([]byte(`{"input":`), input...), '}')
}

func (m *chatFields) result(callID string, parts []message.Part) message.Message {
	return message.Results(message.ToolResult{CallID: callID, Name: rawjson.Text(m.name), Content: contents(parts)})
}

// contents returns the parts that may stand in a result: all that [decodePart]
// makes do.
func contents(parts []message.Part) []message.Content {
	var in []message.Content
	for _, p := range parts {
		if c, ok := p.(message.Content); ok {
			in = append(in, c)
		}
	}
	return in
}

// decodeContent reads content of either wire: a string, or an array of parts.
func decodeContent(content []byte, wire string) ([]message.Part, error) {
	if rawjson.IsNull(content) {
		return nil, nil
	}
	if content[0] == '"' {
		text, err := rawjson.String(content)
		if err != nil {
			return nil, fmt.Errorf("content: %w", err)
		}
		return []message.Part{message.Text{Text: text}}, nil
	}
	var parts []message.Part
	err := rawjson.Elements(content, func(v []byte) error {
		p, err := decodePart(v, wire)
		if err != nil {
			return fmt.Errorf("content[%d]: %w", len(parts), err)
		}
		parts = append(parts, p)
		return nil
	})
	return parts, err
}

// decodePart reads a part of a message of either wire. Kinds that this version
// does not know become opaque.
func decodePart(part []byte, wire string) (message.Part, error) {
	var kind, text, image, file, fileData, fileURL, name, annotations []byte
	err := rawjson.Members(part, func(key string, v []byte) error {
		switch key {
		case "type":
			kind = v
		case "text":
			text = v
		case "image_url":
			image = v
		case "file":
			file = v
		case "file_data":
			fileData = v
		case "file_url":
			fileURL = v
		case "filename":
			name = v
		case "annotations":
			annotations = v
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	switch rawjson.Text(kind) {
	case "text", "input_text", "output_text":
		if rawjson.IsNull(annotations) || string(annotations) == "[]" {
			return message.Text{Text: rawjson.Text(text)}, nil
		}
	case "image_url":
		if url := rawjson.Text(rawjson.Get(image, "url")); url != "" {
			return decodeImage(url), nil
		}
	case "input_image":
		if url := rawjson.Text(image); url != "" {
			return decodeImage(url), nil
		}
	case "file":
		if d, ok := decodeFile(rawjson.Text(rawjson.Get(file, "file_data")), "", rawjson.Text(rawjson.Get(file, "filename"))); ok {
			return d, nil
		}
	case "input_file":
		if d, ok := decodeFile(rawjson.Text(fileData), rawjson.Text(fileURL), rawjson.Text(name)); ok {
			return d, nil
		}
	}
	return message.Opaque{Format: wire, Raw: part}, nil
}
