package claudecode

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"github.com/stemma-history/stemma/transcript"
)

// identify decides what the session is called. Claude Code names the file after
// it; a copy under another name is known by what its lines say.
func (s *session) identify() {
	if s.isAgent() {
		s.agent = s.lines[0].agent
		for i := range s.lines {
			s.lines[i].side = false
		}
	} else if base := strings.TrimSuffix(filepath.Base(s.file.Path), ".jsonl"); len(base) == 36 && uuid.Validate(base) == nil {
		s.id = base
	}
	if s.id == "" && len(s.lines) > 0 {
		var names transcript.Chain
		s.id = names.Next([]byte(s.lines[0].id))
	}
}

// isAgent reports whether the whole file is that of a sub-agent.
func (s *session) isAgent() bool {
	for i := range s.lines {
		if !s.lines[i].side || s.lines[i].agent == "" {
			return false
		}
	}
	return len(s.lines) > 0
}

// conversation is the id of a conversation of the file: of a sub-agent, or
// where that is empty of the one the file is about.
func (s *session) conversation(agent string) string {
	if agent = cmp.Or(agent, s.agent); agent != "" {
		return s.id + "/" + agent
	}
	return s.id
}
