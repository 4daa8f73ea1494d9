package codex

import (
	"regexp"
	"sync"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
)

// exitLine finds how the shell tools say that a command failed, in the first
// lines of what they return (2025 and 2026 versions).
var exitLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)\A(?:.*\n){0,5}?(?:Exit code: |Process exited with code )(-?[0-9]+)`)
})

// setOutcome says of results whether their command failed: on this wire the
// text says so, nothing else.
func setOutcome(m *message.Message) {
	for i, p := range m.Parts {
		r, ok := p.(message.ToolResult)
		if !ok || r.Outcome != message.OK || !failed(r.PlainText()) {
			continue
		}
		r.Outcome = message.Failed
		m.Parts[i] = r
	}
}

func failed(text string) bool {
	const beginning = 512
	if len(text) > 0 && text[0] == '{' { // {"output":…,"metadata":{"exit_code":…}}, 2025
		code := rawjson.Get(rawjson.Get([]byte(text), "metadata"), "exit_code")
		return code != nil && rawjson.Int(code) != 0
	}
	code := exitLine().FindStringSubmatch(text[:min(len(text), beginning)])
	return code != nil && code[1] != "0"
}
