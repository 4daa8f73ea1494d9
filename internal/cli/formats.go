package cli

import (
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/chatgpt"
	"github.com/stemma-history/stemma/transcript/claudecode"
	"github.com/stemma-history/stemma/transcript/crush"
	"github.com/stemma-history/stemma/transcript/gemini"
	"github.com/stemma-history/stemma/transcript/opencode"
	"github.com/stemma-history/stemma/transcript/pi"
)

// formats returns the formats that can be imported.
func formats() []transcript.Format {
	return []transcript.Format{
		claudecode.Format{},
		pi.Format{},
		gemini.Format{},
		crush.Format{},
		opencode.Format{},
		chatgpt.Format{},
	}
}
