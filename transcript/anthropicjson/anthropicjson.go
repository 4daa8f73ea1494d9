// Package anthropicjson reads conversations that were kept as the body of a
// request to Anthropic's Messages API, or as the array of its messages.
//
// Such a file has no ids and no times: records are named by their place and
// everything before it, the conversation by its first message, so that the next
// request of a program adds to what the one before it brought. System prompt,
// tools and settings come as one record that no model gets: they belong to the
// request.
package anthropicjson

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
	"github.com/stemma-history/stemma/transcript/internal/requestfile"
	"github.com/stemma-history/stemma/wire/anthropic"
)

// Name is the format's name in sources and opaque parts.
const Name = "anthropic-json"

// Format implements [transcript.Format].
type Format struct{}

var _ transcript.Format = Format{}

// Name implements [transcript.Format].
func (Format) Name() string { return Name }

// Places implements [transcript.Format]: there are none.
func (Format) Places(transcript.Machine) []string { return nil }

// Detect implements [transcript.Format]. Messages of plain text alone look the
// same on other wires; something must tell that this one is meant.
func (Format) Detect(f *transcript.File) bool {
	document := f.Document()
	if bytes.HasPrefix(document, []byte("[")) {
		ours, others := judge(document)
		return ours && !others
	}
	var list, hint bool
	for key, value := range transcript.Peek(document) {
		switch key {
		case "messages":
			ours, others := judge(value)
			if others {
				return false
			}
			list, hint = len(value) > 0 && value[0] == '[', hint || ours
		case "system", "anthropic_version", "stop_sequences":
			hint = true
		case "model":
			hint = hint || strings.Contains(rawjson.Text(value), "claude")
		case "tools":
			for tool := range transcript.PeekElements(value) {
				hint = hint || transcript.PeekMember(tool, "input_schema") != nil
			}
		}
	}
	return list && hint
}

// judge looks for what only this wire has in an array of messages, and for what
// it does not have.
func judge(array []byte) (ours, others bool) {
	for m := range transcript.PeekElements(array) {
		switch role := rawjson.Text(transcript.PeekMember(m, "role")); role {
		case "user", "assistant":
		default:
			return ours, len(m) > 0 && (role != "" || rawjson.Valid(m))
		}
		for key := range transcript.Peek(m) {
			if key == "tool_calls" || key == "function_call" || key == "parts" {
				return ours, true
			}
		}
		for block := range transcript.PeekElements(transcript.PeekMember(m, "content")) {
			switch rawjson.Text(transcript.PeekMember(block, "type")) {
			case "tool_use", "tool_result", "thinking", "redacted_thinking", "document", "server_tool_use":
				ours = true
			case "image":
				ours = ours || transcript.PeekMember(block, "source") != nil
			case "image_url", "input_text", "output_text", "input_audio":
				return ours, true
			}
		}
	}
	return ours, false
}

// Read implements [transcript.Format].
func (Format) Read(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	head, err := requestfile.Survey(ctx, f, "messages")
	if err != nil || head.ID == "" {
		return err
	}
	if err := sink.Conversation(transcript.Conversation{ID: head.ID, Model: head.Model}); err != nil {
		return err
	}
	parent := ""
	if head.Around != nil {
		parent = requestfile.RequestID
		if err := sink.Record(head.Record(Name)); err != nil {
			return err
		}
	}
	var names transcript.Chain
	for v, err := range requestfile.Messages(ctx, f, sink, "messages") {
		if err != nil {
			return err
		}
		item := native.Item{ID: names.Next(v.Data), Parent: parent}
		if item.Messages, err = decode(v.Data, head.Model); err != nil {
			sink.Problem(transcript.Problem{Record: item.ID, What: fmt.Sprintf("message %d cannot be read: %v; it is kept as it stands, and no model gets it", v.Index+1, err)})
			item.Messages = []message.Message{*transcript.Silent(Name, v.Data)}
		}
		for _, made := range item.Records() {
			parent = made.ID
			if err := sink.Record(made); err != nil {
				return err
			}
		}
	}
	return nil
}

// decode reads one message of the wire as messages of ours.
func decode(data []byte, model string) ([]message.Message, error) {
	o, err := native.ReadObject(data)
	if err != nil {
		return nil, err
	}
	role := o.Text("role")
	if role != "user" && role != "assistant" {
		return nil, fmt.Errorf("role %q: expected user or assistant", role)
	}
	parts, err := anthropic.DecodeContent(o.Raw("content"))
	if err != nil {
		return nil, err
	}
	messages := anthropic.SplitRoles(role, parts)
	if len(messages) == 0 {
		return nil, fmt.Errorf("it has no content")
	}
	if role == "assistant" {
		messages[0].Model = model
	}
	return messages, nil
}
