package gemini

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
	"github.com/stemma-history/stemma/wire/gemini"
)

// toolCall is a call and its result, as gemini-cli records them together.
type toolCall struct {
	id, name, status string
	args, result     []byte
	display          string
}

// calls returns the calls of a message. Older sessions give them no ids: then
// one is made from the message's.
func (n *node) calls() []toolCall {
	list, _ := n.fields.Elements("toolCalls") // what is damaged is reported when the message is told
	var calls []toolCall
	for i, raw := range list {
		o, err := native.ReadObject(raw)
		if err != nil {
			continue
		}
		c := toolCall{id: o.Text("id"), name: o.Text("name"), status: o.Text("status"), args: o.Raw("args"), result: o.Raw("result"), display: o.Text("resultDisplay")}
		if c.id == "" {
			c.id = n.id + "/" + strconv.Itoa(i+1)
		}
		calls = append(calls, c)
	}
	return calls
}

// outcome tells how a call ended; ok is false where it has not.
func (c *toolCall) outcome() (o message.Outcome, ok bool) {
	switch c.status {
	case "success":
		return message.OK, true
	case "error":
		return message.Failed, true
	case "cancelled":
		if strings.Contains(c.text(), "did not allow") {
			return message.Denied, true
		}
		return message.Aborted, true
	}
	return message.OK, c.result != nil
}

// content returns what the tool returned. Media may stand beside the response.
func (c *toolCall) content() []message.Content {
	parts, err := gemini.DecodeParts(c.result)
	if err != nil {
		return []message.Content{message.Opaque{Format: tool, Raw: c.result}}
	}
	var content []message.Content
	for _, p := range parts {
		switch p := p.(type) {
		case message.ToolResult:
			content = append(content, p.Content...)
		case message.Content:
			content = append(content, p)
		}
	}
	if c.result == nil && c.display != "" {
		content = append(content, message.Text{Text: c.display})
	}
	return content
}

func (c *toolCall) text() string { return message.ToolResult{Content: c.content()}.PlainText() }

// textOf returns the words of a content.
func textOf(content []byte) string {
	parts, err := gemini.DecodeParts(content)
	if err != nil {
		return string(content)
	}
	m := message.Message{Parts: parts}
	return m.PlainText()
}

// preface begins what gemini-cli says to the model before the first prompt, in
// 2025 and since 2026.
var preface = []string{"This is the Gemini CLI. We are setting up the context", "<session_context>"}

func isPreface(parts []message.Part) bool {
	if len(parts) == 0 {
		return false
	}
	t, ok := parts[0].(message.Text)
	return ok && slices.ContainsFunc(preface, func(p string) bool { return strings.HasPrefix(t.Text, p) })
}

// told has the calls whose results stand with them: the contents that carried
// the results to the model repeat them.
type told struct {
	ids   map[string]bool
	names []string // of the latest answer, for contents without ids
}

func (t *told) repeats(p message.Part) bool {
	r, ok := p.(message.ToolResult)
	return ok && (t.ids[r.CallID] || r.CallID == "" && slices.Contains(t.names, r.Name))
}

// item returns what a message comes to. With an error, its content is kept as
// it stands.
func (n *node) item(results *told) (native.Item, error) {
	item := native.Item{ID: n.id, Created: transcript.Time(n.fields.Raw("timestamp")), Open: true}
	parts, err := gemini.DecodeParts(n.fields["content"])
	if err != nil {
		parts = []message.Part{message.Opaque{Format: tool, Raw: n.fields["content"]}}
	}
	parts = slices.DeleteFunc(parts, func(p message.Part) bool {
		t, ok := p.(message.Text)
		return ok && t == message.Text{}
	})
	switch n.fields.Text("type") {
	case "user":
		parts = slices.DeleteFunc(parts, results.repeats)
		for _, m := range gemini.SplitRoles("user", parts) {
			if m.Role == message.User && isPreface(m.Parts) {
				m.Author = message.ByHarness
			}
			item.Messages = append(item.Messages, m)
		}
	case "gemini":
		n.answer(&item, parts, results)
	default: // shown to the person, never sent
		item.Add(message.User, message.ByHarness, message.Opaque{Format: tool, Raw: n.fields.JSON()})
	}
	return item, err
}

func (n *node) answer(item *native.Item, parts []message.Part, results *told) {
	if !slices.ContainsFunc(parts, isThinking) {
		parts = append(n.thoughts(), parts...)
	}
	calls := n.calls()
	parts = withCalls(parts, calls)
	if len(parts) == 0 {
		return
	}
	item.Messages = []message.Message{{
		Role: message.Assistant, Author: message.ByModel, Parts: parts,
		Wire: gemini.Wire, Model: n.fields.Text("model"),
	}}
	item.Usage = usageOf(n.fields)
	results.names = nil
	for _, c := range calls {
		if outcome, ok := c.outcome(); ok {
			results.ids[c.id] = true
			results.names = append(results.names, c.name)
			item.Add(message.Tool, message.ByTool, message.ToolResult{CallID: c.id, Name: c.name, Content: c.content(), Outcome: outcome})
		}
	}
}

// withCalls adds the calls that are not among the parts. Those that are there
// may lack the id that gemini-cli gave them.
func withCalls(parts []message.Part, calls []toolCall) []message.Part {
	for _, c := range calls {
		at := slices.IndexFunc(parts, func(p message.Part) bool {
			there, ok := p.(message.ToolCall)
			return ok && (there.ID == c.id || there.ID == "" && there.Name == c.name)
		})
		if at < 0 {
			parts = append(parts, message.ToolCall{ID: c.id, Name: c.name, Arguments: c.args})
			continue
		}
		there := parts[at].(message.ToolCall)
		there.ID = c.id
		parts[at] = there
	}
	return parts
}

func isThinking(p message.Part) bool { _, ok := p.(message.Thinking); return ok }

// thoughts returns what gemini-cli shows of the model's reasoning.
func (n *node) thoughts() []message.Part {
	list, _ := n.fields.Elements("thoughts")
	var parts []message.Part
	for _, raw := range list {
		parts = append(parts, native.Thought(rawjson.Text(rawjson.Get(raw, "subject")), rawjson.Text(rawjson.Get(raw, "description")))...)
	}
	return parts
}

// usageOf reads the tokens of an answer. The input includes what came from the
// cache, the output not the thoughts.
func usageOf(o native.Object) *history.Usage {
	cached, thoughts := o.Int("tokens", "cached"), o.Int("tokens", "thoughts")
	u := history.Usage{
		Input:     max(o.Int("tokens", "input")-cached, 0) + o.Int("tokens", "tool"),
		CacheRead: cached,
		Output:    o.Int("tokens", "output") + thoughts,
		Reasoning: thoughts,
	}
	if u == (history.Usage{}) {
		return nil
	}
	return &u
}
