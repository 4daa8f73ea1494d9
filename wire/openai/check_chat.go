package openai

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/internal/verdict"
)

// CheckChat reads a Chat Completions body as the API does and returns its
// refusal, in its words, or nil. It sees what a body alone shows; the zero
// limits check its structure only. It never counts tokens. (Texts: bodies quoted
// in public issues, 2024 to 2026; those for the number and the size of images
// are in the API's style only.)
func CheckChat(body []byte, limits wire.Limits) *wire.Refusal {
	return checkChat(body, limits, &verdict.Thread[chatProgress]{})
}

// checkChat is [CheckChat] for a body that may begin as one that has passed.
func checkChat(body []byte, limits wire.Limits, thread *verdict.Thread[chatProgress]) *wire.Refusal {
	if r := tooLarge(body, limits); r != nil {
		return r
	}
	c := chatChecker{checker: newChecker(body, limits), thread: thread}
	c.object(verdict.Path{}, c.member)
	if c.done.messages == 0 {
		c.refuse(stageShape, codeEmptyArray, "messages", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	c.settle()
	return c.verdict(thread.Unreadable(body, c.r.End()), c.done.images)
}

type chatChecker struct {
	*checker
	thread *verdict.Thread[chatProgress]
	sent   sentMessage // the message being read
	done   chatProgress
}

// chatProgress is what the checker knows of the messages so far.
type chatProgress struct {
	messages int
	images   int
	open     []string        // calls of the answer before
	waiting  map[string]bool // those of them that have no result yet
	openAt   int             // the answer
}

// clone returns a copy that is not changed by the messages that follow.
func (p chatProgress) clone() chatProgress {
	p.open, p.waiting = slices.Clone(p.open), maps.Clone(p.waiting)
	return p
}

// chatKeys are the further members of a body. (SDK v3.99.0, 2026-11.)
func chatKeys() []string {
	return []string{"stream", "stream_options", "frequency_penalty", "logprobs", "n", "presence_penalty", "prompt_cache_key", "safety_identifier", "seed", "store",
		"temperature", "top_logprobs", "top_p", "parallel_tool_calls", "user", "audio", "logit_bias", "metadata", "modalities", "moderation", "prompt_cache_retention",
		"reasoning_effort", "service_tier", "stop", "verbosity", "function_call", "functions", "prediction", "prompt_cache_options", "response_format", "tool_choice", "web_search_options"}
}

func (c *chatChecker) member(key []byte) bool {
	switch string(key) {
	case "messages":
		if c.r.Kind() != '[' {
			c.wrongType(verdict.Path{}.Member("messages"), "an array of objects")
			return true
		}
		c.thread.Elements(c.r, &c.done, chatProgress.clone, func(n int) {
			c.done.messages++
			c.message(n)
		})
	case "model":
		c.model, c.hasModel = rawjson.Text(c.r.Value()), true
	case "max_tokens", "max_completion_tokens":
		c.maxTokens, c.maxTokensKey = c.r.Value(), string(key)
	case "tools":
		c.toolList()
	default:
		return slices.Contains(chatKeys(), string(key))
	}
	return true
}

func (c *chatChecker) toolList() {
	if c.r.Kind() != '[' {
		c.wrongType(verdict.Path{}.Member("tools"), "an array of objects")
		return
	}
	count := 0
	c.r.Array(func(i int) {
		count++
		tool := c.r.Value()
		if rawjson.Text(rawjson.Get(tool, "type")) == "function" {
			c.name(rawjson.Get(rawjson.Get(tool, "function"), "name"), verdict.Path{}.Item("tools", i).Member("function"), "name")
		}
	})
	c.tools(count)
}

// sentMessage is what the checker looks at in a message.
type sentMessage struct {
	role, toolCallID     []byte
	contentKind          byte // what the content begins with; 0 if there is none
	parts                []sentPart
	calls                []string
	hasCalls, hasRefusal bool
}

type sentPart struct {
	kind string
	url  []byte
}

func (c *chatChecker) message(n int) {
	path := verdict.Path{}.Item("messages", n)
	m := &c.sent
	*m = sentMessage{parts: m.parts[:0], calls: m.calls[:0]}
	c.object(path, func(key []byte) bool {
		switch string(key) {
		case "role":
			m.role = c.text(path, "role")
		case "content":
			m.contentKind = c.r.Kind()
			c.content(path, m)
		case "tool_call_id":
			m.toolCallID = c.text(path, "tool_call_id")
		case "tool_calls":
			c.toolCalls(path, m)
		case "refusal", "audio", "function_call":
			m.hasRefusal = m.hasRefusal || c.r.Kind() != 'n'
		case "name":
		default:
			return false
		}
		return true
	})
	c.checkMessage(n, path, m)
}

// content reads what the message at path says.
func (c *chatChecker) content(path verdict.Path, m *sentMessage) {
	switch c.r.Kind() {
	case '[':
		c.r.Array(func(k int) { c.part(path.Item("content", k), m) })
		if len(m.parts) == 0 {
			c.refuse(stageShape, codeEmptyArray, path.Member("content").String(), "Invalid '%s.content': empty array. Expected an array with minimum length 1, but got an empty array instead.", path)
		}
	case '"', 'n':
		c.r.Value()
	default:
		c.wrongType(path.Member("content"), "one of a string or array of objects")
	}
}

func (c *chatChecker) part(path verdict.Path, m *sentMessage) {
	var p sentPart
	c.object(path, func(key []byte) bool {
		switch string(key) {
		case "type":
			p.kind = kindOf(c.text(path, "type"))
		case "image_url":
			c.object(path.Member("image_url"), func(key []byte) bool {
				if string(key) == "url" {
					p.url = c.text(path.Member("image_url"), "url")
				}
				return string(key) == "url" || string(key) == "detail"
			})
		case "text":
			c.text(path, "text")
		case "refusal", "input_audio", "file", "prompt_cache_breakpoint":
		default:
			return false
		}
		return true
	})
	m.parts = append(m.parts, p)
}

// toolCalls reads the calls of the message at path.
func (c *chatChecker) toolCalls(path verdict.Path, m *sentMessage) {
	if c.r.Kind() == 'n' {
		return
	}
	if c.r.Kind() != '[' {
		c.wrongType(path.Member("tool_calls"), "an array of objects")
		return
	}
	m.hasCalls = true
	c.r.Array(func(k int) { m.calls = append(m.calls, c.toolCall(path.Item("tool_calls", k))) })
	if len(m.calls) == 0 {
		c.refuse(stageShape, codeEmptyArray, path.Member("tool_calls").String(), "Invalid '%s.tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.", path)
	}
}

func (c *chatChecker) toolCall(path verdict.Path) string {
	var id, name, arguments []byte
	function, isFunction := path.Member("function"), false
	c.object(path, func(key []byte) bool {
		switch string(key) {
		case "id":
			id = c.text(path, "id")
		case "type", "custom":
		case "function":
			isFunction = true
			c.object(function, func(key []byte) bool {
				switch string(key) {
				case "name":
					name = c.text(function, "name")
				case "arguments":
					arguments = c.text(function, "arguments")
				default:
					return false
				}
				return true
			})
		default:
			return false
		}
		return true
	})
	if isFunction {
		c.name(name, function, "name")
		if arguments == nil {
			c.missing(function.Member("arguments"))
		}
	}
	return c.id(id, path, "id", maxChatIDLen)
}

func (c *chatChecker) checkMessage(n int, path verdict.Path, m *sentMessage) {
	role := string(verdict.Inside(m.role))
	if role != "tool" {
		c.settle()
	}
	switch role {
	case "user", "system", "developer", "function":
	case "assistant":
		c.opens(n, m.calls)
	case "tool":
		c.result(n, path, m)
	case "":
		c.missing(path.Member("role"))
	default:
		c.refuse(stageShape, codeValue, path.Member("role").String(), "Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", role)
	}
	speaks := m.contentKind != 0 && m.contentKind != 'n'
	if !speaks && (role != "assistant" || !m.hasCalls && !m.hasRefusal) {
		c.refuse(stageShape, "", fmt.Sprintf("messages.[%d].content", n), "Invalid value for 'content': expected a string, got null.")
	}
	for k, p := range m.parts {
		c.checkPart(role, path, k, p)
	}
}

func (c *chatChecker) checkPart(role string, message verdict.Path, k int, p sentPart) {
	path := message.Item("content", k)
	switch {
	case p.kind == "text":
	case role == "user" && (p.kind == "input_audio" || p.kind == "file"):
	case role == "assistant" && p.kind == "refusal":
	case p.kind == "image_url" && role == "user":
		if p.url == nil {
			c.missing(path.Member("image_url"))
			return
		}
		c.done.images++
		c.image(p.url, path.Member("image_url").Member("url"))
	case p.kind == "image_url":
		c.refuse(stageShape, codeValue, message.String(), "Invalid '%s'. Image URLs are only allowed for messages with role 'user', but this message with role '%s' contains an image URL.", message, role)
	case p.kind == "":
		c.missing(path.Member("type"))
	default:
		c.refuse(stageShape, codeValue, path.Member("type").String(), "Invalid value: '%s'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', and 'file'.", p.kind)
	}
}

func (c *chatChecker) result(n int, path verdict.Path, m *sentMessage) {
	id := verdict.Inside(m.toolCallID)
	if m.toolCallID == nil {
		c.missing(path.Member("tool_call_id"))
	}
	if !c.done.waiting[string(id)] {
		c.refuse(stagePairing, "", fmt.Sprintf("messages.[%d].role", n), "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.") //nolint:misspell // the API's words
	}
	delete(c.done.waiting, string(id))
}

// opens takes the calls of answer n, which wait for their results.
func (c *chatChecker) opens(n int, calls []string) {
	c.done.openAt, c.done.open = n, append(c.done.open, calls...)
	if c.done.waiting == nil {
		c.done.waiting = map[string]bool{}
	}
	for _, id := range calls {
		c.done.waiting[id] = true
	}
}

// settle checks that every call of the answer before has its result.
func (c *chatChecker) settle() {
	var missing []string
	for _, id := range c.done.open {
		if c.done.waiting[id] {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		c.refuse(stagePairing, "", fmt.Sprintf("messages.[%d].role", c.done.openAt+1), "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(missing, ", "))
	}
	c.done.open = c.done.open[:0]
	clear(c.done.waiting)
}
