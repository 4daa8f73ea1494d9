// Package openaijson reads conversations that were kept as the body of a request
// to OpenAI's Chat Completions or Responses API, as the array of its messages or
// items, or as a file of JSON lines for fine-tuning, a conversation a line.
//
// Such files have no ids and no times: records are named by their place and
// everything before it, the conversation by its first message, so that the next
// request of a program adds to what the one before it brought. Tools, settings
// and the system prompt at the beginning come as records that no model gets:
// they belong to the request.
package openaijson

import (
	"bytes"
	"context"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/requestfile"
)

// Name is the format's name in sources and opaque parts.
const Name = "openai-json"

// Format implements [transcript.Format].
type Format struct{}

var _ transcript.Format = Format{}

// Name implements [transcript.Format].
func (Format) Name() string { return Name }

// Places implements [transcript.Format]: there are none.
func (Format) Places(transcript.Machine) []string { return nil }

// Detect implements [transcript.Format].
func (Format) Detect(f *transcript.File) bool { return shapeOf(f) != unknown }

// shape is how a file keeps conversations.
type shape int

const (
	unknown   shape = iota
	chat            // messages of Chat Completions
	responses       // items of Responses
	tuning          // a line of messages for each conversation
)

func shapeOf(f *transcript.File) shape {
	document := f.Document()
	if bytes.HasPrefix(document, []byte("[")) {
		return listShape(document)
	}
	shape := unknown
	for key, value := range transcript.Peek(document) {
		switch key {
		case "messages":
			if listShape(value) == chat {
				shape = chat
			}
		case "input":
			if listShape(value) != unknown || len(value) > 0 && value[0] == '"' && transcript.PeekMember(document, "model") != nil {
				shape = responses
			}
		}
	}
	if shape == chat && isLines(f) {
		return tuning
	}
	return shape
}

// listShape judges an array by its elements, as far as they are in the head.
// Some look the same on both wires.
func listShape(array []byte) shape {
	shape := unknown
	for m := range transcript.PeekElements(array) {
		kind := rawjson.Text(transcript.PeekMember(m, "type"))
		switch rawjson.Text(transcript.PeekMember(m, "role")) {
		case "system", "developer", "user", "assistant", "tool", "function":
			switch {
			case kind == "message" || hasItemContent(m):
				return responses
			case kind == "" && isSaid(m):
				shape = chat
				continue
			}
		case "":
			switch kind {
			case "reasoning", "function_call", "function_call_output", "custom_tool_call", "local_shell_call", "web_search_call", "item_reference", "compaction":
				return responses
			}
		}
		break // it is cut, or of something else
	}
	return shape
}

// isSaid reports whether a message has what one of Chat Completions has.
func isSaid(m []byte) bool {
	for key := range transcript.Peek(m) {
		if key == "content" || key == "tool_calls" || key == "function_call" {
			return true
		}
	}
	return false
}

// hasItemContent reports whether a message has parts that only the Responses
// API knows.
func hasItemContent(m []byte) bool {
	for part := range transcript.PeekElements(transcript.PeekMember(m, "content")) {
		switch rawjson.Text(transcript.PeekMember(part, "type")) {
		case "input_text", "output_text", "input_image", "input_file":
			return true
		}
	}
	return false
}

// isLines reports whether the file has a second line that begins an object.
func isLines(f *transcript.File) bool {
	n := 0
	for line := range f.HeadLines() {
		if n++; n == 1 && !rawjson.Valid(line) {
			return false
		}
		if n == 2 {
			return line[0] == '{'
		}
	}
	return false
}

// Read implements [transcript.Format].
func (Format) Read(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	switch shapeOf(f) {
	case responses:
		return readRequest(ctx, f, sink, "input", items)
	case tuning:
		return readLines(ctx, f, sink)
	}
	return readRequest(ctx, f, sink, "messages", messages)
}

func readRequest(ctx context.Context, f *transcript.File, sink transcript.Sink, list string, wire wire) error {
	head, err := requestfile.Survey(ctx, f, list)
	if err != nil || head.ID == "" {
		return err
	}
	if err := sink.Conversation(transcript.Conversation{ID: head.ID, Model: head.Model}); err != nil {
		return err
	}
	r := reader{sink: sink, wire: wire, model: head.Model}
	if head.Around != nil {
		r.parent = requestfile.RequestID
		if err := sink.Record(head.Record(Name)); err != nil {
			return err
		}
	}
	for v, err := range requestfile.Messages(ctx, f, sink, list) {
		if err == nil {
			err = r.add(v.Data)
		}
		if err != nil {
			return err
		}
	}
	return r.flush()
}

// readLines reads a file for fine-tuning.
func readLines(ctx context.Context, f *transcript.File, sink transcript.Sink) error {
	for o, err := range transcript.Objects(ctx, f, sink.Problem) {
		if err != nil {
			return err
		}
		line := o.Keep()
		list := rawjson.Get(line, "messages")
		if len(list) == 0 || list[0] != '[' {
			sink.Problem(transcript.Problem{Line: o.Line, What: "it has no messages; it is skipped"})
			continue
		}
		var name transcript.Chain
		if err := sink.Conversation(transcript.Conversation{ID: name.Next(line)}); err != nil {
			return err
		}
		r := reader{sink: sink, wire: messages, line: o.Line}
		if err := rawjson.Elements(list, r.add); err != nil {
			return err
		}
		if err := r.flush(); err != nil {
			return err
		}
		sink.Progress(o.Offset + int64(o.Size))
	}
	return nil
}
