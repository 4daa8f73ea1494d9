package crush

import (
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// decode reads the parts of a message. With an error, what could be read is
// kept, and all parts as they stand.
func decode(role string, parts []byte) (*decoder, error) {
	d := &decoder{role: role}
	err := rawjson.Elements(parts, d.part)
	if err != nil {
		d.add(message.ByHarness, message.Opaque{Format: tool, Raw: parts})
	}
	return d, err
}

// decoder gathers the parts of one message.
type decoder struct {
	role     string
	item     native.Item
	wire     string // of the thinking
	stop     message.Stop
	finished bool
	// signatures are thought signatures by the call they belong to.
	signatures map[string]string
}

func (d *decoder) part(part []byte) error {
	outer, err := native.ReadObject(part)
	if err != nil {
		return err
	}
	kind := outer.Text("type")
	data, err := native.ReadObject(outer["data"])
	if err != nil {
		return fmt.Errorf("part %q: %w", kind, err)
	}
	switch kind {
	case "text":
		author := message.ByPerson
		if data.Bool("hidden") {
			author = message.ByHarness
		}
		if text := data.Text("text"); text != "" {
			d.add(author, message.Text{Text: text})
		}
	case "reasoning":
		d.reasoning(data)
	case "tool_call":
		d.add(message.ByModel, message.ToolCall{ID: data.Text("id"), Name: data.Text("name"), Arguments: []byte(data.Text("input"))})
	case "tool_result":
		r, err := result(data)
		d.item.Add(message.Tool, message.ByTool, r)
		return err
	case "image_url":
		d.add(message.ByPerson, native.ImageURL(data.Text("url")))
	case "binary":
		bytes, err := message.Base64(data.Text("Data"))
		if err != nil || len(bytes) == 0 {
			return fmt.Errorf("attachment %q: expected its bytes in base64", data.Text("Path"))
		}
		d.add(message.ByPerson, native.MediaBytes(data.Text("MIMEType"), data.Text("Path"), bytes))
	case "shell_command": // typed by a person, run by Crush; sent in this form
		d.add(message.ByHarness, message.Text{Text: fmt.Sprintf("$ %s\n%s\n(exit code %d)", data.Text("command"), data.Text("output"), data.Int("exit_code"))})
	case "finish":
		d.finish(data, part)
	default:
		d.add(message.ByHarness, message.Opaque{Format: tool, Raw: part})
	}
	return nil
}

// add puts a part into a message of the row's role. In an answer all is the
// model's, in results all is a tool's.
func (d *decoder) add(author message.Author, part message.Part) {
	switch d.role {
	case "assistant":
		d.item.Add(message.Assistant, message.ByModel, part)
	case "tool":
		d.item.Add(message.Tool, message.ByTool, part)
	case "user":
		d.item.Add(message.User, author, part)
	default:
		d.item.Add(message.User, message.ByHarness, part)
	}
}

// reasoning keeps what each provider wants back: Anthropic's signature, the
// encrypted content of OpenAI's Responses, or Gemini's thought signature, which
// may belong to a call.
func (d *decoder) reasoning(data native.Object) {
	thinking := message.Thinking{Text: data.Text("thinking")}
	switch signature := data.Text("thought_signature"); {
	case data.Text("signature") != "":
		d.wire, thinking.Signature = native.WireAnthropic, data.Text("signature")
	case data.Text("responses_data", "encrypted_content") != "":
		d.wire, thinking.Signature = native.WireResponses, data.Text("responses_data", "encrypted_content")
	case signature != "" && data.Text("tool_id") != "":
		d.wire, d.signatures = native.WireGemini, map[string]string{data.Text("tool_id"): signature}
	case signature != "":
		d.wire, thinking.Signature = native.WireGemini, signature
	}
	if thinking.Text != "" || thinking.Signature != "" {
		d.add(message.ByModel, thinking)
	}
}

// answer completes the model's message with what its parts say of it.
func (d *decoder) answer(m *message.Message, provider, model string) {
	if d.wire == "" {
		d.wire = native.Wire(provider, model)
	}
	m.Wire, m.Model, m.Stop = d.wire, model, d.stop
	for i, p := range m.Parts {
		if call, ok := p.(message.ToolCall); ok && d.signatures[call.ID] != "" {
			call.Signature = d.signatures[call.ID]
			m.Parts[i] = call
		}
	}
}

func result(data native.Object) (r message.ToolResult, err error) {
	r = message.ToolResult{CallID: data.Text("tool_call_id"), Name: data.Text("name")}
	if text := data.Text("content"); text != "" {
		r.Content = append(r.Content, message.Text{Text: text})
	}
	if encoded := data.Text("data"); encoded != "" {
		bytes, failure := message.Base64(encoded)
		if failure != nil {
			err = fmt.Errorf("result of %s: expected its bytes in base64", r.CallID)
		} else {
			r.Content = append(r.Content, native.MediaBytes(data.Text("mime_type"), "", bytes))
		}
	}
	if data.Bool("is_error") {
		r.Outcome = outcome(data.Text("content"))
	}
	return r, err
}

// outcome tells a failure from a refusal and an interrupt, by what Crush writes
// into the result (2025-08 to 2026-11). A call that was cancelled may have been
// running.
func outcome(content string) message.Outcome {
	content = strings.ToLower(content)
	switch {
	case content == "permission denied", strings.Contains(content, "user denied permission"):
		return message.Denied
	case content == "tool execution canceled by user", strings.Contains(content, "user cancelled assistant tool calling"):
		return message.Unknown
	}
	return message.Failed
}

// finish reads why an answer ended. The text of an error is kept as it stands:
// it is no word of the model.
func (d *decoder) finish(data native.Object, part []byte) {
	if d.role != "assistant" {
		return
	}
	d.finished = true
	switch reason := data.Text("reason"); reason {
	case "end_turn", "stop":
		d.stop = message.StopEnd
	case "tool_use":
		d.stop = message.StopTools
	case "max_tokens":
		d.stop = message.StopLength
	case "canceled", "permission_denied":
		d.stop = message.StopAborted
	case "error":
		d.stop = message.StopError
	case "content_filter":
		d.stop = message.StopRefusal
	default:
		d.stop = message.Stop(reason)
	}
	if data.Text("message") != "" || data.Text("details") != "" {
		d.add(message.ByModel, message.Opaque{Format: tool, Raw: part})
	}
}
