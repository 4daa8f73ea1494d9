package anthropic

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wiretest"
)

// Pieces of bodies.
const (
	user     = `{"role":"user","content":"x"}`
	call     = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":{}}]}`
	twoCalls = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"b","input":{}},{"type":"tool_use","id":"c","name":"b","input":{}}]}`
	thought  = `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"y"}]}`
	system   = `{"role":"system","content":"s"}`
	cached   = `{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}`
	long     = `{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"1h"}}`
)

func bodyOf(messages ...string) string {
	return `{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`
}

func with(members string, messages ...string) string {
	return `{"model":"m",` + members + `,"messages":[` + strings.Join(messages, ",") + `]}`
}

func says(content ...string) string {
	return `{"role":"user","content":[` + strings.Join(content, ",") + `]}`
}

func answers(ids ...string) string {
	var results []string
	for _, id := range ids {
		results = append(results, `{"type":"tool_result","tool_use_id":"`+id+`"}`)
	}
	return says(results...)
}

func picture(mediaType string, data []byte) string {
	return `{"type":"image","source":{"type":"base64","media_type":"` + mediaType + `","data":"` + base64.StdEncoding.EncodeToString(data) + `"}}`
}

func png(width, height int) string { return picture("image/png", wiretest.PNG(width, height)) }

func times(n int, s string) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }

// TestCheckRefusesInTheWordsOfTheAPI: each rule with a body that breaks it, and
// the nearest one that does not.
func TestCheckRefusesInTheWordsOfTheAPI(t *testing.T) {
	none := wire.Limits{}
	noPrefill := wire.Limits{NoPrefill: true}
	mid := wire.Limits{MidSystem: true, NoPrefill: true}
	keys := wire.Limits{StrictKeys: true}
	for _, c := range []struct {
		rule    string
		limits  wire.Limits
		refused string
		want    string
		taken   string
	}{
		{"JSON", none, `{"model":"m","messages":[` + user + `}`, "The request body is not valid JSON: invalid JSON at byte", bodyOf(user)},
		{"JSON: surrogates", none, bodyOf(says(`{"type":"text","text":"\ud83d"}`)), "The request body is not valid JSON: no low surrogate in string: line 1 column 75 (char 74)", bodyOf(says(`{"type":"text","text":"\ud83d\ude00"}`))},
		{"JSON: UTF-8", none, bodyOf(says("{\"type\":\"text\",\"text\":\"\xff\"}")), "The request body is not valid JSON: invalid UTF-8", bodyOf(says(`{"type":"text","text":"é"}`))},
		{"body is an object", none, `[]`, "Input should be a valid dictionary", bodyOf(user)},
		{"model", none, `{"messages":[` + user + `]}`, "model: Field required", bodyOf(user)},
		{"max_tokens", wire.Limits{MaxOutput: 10}, bodyOf(user), "max_tokens: Field required", with(`"max_tokens":10`, user)},
		{"messages is a list", none, `{"model":"m","messages":{}}`, "messages: Input should be a valid list", bodyOf(user)},
		{"a message is an object", none, bodyOf(user, `7`), "messages.1: Input should be a valid dictionary", bodyOf(user)},
		{"content", none, bodyOf(`{"role":"user"}`), "messages.0.content: Field required", bodyOf(user)},
		{"content is a list", none, bodyOf(`{"role":"user","content":7}`), "messages.0.content: Input should be a valid list", bodyOf(user)},
		{"a block is an object", none, bodyOf(says(`"x"`)), "messages.0.content.0: Input should be a valid dictionary", bodyOf(user)},
		{"a block has a type", none, bodyOf(says(`{"text":"x"}`)), "messages.0.content.0.type: Field required", bodyOf(user)},
		{"roles", none, bodyOf(`{"role":"narrator","content":"x"}`, user), "messages.0.role: Input should be 'user' or 'assistant'", bodyOf(user)},
		{"keys of the body", keys, with(`"temprature":1`, user), "temprature: Extra inputs are not permitted", with(`"temperature":1`, user)},
		{"keys of a message", keys, bodyOf(`{"role":"user","content":"x","id":"1"}`), "messages.0.id: Extra inputs are not permitted", bodyOf(user)},
		{"keys of a block", keys, bodyOf(says(`{"type":"text","text":"x","id":"1"}`)), "messages.0.content.0.text.id: Extra inputs are not permitted", bodyOf(says(`{"type":"text","text":"x","citations":null}`))},
		{"keys of a block in a result", keys, bodyOf(user, call, says(`{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"x","id":"1"}]}`)), "messages.2.content.0.tool_result.content.0.text.id: Extra inputs are not permitted", bodyOf(user, call, says(`{"type":"tool_result","tool_use_id":"a","content":[{"type":"new_kind","id":"1"}]}`))},

		{"V1", none, bodyOf(), "messages: at least one message is required", bodyOf(user)},
		{"V2", none, bodyOf(`{"role":"assistant","content":"x"}`), `messages: first message must use the "user" role`, bodyOf(user, `{"role":"assistant","content":"x"}`)},
		{"V4", none, bodyOf(user, `{"role":"assistant","content":[]}`, user), "messages.1: all messages must have non-empty content except for the optional final assistant message", bodyOf(user, `{"role":"assistant","content":[]}`)},
		{"V4 at the end", none, bodyOf(`{"role":"user","content":""}`), "messages.0: all messages must have non-empty content except for the optional final assistant message", bodyOf(user)},
		{"V5", none, bodyOf(says(`{"type":"text","text":""}`)), "messages: text content blocks must be non-empty", bodyOf(says(`{"type":"text","text":"\u0041"}`))},
		{"V5 in a result", none, bodyOf(user, call, says(`{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":""}]}`)), "messages: text content blocks must be non-empty", bodyOf(user, call, says(`{"type":"tool_result","tool_use_id":"a","content":""}`))},
		{"V5 in the system prompt", none, with(`"system":[{"type":"text","text":""}]`, user), "system: text content blocks must be non-empty", with(`"system":[{"type":"text","text":"s"}]`, user)},
		{"V6", none, bodyOf(says(`{"type":"text","text":" \n\u2003"}`)), "messages: text content blocks must contain non-whitespace text", bodyOf(says(`{"type":"text","text":" \nx"}`))},
		{"V7", none, bodyOf(user, `{"role":"assistant","content":"y \n"}`), "messages: final assistant content cannot end with trailing whitespace", bodyOf(user, `{"role":"assistant","content":"y \n"}`, user)},
		{"V8", noPrefill, bodyOf(user, `{"role":"assistant","content":"y"}`), "This model does not support assistant message prefill. The conversation must end with a user message.", bodyOf(user, `{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}}]}`)},
		{"V9", none, bodyOf(user, twoCalls, answers("c"), user), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", bodyOf(user, twoCalls, answers("c", "a"), user)},
		{"V9 names all", none, bodyOf(user, twoCalls, user), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a, c.", bodyOf(user, twoCalls, answers("a", "c"))},
		{"V9 at the end", none, bodyOf(user, call), "messages.1: `tool_use` ids were found without", bodyOf(user, call, answers("a"))},
		{"V3: messages in a row are one", none, bodyOf(user, twoCalls, answers("a"), user, answers("c")), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: c.", bodyOf(user, user, twoCalls, answers("a"), answers("c"), user)},
		{"V10", none, bodyOf(user, call, answers("a", "b")), "messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: b. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", bodyOf(user, call, answers("a"))},
		{"V10 without calls", none, bodyOf(answers("a")), "messages.0.content.0: unexpected `tool_use_id`", bodyOf(user)},
		{"V10 later", none, bodyOf(user, call, answers("a"), `{"role":"assistant","content":"y"}`, answers("a")), "messages.4.content.0: unexpected `tool_use_id`", bodyOf(user, call, answers("a"), `{"role":"assistant","content":"y"}`, user)},
		{"V11: unique", none, bodyOf(user, call, answers("a"), call, answers("a")), "messages.3.content.0: `tool_use` ids must be unique", bodyOf(user, call, answers("a"), strings.Replace(call, `"a"`, `"a2"`, 1), answers("a2"))},
		{"V11: pattern", none, bodyOf(user, strings.Replace(call, `"a"`, `"x!"`, 1), answers("x!")), "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", bodyOf(user, strings.Replace(call, `"a"`, `"x-_1"`, 1), answers("x-_1"))},
		{"V11: empty", none, bodyOf(user, strings.Replace(call, `"a"`, `""`, 1), answers("")), "messages.1.content.0.tool_use.id: String should match pattern", bodyOf(user, call, answers("a"))},
		{"V11: length", none, bodyOf(user, strings.Replace(call, `"a"`, `"`+strings.Repeat("a", 65)+`"`, 1), answers(strings.Repeat("a", 65))), "messages.1.content.0.tool_use.id: String should have at most 64 characters", bodyOf(user, strings.Replace(call, `"a"`, `"`+strings.Repeat("a", 64)+`"`, 1), answers(strings.Repeat("a", 64)))},
		{"names of calls", none, bodyOf(user, strings.Replace(call, `"b"`, `"b.c"`, 1), answers("a")), "messages.1.content.0.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'", bodyOf(user, call, answers("a"))},
		{"input", none, bodyOf(user, strings.Replace(call, `{}`, `"{}"`, 1), answers("a")), "messages.1.content.0.tool_use.input: Input should be a valid dictionary", bodyOf(user, call, answers("a"))},
		{"V12", none, bodyOf(user, call, answers("a", "a")), "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a", bodyOf(user, call, answers("a"))},
		{"V13", none, bodyOf(user, call, says(`{"type":"text","text":"first"}`, `{"type":"tool_result","tool_use_id":"a"}`)), "`tool_use` ids were found without", bodyOf(user, call, says(`{"type":"tool_result","tool_use_id":"a"}`, `{"type":"text","text":"then"}`))},
		{"blocks of answers", none, bodyOf(says(`{"type":"tool_use","id":"a","name":"b","input":{}}`), user), "messages.0: `tool_use` blocks can only be in `assistant` messages", bodyOf(user)},
		{"blocks of users", none, bodyOf(user, `{"role":"assistant","content":[`+png(1, 1)+`]}`, user), "messages.1: `image` blocks can only be in `user` messages", bodyOf(says(png(1, 1)))},

		{"V14", none, bodyOf(says(times(5, cached))), "A maximum of 4 blocks with cache_control may be provided. Found 5.", bodyOf(says(times(4, cached)))},
		{"V14 counts tools, system and the top", none, with(`"cache_control":{"type":"ephemeral"},"system":[`+cached+`],"tools":[{"name":"b","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}]`, says(cached, cached, `{"type":"text","text":"x"}`)), "Found 5.", with(`"cache_control":{"type":"ephemeral"},"system":[`+cached+`]`, says(cached, cached, `{"type":"text","text":"x"}`))},
		{"V15", none, bodyOf(says(cached, long)), "messages.0.content.1.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.", bodyOf(says(long, cached))},
		{"V15: the order is not that of the body", none, `{"model":"m","messages":[` + says(long) + `],"system":[` + cached + `]}`, "messages.0.content.0.cache_control.ttl: a ttl='1h'", `{"model":"m","messages":[` + says(cached) + `],"system":[` + long + `]}`},
		{"V15: top level", none, with(`"cache_control":{"type":"ephemeral"}`, says(long)), "Top-level cache_control has ttl='5m' but the target block already has cache_control with ttl='1h'", with(`"cache_control":{"type":"ephemeral","ttl":"1h"}`, says(long))},
		{"V15: top level, the order is not that of the body", none, `{"model":"m","messages":[` + says(long) + `],"cache_control":{"type":"ephemeral"},"system":[{"type":"text","text":"s"}]}`, "Top-level cache_control has ttl='5m'", `{"model":"m","messages":[` + user + `],"cache_control":{"type":"ephemeral"},"system":[` + long + `]}`},
		{"ttl", none, bodyOf(says(`{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"2h"}}`)), "messages.0.content.0.cache_control.ttl: Input should be '5m' or '1h'", bodyOf(says(cached))},
		{"no mark on thinking", none, bodyOf(user, `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln","cache_control":{"type":"ephemeral"}}]}`, user), "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted", bodyOf(user, thought, user)},

		{"V16: empty", none, bodyOf(user, strings.Replace(thought, "c2ln", "", 1), user), "messages.1.content.0: Invalid `signature` in `thinking` block", bodyOf(user, thought, user)},
		{"V17", none, bodyOf(user, `{"role":"assistant","content":[{"type":"thinking","thinking":"x"}]}`, user), "messages.1.content.0.thinking.signature: Field required", bodyOf(user, thought, user)},
		{"V18: missing", none, bodyOf(user, `{"role":"assistant","content":[{"type":"redacted_thinking"}]}`, user), "messages.1.content.0.redacted_thinking.data: Field required", bodyOf(user, `{"role":"assistant","content":[{"type":"redacted_thinking","data":"x"}]}`, user)},
		{"V20", none, with(`"max_tokens":4096,"thinking":{"type":"enabled","budget_tokens":1024}`, user, call, answers("a")), "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled,", with(`"max_tokens":4096,"thinking":{"type":"enabled","budget_tokens":1024}`, user, call, answers("a"), thought, user)},
		{"V23", wire.Limits{MaxOutput: 64000}, with(`"max_tokens":100000`, user), "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for m", with(`"max_tokens":64000`, user)},
		{"max_tokens is a number", none, with(`"max_tokens":-1`, user), "max_tokens: Input should be greater than or equal to 0", with(`"max_tokens":0`, user)},

		{"V24", wire.Limits{ImageBytes: 80}, bodyOf(user, call, says(`{"type":"tool_result","tool_use_id":"a","content":[`+png(300, 200)+`]}`)), "messages.2.content.0.tool_result.content.0.image.source.base64: image exceeds 0 MB maximum: ", bodyOf(says(picture("image/gif", gifOfFewBytes())))},
		{"V25", wire.Limits{SidePx: 8000}, bodyOf(says(png(1, 8001))), "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels", bodyOf(says(png(8000, 1)))},
		{"V26", wire.Limits{ManyImages: 20, ManySidePx: 2000}, bodyOf(says(times(20, png(1, 1)) + "," + png(2001, 1))), "messages.0.content.20.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels", bodyOf(says(times(19, png(1, 1)) + "," + png(2001, 1)))},
		{"V27", wire.Limits{Media: 100}, bodyOf(says(times(101, png(1, 1)))), "Too much media: 0 document pages + 101 images > 100", bodyOf(says(times(100, png(1, 1))))},
		{"V28: decodable", none, bodyOf(says(picture("image/png", []byte("no image")))), "Could not process image", bodyOf(says(png(1, 1)))},
		{"V28: type", none, bodyOf(says(picture("image/jpeg", wiretest.PNG(1, 1)))), "messages.0.content.0.image.source.base64.data: Image does not match the provided media type image/jpeg", bodyOf(says(picture("image/gif", wiretest.GIF())))},
		{"V28: known type", none, bodyOf(says(picture("image/tiff", []byte("II*")))), "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'", bodyOf(says(png(1, 1)))},
		{"V28: empty", none, bodyOf(says(picture("image/png", nil))), "messages.0.content.0.image.source.base64: image cannot be empty", bodyOf(says(png(1, 1)))},
		{"V28: base64", none, bodyOf(says(strings.Replace(png(1, 1), `"data":"`, `"data":"!`, 1))), "messages.0.content.0.image.source.base64: invalid base64 data", bodyOf(says(`{"type":"image","source":{"type":"url","url":"https://example.org/a.png"}}`))},

		{"V30: thinking", wire.Limits{AdaptiveOnly: true}, with(`"thinking":{"type":"disabled"}`, user), `"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort"`, with(`"thinking":{"type":"adaptive"}`, user)},
		{"V30: sampling", wire.Limits{AdaptiveOnly: true}, with(`"top_p":0.9`, user), "`top_p` is deprecated for this model.", with(`"top_p":null`, user)},
		{"V30: budget", none, with(`"max_tokens":4096,"thinking":{"type":"enabled","budget_tokens":1023}`, user), "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024", with(`"max_tokens":4096,"thinking":{"type":"enabled","budget_tokens":1024}`, user)},
		{"V30: budget below max_tokens", none, with(`"max_tokens":1024,"thinking":{"type":"enabled","budget_tokens":1024}`, user), "`max_tokens` must be greater than `thinking.budget_tokens`.", with(`"max_tokens":1025,"thinking":{"type":"enabled","budget_tokens":1024}`, user)},
		{"V31", wire.Limits{NoForcedTool: true}, with(`"tool_choice":{"type":"any"}`, user), `tool_choice: type "tool" and "any" are not supported for this model.`, with(`"tool_choice":{"type":"auto"}`, user)},
		{"V32", wire.Limits{KnownModel: func(m string) bool { return m == "m" }}, strings.Replace(bodyOf(user), `"m"`, `"nobody"`, 1), "model: nobody", bodyOf(user)},

		{"system messages", none, bodyOf(user, system), "role 'system' is not supported on this model", with(`"system":"s"`, user)},
		{"system messages: where", mid, bodyOf(user, `{"role":"assistant","content":"y"}`, system), "role 'system' is not supported on this model", bodyOf(user, system)},
		{"system messages: never first", mid, bodyOf(system, user), `messages: first message must use the "user" role`, bodyOf(user, system)},
		{"system messages: what follows", mid, bodyOf(user, system, user), "role 'system' is not supported on this model", bodyOf(user, call, answers("a"), system, thought, user)},
		{"system messages: text only", mid, bodyOf(user, `{"role":"system","content":[{"type":"search_result"}]}`), "role 'system' is not supported on this model", bodyOf(user, system)},

		{"tools: name", none, with(`"tools":[{"name":"a.b","input_schema":{"type":"object"}}]`, user), "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'", with(`"tools":[{"name":"a_b","input_schema":{"type":"object"}}]`, user)},
		{"tools: schema", none, with(`"tools":[{"name":"a"}]`, user), "tools.0.custom.input_schema: Field required", with(`"tools":[{"type":"web_search_20250305","name":"web_search"}]`, user)},
		{"tools: schema of an object", none, with(`"tools":[{"name":"a","input_schema":{}}]`, user), "tools.0.custom.input_schema.type: Field required", with(`"tools":[{"name":"a","input_schema":{"type":"object"}}]`, user)},
		{"tools: unique", none, with(`"tools":[`+times(2, `{"name":"a","input_schema":{"type":"object"}}`)+`]`, user), "tools: Tool names must be unique.", with(`"tools":[{"name":"a","input_schema":{"type":"object"}}]`, user)},
		{"tools: number", wire.Limits{Tools: 1}, with(`"tools":[{"name":"a","input_schema":{"type":"object"}},{"name":"b","input_schema":{"type":"object"}}]`, user), "tools: List should have at most 1 items after validation, not 2", with(`"tools":[{"name":"a","input_schema":{"type":"object"}}]`, user)},
		{"block binding", none, with(`"thinking":{"type":"adaptive","block_binding":{}}`, user), "thinking.block_binding: Extra inputs are not permitted", with(`"thinking":{"type":"adaptive"}`, user)},
		{"size", wire.Limits{BodyBytes: len(bodyOf(user))}, bodyOf(user, user), "Request exceeds the maximum size", bodyOf(user)},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if r := Check([]byte(c.refused), c.limits); r == nil || !strings.HasPrefix(r.Message, c.want) && !(len(c.want) < 40 && strings.Contains(r.Message, c.want)) {
				t.Errorf("got  %v\nwant %s\nfor  %.300s", r, c.want, c.refused)
			}
			if r := Check([]byte(c.taken), c.limits); r != nil {
				t.Errorf("refused with %s: %.300s", r.Message, c.taken)
			}
		})
	}
}

func gifOfFewBytes() []byte {
	return []byte("GIF89a\x02\x00\x03\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x02\x00\x03\x00\x00\x02\x02\x8c\x5f\x00;")
}

func TestStatusesAndTypes(t *testing.T) {
	for _, c := range []struct {
		limits wire.Limits
		body   string
		status int
		kind   string
	}{
		{wire.Limits{BodyBytes: 1}, bodyOf(user), 413, "request_too_large"},
		{wire.Limits{KnownModel: func(string) bool { return false }}, bodyOf(user), 404, "not_found_error"},
		{wire.Limits{}, bodyOf(), 400, "invalid_request_error"},
	} {
		if r := Check([]byte(c.body), c.limits); r == nil || r.Status != c.status || r.Type != c.kind {
			t.Errorf("%+v", r)
		}
	}
	if r := Check([]byte(bodyOf(says(png(1, 8001)))), Limits()); r == nil || r.Code != "image_dimensions_too_large" {
		t.Errorf("%+v", r)
	}
}

// TestTheEarlierStageSpeaks: a body with many faults is refused for the first
// that the API looks for, wherever it stands.
func TestTheEarlierStageSpeaks(t *testing.T) {
	limits := Limits()
	limits.MaxOutput, limits.Media, limits.KnownModel = 10, 1, func(m string) bool { return m == "m" }
	faults := []struct{ replace, by, want string }{
		{`"nobody"`, `"m"`, "model: nobody"},
		{`"text":""`, `"text":"x"`, "messages: text content blocks must be non-empty"},
		{`"tool_use_id":"z"`, `"tool_use_id":"a"`, "messages.2.content.0: unexpected `tool_use_id`"},
		{`{"role":"assistant","content":"end"}`, user, "This model does not support assistant message prefill"},
		{times(5, cached), cached, "A maximum of 4 blocks"},
		{png(1, 1), `{"type":"text","text":"x"}`, "Too much media"},
		{`"signature":""`, `"signature":"s"`, "messages.3.content.0: Invalid `signature`"},
		{`"max_tokens":11`, `"max_tokens":1`, "max_tokens: 11 > 10"},
	}
	body := `{"model":"nobody","max_tokens":11,"messages":[` + strings.Join([]string{
		says(times(5, cached), png(1, 1), png(2, 2)), call,
		says(`{"type":"tool_result","tool_use_id":"z"}`, `{"type":"text","text":""}`),
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":""}]}`, user,
		`{"role":"assistant","content":"end"}`,
	}, ",") + `]}`
	for _, f := range faults {
		r := Check([]byte(body), limits)
		if r == nil || !strings.HasPrefix(r.Message, f.want) {
			t.Fatalf("got %v, want %s", r, f.want)
		}
		body = strings.Replace(body, f.replace, f.by, 1)
	}
	if r := Check([]byte(body), limits); r != nil {
		t.Errorf("refused with %s: %s", r.Message, body)
	}
}

// TestThinkingIsJudged gives the words for blocks that are forged or moved.
func TestThinkingIsJudged(t *testing.T) {
	body := with(`"system":"s"`, user, thought, says(`{"type":"text","text":"more"}`), `{"role":"assistant","content":[{"type":"redacted_thinking","data":"x"},{"type":"thinking","thinking":"","signature":"t"}]}`, user)
	judge := func(j wire.Judgement, about string) wire.Limits {
		return wire.Limits{Thinking: func(s wire.SentThinking) wire.Judgement {
			if strings.Contains(string(s.Block), about) {
				return j
			}
			return wire.Judgement{}
		}}
	}
	moved := "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.\n" +
		"Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"." //nolint:misspell // the API's words
	first := "\n[Content before this block differs from when it was created, first at `%s`.]"
	header := "\n[That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.]"
	for _, c := range []struct {
		limits wire.Limits
		want   string
	}{
		{judge(wire.Judgement{Forged: true}, "c2ln"), "messages.1.content.0: Invalid `signature` in `thinking` block"},
		{judge(wire.Judgement{Forged: true}, "redacted"), "messages.3.content.0: Invalid `data` in `redacted_thinking` block"},
		{judge(wire.Judgement{Moved: true, ChangedAt: -1}, "c2ln"), moved + header},
		{judge(wire.Judgement{Moved: true}, "c2ln"), moved + fmt.Sprintf(first, "system") + header},
		{judge(wire.Judgement{Moved: true, ChangedAt: 1}, "c2ln"), moved + fmt.Sprintf(first, "messages.0.content.0") + header},
		{judge(wire.Judgement{}, ""), ""},
	} {
		got := ""
		if r := Check([]byte(body), c.limits); r != nil {
			got = r.Message
		}
		if got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
	limits := judge(wire.Judgement{Moved: true, ChangedAt: -1}, "")
	limits.Betas = []string{"thinking-binding-controls-2026-08-01"}
	if r := Check([]byte(body), limits); r == nil || r.Message != moved {
		t.Errorf("with the header: %v", r)
	}
	drops := strings.Replace(body, `"system"`, `"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}},"system"`, 1) //nolint:misspell // the API's words
	if r := Check([]byte(drops), limits); r != nil {
		t.Errorf("asked to drop blocks: %v", r)
	}
}

func TestPrefixIsWhatTheAPIBindsTo(t *testing.T) {
	base := with(`"system":[{"type":"text","text":"s"}],"tools":[{"name":"b","input_schema":{"type":"object"}}]`, user, thought, says(`{"type":"text","text":"é"}`))
	for name, c := range map[string]struct {
		body string
		same bool
	}{
		"cache marks":        {strings.Replace(base, `"text":"é"`, `"text":"é","cache_control":{"type":"ephemeral"}`, 1), true},
		"a string":           {strings.Replace(base, says(`{"type":"text","text":"é"}`), `{"role":"user","content":"\u00e9"}`, 1), true},
		"order of members":   {strings.Replace(base, `{"type":"text","text":"é"}`, `{ "text": "é", "type": "text" }`, 1), true},
		"thinking":           {strings.Replace(base, `{"type":"thinking","thinking":"hm","signature":"c2ln"},`, "", 1), true},
		"other parameters":   {strings.Replace(base, `"model":"m"`, `"model":"m","max_tokens":9`, 1), true},
		"a word":             {strings.Replace(base, `"é"`, `"e"`, 1), false},
		"a role":             {strings.Replace(base, `{"role":"user","content":"x"}`, `{"role":"assistant","content":"x"}`, 1), false},
		"the system prompt":  {strings.Replace(base, `"text":"s"`, `"text":"t"`, 1), false},
		"a tool":             {strings.Replace(base, `"name":"b"`, `"name":"c"`, 1), false},
		"one block for two":  {strings.Replace(base, `"content":"x"`, `"content":[{"type":"text","text":"x"},{"type":"text","text":"x"}]`, 1), false},
		"a system as string": {strings.Replace(base, `[{"type":"text","text":"s"}]`, `"s"`, 1), true},
	} {
		if got := PrefixOf([]byte(c.body)).Last() == PrefixOf([]byte(base)).Last(); got != c.same {
			t.Errorf("%s: same is %v", name, got)
		}
	}
	hashes := PrefixOf([]byte(base)).Hashes()
	if len(hashes) != 5 || hashes[1] != hashes[2] || hashes[0] == hashes[1] {
		t.Errorf("%d hashes", len(hashes))
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(bodyOf(user, call, answers("a"), thought, says(png(1, 1), cached))))
	f.Add([]byte(with(`"system":[`+long+`],"tools":[{"name":"a","input_schema":{}}],"thinking":{"type":"enabled"}`, user)))
	f.Fuzz(func(t *testing.T, body []byte) {
		limits := Limits()
		limits.StrictKeys, limits.Thinking = true, func(wire.SentThinking) wire.Judgement { return wire.Judgement{Moved: true, ChangedAt: 1} }
		strict, loose := Check(body, limits), Check(body, wire.Limits{})
		if loose != nil && strict == nil {
			t.Fatalf("limits took back: %s", loose.Message)
		}
	})
}
