package cline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/jsonstream"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
	"github.com/stemma-history/stemma/wire/anthropic"
)

// A reader tells a sink the messages of a session.
type reader struct {
	*session
	sink transcript.Sink

	names   transcript.Chain
	told    []told
	byID    map[string]int // messages by the tool's id
	parent  string
	created time.Time
}

// told is what became of one message.
type told struct {
	first, last string // its records
	texts       map[string]bool
}

func (r *reader) read(ctx context.Context) error {
	r.byID = map[string]int{}
	r.created = r.about.Created
	if err := r.sink.Conversation(r.about); err != nil {
		return err
	}
	if !rawjson.IsNull(r.system) {
		if err := r.record(transcript.Record{ID: "system_prompt", Created: r.created, Message: transcript.Silent(Name, r.system)}); err != nil {
			return err
		}
	}
	for v, err := range jsonstream.Read(r.messages.Reader(), "messages") {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if syntax := (*rawjson.SyntaxError)(nil); !errors.As(err, &syntax) {
				return err
			}
			r.sink.Problem(transcript.Problem{What: fmt.Sprintf("the file is damaged, what follows is not read: %v", err)})
			break
		}
		if v.Index < 0 {
			continue
		}
		if err := r.message(v.Data); err != nil {
			return err
		}
		if err := r.compactAt(len(r.told)); err != nil {
			return err
		}
		r.sink.Progress(v.Offset + int64(len(v.Data)))
	}
	return r.compactAt(0)
}

func (r *reader) record(made transcript.Record) error {
	made.Parent = r.parent
	r.parent = made.ID
	return r.sink.Record(made)
}

// message tells one message of the file.
func (r *reader) message(data []byte) error {
	o, err := native.ReadObject(data)
	if at := transcript.Time(o.Raw("ts")); !at.IsZero() {
		r.created = at
	}
	item := native.Item{ID: o.Text("id"), Parent: r.parent, Created: r.created, Usage: usage(o)}
	if item.ID == "" {
		item.ID = r.names.Next(data)
	}
	var parts []message.Part
	if err == nil {
		parts, err = decodeContent(o.Raw("content"))
	}
	role := o.Text("role")
	switch {
	case err != nil || role != "user" && role != "assistant":
		if err == nil {
			err = fmt.Errorf("the role %q is not known", role)
		}
		r.sink.Problem(transcript.Problem{Record: item.ID, What: fmt.Sprintf("the message cannot be read: %v; it is kept as it stands, and no model gets it", err)})
		item.Messages = []message.Message{*transcript.Silent(Name, data)}
	case role == "assistant":
		model := o.Text("modelInfo", "id")
		item.Messages = []message.Message{{
			Role: message.Assistant, Author: message.ByModel, Parts: parts,
			Model: model, Wire: native.Wire(o.Text("modelInfo", "provider"), model),
		}}
	default:
		split(&item, parts)
	}
	if len(item.Messages) == 0 {
		item.Messages = []message.Message{*transcript.Silent(Name, data)}
	}
	return r.tell(o.Text("id"), item, parts)
}

// split gives each part of a user's message to who wrote it.
func split(item *native.Item, parts []message.Part) {
	for _, p := range parts {
		if _, ok := p.(message.ToolResult); ok { // first, as the API wants them
			item.Add(message.Tool, message.ByTool, p)
		}
	}
	for _, p := range parts {
		switch p := p.(type) {
		case message.ToolResult:
		case message.Text:
			item.Add(message.User, authorOf(p.Text), p)
		default:
			item.Add(message.User, message.ByPerson, p)
		}
	}
}

func (r *reader) tell(id string, item native.Item, parts []message.Part) error {
	t := told{texts: map[string]bool{}}
	for _, p := range parts {
		if text, ok := p.(message.Text); ok {
			t.texts[text.Text] = true
		}
	}
	for i, made := range item.Records() {
		if i == 0 {
			t.first = made.ID
		}
		t.last = made.ID
		if err := r.record(made); err != nil {
			return err
		}
	}
	if id != "" {
		r.byID[id] = len(r.told)
	}
	r.told = append(r.told, t)
	return nil
}

// authorOf says who wrote a text of the user role.
func authorOf(text string) message.Author {
	text = strings.TrimSpace(text)
	opening, _, _ := strings.Cut(text, "\n")
	switch {
	case strings.HasPrefix(text, "<environment_details>"),
		strings.HasPrefix(text, "<SYSTEM_NOTICE>"),
		strings.HasPrefix(text, "[TASK RESUMPTION]"),
		strings.HasPrefix(text, "[ERROR]"),
		strings.HasPrefix(opening, "[") && strings.HasSuffix(opening, "] Result:"): // tools of the extension before 2026
		return message.ByHarness
	}
	return message.ByPerson
}

// usage reads what an answer cost. The tool's count of input has the cached
// tokens in it.
func usage(o native.Object) *history.Usage {
	if o.Raw("metrics") == nil {
		return nil
	}
	read, written := o.Int("metrics", "cacheReadTokens"), o.Int("metrics", "cacheWriteTokens")
	return &history.Usage{
		Input:      max(o.Int("metrics", "inputTokens")-read-written, 0),
		CacheRead:  read,
		CacheWrite: written,
		Output:     o.Int("metrics", "outputTokens"),
		CostUSD:    transcript.Number(o.Raw("metrics", "cost")),
	}
}

// decodeContent reads blocks in Anthropic's shape, and the tool's own.
func decodeContent(content []byte) ([]message.Part, error) {
	if len(content) == 0 || content[0] != '[' {
		return anthropic.DecodeContent(content)
	}
	var parts []message.Part
	err := rawjson.Elements(content, func(block []byte) error {
		o, err := native.ReadObject(block)
		if err != nil {
			return err
		}
		switch o.Text("type") {
		case "file":
			name, data := o.Text("path"), []byte(o.Text("content"))
			parts = append(parts, message.Document{Media: message.Media{Type: "text/plain", Name: name, Data: data, Size: int64(len(data))}})
			return nil
		case "tool_result":
			parts = append(parts, result(o))
			return nil
		}
		p, err := anthropic.DecodeBlock(block)
		parts = append(parts, p)
		return err
	})
	return parts, err
}

// result reads a result. Its content is in Anthropic's shape, or whatever the
// tool returned, which is kept as text.
func result(o native.Object) message.Part {
	r := message.ToolResult{CallID: o.Text("tool_use_id"), Name: o.Text("name")}
	if o.Bool("is_error") {
		r.Outcome = message.Failed
	}
	content := o.Raw("content")
	parts, err := anthropic.DecodeContent(content)
	if err != nil || slices.ContainsFunc(parts, isUntyped) {
		parts = []message.Part{message.Text{Text: string(content)}}
	}
	for _, p := range parts {
		if c, ok := p.(message.Content); ok {
			r.Content = append(r.Content, c)
		}
	}
	return r
}

// isUntyped reports whether what a tool returned only looks like a block.
func isUntyped(p message.Part) bool {
	o, ok := p.(message.Opaque)
	return ok && rawjson.Text(rawjson.Get(o.Raw, "type")) == ""
}
