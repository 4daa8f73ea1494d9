package openai

import (
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/internal/verdict"
)

// The APIs are taken to check in this order.
const (
	stageShape = iota
	stageModel
	stagePairing
	stageMedia
	stageThinking
	stageParameters
)

// Codes of the API's errors.
const (
	codeEmptyArray   = "empty_array"
	codeArrayLong    = "array_above_max_length"
	codeStringLong   = "string_above_max_length"
	codeMissing      = "missing_required_parameter"
	codeType         = "invalid_type"
	codeValue        = "invalid_value"
	codeUnknown      = "unknown_parameter"
	codeModel        = "model_not_found"
	codeImageFormat  = "invalid_image_format"
	codeImageParse   = "image_parse_error"
	codeBelowMinimum = "integer_below_min_value"
	codeEncrypted    = "invalid_encrypted_content"
)

// checker is what the checkers of both wires have in common.
type checker struct {
	limits wire.Limits
	r      *rawjson.Reader
	stages verdict.Stages

	model        string
	hasModel     bool
	maxTokens    []byte
	maxTokensKey string
}

func newChecker(body []byte, limits wire.Limits) *checker {
	return &checker{limits: limits, r: rawjson.NewReader(body)}
}

// tooLarge refuses a body for its size alone.
func tooLarge(body []byte, limits wire.Limits) *wire.Refusal {
	if limits.BodyBytes > 0 && len(body) > limits.BodyBytes {
		return &wire.Refusal{Status: 413, Type: "invalid_request_error", Message: "Request body too large"}
	}
	return nil
}

// verdict returns the first refusal, after the whole body has been read. fault
// says why it is no JSON, empty if it is; images is how many there are.
func (c *checker) verdict(fault string, images int) *wire.Refusal {
	if fault != "" {
		return refusal("", "", "We could not parse the JSON body of your request: %s.", fault)
	}
	c.parameters(images)
	return c.stages.First()
}

func refusal(code, param, format string, args ...any) *wire.Refusal {
	return &wire.Refusal{Status: 400, Type: "invalid_request_error", Code: code, Param: param, Message: fmt.Sprintf(format, args...)}
}

func (c *checker) refuse(stage int, code, param, format string, args ...any) {
	if c.stages.Open(stage) {
		c.stages.Add(stage, refusal(code, param, format, args...))
	}
}

// object reads the members of the next value, which is at path.
func (c *checker) object(path verdict.Path, f func(key []byte) (known bool)) {
	if c.r.Kind() != '{' {
		c.wrongType(path, "an object")
		return
	}
	c.r.Object(func(key []byte) {
		if !f(key) && c.limits.StrictKeys {
			name := path.Member(string(key)).String()
			c.refuse(stageShape, codeUnknown, name, "Unknown parameter: '%s'.", name)
		}
	})
}

// wrongType refuses the next value for its type, and reads it.
func (c *checker) wrongType(path verdict.Path, want string) {
	got := kindName(c.r.Kind())
	c.r.Value()
	c.refuse(stageShape, codeType, path.String(), "Invalid type for '%s': expected %s, but got %s instead.", path, want, got)
}

func kindName(first byte) string {
	switch first {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// text reads the next value, a string: a member of what is at path.
func (c *checker) text(path verdict.Path, member string) []byte {
	if c.r.Kind() != '"' {
		c.wrongType(path.Member(member), "a string")
		return nil
	}
	return c.r.Value()
}

func (c *checker) missing(path verdict.Path) {
	c.refuse(stageShape, codeMissing, path.String(), "Missing required parameter: '%s'.", path)
}

// id checks the id of a call, a member of what is at path, and returns it
// decoded.
func (c *checker) id(value []byte, path verdict.Path, member string, maxLen int) string {
	id := string(verdict.Inside(value))
	switch {
	case value == nil:
		c.missing(path.Member(member))
	case len(id) > maxLen:
		path = path.Member(member)
		c.refuse(stageShape, codeStringLong, path.String(), "Invalid '%s': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", path, maxLen, len(id))
	}
	return id
}

// name checks the name of a function, a member of what is at path.
func (c *checker) name(value []byte, path verdict.Path, member string) {
	name := verdict.Inside(value)
	fits := wire.IDRule{MaxLen: maxNameLen, Punctuation: "_-"}.Valid(string(name))
	switch path = path.Member(member); {
	case value == nil:
		c.missing(path)
	case len(name) > maxNameLen:
		c.refuse(stageShape, codeStringLong, path.String(), "Invalid '%s': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", path, maxNameLen, len(name))
	case !fits:
		c.refuse(stageShape, codeValue, path.String(), "Invalid '%s': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", path)
	}
}

// kindOf returns a type or a role; the frequent ones without a copy.
func kindOf(value []byte) string {
	switch string(value) {
	case `"text"`:
		return "text"
	case `"message"`:
		return "message"
	case `"function_call"`:
		return "function_call"
	case `"function_call_output"`:
		return "function_call_output"
	case `"input_text"`:
		return "input_text"
	case `"output_text"`:
		return "output_text"
	case `"user"`:
		return "user"
	case `"assistant"`:
		return "assistant"
	case `"tool"`:
		return "tool"
	}
	return rawjson.Text(value)
}

// image checks an image given by a URL. Only data URLs show more.
func (c *checker) image(url []byte, path verdict.Path) {
	_, data, ok := verdict.DataURL(verdict.Inside(url))
	if !ok {
		return
	}
	img := verdict.ReadImage(data)
	switch l := c.limits; {
	case img.Type == "":
		c.refuse(stageMedia, codeImageParse, path.String(), "You uploaded an unsupported image. Please make sure your image is valid.")
	case !slices.Contains(imageTypes(), img.Type):
		c.refuse(stageMedia, codeImageFormat, path.String(), "You uploaded an unsupported image. Please make sure your image has of one the following formats: [%s].", imageTypeList)
	case l.ImageBytes > 0 && len(data) > l.ImageBytes:
		c.refuse(stageMedia, codeImageParse, path.String(), "You uploaded an unsupported image. Please make sure your image is below %d MB in size and is of one the following formats: [%s].", l.ImageBytes>>20, imageTypeList)
	case l.SidePx > 0 && max(img.WidthPx, img.HeightPx) > l.SidePx:
		c.refuse(stageMedia, codeImageParse, path.String(), "You uploaded an unsupported image. Please make sure your image is at most %d pixels on each side.", l.SidePx)
	}
}

func (c *checker) tools(count int) {
	if most := c.limits.Tools; most > 0 && count > most {
		c.refuse(stageShape, codeArrayLong, "tools", "Invalid 'tools': array too long. Expected an array with maximum length %d, but got an array with length %d instead.", most, count)
	}
}

// parameters checks what stands beside the content.
func (c *checker) parameters(images int) {
	l := c.limits
	switch {
	case !c.hasModel:
		c.missing(verdict.Path{}.Member("model"))
	case l.KnownModel != nil && !l.KnownModel(c.model) && c.stages.Open(stageModel):
		r := refusal(codeModel, "model", "The model `%s` does not exist or you do not have access to it.", c.model)
		r.Status = 404
		c.stages.Add(stageModel, r)
	}
	if l.Media > 0 && images > l.Media {
		c.refuse(stageMedia, codeArrayLong, "", "Too many images in the request. Expected at most %d, but got %d instead.", l.Media, images)
	}
	if tokens := rawjson.Int(c.maxTokens); l.MaxOutput > 0 && tokens > int64(l.MaxOutput) {
		c.refuse(stageParameters, codeValue, c.maxTokensKey, "%s is too large: %d. This model supports at most %d completion tokens, whereas you provided %d.", c.maxTokensKey, tokens, l.MaxOutput, tokens)
	}
}
