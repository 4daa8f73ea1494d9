package providertest

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/gemini"
)

// keyOf returns the key that a request shows, empty if none.
func keyOf(r *http.Request) string {
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return cmp.Or(r.Header.Get("x-api-key"), r.Header.Get("x-goog-api-key"), r.Header.Get("api-key"), bearer, r.URL.Query().Get("key"))
}

// unauthorised refuses a request for its key. (Bodies quoted in public issues,
// 2024 to 2026.)
func (s *Server) unauthorised(q *request, r *http.Request) *wire.Refusal {
	key := keyOf(r)
	if q.dialect.NoKey || key != "" && (s.config.Key == "" || key == s.config.Key) {
		return nil
	}
	missing := key == ""
	switch q.wire.name {
	case anthropic.Wire:
		if missing {
			return &wire.Refusal{Status: 401, Type: "authentication_error", Message: "x-api-key header is required"}
		}
		return &wire.Refusal{Status: 401, Type: "authentication_error", Message: "invalid x-api-key"}
	case gemini.Wire:
		if missing {
			return &wire.Refusal{Status: 403, Type: "PERMISSION_DENIED", Message: "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API."}
		}
		return &wire.Refusal{Status: 400, Type: "INVALID_ARGUMENT", Message: "API key not valid. Please pass a valid API key."}
	}
	if missing {
		return &wire.Refusal{Status: 401, Type: "invalid_request_error", Message: "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."}
	}
	return &wire.Refusal{Status: 401, Type: "invalid_request_error", Code: "invalid_api_key", Message: "Incorrect API key provided: " + masked(key) + ". You can find your API key at https://platform.openai.com/account/api-keys."}
}

// masked shows the ends of a key.
func masked(key string) string {
	if len(key) < 9 {
		return strings.Repeat("*", len(key))
	}
	return key[:4] + strings.Repeat("*", len(key)-8) + key[len(key)-4:]
}

// unsigned refuses a request for a header that is missing.
func unsigned(q *request, r *http.Request) *wire.Refusal {
	if q.wire.name == anthropic.Wire && r.Header.Get("anthropic-version") == "" {
		return &wire.Refusal{Status: 400, Type: "invalid_request_error", Message: "anthropic-version: header is required"}
	}
	return nil
}

// unknownModel refuses the model of a path. Those of bodies are for the
// checkers.
func unknownModel(q *request) *wire.Refusal {
	if q.wire.name != gemini.Wire || q.known {
		return nil
	}
	return &wire.Refusal{Status: 404, Type: "NOT_FOUND", Message: "models/" + q.to.model + " is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods."}
}

// moved refuses thinking in details that is not genuine, or that stands behind
// something else than when it was made. (What OpenRouter passes on of
// Anthropic's refusal; public issues, 2026.)
func (s *Server) moved(q *request) *wire.Refusal {
	if !q.dialect.Details {
		return nil
	}
	for i, b := range q.prompt.blocks {
		if !b.sealed {
			continue
		}
		signed, genuine := s.binder.open(signatureOf(b.json))
		var before message.Hash
		if i > 0 {
			before = q.bill.bound[i-1]
		}
		if !genuine || q.model.ChecksThinking && signed.model == short(q.model.ID) && signed.prefix != before {
			return q.invalid(fmt.Sprintf("Provider returned error: messages.%d.content.0: Invalid `signature` in `thinking` block", b.message))
		}
	}
	return nil
}

// blind refuses images to a model that reads none. (OpenRouter and GitHub
// Copilot, 2026-05; the words of others vary.)
func blind(q *request) *wire.Refusal {
	if q.bill.images == 0 || q.model.Sees() {
		return nil
	}
	if q.dialect.Name == "openrouter" || q.dialect.Name == "copilot" {
		return &wire.Refusal{Status: 404, Type: "invalid_request_error", Message: "No endpoints found that support image input"}
	}
	return q.invalid("This model does not support image input.")
}

// quirk refuses what only some servers mind.
func quirk(q *request) *wire.Refusal {
	d := q.dialect
	for i, said := range q.prompt.said {
		if d.AnswerAfterResults && i > 0 && said.role == "user" && q.prompt.said[i-1].role == "tool" {
			return &wire.Refusal{Status: 400, Type: "invalid_request_message_order", Code: "3230", Message: "Unexpected role 'user' after role 'tool'"}
		}
		if d.IDs.MaxLen == 0 {
			continue
		}
		var wrong string
		elements(rawjson.Get(said.json, "tool_calls"), func(v []byte) {
			if id := textAt(v, "id"); wrong == "" && !d.IDs.Valid(id) {
				wrong = id
			}
		})
		if wrong != "" {
			return &wire.Refusal{Status: 400, Type: "invalid_request_function_call", Code: "3280", Message: "Tool call id was " + wrong + " but must be a-z, A-Z, 0-9, with a length of 9."}
		}
	}
	return nil
}

// invalid refuses a request in the wire's own terms.
func (q *request) invalid(words string) *wire.Refusal {
	kind := "invalid_request_error"
	if q.wire.name == gemini.Wire {
		kind = "INVALID_ARGUMENT"
	}
	return &wire.Refusal{Status: 400, Type: kind, Message: words}
}

// refusal is what a fault says in the wire's own terms.
func (f Refuse) refusal(wireName string) *wire.Refusal {
	r := &wire.Refusal{Status: f.Status, Type: f.Type, Message: f.Message}
	if r.Status == 529 && wireName != anthropic.Wire {
		r.Status = 503
	}
	kind, words := usual(wireName, r.Status)
	r.Type, r.Message = cmp.Or(r.Type, kind), cmp.Or(r.Message, words)
	return r
}

// usual is what a wire says with a status. (Vendors' documentation and SDKs,
// 2026.)
func usual(wireName string, status int) (kind, words string) {
	switch wireName {
	case anthropic.Wire:
		kinds := map[int]string{400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error", 409: "conflict_error", 413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 504: "timeout_error", 529: "overloaded_error"}
		texts := map[int]string{402: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.", 413: "Request exceeds the maximum size", 429: "This request would exceed your account's rate limit. Please try again later.", 500: "Internal server error", 529: "Overloaded"}
		return cmp.Or(kinds[status], "api_error"), cmp.Or(texts[status], http.StatusText(status))
	case gemini.Wire:
		kinds := map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}
		texts := map[int]string{429: "Resource has been exhausted (e.g. check quota).", 500: "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting", 503: "The model is overloaded. Please try again later."}
		return cmp.Or(kinds[status], "UNKNOWN"), cmp.Or(texts[status], http.StatusText(status))
	}
	kinds := map[int]string{400: "invalid_request_error", 401: "invalid_request_error", 429: "rate_limit_error"}
	texts := map[int]string{429: "Rate limit reached for requests", 500: "The server had an error while processing your request. Sorry about that!", 503: "The server is currently overloaded with other requests. Sorry about that! You can retry your request."}
	return cmp.Or(kinds[status], "server_error"), cmp.Or(texts[status], http.StatusText(status))
}
