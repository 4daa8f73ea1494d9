package claudecode

import (
	"bytes"
	"hash/fnv"
	"strings"
	"time"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// An envelope is what stands around a message in a line.
type envelope struct {
	kind, subtype         string // "type" and "subtype"
	uuid, parent, logical string
	session, agent, cwd   string
	timestamp             time.Time
	sidechain, meta       bool
	compactSummary        bool
	transcriptOnly        bool
	apiError              bool
	leaf, title           string
	forkedSession         string
	forkedRecord          string
	model                 string
	message               []byte
	toolUseResult         []byte
	compact               []byte
	attachment            []byte
	data                  []byte
	startedBy             string // "parentToolUseID" or, where an SDK printed the line, "parent_tool_use_id"
}

func readEnvelope(data []byte) (envelope, error) {
	var e envelope
	err := rawjson.Members(data, func(key string, v []byte) error {
		switch key {
		case "type":
			e.kind = rawjson.Text(v)
		case "subtype":
			e.subtype = rawjson.Text(v)
		case "uuid":
			e.uuid = rawjson.Text(v)
		case "parentUuid":
			e.parent = rawjson.Text(v)
		case "logicalParentUuid":
			e.logical = rawjson.Text(v)
		case "sessionId", "session_id":
			e.session = rawjson.Text(v)
		case "agentId":
			e.agent = rawjson.Text(v)
		case "cwd":
			e.cwd = rawjson.Text(v)
		case "timestamp":
			e.timestamp = transcript.Time(v)
		case "isSidechain":
			e.sidechain = rawjson.Bool(v)
		case "isMeta":
			e.meta = rawjson.Bool(v)
		case "isCompactSummary":
			e.compactSummary = rawjson.Bool(v)
		case "isVisibleInTranscriptOnly":
			e.transcriptOnly = rawjson.Bool(v)
		case "isApiErrorMessage":
			e.apiError = rawjson.Bool(v)
		case "leafUuid":
			e.leaf = rawjson.Text(v)
		case "summary", "customTitle", "aiTitle":
			e.title = rawjson.Text(v)
		case "forkedFrom":
			e.forkedSession = rawjson.Text(rawjson.Get(v, "sessionId"))
			e.forkedRecord = rawjson.Text(rawjson.Get(v, "messageUuid"))
		case "message":
			e.message = v
		case "toolUseResult":
			e.toolUseResult = v
		case "compactMetadata":
			e.compact = v
		case "attachment":
			e.attachment = v
		case "data":
			e.data = v
		case "parentToolUseID":
			e.startedBy = rawjson.Text(v)
		case "parent_tool_use_id":
			if id := rawjson.Text(v); id != "" {
				e.startedBy, e.sidechain, e.agent = id, true, id
			}
		}
		return nil
	})
	if e.kind == "" && len(e.message) > 0 {
		e.kind = rawjson.Text(rawjson.Get(e.message, "role"))
	}
	return e, err
}

// classify says what the line is to the conversation. The problem is empty, or
// what is wrong with its message.
func (e *envelope) classify(l *line) (problem string) {
	switch e.kind {
	case "user", "assistant":
		return e.classifyMessage(l)
	case "system":
		l.kind = silent
		if e.subtype == "compact_boundary" {
			e.readBoundary(l)
		}
	case "progress":
	case "attachment":
		l.kind = silent
		if _, ok := e.queuedPrompt(); ok {
			l.kind = user
		}
	case "summary", "file-history-snapshot", "queue-operation", "last-prompt", "custom-title", "ai-title", "agent-name", "mode", "pr-link":
	default:
		l.kind = silent // a kind of later versions
	}
	if l.id == "" {
		l.kind = through
	}
	return ""
}

// queuedPrompt returns what a person typed while the model was at work. It
// reaches the model as an attachment.
func (e *envelope) queuedPrompt() (prompt []byte, ok bool) {
	if rawjson.Text(rawjson.Get(e.attachment, "type")) != "queued_command" {
		return nil, false
	}
	if mode := rawjson.Text(rawjson.Get(e.attachment, "commandMode")); mode != "" && mode != "prompt" {
		return nil, false
	}
	prompt = rawjson.Get(e.attachment, "prompt")
	return prompt, len(prompt) > 0 && (prompt[0] == '"' || prompt[0] == '[')
}

func (e *envelope) classifyMessage(l *line) (problem string) {
	m, problem := readMessage(e.message)
	if l.side && e.kind == "user" {
		l.prompt = hashText(m.text)
	}
	switch {
	case problem != "":
		l.kind = broken
		return problem
	case e.kind == "assistant" && e.apiError:
		l.kind = silent
	case e.kind == "assistant":
		l.kind, l.message, l.calls = answer, m.id, m.calls
		e.model = m.model
	case e.compactSummary:
		l.kind = summary
	case len(m.answered) > 0:
		l.kind, l.answered, l.rest = results, m.answered, m.rest
	case e.transcriptOnly, m.markup:
		l.kind = silent
	default:
		l.kind = user
	}
	return ""
}

// spawned returns a sub-agent and the call that started it, where the line
// tells: the call's result does, and so do reports of its progress.
func (e *envelope) spawned(l *line) (agent, call string) {
	switch {
	case len(l.answered) > 0:
		return rawjson.Text(rawjson.Get(e.toolUseResult, "agentId")), l.answered[0]
	case e.kind == "progress" && e.startedBy != "":
		return rawjson.Text(rawjson.Get(e.data, "agentId")), e.startedBy
	}
	return "", ""
}

// readBoundary takes what a boundary says of its compaction.
func (e *envelope) readBoundary(l *line) {
	l.kind = boundary
	if e.logical != "" {
		l.parent = e.logical
	}
	l.shrink = &shrink{}
	_ = rawjson.Members(e.compact, func(key string, v []byte) error {
		switch key {
		case "trigger":
			l.shrink.trigger = rawjson.Text(v)
		case "preTokens":
			l.shrink.before = rawjson.Int(v)
		case "postTokens":
			l.shrink.after = rawjson.Int(v)
		case "preservedSegment":
			l.shrink.head = rawjson.Text(rawjson.Get(v, "headUuid"))
			l.shrink.tail = rawjson.Text(rawjson.Get(v, "tailUuid"))
		case "preservedMessages":
			_ = rawjson.Elements(rawjson.Get(v, "uuids"), func(v []byte) error {
				l.shrink.whole = append(l.shrink.whole, rawjson.Text(v))
				return nil
			})
		}
		return nil
	})
	if n := len(l.shrink.whole); n > 0 && l.shrink.tail == "" {
		l.shrink.tail = l.shrink.whole[n-1]
	}
}

// shape is what the first pass reads of a message.
type shape struct {
	id, model string
	calls     []call
	answered  []string
	rest      bool   // it has something else than results
	markup    bool   // it is nothing but the program's markup
	text      []byte // its first text, a JSON string
}

func readMessage(data []byte) (m shape, problem string) {
	if len(data) == 0 || data[0] != '{' {
		return m, "the message is no object"
	}
	var content []byte
	var role string
	_ = rawjson.Members(data, func(key string, v []byte) error {
		switch key {
		case "id":
			m.id = rawjson.Text(v)
		case "model":
			m.model = rawjson.Text(v)
		case "content":
			content = v
		case "role":
			role = rawjson.Text(v)
		}
		return nil
	})
	switch {
	case rawjson.IsNull(content) && role == "assistant":
		return m, "" // known from its usage only
	case len(content) > 0 && content[0] == '"':
		m.markup, m.rest, m.text = isMarkup(opening(content)), true, content
		return m, ""
	case len(content) == 0 || content[0] != '[':
		return m, "the message has no content"
	}
	m.markup = true
	err := rawjson.Elements(content, func(block []byte) error { return m.block(block) })
	if err != nil {
		return m, "a block of the message is no object"
	}
	return m, ""
}

// block takes one content block in.
func (m *shape) block(block []byte) error {
	var kind, id, answers string
	var input, text []byte
	err := rawjson.Members(block, func(key string, v []byte) error {
		switch key {
		case "type":
			kind = rawjson.Text(v)
		case "id":
			id = rawjson.Text(v)
		case "tool_use_id":
			answers = rawjson.Text(v)
		case "input":
			input = v
		case "text":
			text = v
		}
		return nil
	})
	switch kind {
	case "tool_use":
		c := call{id: id}
		if prompt := rawjson.Get(input, "prompt"); prompt != nil {
			c.prompt = hashText(prompt)
		}
		m.calls = append(m.calls, c)
	case "tool_result":
		m.answered, m.markup = append(m.answered, answers), false
		return err
	case "text":
		m.markup = m.markup && isMarkup(opening(text))
		if m.text == nil {
			m.text = text
		}
		m.rest = true
		return err
	}
	m.rest, m.markup = true, false
	return err
}

func hashText(value []byte) uint64 {
	h := fnv.New64a()
	h.Write([]byte(rawjson.Text(value)))
	return h.Sum64()
}

// opening decodes the first words of a JSON string, however long it is.
func opening(value []byte) string {
	const enough = 160
	if len(value) <= enough {
		return strings.TrimSpace(rawjson.Text(value))
	}
	for cut := enough; cut > enough-12; cut-- { // an escape has at most 6 bytes, a pair of them 12
		if s, err := rawjson.String(append(bytes.Clone(value[:cut]), '"')); err == nil {
			return strings.TrimSpace(s)
		}
	}
	return ""
}
