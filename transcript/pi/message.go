package pi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// wires are the tool's names of the APIs whose thinking they return.
var wires = map[string]string{
	"anthropic-messages":     native.WireAnthropic,
	"openai-responses":       native.WireResponses,
	"openai-codex-responses": native.WireResponses,
	"azure-openai-responses": native.WireResponses,
	"openai-completions":     "openai-chat",
	"google-generative-ai":   native.WireGemini,
	"google-gemini-cli":      native.WireGemini,
	"google-vertex":          native.WireGemini,
}

var stops = map[string]message.Stop{
	"stop":    message.StopEnd,
	"length":  message.StopLength,
	"toolUse": message.StopTools,
	"error":   message.StopError,
	"aborted": message.StopAborted,
}

// message reads the message of an entry.
func (r *reader) message(data []byte) (*message.Message, *history.Usage, error) {
	o, err := native.ReadObject(data)
	if err != nil {
		return nil, nil, fmt.Errorf("the message cannot be read: %w", err)
	}
	switch role := o.Text("role"); role {
	case "user":
		return r.plain(o, message.ByPerson)
	case "assistant":
		return r.answer(o)
	case "toolResult":
		return r.result(o)
	case "bashExecution":
		return shell(o, data), nil, nil
	case "compactionSummary":
		return said(message.ByHarness, o.Text("summary")), nil, nil
	case "branchSummary":
		return said(message.ByDigest, o.Text("summary")), nil, nil
	case "custom", "hookMessage":
		return r.plain(o, message.ByHarness)
	default:
		return nil, nil, fmt.Errorf("the role %q is not known", role)
	}
}

func (r *reader) plain(o native.Object, by message.Author) (*message.Message, *history.Usage, error) {
	parts, err := r.parts(o.Raw("content"))
	if err == nil && len(parts) == 0 {
		err = errors.New("the message is empty")
	}
	return &message.Message{Role: message.User, Author: by, Parts: parts}, nil, err
}

func (r *reader) answer(o native.Object) (*message.Message, *history.Usage, error) {
	m := &message.Message{
		Role: message.Assistant, Author: message.ByModel,
		Wire: wires[o.Text("api")], Model: o.Text("model"), Stop: stops[o.Text("stopReason")],
	}
	blocks, err := o.Elements("content")
	if err != nil {
		return nil, nil, fmt.Errorf("the answer cannot be read: %w", err)
	}
	for _, block := range blocks {
		p, err := r.block(block, m.Wire)
		if err != nil {
			return nil, nil, err
		}
		m.Parts = append(m.Parts, p)
	}
	if failure := o.Raw("errorMessage"); failure != nil {
		raw := append(append([]byte(`{"errorMessage":`), failure...), '}')
		m.Parts = append(m.Parts, message.Opaque{Format: Name, Raw: raw})
	}
	return m, usage(o), nil
}

func usage(o native.Object) *history.Usage {
	u := history.Usage{
		Input:      o.Int("usage", "input"),
		CacheRead:  o.Int("usage", "cacheRead"),
		CacheWrite: o.Int("usage", "cacheWrite"),
		Output:     o.Int("usage", "output"),
		CostUSD:    transcript.Number(o.Raw("usage", "cost", "total")),
	}
	if u == (history.Usage{}) { // the request failed before it was billed
		return nil
	}
	return &u
}

func (r *reader) result(o native.Object) (*message.Message, *history.Usage, error) {
	parts, err := r.parts(o.Raw("content"))
	if err != nil {
		return nil, nil, err
	}
	result := message.ToolResult{CallID: o.Text("toolCallId"), Name: o.Text("toolName")}
	if o.Bool("isError") {
		result.Outcome = message.Failed
	}
	for _, p := range parts {
		if c, ok := p.(message.Content); ok {
			result.Content = append(result.Content, c)
		}
	}
	m := message.Results(result)
	return &m, nil, nil
}

// shell is what the tool tells its model of a command that a person ran.
func shell(o native.Object, data []byte) *message.Message {
	if o.Bool("excludeFromContext") {
		return transcript.Silent(Name, data)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "$ %s\n%s", o.Text("command"), o.Text("output"))
	if code := o.Int("exitCode"); code != 0 {
		fmt.Fprintf(&b, "\n[exit code %d]", code)
	}
	if o.Bool("cancelled") {
		b.WriteString("\n[cancelled]")
	}
	if path := o.Text("fullOutputPath"); path != "" {
		fmt.Fprintf(&b, "\n[the whole output is in %s]", path)
	}
	return said(message.ByHarness, b.String())
}

// parts reads content: a string, or an array of blocks.
func (r *reader) parts(content []byte) ([]message.Part, error) {
	if rawjson.IsNull(content) {
		return nil, nil
	}
	if content[0] == '"' {
		return []message.Part{message.Text{Text: rawjson.Text(content)}}, nil
	}
	var parts []message.Part
	err := rawjson.Elements(content, func(block []byte) error {
		p, err := r.block(block, "")
		parts = append(parts, p)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the content cannot be read: %w", err)
	}
	return parts, nil
}

// block reads one block. Kinds of later versions become opaque parts.
func (r *reader) block(block []byte, wire string) (message.Part, error) {
	o, err := native.ReadObject(block)
	if err != nil {
		return nil, err
	}
	switch o.Text("type") {
	case "text":
		t := message.Text{Text: o.Text("text")}
		if wire == native.WireGemini {
			t.Signature = o.Text("textSignature")
		}
		return t, nil
	case "thinking":
		return thinking(o, wire), nil
	case "toolCall":
		return message.ToolCall{
			ID: o.Text("id"), Name: o.Text("name"), Arguments: o.Raw("arguments"),
			Signature: o.Text("thoughtSignature"),
		}, nil
	case "image":
		return r.image(o.Text("mimeType"), o.Text("data")), nil
	}
	return message.Opaque{Format: Name, Raw: block}, nil
}

// thinking reads a block of thinking. For the Responses API the tool keeps the
// whole reasoning item as the signature.
func thinking(o native.Object, wire string) message.Part {
	t := message.Thinking{Text: o.Text("thinking"), Signature: o.Text("thinkingSignature")}
	if o.Bool("redacted") {
		return message.RedactedThinking{Data: t.Signature}
	}
	if wire == native.WireResponses && rawjson.Valid([]byte(t.Signature)) {
		if item, err := native.ReadObject([]byte(t.Signature)); err == nil {
			t.Raw, t.Signature = []byte(t.Signature), item.Text("encrypted_content")
		}
	}
	return t
}
