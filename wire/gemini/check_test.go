package gemini_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/gemini"
	"github.com/stemma-history/stemma/wire/wiretest"
)

const (
	callAfterUser     = "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
	responseAfterCall = "Please ensure that function response turn comes immediately after a function call turn."
	asManyResponses   = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
)

func bodyOf(contents ...string) string { return `{"contents":[` + strings.Join(contents, ",") + `]}` }

func content(role string, parts ...string) string {
	return `{"role":"` + role + `","parts":[` + strings.Join(parts, ",") + `]}`
}

func blob(mediaType string, data []byte) string {
	return `{"inlineData":{"mimeType":"` + mediaType + `","data":"` + base64.StdEncoding.EncodeToString(data) + `"}}`
}

// TestCheckRefusesInTheWordsOfTheAPI: each rule with a body that breaks it, and
// the nearest one that does not.
func TestCheckRefusesInTheWordsOfTheAPI(t *testing.T) {
	none, keys, signed := wire.Limits{}, wire.Limits{StrictKeys: true}, wire.Limits{CallSignatures: true}
	const (
		said     = `{"text":"x"}`
		called   = `{"functionCall":{"name":"Bash","args":{}}}`
		sealed   = `{"functionCall":{"name":"Bash","args":{}},"thoughtSignature":"c2ln"}`
		response = `{"functionResponse":{"name":"Bash","response":{"output":""}}}`
		oneof    = ".data: required oneof field 'data' must have one initialized field\n" //nolint:misspell // the API's words
	)
	user, model := content("user", said), content("model", said)
	forged := wire.Limits{Thinking: func(s wire.SentThinking) wire.Judgement {
		return wire.Judgement{Forged: string(s.Block) == "Zm9yZ2Vk"}
	}}
	missing := "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:Bash`, position 2."
	for _, c := range []struct {
		rule    string
		limits  wire.Limits
		refused string
		want    string
		taken   string
	}{
		{"JSON", none, bodyOf(user) + "]", "Invalid JSON payload received. ", bodyOf(user)},
		{"surrogates", none, bodyOf(content("user", `{"text":"\ud83d"}`)), "Invalid JSON payload received. no low surrogate", bodyOf(content("user", `{"text":"\ud83d\ude00"}`))},
		{"contents", none, `{}`, "* GenerateContentRequest.contents: contents is not specified\n", bodyOf(user)},
		{"contents hold something", none, bodyOf(), "* GenerateContentRequest.contents: contents is not specified\n", `{"contents":` + user + `}`},
		{"contents are objects", none, bodyOf(`"x"`), "Invalid value at 'contents[0]' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content), expected an object", bodyOf(user)},
		{"roles", none, bodyOf(content("assistant", said)), "Please use a valid role: user, model.", bodyOf(`{"parts":[` + said + `]}`)},
		{"parts", none, bodyOf(user, content("model")), "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n", bodyOf(user, model)},
		{"parts hold something", none, bodyOf(content("user", said, `{}`)), "* GenerateContentRequest.contents[0].parts[1]" + oneof, bodyOf(user)},
		{"texts say something", none, bodyOf(content("user", `{"text":""}`)), "* GenerateContentRequest.contents[0].parts[0]" + oneof, bodyOf(user, content("model", `{"text":"","thoughtSignature":"c2ln"}`))},
		{"names of calls", none, bodyOf(user, content("model", `{"functionCall":{"args":{}}}`), content("user", response)), "* GenerateContentRequest.contents[1].parts[0].function_call.name: Name cannot be empty.\n", bodyOf(user, content("model", called), content("user", response))},
		{"names of responses", none, bodyOf(user, content("model", called), content("user", `{"functionResponse":{"response":{}}}`)), "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n", bodyOf(user, content("model", called), content("user", response))},
		{"args", none, bodyOf(user, content("model", `{"functionCall":{"name":"Bash","args":"{}"}}`), content("user", response)), `Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct), "{}"`, bodyOf(user, content("model", `{"functionCall":{"name":"Bash","args":null}}`), content("user", response))},
		{"responses are objects", none, bodyOf(user, content("model", called), content("user", `{"functionResponse":{"name":"Bash","response":"x"}}`)), `Invalid value at 'contents[2].parts[0].function_response.response' (type.googleapis.com/google.protobuf.Struct), "x"`, bodyOf(user, content("model", called), content("user", response))},

		{"as many responses as calls", none, bodyOf(user, content("model", called, called), content("user", response)), asManyResponses, bodyOf(user, content("model", called, called), content("user", response, response))},
		{"responses in one content", none, bodyOf(user, content("model", called, called), content("user", response), content("user", response)), asManyResponses, bodyOf(user, content("model", said, called), content("user", response), user)},
		{"nothing beside responses", none, bodyOf(user, content("model", called), content("user", response, said)), asManyResponses, bodyOf(user, content("model", called), content("user", response), content("user", said))},
		{"calls are answered", none, bodyOf(user, content("model", called), user), asManyResponses, bodyOf(user, content("model", called), content("function", response), user)},
		{"calls at the end are answered", none, bodyOf(user, content("model", called)), asManyResponses, bodyOf(user, content("model", called), content("user", response))},
		{"begins with a call", none, bodyOf(content("model", called), content("user", response)), callAfterUser, bodyOf(user, content("model", called), content("user", response))},
		{"a call after an answer", none, bodyOf(user, model, content("model", called), content("user", response)), callAfterUser, bodyOf(user, content("model", called), content("user", response), content("model", called), content("user", response))},
		{"a response without a call", none, bodyOf(user, model, content("user", response)), responseAfterCall, bodyOf(user, model, user)},
		{"begins with a response", none, bodyOf(content("user", response)), responseAfterCall, bodyOf(user)},

		{"signatures", signed, bodyOf(user, content("model", called), content("user", response)), missing, bodyOf(user, content("model", sealed, called), content("user", response, response))},
		{"signatures of each step", signed, bodyOf(user, content("model", sealed), content("user", response), content("model", called), content("user", response)), strings.Replace(missing, "position 2", "position 4", 1), bodyOf(user, content("model", called), content("user", response), user)},
		{"signatures on the first call", signed, bodyOf(user, content("model", called, sealed), content("user", response, response)), missing, bodyOf(user, content("model", `{"functionCall":{"name":"Bash"},"thoughtSignature":"skip_thought_signature_validator"}`), content("user", response))},
		{"signatures are base64", none, bodyOf(user, content("model", `{"text":"x","thoughtSignature":"!"}`)), `Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for "!"`, bodyOf(user, content("model", `{"text":"x","thoughtSignature":"c2ln"}`))},
		{"forged signatures", forged, bodyOf(user, content("model", `{"text":"x","thoughtSignature":"Zm9yZ2Vk"}`)), "Corrupted thought signature.", bodyOf(user, content("model", `{"text":"x","thoughtSignature":"c2ln"}`))},

		{"types of images", none, bodyOf(content("user", blob("image/gif", wiretest.GIF()))), "Unsupported MIME type: image/gif", bodyOf(content("user", blob("image/heic", []byte("ftypheic"))))},
		{"images can be read", none, bodyOf(content("user", blob("image/png", []byte("x")))), "Provided image is not valid.", bodyOf(content("user", blob("image/png", wiretest.PNG(1, 1))))},
		{"images in responses can be read", none, bodyOf(user, content("model", called), content("user", `{"functionResponse":{"name":"Bash","parts":[`+blob("image/png", []byte("x"))+`]}}`)), "Provided image is not valid.", bodyOf(user, content("model", called), content("user", `{"functionResponse":{"name":"Bash","parts":[`+blob("image/png", wiretest.PNG(1, 1))+`]}}`))},
		{"base64", none, bodyOf(content("user", `{"inlineData":{"mimeType":"audio/wav","data":"!"}}`)), `Invalid value at 'contents[0].parts[0].inline_data.data' (TYPE_BYTES), Base64 decoding failed for "!"`, bodyOf(content("user", blob("audio/wav", []byte("x"))))},
		{"bytes of an image", wire.Limits{ImageBytes: 100}, bodyOf(content("user", blob("image/png", wiretest.PNG(300, 200)))), "Unable to process input image.", bodyOf(content("user", blob("image/png", wiretest.PNG(1, 1))))},
		{"number of images", wire.Limits{Media: 1}, bodyOf(content("user", blob("image/png", wiretest.PNG(1, 1)), blob("image/png", wiretest.PNG(1, 1)))), "The request has 2 images, but at most 1 are supported.", bodyOf(content("user", blob("image/png", wiretest.PNG(1, 1))))},

		{"names of functions", none, `{"tools":[{"functionDeclarations":[{"name":"9"}]}],"contents":[` + user + `]}`, "* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name. Must start with a letter or an underscore.", `{"tools":[{"functionDeclarations":[{"name":"_9.a:b-c"}]},{"googleSearch":{}}],"contents":[` + user + `]}`},
		{"number of functions", wire.Limits{Tools: 1}, `{"tools":[{"functionDeclarations":[{"name":"a"},{"name":"b"}]}],"contents":[` + user + `]}`, "* GenerateContentRequest.tools: at most 1 function declarations are supported, got 2.\n", `{"tools":[{"functionDeclarations":[{"name":"a"}]}],"contents":[` + user + `]}`},
		{"keys of the body", keys, `{"messages":[],"contents":[` + user + `]}`, `Invalid JSON payload received. Unknown name "messages": Cannot find field.`, `{"toolConfig":{},"contents":[` + user + `]}`},
		{"keys of a part", keys, bodyOf(content("user", `{"text":"x","type":"text"}`)), `Invalid JSON payload received. Unknown name "type" at 'contents[0].parts[0]': Cannot find field.`, bodyOf(content("user", `{"text":"x","thought":true}`))},
		{"keys of a call", keys, bodyOf(user, content("model", `{"functionCall":{"name":"Bash","arguments":{}}}`), content("user", response)), `Invalid JSON payload received. Unknown name "arguments" at 'contents[1].parts[0].function_call': Cannot find field.`, bodyOf(user, content("model", called), content("user", response))},
		{"tokens of the answer", wire.Limits{MaxOutput: 65536}, `{"contents":[` + user + `],"generationConfig":{"maxOutputTokens":100000}}`, "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive).", `{"contents":[` + user + `],"generationConfig":{"maxOutputTokens":65536}}`},
		{"size", wire.Limits{BodyBytes: len(bodyOf(user))}, bodyOf(user, user), "Request payload size exceeds the limit: ", bodyOf(user)},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if r := gemini.Check([]byte(c.refused), c.limits); r == nil || !strings.HasPrefix(r.Message, c.want) || r.Type != "INVALID_ARGUMENT" || r.Status != 400 {
				t.Errorf("got  %+v\nwant %s\nfor  %.300s", r, c.want, c.refused)
			}
			if r := gemini.Check([]byte(c.taken), c.limits); r != nil {
				t.Errorf("refused with %s: %.300s", r.Message, c.taken)
			}
		})
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(bodyOf(content("user", `{"text":"x"}`, blob("image/png", wiretest.PNG(1, 1))), content("model", `{"functionCall":{"name":"a","args":{}},"thoughtSignature":"c2ln"}`), content("user", `{"functionResponse":{"name":"a","response":{},"parts":[]}}`))))
	f.Fuzz(func(t *testing.T, body []byte) {
		limits := gemini.Limits()
		limits.StrictKeys, limits.CallSignatures, limits.Thinking = true, true, func(wire.SentThinking) wire.Judgement { return wire.Judgement{Forged: true} }
		if loose := gemini.Check(body, wire.Limits{}); loose != nil && gemini.Check(body, limits) == nil {
			t.Fatalf("limits took back: %s", loose.Message)
		}
	})
}
