package provider

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// said is what the body of a refusal says. Servers agree on little: the error
// is an object or a string, in a member or on its own, in an array, or inside an
// event.
type said struct {
	message string
	// codes are the words meant for programs, joined: type, code, status.
	codes string
	// status is a number that stands for an HTTP status; 0 if there is none.
	status int
	param  string
	// used and limit are tokens where they have members of their own (llama.cpp).
	used, limit int
	retryDelay  string // of Google's RetryInfo, such as 37s
	today       bool   // Google's quota of a day is used up, whatever the delay says
	requestID   string
	empty, html bool
}

// maxMessage is how much of a message is kept, in bytes. Some servers send the
// whole request back.
const maxMessage = 4 << 10

func readBody(body []byte) said {
	var s said
	body = bytes.TrimSpace(body)
	switch {
	case len(body) == 0:
		s.empty = true
	case !s.value(body):
		s.html = isPage(body)
		s.message = string(body)
	}
	if len(s.message) > maxMessage {
		s.message = s.message[:maxMessage]
	}
	s.message = strings.ToValidUTF8(strings.TrimSpace(s.message), "")
	return s
}

// isPage reports whether a body is HTML or XML. (DashScope begins its words with
// <400>.)
func isPage(body []byte) bool {
	if len(body) < 2 || body[0] != '<' {
		return false
	}
	next := body[1]
	return next == '!' || next == '?' || 'a' <= next|0x20 && next|0x20 <= 'z'
}

// value reads an error in JSON; false if it is none.
func (s *said) value(json []byte) bool {
	if !rawjson.Valid(json) {
		return false
	}
	switch json[0] {
	case '"':
		s.say(rawjson.Text(json))
	case '[':
		_ = rawjson.Elements(json, func(v []byte) error { // valid, as just checked
			s.value(v)
			return rawjson.ErrStop
		})
	case '{':
		s.object(json)
	}
	return true
}

func (s *said) object(json []byte) {
	_ = rawjson.Members(json, func(key string, v []byte) error { // valid
		switch key {
		case "error", "response": // response.failed has the error one level deeper
			if v[0] == '{' || v[0] == '"' {
				s.value(v)
			}
		case "message", "msg", "detail", "error_message":
			if v[0] == '[' { // of FastAPI, a list of faults
				s.value(v)
				break
			}
			s.say(rawjson.Text(v))
		case "type", "__type", "code", "status", "object", "error_code", "reason": // __type: AWS
			s.code(v)
		case "param":
			s.param = rawjson.Text(v)
		case "request_id", "requestId":
			s.requestID = rawjson.Text(v)
		case "n_prompt_tokens":
			s.used = int(rawjson.Int(v))
		case "n_ctx":
			s.limit = int(rawjson.Int(v))
		case "retryDelay":
			s.retryDelay = rawjson.Text(v)
		case "details":
			s.details(v)
		case "metadata": // OpenRouter: what the provider behind it said
			if raw := rawjson.Text(rawjson.Get(v, "raw")); raw != "" {
				s.message += " " + raw
			}
		}
		return nil
	})
}

// details are an object (Anthropic) or a list of them (Google).
func (s *said) details(json []byte) {
	if json[0] == '{' {
		s.object(json)
		return
	}
	_ = rawjson.Elements(json, func(v []byte) error {
		s.retryDelay += rawjson.Text(rawjson.Get(v, "retryDelay"))
		if reason := rawjson.Get(v, "reason"); reason != nil {
			s.code(reason)
		}
		_ = rawjson.Elements(rawjson.Get(v, "violations"), func(v []byte) error { // valid, or not there
			s.today = s.today || strings.Contains(rawjson.Text(rawjson.Get(v, "quotaId")), "PerDay")
			return nil
		})
		return nil
	})
}

// say keeps the first message: the outer one, of those that hold another.
func (s *said) say(message string) {
	if strings.TrimSpace(s.message) == "" {
		s.message = message
	}
}

func (s *said) code(v []byte) {
	code := rawjson.Text(v)
	if code == "" {
		code = string(v)
	}
	s.codes += " " + strings.ToLower(code)
	if n, err := strconv.Atoi(code); err == nil && n >= 400 && n < 600 {
		s.status = n
	}
}

// requestID returns how the provider's support finds the request.
func requestID(h http.Header, s said) string {
	for _, name := range []string{"Request-Id", "X-Request-Id", "Cf-Ray"} {
		if id := h.Get(name); id != "" {
			return id
		}
	}
	return s.requestID
}
