package pi

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/wire"
)

// Write writes a session that pi can resume: steps as the lines of one chain,
// behind a new header. api and provider name who answered.
func Write(w io.Writer, s transcript.Session, api, provider string, steps []wire.Step) error {
	out := bufio.NewWriter(w)
	p := writer{session: s, api: api, provider: provider, out: out, parent: []byte("null")}
	header := transcript.MemberWriter{JSON: []byte{'{'}}
	header.Text("type", "session")
	header.Raw("version", []byte("3"))
	header.Text("id", s.ID)
	header.Text("timestamp", transcript.Stamp(s.Now))
	header.Raw("cwd", directoryOf(s.Like))
	if _, err := out.Write(append(header.JSON, '}', '\n')); err != nil {
		return fmt.Errorf("writing a pi session: %w", err)
	}
	for i := range steps {
		if err := p.step(&steps[i]); err != nil {
			return fmt.Errorf("writing a pi session: %w", err)
		}
	}
	return out.Flush()
}

// directoryOf returns the working directory of a session, as JSON.
func directoryOf(f *transcript.File) []byte {
	for line, err := range transcript.Lines(f.Reader()) {
		if err != nil {
			break
		}
		if v := transcript.PeekMember(line.Data, "cwd"); v != nil {
			return append([]byte(nil), v...)
		}
	}
	return []byte(`""`)
}

type writer struct {
	session       transcript.Session
	api, provider string
	out           *bufio.Writer
	parent        []byte // of the next line, as JSON
	lines         int
}

// step writes a line, or one for each result.
func (p *writer) step(s *wire.Step) error {
	if s.Role != message.Tool {
		return p.line(s.Role, func(m *transcript.MemberWriter) { p.content(m, s.Parts) })
	}
	for _, part := range s.Parts {
		r, ok := part.Part.(message.ToolResult)
		if !ok {
			continue
		}
		content := make([]wire.Part, len(r.Content))
		for i, c := range r.Content {
			content[i] = wire.Part{Part: c, At: part.At}
		}
		err := p.line("toolResult", func(m *transcript.MemberWriter) {
			m.Text("toolCallId", r.CallID)
			m.Text("toolName", r.Name)
			p.content(m, content)
			m.Raw("isError", []byte(strconv.FormatBool(r.IsError())))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// line writes a message whose members f adds to its role.
func (p *writer) line(role message.Role, f func(*transcript.MemberWriter)) error {
	p.lines++
	id := rawjson.AppendString(nil, fmt.Sprintf("%08x", p.lines))
	w := transcript.MemberWriter{JSON: []byte{'{'}}
	w.Text("type", "message")
	w.Raw("id", id)
	w.Raw("parentId", p.parent)
	w.Text("timestamp", transcript.Stamp(p.session.Now))
	w.Object("message", func() {
		w.Text("role", string(role))
		f(&w)
		if role == message.Assistant {
			w.Text("api", p.api)
			w.Text("provider", p.provider)
			w.Text("model", p.session.Model)
			w.Raw("usage", []byte(`{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`))
			w.Text("stopReason", "stop")
		}
		w.Raw("timestamp", strconv.AppendInt(nil, p.session.Now.UnixMilli(), 10))
	})
	p.parent = id
	_, err := p.out.Write(append(w.JSON, '}', '\n'))
	return err
}

func (p *writer) content(w *transcript.MemberWriter, parts []wire.Part) {
	list := []byte{'['}
	for _, part := range parts {
		item := itemOf(part)
		if item == nil {
			continue
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(list, item...)
	}
	w.Raw("content", append(list, ']'))
}

// itemOf returns a part as pi writes it, nil for what pi has no form for.
func itemOf(part wire.Part) []byte {
	w := transcript.MemberWriter{JSON: []byte{'{'}}
	switch p := part.Part.(type) {
	case message.Text:
		w.Text("type", "text")
		w.Text("text", p.Text)
	case message.Thinking:
		w.Text("type", "thinking")
		w.Text("thinking", p.Text)
		w.Text("thinkingSignature", p.Signature)
	case message.ToolCall:
		w.Text("type", "toolCall")
		w.Text("id", p.ID)
		w.Text("name", p.Name)
		if rawjson.Valid(p.Arguments) {
			w.Raw("arguments", p.Arguments)
		} else {
			w.Object("arguments", func() { w.Text("malformed_arguments", string(p.Arguments)) })
		}
	case message.Image:
		if p.Data == nil {
			w.Text("type", "text")
			w.Text("text", fmt.Sprintf("[%v: %s, whose bytes were not kept]", part.At, p.Type))
			break
		}
		w.Text("type", "image")
		w.Text("data", base64.StdEncoding.EncodeToString(p.Data))
		w.Text("mimeType", p.Type)
	case message.Document:
		w.Text("type", "text")
		w.Text("text", fmt.Sprintf("[%v: document %s %s]", part.At, p.Type, p.Name))
	default:
		return nil
	}
	return append(w.JSON, '}')
}
