package gemini

import (
	"slices"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/internal/verdict"
)

// part is what the checker looks at in a part.
type part struct {
	signature      []byte // inside its quotes; nil where absent
	hasData        bool
	call, response bool
	name           string // of the call
	emptyText      bool
}

func (c *checker) readContents() {
	switch c.r.Kind() {
	case '[':
		c.thread.Elements(c.r, &c.done, progress.clone, c.content)
	case '{':
		c.content(0) // the JSON form of messages allows one for a list of one
	default:
		c.r.Value()
	}
}

func (c *checker) content(n int) {
	c.done.contents++
	c.parts = c.parts[:0]
	role := ""
	at := verdict.Path{}.Item("contents", n)
	c.object("type.googleapis.com/google.ai.generativelanguage.v1beta.Content", at, func(key []byte) bool {
		switch string(key) {
		case "role":
			role = roleOf(c.r.Value())
		case "parts":
			c.readParts(at)
		default:
			return false
		}
		return true
	})
	switch role {
	case "user", "model", "function", "":
	default:
		c.refuse(stageShape, "Please use a valid role: user, model.")
	}
	if len(c.parts) == 0 {
		c.refuse(stageShape, "* GenerateContentRequest.%s.parts: contents.parts must not be empty.\n", at)
	}
	c.done.turns.next(c, role == "model")
	c.signatures(n, role == "model")
}

// roleOf returns a role; the frequent ones without a copy.
func roleOf(value []byte) string {
	switch string(value) {
	case `"user"`:
		return "user"
	case `"model"`:
		return "model"
	}
	return rawjson.Text(value)
}

func (c *checker) readParts(content verdict.Path) {
	switch c.r.Kind() {
	case '[':
		c.r.Array(func(k int) { c.part(content.Item("parts", k)) })
	case '{':
		c.part(content.Item("parts", 0))
	default:
		c.r.Value()
	}
}

func (c *checker) part(at verdict.Path) {
	var p part
	c.object("type.googleapis.com/google.ai.generativelanguage.v1beta.Part", at, func(key []byte) bool {
		switch string(key) {
		case "text":
			empty, _ := verdict.Blank(c.r.Value())
			p.emptyText, p.hasData = empty, true
		case "functionCall", "function_call":
			p.call, p.hasData = true, true
			p.name = c.call(at)
		case "functionResponse", "function_response":
			p.response, p.hasData = true, true
			c.response(at)
		case "inlineData", "inline_data":
			p.hasData = true
			c.inline(at.Member("inline_data"))
		case "thoughtSignature", "thought_signature":
			p.signature = verdict.Inside(c.r.Value())
		case "fileData", "file_data", "executableCode", "executable_code", "codeExecutionResult", "code_execution_result", "toolCall", "tool_call", "toolResponse", "tool_response":
			p.hasData = true
		case "thought", "videoMetadata", "video_metadata", "mediaResolution", "media_resolution", "partMetadata", "part_metadata", "mediaProcessing", "media_processing":
		default:
			return false
		}
		return true
	})
	if !p.hasData || p.emptyText && len(p.signature) == 0 {
		c.refuse(stageShape, "* GenerateContentRequest.%s.data: required oneof field 'data' must have one initialized field\n", at) //nolint:misspell // the API's words
	}
	c.signature(at, &p)
	c.parts = append(c.parts, p)
}

func (c *checker) call(at verdict.Path) (name string) {
	at = at.Member("function_call")
	c.object("type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionCall", at, func(key []byte) bool {
		switch string(key) {
		case "name":
			name = rawjson.Text(c.r.Value())
		case "args":
			c.structure(at, "args")
		case "id", "partialArgs", "willContinue":
		default:
			return false
		}
		return true
	})
	if name == "" {
		c.refuse(stageShape, "* GenerateContentRequest.%s.name: Name cannot be empty.\n", at)
	}
	return name
}

// structure reads a member of what is at a place: an object, or null.
func (c *checker) structure(at verdict.Path, member string) {
	kind := c.r.Kind()
	value := c.r.Value()
	if kind != '{' && kind != 'n' {
		c.refuse(stageShape, "Invalid value at '%s.%s' (type.googleapis.com/google.protobuf.Struct), %s", at, member, value)
	}
}

func (c *checker) response(at verdict.Path) {
	at = at.Member("function_response")
	name := ""
	c.object("type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionResponse", at, func(key []byte) bool {
		switch string(key) {
		case "name":
			name = rawjson.Text(c.r.Value())
		case "response":
			c.structure(at, "response")
		case "parts":
			c.responseParts(at)
		case "id", "willContinue", "scheduling":
		default:
			return false
		}
		return true
	})
	if name == "" {
		c.refuse(stageShape, "* GenerateContentRequest.%s.name: Name cannot be empty.\n", at)
	}
}

func (c *checker) responseParts(at verdict.Path) {
	if c.r.Kind() != '[' {
		return
	}
	c.r.Array(func(i int) {
		at := at.Item("parts", i)
		c.object("type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionResponsePart", at, func(key []byte) bool {
			switch string(key) {
			case "inlineData", "inline_data":
				c.inline(at.Member("inline_data"))
			case "fileData", "file_data", "mediaProcessing", "media_processing":
			default:
				return false
			}
			return true
		})
	})
}

func (c *checker) inline(at verdict.Path) {
	var mediaType string
	var data []byte
	c.object("type.googleapis.com/google.ai.generativelanguage.v1beta.Blob", at, func(key []byte) bool {
		switch string(key) {
		case "mimeType", "mime_type":
			mediaType = rawjson.Text(c.r.Value())
		case "data":
			data = verdict.Inside(c.r.Value())
		case "displayName", "display_name":
		default:
			return false
		}
		return true
	})
	if !verdict.IsBase64(data) {
		c.refuse(stageShape, "Invalid value at '%s.data' (TYPE_BYTES), Base64 decoding failed for \"%s\"", at, data[:min(len(data), 64)])
		return
	}
	if len(mediaType) < 6 || mediaType[:6] != "image/" {
		return
	}
	c.done.images++
	if !slices.Contains(imageTypes(), mediaType) {
		c.refuse(stageMedia, "Unsupported MIME type: %s", mediaType)
		return
	}
	switch img, l := verdict.ReadImage(data), c.limits; {
	case img.Type == "" && mediaType != "image/heic" && mediaType != "image/heif":
		c.refuse(stageMedia, "Provided image is not valid.")
	case l.ImageBytes > 0 && len(data) > l.ImageBytes, l.SidePx > 0 && max(img.WidthPx, img.HeightPx) > l.SidePx:
		c.refuse(stageMedia, "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting")
	}
}

// signature checks a part's signature by itself.
func (c *checker) signature(at verdict.Path, p *part) {
	if p.signature == nil || string(p.signature) == noSignature || string(p.signature) == "context_engineering_is_the_way_to_go" {
		return
	}
	if !verdict.IsBase64(p.signature) {
		c.refuse(stageShape, "Invalid value at '%s.thought_signature' (TYPE_BYTES), Base64 decoding failed for \"%s\"", at, p.signature)
		return
	}
	if c.limits.Thinking != nil && c.limits.Thinking(wire.SentThinking{Block: p.signature}).Forged {
		c.refuse(stageSignatures, "Corrupted thought signature.")
	}
}

// signatures notes the first calls of the current turn that are not signed. It
// begins behind the last content of a user that is no result.
func (c *checker) signatures(n int, model bool) {
	if !model {
		if !slices.ContainsFunc(c.parts, func(p part) bool { return p.response }) {
			c.done.unsigned = nil
		}
		return
	}
	for _, p := range c.parts {
		if p.call {
			if len(p.signature) == 0 && c.done.unsigned == nil {
				c.done.unsigned = &unsigned{content: n, name: p.name}
			}
			return
		}
	}
}

// turns is the state of the order of contents.
type turns struct {
	started bool
	model   bool // the content before is a model's
	calls   int  // in the content before
}

const (
	callAfterUser     = "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
	responseAfterCall = "Please ensure that function response turn comes immediately after a function call turn."
	asManyResponses   = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
)

// next checks the content just read against the one before it.
func (t *turns) next(c *checker, model bool) {
	calls, responses := 0, 0
	for _, p := range c.parts {
		if p.call {
			calls++
		}
		if p.response {
			responses++
		}
	}
	switch {
	case responses > 0 && t.calls == 0:
		c.refuse(stageTurns, responseAfterCall)
	case responses != t.calls, responses > 0 && responses != len(c.parts):
		c.refuse(stageTurns, asManyResponses)
	case calls > 0 && (!t.started || t.model || !model):
		c.refuse(stageTurns, callAfterUser)
	}
	t.started, t.model, t.calls = true, model, calls
}

// end checks that the last calls have their responses.
func (t *turns) end(c *checker) {
	if t.calls > 0 {
		c.refuse(stageTurns, asManyResponses)
	}
}
