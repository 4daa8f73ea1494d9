// Package formats lists the formats of other tools that can be imported.
package formats

import (
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/aider"
	"github.com/stemma-history/stemma/transcript/anthropicjson"
	"github.com/stemma-history/stemma/transcript/chatgpt"
	"github.com/stemma-history/stemma/transcript/claudeai"
	"github.com/stemma-history/stemma/transcript/claudecode"
	"github.com/stemma-history/stemma/transcript/cline"
	"github.com/stemma-history/stemma/transcript/codex"
	"github.com/stemma-history/stemma/transcript/crush"
	"github.com/stemma-history/stemma/transcript/gemini"
	"github.com/stemma-history/stemma/transcript/goose"
	"github.com/stemma-history/stemma/transcript/openaijson"
	"github.com/stemma-history/stemma/transcript/opencode"
	"github.com/stemma-history/stemma/transcript/pi"
	"github.com/stemma-history/stemma/transcript/qwen"
)

// All returns every format, in the order in which they are asked whether a file
// is theirs: what a tool alone writes before what any program may have written.
func All() []transcript.Format {
	return []transcript.Format{
		// Files of JSON lines.
		claudecode.Format{},
		codex.Format{},
		pi.Format{},
		qwen.Format{},
		// Databases.
		crush.Format{},
		goose.Format{},
		opencode.Format{},
		// JSON documents, and what else there is.
		gemini.Format{},
		cline.Format{},
		chatgpt.Format{},
		claudeai.Format{},
		aider.Format{},
		// Bodies of requests, whoever kept them.
		anthropicjson.Format{},
		openaijson.Format{},
	}
}
