package codex

import (
	"context"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// kind is what a line is to the conversation.
type kind uint8

const (
	prompt    kind = iota // typed by a person
	injected              // put in by the program: instructions, the environment
	answer                // of the model: a message, thinking, a call
	result                // of a tool
	silent                // the program's own record
	compacted             // what stands for the history from here on
)

// A record is what becomes of one line, or of the lines of one answer.
type record struct {
	kind  kind
	id    string // named by its last line
	lines []line
	up    int // the record it continues from, or -1
	at    time.Time

	text    uint64 // of prompt and injected: hash of the words
	size    int    // of prompt and injected: bytes of the words
	model   string // of an answer
	usage   *history.Usage
	aborted bool // of an answer
}

type line struct {
	transcript.Span
	number int64
}

// A session is what the first pass learns of a rollout.
type session struct {
	file *transcript.File
	sink transcript.Sink

	about     transcript.Conversation
	header    bool // the session's own header was read; others are of what it was forked from
	hasEvents bool // what was said stands in events only
	model     string
	names     transcript.Chain
	seed      maphash.Seed // of the hashes in records
	records   []record
	at        int  // where the conversation stands, or -1
	open      bool // the answer there may go on
}

// saidInEvents reports whether no item of the file is a message.
func saidInEvents(ctx context.Context, f *transcript.File) (bool, error) {
	for o, err := range transcript.Objects(ctx, f, func(transcript.Problem) {}) {
		if err != nil {
			return false, err
		}
		e := readEnvelope(o.Data)
		if rawjson.Get(e.payload, "role") != nil || rawjson.Get(o.Data, "role") != nil {
			return false, nil // mostly within the first lines
		}
	}
	return true, nil
}

// add takes one line in.
func (s *session) add(o transcript.Object) {
	e := readEnvelope(o.Data)
	at := e.timestamp
	if at.IsZero() {
		at = s.about.Created
		if n := len(s.records); n > 0 {
			at = s.records[n-1].at
		}
	}
	if s.about.Created.IsZero() {
		s.about.Created = at
	}
	made := record{at: at, lines: []line{{o.Span, o.Line}}, up: -1}
	switch e.kind {
	case "session_meta":
		s.meta(e.payload)
	case "turn_context":
		s.turnContext(e.payload)
	case "event_msg":
		s.event(e.payload, made, o)
	case "compacted":
		made.kind = compacted
		s.append(made, o)
	case "response_item":
		s.item(e.payload, made, o)
	case "":
		if !s.bare(e, o, made) {
			s.sink.Problem(transcript.Problem{Line: o.Line, What: "neither an item nor an event; it is skipped"})
		}
	case "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call", "local_shell_call_output", "web_search_call":
		s.item(o.Data, made, o) // files of 2025 have items without an envelope
	}
}

// append puts a record behind where the conversation stands.
func (s *session) append(r record, o transcript.Object) {
	r.id = s.names.Next(o.Data)
	r.up = s.at
	s.records = append(s.records, r)
	s.at = len(s.records) - 1
	s.open = r.kind == answer
}

// item takes an item of the Responses API in.
func (s *session) item(payload []byte, r record, o transcript.Object) {
	switch r.kind = kindOf(payload); r.kind {
	case prompt, injected:
		words := wordsOf(rawjson.Get(payload, "content"))
		r.text, r.size = maphash.String(s.seed, words), len(words)
		if r.kind == prompt && isContext(words) {
			r.kind = injected
		}
	case answer:
		if r.model = s.model; s.open {
			whole := &s.records[s.at]
			whole.id, whole.lines, whole.at = s.names.Next(o.Data), append(whole.lines, r.lines...), r.at
			return
		}
	}
	s.append(r, o)
}

// event takes an event in.
func (s *session) event(payload []byte, r record, o transcript.Object) {
	switch rawjson.Text(rawjson.Get(payload, "type")) {
	case "token_count":
		s.tokenCount(payload)
	case "thread_rolled_back":
		s.rollBack(int(rawjson.Int(rawjson.Get(payload, "num_turns"))))
	case "turn_aborted":
		if s.at >= 0 && s.records[s.at].kind == answer {
			s.records[s.at].aborted = true
		}
	case "thread_name_updated":
		s.about.Title = rawjson.Text(rawjson.Get(payload, "thread_name"))
	case "user_message":
		if r.kind = prompt; s.hasEvents {
			s.append(r, o)
		}
	case "agent_message":
		if r.kind = answer; s.hasEvents {
			s.append(r, o)
		}
	}
}

// rollBack moves to before the last turns: what follows is another branch. The
// turns are counted on the whole path, whatever was compacted on it.
func (s *session) rollBack(turns int) {
	first := -1
	for n := s.at; n >= 0 && turns > 0; n = s.records[n].up {
		if s.records[n].kind == prompt {
			first = n
			turns--
		}
	}
	if first >= 0 {
		s.at, s.open = s.records[first].up, false
	}
}

// tokenCount gives the usage of a request to the answer it brought. The same
// numbers may come again with news of rate limits, and those of a compaction
// are of no answer; so the first after an answer count.
func (s *session) tokenCount(payload []byte) {
	info := rawjson.Get(payload, "info")
	if model := rawjson.Text(rawjson.Get(info, "model")); model != "" {
		s.model, s.about.Model = model, model
	}
	last := rawjson.Get(info, "last_token_usage")
	if rawjson.IsNull(last) {
		return
	}
	n := s.at
	for n >= 0 && s.records[n].kind == result {
		n = s.records[n].up
	}
	if n < 0 || s.records[n].kind != answer || s.records[n].usage != nil {
		return
	}
	count := func(name string) int64 { return rawjson.Int(rawjson.Get(last, name)) }
	cached := count("cached_input_tokens")
	s.open = false // the request is over
	s.records[n].usage = &history.Usage{
		Input:     max(count("input_tokens")-cached, 0),
		CacheRead: cached,
		Output:    count("output_tokens"),
		Reasoning: count("reasoning_output_tokens"),
	}
}

// meta reads the session's header. Further headers are of sessions that this
// one began as a copy of.
func (s *session) meta(payload []byte) {
	if s.header {
		return
	}
	s.header = true
	_ = rawjson.Members(payload, func(key string, v []byte) error {
		switch key {
		case "id":
			s.about.ID = rawjson.Text(v)
		case "timestamp":
			if at := transcript.Time(v); !at.IsZero() {
				s.about.Created = at
			}
		case "cwd":
			s.about.Directory = rawjson.Text(v)
		case "forked_from_id":
			s.about.ForkedFrom.Conversation = rawjson.Text(v)
		case "source":
			spawn := rawjson.Get(rawjson.Get(v, "subagent"), "thread_spawn")
			s.about.SpawnedBy.Conversation = rawjson.Text(rawjson.Get(spawn, "parent_thread_id"))
		case "parent_thread_id":
			s.about.SpawnedBy.Conversation = rawjson.Text(v)
		}
		return nil
	})
}

func (s *session) turnContext(payload []byte) {
	if model := rawjson.Text(rawjson.Get(payload, "model")); model != "" {
		s.model, s.about.Model = model, model
	}
	if s.about.Directory == "" {
		s.about.Directory = rawjson.Text(rawjson.Get(payload, "cwd"))
	}
}

// bare takes a line of 2025 in that has no envelope and is no item: the header,
// or the state of the program between items.
func (s *session) bare(e envelope, o transcript.Object, r record) bool {
	switch {
	case rawjson.Get(o.Data, "record_type") != nil:
		return true
	case isBareHeader(o.Data):
		s.meta(o.Data)
		return true
	case rawjson.Get(o.Data, "role") != nil:
		s.item(o.Data, r, o)
		return true
	}
	return false
}

// An envelope is what stands around a payload.
type envelope struct {
	kind      string
	timestamp time.Time
	payload   []byte
}

func readEnvelope(data []byte) envelope {
	var e envelope
	_ = rawjson.Members(data, func(key string, v []byte) error {
		switch key {
		case "type":
			e.kind = rawjson.Text(v)
		case "timestamp":
			e.timestamp = transcript.Time(v)
		case "payload":
			e.payload = v
		}
		return nil
	})
	return e
}

// kindOf says what an item is.
func kindOf(item []byte) kind {
	switch rawjson.Text(rawjson.Get(item, "type")) {
	case "message", "":
		switch rawjson.Text(rawjson.Get(item, "role")) {
		case "user":
			return prompt
		case "assistant":
			return answer
		case "developer", "system":
			return injected
		}
		return silent
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		return result
	case "ghost_snapshot", "other":
		return silent
	}
	return answer
}

// wordsOf joins the texts of a message.
func wordsOf(content []byte) string {
	if len(content) > 0 && content[0] == '"' {
		return rawjson.Text(content)
	}
	var texts []string
	_ = rawjson.Elements(content, func(v []byte) error {
		texts = append(texts, rawjson.Text(rawjson.Get(v, "text")))
		return nil
	})
	return strings.Join(texts, "") // one alone is not copied
}

// openings begin messages of the user role that the program writes.
var openings = []string{
	"<environment_context>", "<user_instructions>", "# AGENTS.md instructions",
	"<INSTRUCTIONS>", "<turn_aborted>", "<user_shell_command>", "<skill>",
	"<skills_instructions>", "<permissions instructions>", "<collaboration_mode>",
	"<model_switch>", "<personality_spec>", "<subagent_notification>", "<hook_prompt",
	"Another language model started to solve this problem",
}

func isContext(words string) bool {
	words = strings.TrimSpace(words)
	return slices.ContainsFunc(openings, func(opening string) bool { return strings.HasPrefix(words, opening) })
}
