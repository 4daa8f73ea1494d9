package provider

import (
	"net/http"
	"regexp"
	"strings"
)

// A Response is a server's no, as far as it tells why.
type Response struct {
	Provider string
	// Status is that of HTTP; 200 where the error came inside an answer.
	Status int
	Header http.Header
	// Body is the whole body, or the event that holds the error.
	Body []byte
	// Estimate and Window are those of the [Request]. Some servers refuse
	// without a word, and only the size of the prompt tells why.
	Estimate, Window int
	// TooLong is that of the [Settings].
	TooLong *regexp.Regexp
}

// fullEnough is the share of the window from which a refusal without a word is
// taken to be about the size of the prompt. (pi-ai 1.6.0 treats every bare 400
// and 413 of Cerebras so, 2026-11.)
const fullEnough = 0.7

// Classify says what a refusal means. It knows the words of some thirty servers.
func Classify(r Response) *Error {
	s := readBody(r.Body)
	status := r.Status
	if status < 400 && s.status != 0 {
		status = s.status
	}
	e := &Error{Provider: r.Provider, Status: r.Status, Message: s.message, RequestID: requestID(r.Header, s)}
	e.RetryAfter = retryAfter(r.Header, s)
	words := strings.ToLower(s.message)
	switch excess, found := r.excess(words, s, status); {
	case found:
		e.Kind, e.Overflow = Overflow, excess
	default:
		e.Kind = kindOf(words, s.codes, status)
	}
	e.Final = s.today
	switch r.Header.Get("X-Should-Retry") {
	case "false":
		e.Final = true
	case "true":
		if e.Kind == Invalid {
			e.Kind = Overloaded
		}
	}
	if s.html {
		e.Message = "the server in between answered with a page: " + title(s.message)
	}
	return e
}

// excess says whether a refusal is about the size of the request, and of what.
func (r *Response) excess(words string, s said, status int) (Excess, bool) {
	if r.TooLong != nil {
		if m := r.TooLong.FindStringSubmatch(s.message); m != nil {
			return read(r.TooLong, m, Excess{Of: OfTokens}), true
		}
	}
	if status == 429 || status == 503 || status == 529 || busy().MatchString(words) || strings.Contains(s.codes, "rate_limit") || strings.Contains(s.codes, "throttl") {
		return Excess{}, false
	}
	if s.html { // nginx and its like look at bytes only
		return Excess{Of: OfBytes}, status == 413
	}
	for _, in := range []string{words, s.codes} {
		for _, rule := range excesses() {
			m := rule.words.FindStringSubmatch(in)
			if m == nil {
				continue
			}
			found := read(rule.words, m, rule.means)
			if s.limit > 0 && found.Of == OfTokens {
				found.Used, found.Limit = s.used, s.limit
			}
			return found, true
		}
	}
	full := r.Window > 0 && float64(r.Estimate) > fullEnough*float64(r.Window)
	switch {
	case s.empty && full && (status == 400 || status == 413):
		return Excess{Of: OfTokens}, true
	case full && strings.Contains(s.codes, "invalid_request_body"): // GitHub Copilot, of the Responses API
		return Excess{Of: OfTokens}, true
	case status == 413:
		return Excess{Of: OfBytes}, true
	}
	return Excess{}, false
}

// codeKinds are words in an error's type, code or status, the first that is
// found wins. (SDKs and documentation of Anthropic, OpenAI, Google, OpenRouter,
// DeepSeek and DashScope, 2026-11.)
func codeKinds() []codeKind {
	return []codeKind{
		{Auth, "insufficient_quota billing credit payment authentication unauthenticated permission invalid_api_key api_key_invalid unauthorized"},
		{RateLimit, "rate_limit rate_exceeded resource_exhausted throttl too_many_requests"},
		{Declined, "content_filter content_policy policy_violation cyber_policy responsibleaipolicy invalid_prompt data_inspection"},
		{Overloaded, "overloaded server_error internal unavailable api_error timeout deadline_exceeded aborted insufficient_system_resource"},
		{Invalid, "invalid not_found failed_precondition unsupported"},
	}
}

type codeKind struct {
	kind  Kind
	words string
}

// messageKinds are the same for messages whose codes and status say something
// else, or nothing.
func messageKinds() []codeKind {
	return []codeKind{
		{Auth, "api key not valid|credit balance is too low|insufficient balance|no auth credentials|invalid api key|incorrect api key"},
		{Overloaded, "overloaded"},
	}
}

func kindOf(words, codes string, status int) Kind {
	for _, k := range messageKinds() {
		for _, w := range strings.Split(k.words, "|") {
			if strings.Contains(words, w) {
				return k.kind
			}
		}
	}
	if status == 401 || status == 402 {
		return Auth
	}
	if status == 429 {
		if strings.Contains(codes, "insufficient_quota") || strings.Contains(codes, "billing") {
			return Auth
		}
		return RateLimit
	}
	for _, k := range codeKinds() {
		for _, w := range strings.Fields(k.words) {
			if strings.Contains(codes, w) {
				return k.kind
			}
		}
	}
	switch {
	case status == 403:
		return Auth
	case status == 408 || status == 409 || status == 425 || status >= 500:
		return Overloaded
	case busy().MatchString(words):
		return RateLimit
	case status < 400: // inside an answer: the request was taken
		return Overloaded
	}
	return Invalid
}

// title returns what a page of HTML is called, for people.
func title(page string) string {
	lower := strings.ToLower(page)
	start, end := strings.Index(lower, "<title>"), strings.Index(lower, "</title>")
	if start < 0 || end < start || len(lower) != len(page) {
		return "(untitled)"
	}
	return strings.TrimSpace(page[start+len("<title>") : end])
}
