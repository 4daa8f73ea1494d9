package openai_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/openai"
	"github.com/stemma-history/stemma/wire/wiretest"
)

func list(members string, items ...string) string {
	return `{"model":"m",` + members + `[` + strings.Join(items, ",") + `]}`
}

func times(n int, s string) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }

func dataURL(data []byte) string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
}

// rule is one thing a checker refuses: a body that breaks it, the words and what
// goes with them, and the nearest body that does not.
type rule struct {
	name    string
	limits  wire.Limits
	refused string
	want    string
	code    string
	param   string
	taken   string
}

func checkRules(t *testing.T, check func([]byte, wire.Limits) *wire.Refusal, rules []rule) {
	for _, c := range rules {
		t.Run(c.name, func(t *testing.T) {
			if r := check([]byte(c.refused), c.limits); r == nil || !strings.HasPrefix(r.Message, c.want) || r.Code != c.code || r.Param != c.param {
				t.Errorf("got  %+v\nwant %s, code %q, param %q\nfor  %.300s", r, c.want, c.code, c.param, c.refused)
			}
			if r := check([]byte(c.taken), c.limits); r != nil {
				t.Errorf("refused with %s: %.300s", r.Message, c.taken)
			}
		})
	}
}

func TestCheckChatRefusesInTheWordsOfTheAPI(t *testing.T) {
	chat := func(messages ...string) string { return list(`"messages":`, messages...) }
	none, keys := wire.Limits{}, wire.Limits{StrictKeys: true}
	const (
		user  = `{"role":"user","content":"x"}`
		calls = `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"b","arguments":"{}"}},{"id":"c","type":"function","function":{"name":"b","arguments":"{}"}}]}`
		one   = `{"role":"tool","tool_call_id":"a","content":"1"}`
		two   = `{"role":"tool","tool_call_id":"c","content":"2"}`
	)
	shows := func(role, url string) string {
		return `{"role":"` + role + `","content":[{"type":"image_url","image_url":{"url":"` + url + `"}}]}`
	}
	tool := `{"type":"function","function":{"name":"b"}}`
	unanswered := "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
	orphan := "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'." //nolint:misspell // the API's words
	checkRules(t, openai.CheckChat, []rule{
		{"JSON", none, chat(user) + `,`, "We could not parse the JSON body of your request: ", "", "", chat(user)},
		{"surrogates", none, chat(`{"role":"user","content":"\ud83d"}`), "We could not parse the JSON body of your request: no low surrogate", "", "", chat(`{"role":"user","content":"\ud83d\ude00"}`)},
		{"the body is an object", none, `[]`, "Invalid type for '': expected an object, but got an array instead.", "invalid_type", "", chat(user)},
		{"model", none, `{"messages":[` + user + `]}`, "Missing required parameter: 'model'.", "missing_required_parameter", "model", chat(user)},
		{"known model", wire.Limits{KnownModel: func(m string) bool { return m == "m" }}, strings.Replace(chat(user), `"m"`, `"n"`, 1), "The model `n` does not exist or you do not have access to it.", "model_not_found", "model", chat(user)},
		{"messages is a list", none, `{"model":"m","messages":"x"}`, "Invalid type for 'messages': expected an array of objects, but got a string instead.", "invalid_type", "messages", chat(user)},
		{"C1", none, chat(user, one), orphan, "", "messages.[1].role", chat(user, calls, one, two)},
		{"C1: first", none, chat(one), orphan, "", "messages.[0].role", chat(user)},
		{"C1: another id", none, chat(user, calls, one, two, `{"role":"tool","tool_call_id":"d","content":"3"}`), orphan, "", "messages.[4].role", chat(user, calls, two, one)},
		{"C1: twice", none, chat(user, calls, one, one, two), orphan, "", "messages.[3].role", chat(user, calls, one, two, user)},
		{"C1: later", none, chat(user, calls, one, two, user, one), orphan, "", "messages.[5].role", chat(user, calls, one, two, user, user)},
		{"C2", none, chat(user, calls, one), unanswered + "c", "", "messages.[2].role", chat(user, calls, one, two)},
		{"C2: nothing between", none, chat(user, calls, one, user, two), unanswered + "c", "", "messages.[2].role", chat(user, calls, one, two, user)},
		{"C2 names all", none, chat(user, calls, user), unanswered + "a, c", "", "messages.[2].role", chat(user, calls, two, one, user)},
		{"C4: tools", wire.Limits{Tools: 128}, list(`"messages":[`+user+`],"tools":`, times(129, tool)), "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.", "array_above_max_length", "tools", list(`"messages":[`+user+`],"tools":`, times(128, tool))},
		{"C4: ids", none, chat(user, strings.ReplaceAll(calls, `"a"`, `"`+strings.Repeat("a", 41)+`"`)), "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.", "string_above_max_length", "messages[1].tool_calls[0].id", chat(user, calls, one, two)},
		{"C4: names", none, chat(user, strings.ReplaceAll(calls, `"b"`, `"`+strings.Repeat("b", 65)+`"`)), "Invalid 'messages[1].tool_calls[0].function.name': string too long. Expected a string with maximum length 64,", "string_above_max_length", "messages[1].tool_calls[0].function.name", chat(user, calls, one, two)},
		{"C5: messages", none, chat(), "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.", "empty_array", "messages", chat(user)},
		{"C5: tool_calls", none, chat(user, `{"role":"assistant","content":"x","tool_calls":[]}`), "Invalid 'messages[1].tool_calls': empty array.", "empty_array", "messages[1].tool_calls", chat(user, `{"role":"assistant","content":"x","tool_calls":null}`)},
		{"roles", none, chat(`{"role":"model","content":"x"}`), "Invalid value: 'model'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", "invalid_value", "messages[0].role", chat(`{"role":"developer","content":"x"}`)},
		{"a role", none, chat(`{"content":"x"}`), "Missing required parameter: 'messages[0].role'.", "missing_required_parameter", "messages[0].role", chat(user)},
		{"content", none, chat(`{"role":"user","content":null}`), "Invalid value for 'content': expected a string, got null.", "", "messages.[0].content", chat(user, calls, one, two)},
		{"content of an answer", none, chat(user, `{"role":"assistant"}`), "Invalid value for 'content': expected a string, got null.", "", "messages.[1].content", chat(user, `{"role":"assistant","refusal":"No."}`)},
		{"content is a string or a list", none, chat(`{"role":"user","content":{}}`), "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got an object instead.", "invalid_type", "messages[0].content", chat(user)},
		{"content holds something", none, chat(`{"role":"user","content":[]}`), "Invalid 'messages[0].content': empty array.", "empty_array", "messages[0].content", chat(`{"role":"user","content":[{"type":"text","text":"x"}]}`)},
		{"parts have a type", none, chat(`{"role":"user","content":[{"text":"x"}]}`), "Missing required parameter: 'messages[0].content[0].type'.", "missing_required_parameter", "messages[0].content[0].type", chat(`{"role":"user","content":[{"type":"text","text":"x"}]}`)},
		{"parts of a known type", none, chat(`{"role":"user","content":[{"type":"input_text","text":"x"}]}`), "Invalid value: 'input_text'. Supported values are: 'text',", "invalid_value", "messages[0].content[0].type", chat(`{"role":"user","content":[{"type":"input_audio"}]}`)},
		{"a text is one", none, chat(`{"role":"user","content":[{"type":"text","text":7}]}`), "Invalid type for 'messages[0].content[0].text': expected a string, but got a number instead.", "invalid_type", "messages[0].content[0].text", chat(user)},
		{"images in results", none, chat(user, calls, one, strings.Replace(shows("tool", pixelURL), `{`, `{"tool_call_id":"c",`, 1)), "Invalid 'messages[3]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.", "invalid_value", "messages[3]", chat(user, calls, one, two, shows("user", pixelURL))},
		{"images in answers", none, chat(user, shows("assistant", pixelURL)), "Invalid 'messages[1]'. Image URLs are only allowed for messages with role 'user', but this message with role 'assistant' contains an image URL.", "invalid_value", "messages[1]", chat(shows("user", "https://example.org/a.png"))},
		{"images have a URL", none, chat(`{"role":"user","content":[{"type":"image_url"}]}`), "Missing required parameter: 'messages[0].content[0].image_url'.", "missing_required_parameter", "messages[0].content[0].image_url", chat(shows("user", pixelURL))},
		{"images can be read", none, chat(shows("user", dataURL([]byte("x")))), "You uploaded an unsupported image. Please make sure your image is valid.", "image_parse_error", "messages[0].content[0].image_url.url", chat(shows("user", dataURL(wiretest.GIF())))},
		{"bytes of an image", wire.Limits{ImageBytes: 100}, chat(shows("user", dataURL(wiretest.PNG(300, 200)))), "You uploaded an unsupported image. Please make sure your image is below 0 MB in size", "image_parse_error", "messages[0].content[0].image_url.url", chat(shows("user", dataURL(wiretest.PNG(1, 1))))},
		{"sides of an image", wire.Limits{SidePx: 6000}, chat(shows("user", dataURL(wiretest.PNG(6001, 1)))), "You uploaded an unsupported image. Please make sure your image is at most 6000 pixels", "image_parse_error", "messages[0].content[0].image_url.url", chat(shows("user", dataURL(wiretest.PNG(6000, 1))))},
		{"number of images", wire.Limits{Media: 1}, chat(shows("user", pixelURL), shows("user", pixelURL)), "Too many images in the request. Expected at most 1, but got 2 instead.", "array_above_max_length", "", chat(shows("user", pixelURL))},
		{"results name their call", none, chat(user, calls, one, `{"role":"tool","content":"2"}`), "Missing required parameter: 'messages[3].tool_call_id'.", "missing_required_parameter", "messages[3].tool_call_id", chat(user, calls, one, two)},
		{"calls have an id", none, chat(user, strings.Replace(calls, `"id":"a",`, "", 1), one, two), "Missing required parameter: 'messages[1].tool_calls[0].id'.", "missing_required_parameter", "messages[1].tool_calls[0].id", chat(user, calls, one, two)},
		{"arguments", none, chat(user, strings.Replace(calls, `,"arguments":"{}"`, "", 1), one, two), "Missing required parameter: 'messages[1].tool_calls[0].function.arguments'.", "missing_required_parameter", "messages[1].tool_calls[0].function.arguments", chat(user, calls, one, two)},
		{"arguments are a string", none, chat(user, strings.Replace(calls, `"{}"`, `{}`, 1), one, two), "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.", "invalid_type", "messages[1].tool_calls[0].function.arguments", chat(user, calls, one, two)},
		{"names of calls", none, chat(user, strings.Replace(calls, `"b"`, `"b.c"`, 1), one, two), "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", "invalid_value", "messages[1].tool_calls[0].function.name", chat(user, calls, one, two)},
		{"names of tools", none, list(`"messages":[`+user+`],"tools":`, `{"type":"function","function":{"name":""}}`), "Invalid 'tools[0].function.name': string does not match pattern.", "invalid_value", "tools[0].function.name", list(`"messages":[`+user+`],"tools":`, `{"type":"custom"}`)},
		{"keys of the body", keys, list(`"max":1,"messages":`, user), "Unknown parameter: 'max'.", "unknown_parameter", "max", list(`"seed":1,"messages":`, user)},
		{"keys of a message", keys, chat(`{"role":"user","content":"x","id":"1"}`), "Unknown parameter: 'messages[0].id'.", "unknown_parameter", "messages[0].id", chat(`{"role":"user","content":"x","name":"me"}`)},
		{"keys of a part", keys, chat(`{"role":"user","content":[{"type":"text","text":"x","cache_control":{}}]}`), "Unknown parameter: 'messages[0].content[0].cache_control'.", "unknown_parameter", "messages[0].content[0].cache_control", chat(`{"role":"user","content":[{"type":"text","text":"x","prompt_cache_breakpoint":{}}]}`)},
		{"keys of a call", keys, chat(user, strings.Replace(calls, `"id":"a"`, `"id":"a","n":1`, 1), one, two), "Unknown parameter: 'messages[1].tool_calls[0].n'.", "unknown_parameter", "messages[1].tool_calls[0].n", chat(user, calls, one, two)},
		{"tokens of the answer", wire.Limits{MaxOutput: 16384}, list(`"max_completion_tokens":100000,"messages":`, user), "max_completion_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.", "invalid_value", "max_completion_tokens", list(`"max_tokens":16384,"messages":`, user)},
		{"size", wire.Limits{BodyBytes: len(chat(user))}, chat(user, user), "Request body too large", "", "", chat(user)},
	})
}

func TestCheckResponsesRefusesInTheWordsOfTheAPI(t *testing.T) {
	input := func(items ...string) string { return list(`"store":false,"input":`, items...) }
	none, keys := wire.Limits{}, wire.Limits{StrictKeys: true}
	const (
		user      = `{"role":"user","content":"x"}`
		says      = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"y"}]}`
		call      = `{"type":"function_call","call_id":"a","name":"b","arguments":"{}"}`
		output    = `{"type":"function_call_output","call_id":"a","output":"1"}`
		reasoning = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAAA12345"}`
		unkept    = `{"type":"reasoning","id":"rs_1","summary":[]}`
	)
	shows := func(url string) string {
		return `{"role":"user","content":[{"type":"input_image","image_url":"` + url + `"}]}`
	}
	forged := wire.Limits{Thinking: func(s wire.SentThinking) wire.Judgement {
		return wire.Judgement{Forged: string(s.Block) == `"gAAAAA12345"`}
	}}
	notFound := "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input."
	dangling := "Item 'rs_1' of type 'reasoning' was provided without its required following item."
	checkRules(t, openai.CheckResponses, []rule{
		{"JSON", none, input(user) + `x`, "We could not parse the JSON body of your request: ", "", "", input(user)},
		{"model", none, `{"input":"x"}`, "Missing required parameter: 'model'.", "missing_required_parameter", "model", `{"model":"m","input":"x"}`},
		{"input", none, `{"model":"m"}`, "Missing required parameter: 'input'.", "missing_required_parameter", "input", input(user)},
		{"input is a string or a list", none, `{"model":"m","input":{}}`, "Invalid type for 'input': expected one of a string or array of input items, but got an object instead.", "invalid_type", "input", input(user)},
		{"input holds something", none, input(), "Invalid 'input': empty array.", "empty_array", "input", input(user)},
		{"items are objects", none, input(`"x"`), "Invalid type for 'input[0]': expected an object, but got a string instead.", "invalid_type", "input[0]", input(user)},
		{"items have a type", none, input(`{"id":"x"}`), "Missing required parameter: 'input[0].type'.", "missing_required_parameter", "input[0].type", input(`{"type":"new_kind"}`)},
		{"orphaned call", none, input(user, call), "No tool output found for function call a.", "", "input", input(user, call, output)},
		{"orphaned output", none, input(user, output), "No tool call found for function call output with call_id a.", "", "input", input(user, call, user, output)},
		{"output before its call", none, input(user, output, call), "No tool call found for function call output with call_id a.", "", "input", `{"model":"m","previous_response_id":"r","input":[` + output + `]}`},
		{"two outputs", none, input(user, call, output, output), "No tool call found for function call output with call_id a.", "", "input", input(user, call, output)},
		{"reasoning at the end", none, input(user, reasoning), dangling, "", "input", input(user, reasoning, says)},
		{"reasoning before a prompt", none, input(user, reasoning, user), dangling, "", "input", input(user, reasoning, reasoning, call, output)},
		{"reasoning before an output", none, input(user, call, reasoning, output), dangling, "", "input", input(user, reasoning, call, output)},
		{"reasoning without a summary", none, input(user, strings.Replace(reasoning, `"summary":[],`, "", 1), says), "Missing required parameter: 'input[1].summary'.", "missing_required_parameter", "input[1].summary", input(user, reasoning, says)},
		{"reasoning that was not stored", none, input(user, unkept, says), notFound, "", "input", list(`"input":`, user, unkept, says)},
		{"items that were not stored", none, input(user, `{"type":"item_reference","id":"rs_1"}`), notFound, "", "input", list(`"store":true,"input":`, user, `{"type":"item_reference","id":"rs_1"}`)},
		{"forged reasoning", forged, input(user, reasoning, says), "The encrypted content gAAA...2345 could not be verified. Reason: Encrypted content could not be decrypted or parsed.", "invalid_encrypted_content", "", input(user, strings.Replace(reasoning, "12345", "1234", 1), says)},
		{"call ids", none, input(strings.ReplaceAll(call, `"a"`, `"`+strings.Repeat("a", 65)+`"`)), "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.", "string_above_max_length", "input[0].call_id", input(call, output)},
		{"call ids are there", none, input(strings.Replace(call, `"call_id":"a",`, "", 1), output), "Missing required parameter: 'input[0].call_id'.", "missing_required_parameter", "input[0].call_id", input(call, output)},
		{"names of calls", none, input(strings.Replace(call, `"b"`, `"b c"`, 1), output), "Invalid 'input[0].name': string does not match pattern.", "invalid_value", "input[0].name", input(call, output)},
		{"arguments", none, input(strings.Replace(call, `,"arguments":"{}"`, "", 1), output), "Missing required parameter: 'input[0].arguments'.", "missing_required_parameter", "input[0].arguments", input(call, output)},
		{"arguments are a string", none, input(strings.Replace(call, `"{}"`, `{}`, 1), output), "Invalid type for 'input[0].arguments': expected a string, but got an object instead.", "invalid_type", "input[0].arguments", input(call, output)},
		{"output", none, input(call, strings.Replace(output, `,"output":"1"`, "", 1)), "Missing required parameter: 'input[1].output'.", "missing_required_parameter", "input[1].output", input(call, output)},
		{"parts of an output", none, input(call, strings.Replace(output, `"1"`, `[{"type":"output_text","text":"1"}]`, 1)), "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', 'input_file'.", "invalid_value", "input[1].output[0]", input(call, strings.Replace(output, `"1"`, `[{"type":"input_text","text":"1"},{"type":"input_image","image_url":"`+pixelURL+`"}]`, 1))},
		{"roles", none, input(`{"role":"tool","content":"x"}`), "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.", "invalid_value", "input[0].role", input(`{"role":"developer","content":"x"}`)},
		{"content", none, input(`{"role":"user"}`), "Missing required parameter: 'input[0].content'.", "missing_required_parameter", "input[0].content", input(user)},
		{"content holds something", none, input(`{"role":"user","content":[]}`), "Invalid 'input[0].content': empty array.", "empty_array", "input[0].content", input(user)},
		{"parts of a user", none, input(`{"role":"user","content":[{"type":"text","text":"x"}]}`), "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', 'input_file', 'input_audio'.", "invalid_value", "input[0].content[0]", input(`{"role":"user","content":[{"type":"input_text","text":"x"}]}`)},
		{"parts of an answer", none, input(`{"role":"assistant","content":[{"type":"input_text","text":"x"}]}`), "Invalid value: 'input_text'. Supported values are: 'output_text', 'refusal'.", "invalid_value", "input[0].content[0]", input(says)},
		{"parts are objects", none, input(`{"role":"user","content":["x"]}`), "Invalid type for 'input[0].content[0]': expected an object, but got a string instead.", "invalid_type", "input[0].content[0]", input(user)},
		{"images can be read", none, input(shows(dataURL([]byte("x")))), "You uploaded an unsupported image. Please make sure your image is valid.", "image_parse_error", "input[0].content[0].image_url", input(shows(pixelURL))},
		{"number of images", wire.Limits{Media: 1}, input(shows(pixelURL), call, strings.Replace(output, `"1"`, `[{"type":"input_image","image_url":"`+pixelURL+`"}]`, 1)), "Too many images in the request. Expected at most 1, but got 2 instead.", "array_above_max_length", "", input(shows(pixelURL))},
		{"names of tools", none, list(`"input":"x","tools":`, `{"type":"function","name":"a.b"}`), "Invalid 'tools[0].name': string does not match pattern.", "invalid_value", "tools[0].name", list(`"input":"x","tools":`, `{"type":"web_search"}`)},
		{"number of tools", wire.Limits{Tools: 1}, list(`"input":"x","tools":`, `{"type":"web_search"}`, `{"type":"web_search"}`), "Invalid 'tools': array too long.", "array_above_max_length", "tools", list(`"input":"x","tools":`, `{"type":"web_search"}`)},
		{"keys of the body", keys, list(`"messages":[],"input":`, user), "Unknown parameter: 'messages'.", "unknown_parameter", "messages", list(`"include":[],"input":`, user)},
		{"least tokens of the answer", none, list(`"max_output_tokens":15,"input":`, user), "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead.", "integer_below_min_value", "max_output_tokens", list(`"max_output_tokens":16,"input":`, user)},
		{"most tokens of the answer", wire.Limits{MaxOutput: 100}, list(`"max_output_tokens":101,"input":`, user), "max_output_tokens is too large: 101.", "invalid_value", "max_output_tokens", list(`"max_output_tokens":100,"input":`, user)},
		{"size", wire.Limits{BodyBytes: len(input(user))}, input(user, user), "Request body too large", "", "", input(user)},
	})
}

func TestStatusesOfOpenAI(t *testing.T) {
	nobody := wire.Limits{KnownModel: func(string) bool { return false }}
	for _, c := range []struct {
		r    *wire.Refusal
		want int
	}{
		{openai.CheckChat([]byte(list(`"messages":`, `{"role":"user","content":"x"}`)), nobody), 404},
		{openai.CheckResponses([]byte(list(`"store":false,"input":`, `{"type":"item_reference","id":"x"}`)), wire.Limits{}), 404},
		{openai.CheckResponses([]byte(list(`"input":`)), wire.Limits{BodyBytes: 1}), 413},
		{openai.CheckChat([]byte(list(`"messages":`)), wire.Limits{}), 400},
	} {
		if c.r == nil || c.r.Status != c.want || c.r.Type != "invalid_request_error" {
			t.Errorf("got %+v, want status %d", c.r, c.want)
		}
	}
}

func FuzzCheckChat(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + pixelURL + `"}}]},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"b","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"}]}`))
	fuzzCheck(f, openai.CheckChat)
}

func FuzzCheckResponses(f *testing.F) {
	f.Add([]byte(`{"model":"m","store":false,"input":[{"role":"user","content":"x"},{"type":"reasoning","id":"r","summary":[],"encrypted_content":"e"},{"type":"function_call","call_id":"a","name":"b","arguments":"{}"},{"type":"function_call_output","call_id":"a","output":[{"type":"input_image","image_url":"` + pixelURL + `"}]}]}`))
	fuzzCheck(f, openai.CheckResponses)
}

// fuzzCheck holds a checker to this: limits only ever refuse more.
func fuzzCheck(f *testing.F, check func([]byte, wire.Limits) *wire.Refusal) {
	f.Fuzz(func(t *testing.T, body []byte) {
		limits := openai.Limits()
		limits.StrictKeys, limits.Thinking = true, func(wire.SentThinking) wire.Judgement { return wire.Judgement{} }
		if loose := check(body, wire.Limits{}); loose != nil && check(body, limits) == nil {
			t.Fatalf("limits took back: %s", loose.Message)
		}
	})
}
