package providertest

import (
	"cmp"
	"net/http"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/gemini"
)

// counted answers an endpoint that only counts. (It does so as it bills.)
func (s *Server) counted(q *request) []byte {
	switch q.wire.name {
	case gemini.Wire:
		return encode(object{"totalTokens": q.bill.tokens})
	case anthropic.Wire:
		return encode(object{"input_tokens": q.bill.tokens})
	}
	return encode(object{"object": "response.input_tokens", "input_tokens": q.bill.tokens})
}

// compacted answers /v1/responses/compact: the user's messages, and an item that
// stands for the rest.
func (s *Server) compacted(q *request, record *Record) []byte {
	output := list{}
	for _, m := range q.prompt.said {
		if m.role == "user" {
			output = append(output, raw(m.json))
		}
	}
	output = append(output, object{"type": "compaction", "id": q.id("cmp"), "encrypted_content": s.binder.sign(q.model.ID, q.bound(), "")})
	const summary = 500 // tokens that are billed for it
	record.Usage = history.Usage{Input: int64(q.bill.tokens), Output: summary, CostUSD: price(q.model, q.bill.tokens, cached{}, summary)}
	return encode(object{
		"id": q.id("resp"), "object": "response.compaction", "created_at": s.config.Now().Unix(), "output": output,
		"usage": object{
			"input_tokens": q.bill.tokens, "output_tokens": summary, "total_tokens": q.bill.tokens + summary,
			"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0},
		},
	})
}

// listModels answers the endpoints for models, as the vendor does whose client
// asks.
func (s *Server) listModels(w http.ResponseWriter, to route) {
	var all list
	for _, m := range s.config.served() {
		if to.wire != gemini.Wire && to.wire != anthropic.Wire || m.Wire == to.wire {
			o := object{"id": m.ID, "object": "model", "created": 0, "owned_by": cmp.Or(m.Provider, "fake"), "context_length": m.Window, "max_model_len": m.Window}
			switch to.wire {
			case anthropic.Wire:
				o = object{"id": m.ID, "type": "model", "display_name": m.ID, "created_at": "2026-01-01T00:00:00Z", "max_input_tokens": m.Window, "max_tokens": m.MaxOutput}
			case gemini.Wire:
				o = object{"name": "models/" + m.ID, "displayName": m.ID, "inputTokenLimit": m.Window, "outputTokenLimit": m.MaxOutput, "supportedGenerationMethods": list{"generateContent", "countTokens"}}
			}
			if to.model == m.ID {
				respond(w, http.StatusOK, o)
				return
			}
			all = append(all, o)
		}
	}
	if to.model != "" {
		respond(w, http.StatusNotFound, object{"error": object{"type": "not_found_error", "message": "model: " + to.model}})
		return
	}
	switch to.wire {
	case gemini.Wire:
		respond(w, http.StatusOK, object{"models": all})
	case anthropic.Wire:
		respond(w, http.StatusOK, object{"data": all, "has_more": false, "first_id": nil, "last_id": nil})
	default:
		respond(w, http.StatusOK, object{"object": "list", "data": all})
	}
}

func respond(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(v)) // the client may be gone
}
