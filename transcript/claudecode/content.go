package claudecode

import (
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/wire/anthropic"
)

// readUser reads a line of the user role: the results on it, or what else it
// says, as one message for each run of parts by one author.
func readUser(data []byte, r *record, meta bool) ([]message.Message, error) {
	all, err := transcript.DecodeMessage(data, userParts)
	if err != nil {
		return nil, err
	}
	var messages []message.Message
	for _, p := range all.Parts {
		m := message.Message{Role: message.User, Author: message.ByPerson}
		if result, ok := p.(message.ToolResult); ok {
			result.Outcome = outcomeOf(result)
			p, m.Role, m.Author = result, message.Tool, message.ByTool
		} else if text, ok := p.(message.Text); meta || ok && authorOf(text.Text) == message.ByHarness {
			m.Author = message.ByHarness
		}
		if (m.Role == message.Tool) != (r.kind == results && !r.beside) {
			continue // it is for the other record of the line
		}
		if n := len(messages); n == 0 || messages[n-1].Author != m.Author {
			messages = append(messages, m)
		}
		last := &messages[len(messages)-1]
		last.Parts = append(last.Parts, p)
	}
	if len(messages) == 0 {
		return nil, errors.New("the message is empty")
	}
	return messages, nil
}

// userParts decodes what a line of the user role says, as parts of one message.
func userParts(data []byte) (message.Message, error) {
	content := rawjson.Get(rawjson.Get(data, "message"), "content")
	if content == nil {
		e, err := readEnvelope(data)
		if err != nil {
			return message.Message{}, err
		}
		content, _ = e.queuedPrompt()
	}
	parts, err := anthropic.DecodeContent(content)
	if err != nil {
		return message.Message{}, fmt.Errorf("the message cannot be read: %w", err)
	}
	return message.Message{Parts: parts}, nil
}

// readAnswer reads the lines of an answer as one message. A line that cannot be
// read is left out and reported.
func (e *emitter) readAnswer(r *record) (message.Message, *history.Usage, error) {
	m := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: anthropic.Wire}
	var usage *history.Usage
	for _, i := range r.lines {
		data, err := e.file.ReadObject(e.lines[i].Span)
		if err != nil {
			return m, nil, err
		}
		var content, stop, used []byte
		_ = rawjson.Members(rawjson.Get(data, "message"), func(key string, v []byte) error {
			switch key {
			case "content":
				content = v
			case "model":
				m.Model = rawjson.Text(v)
			case "stop_reason":
				stop = v
			case "usage":
				used = v
			}
			return nil
		})
		parts, err := anthropic.DecodeContent(content)
		if err != nil {
			e.problem(i, fmt.Sprintf("this part of the answer cannot be read: %v; the line is kept as a block that no model gets", err))
			parts = []message.Part{message.Opaque{Format: Name, Raw: data}}
		}
		m.Parts = append(m.Parts, parts...)
		if s := rawjson.Text(stop); s != "" {
			m.Stop = anthropic.DecodeStop(s)
		}
		if !rawjson.IsNull(used) { // each line repeats it, the last is complete
			usage = &history.Usage{}
			anthropic.DecodeUsage(usage, used)
			usage.CostUSD = transcript.Number(rawjson.Get(data, "costUSD"))
		}
	}
	if m.Model == synthetic {
		m.Author, m.Model, m.Wire = message.ByHarness, "", ""
	}
	return m, usage, nil
}

// textOf joins the texts of messages.
func textOf(messages []message.Message) string {
	var all message.Message
	for _, m := range messages {
		all.Parts = append(all.Parts, m.Parts...)
	}
	return all.PlainText()
}
