package providertest

import (
	"net/http"
	"strings"

	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/gemini"
	"github.com/stemma-history/stemma/wire/openai"
)

// A route is what a request asks for.
type route struct {
	wire   string
	action action
	model  string // where the path names it
	stream bool   // where the path says so
}

type action string

const (
	generates action = "generate"
	counts    action = "count"
	compacts  action = "compact"
	lists     action = "models"
)

// routeOf finds what a request asks for. Servers put what they like before the
// last names of a path.
func routeOf(r *http.Request) (to route, ok bool) {
	path := r.URL.Path
	if r.Method == http.MethodGet {
		return modelsRoute(r)
	}
	if r.Method != http.MethodPost {
		return route{}, false
	}
	for _, known := range []struct {
		end string
		route
	}{
		{"/v1/messages", route{wire: anthropic.Wire, action: generates}},
		{"/v1/messages/count_tokens", route{wire: anthropic.Wire, action: counts}},
		{"/chat/completions", route{wire: openai.WireChat, action: generates}},
		{"/responses", route{wire: openai.WireResponses, action: generates}},
		{"/responses/input_tokens", route{wire: openai.WireResponses, action: counts}},
		{"/responses/compact", route{wire: openai.WireResponses, action: compacts}},
		{"/api/chat", route{wire: wireOllama, action: generates}},
	} {
		if strings.HasSuffix(path, known.end) {
			return known.route, true
		}
	}
	_, name, ok := strings.Cut(path, "/models/")
	model, method, ok2 := strings.Cut(name, ":")
	to = route{wire: gemini.Wire, action: generates, model: model}
	switch method {
	case "generateContent":
	case "streamGenerateContent":
		to.stream = true
	case "countTokens":
		to.action = counts
	default:
		return route{}, false
	}
	return to, ok && ok2
}

// modelsRoute tells three lists of models apart by what their clients send.
func modelsRoute(r *http.Request) (to route, ok bool) {
	head, name, one := strings.Cut(r.URL.Path, "/models/")
	if !one {
		head, ok = strings.CutSuffix(strings.TrimSuffix(r.URL.Path, "/"), "/models")
		if !ok {
			return route{}, false
		}
	}
	to = route{wire: openai.WireChat, action: lists, model: name}
	switch {
	case strings.HasSuffix(head, "/v1beta"):
		to.wire = gemini.Wire
	case r.Header.Get("anthropic-version") != "":
		to.wire = anthropic.Wire
	}
	return to, true
}
