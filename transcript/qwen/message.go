package qwen

import (
	"slices"
	"strings"
	"time"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
	"github.com/stemma-history/stemma/wire/gemini"
)

func (r record) created() time.Time { return transcript.Time(r.Raw("timestamp")) }

// machinery are the records that only the program itself reads again.
var machinery = []string{
	"attribution_snapshot", "branch_checkpoint", "custom_title", "file_history_snapshot", "managed_session_commit_v1",
	"managed_session_event_v1", "managed_session_header_v1", "parent_session", "rewind", "session_approval_mode",
	"session_artifact_event", "session_artifact_snapshot", //nolint:misspell // qwen-code's own words
	"session_execution_engine", "session_model", "session_source",
	"session_sources_snapshot", "ui_telemetry", "user_text_elements",
}

// item returns what a record comes to; nothing, where it is machinery. With an
// error, its content is kept as it stands.
func (r record) item() (native.Item, error) {
	item := native.Item{Created: r.created()}
	opaque := func() { item.Add(message.User, message.ByHarness, message.Opaque{Format: tool, Raw: r.raw}) }
	subtype := r.Text("subtype")
	if r.Text("type") == "system" || subtype == "code_mode_tool_result" { // a result without a call
		if !slices.Contains(machinery, subtype) {
			opaque()
		}
		return item, nil
	}
	parts, err := gemini.DecodeParts(r.Raw("message", "parts"))
	if err != nil {
		opaque()
		return item, err
	}
	parts = slices.DeleteFunc(parts, func(p message.Part) bool {
		t, ok := p.(message.Text)
		return ok && t == message.Text{}
	})
	if len(parts) == 0 {
		return item, nil
	}
	switch r.Text("type") {
	case "assistant":
		item.Add(message.Assistant, message.ByModel, parts...)
		a := &item.Messages[0]
		a.Model = r.Text("model")
		a.Wire = native.Wire("", a.Model)
		item.Usage = gemini.DecodeUsage(r.Raw("usageMetadata"))
	case "tool_result":
		item.Add(message.Tool, message.ByTool, r.results(parts)...)
	default:
		for _, m := range gemini.SplitRoles("user", parts) {
			if m.Role == message.User {
				m.Author = r.author()
			}
			item.Messages = append(item.Messages, m)
		}
	}
	return item, nil
}

// author tells what a person typed from what the program says in the same role.
func (r record) author() message.Author {
	switch r.Text("subtype") {
	case "", "mid_turn_user_message", "realtime_message", "at_command":
		if p := r.Text("provenance"); p == "" || p == "real_user" {
			return message.ByPerson
		}
	}
	return message.ByHarness
}

// results puts media that stand beside a result into it, and takes how the call
// ended from the record.
func (r record) results(parts []message.Part) []message.Part {
	var results []message.Part
	for _, p := range parts {
		if result, ok := p.(message.ToolResult); ok && result.Outcome == message.OK {
			result.Outcome = r.outcome(result)
			p = result
		}
		if c, ok := p.(message.Content); ok && len(results) > 0 {
			if result, ok := results[len(results)-1].(message.ToolResult); ok {
				result.Content = append(result.Content, c)
				results[len(results)-1] = result
				continue
			}
		}
		results = append(results, p)
	}
	return results
}

func (r record) outcome(result message.ToolResult) message.Outcome {
	if id := r.Text("toolCallResult", "callId"); id != "" && id != result.CallID {
		return message.OK
	}
	switch r.Text("toolCallResult", "status") {
	case "error":
		return message.Failed
	case "cancelled":
		if strings.Contains(result.PlainText(), "did not allow") {
			return message.Denied
		}
		return message.Aborted
	}
	return message.OK
}
