package claudecode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// links say what started each sub-agent, and what for.
type links struct {
	by    map[string]transcript.Link
	title map[string]string
}

// linksOf gathers what the sessions, a main one and its sub-agents, and the
// notes beside the sub-agents' files say of each other.
func linksOf(sessions []*session) links {
	l := links{by: map[string]transcript.Link{}, title: map[string]string{}}
	for _, s := range sessions {
		for agent, call := range s.spawns {
			if agent != s.agent && l.by[agent] == (transcript.Link{}) {
				l.by[agent] = s.callLink(call)
			}
		}
	}
	for _, a := range sessions {
		if a.agent == "" {
			continue
		}
		note := a.note()
		l.title[a.agent] = note.title
		for _, s := range sessions {
			if s != a {
				l.by[a.agent] = cmp.Or(l.by[a.agent], s.callLink(note.call), s.lineLink(a.lines[0].parent))
			}
		}
	}
	return l
}

// callLink returns the answer that makes a call, or no link.
func (s *session) callLink(call string) transcript.Link {
	n, found := s.calls[call]
	if !found || call == "" {
		n = -1
	}
	return s.recordLink(n)
}

// lineLink returns what became of a line, or no link.
func (s *session) lineLink(uuid string) transcript.Link {
	i, found := s.byID[uuid]
	if !found || uuid == "" {
		return transcript.Link{}
	}
	return s.recordLink(s.end(s.at[i]))
}

func (s *session) recordLink(n int) transcript.Link {
	if n < 0 {
		return transcript.Link{}
	}
	return transcript.Link{Conversation: s.conversation(s.trees[s.records[n].tree].agent), Record: s.recordID(n)}
}

// hangsOn links a sub-agent's chain to the record of the session that it
// continues from, or to the latest call before it that hands over its prompt.
func (s *session) hangsOn(t int, records []int) transcript.Link {
	n := s.trees[t].hangs
	if n < 0 && len(records) > 0 {
		n = s.askedBy(s.records[records[0]].lines[0])
	}
	return s.recordLink(n)
}

// askedBy returns the latest answer before a line with a call that hands over
// the line's text as a prompt, or -1.
func (s *session) askedBy(first int) int {
	asked := -1
	for i := range s.lines[:first] {
		for _, c := range s.lines[i].calls {
			if c.prompt != 0 && c.prompt == s.lines[first].prompt {
				asked = s.at[i]
			}
		}
	}
	return asked
}

// A note is what the tool writes beside a sub-agent's file.
type note struct {
	title, call string
}

func (s *session) note() note {
	data, err := os.ReadFile(strings.TrimSuffix(s.file.Path, ".jsonl") + ".meta.json")
	if err != nil {
		return note{} // versions before 2.1 write none
	}
	text := func(key string) string { return rawjson.Text(rawjson.Get(data, key)) }
	return note{title: cmp.Or(text("description"), text("name"), text("agentType")), call: text("toolUseId")}
}

// agents reads the files of the session's sub-agents: those in the folder
// beside it, and, as versions before 2.1 have it, those next to it that it
// names.
func (s *session) agents(ctx context.Context, sink transcript.Sink) ([]*session, error) {
	if s.agent != "" || s.file.Path == "" {
		return nil, nil
	}
	paths := s.agentFiles()
	var agents []*session
	for _, path := range paths {
		f, closer, err := transcript.Open(path)
		if err != nil {
			sink.Problem(transcript.Problem{What: fmt.Sprintf("a sub-agent's file is not read: %v", err)})
			continue
		}
		name := filepath.Base(path)
		report := func(p transcript.Problem) {
			p.What = name + ": " + p.What
			sink.Problem(p)
		}
		agent, err := scan(ctx, f, report)
		if err := errors.Join(err, closer.Close()); err != nil {
			return nil, err
		}
		if agent.agent != "" && agent.id == s.id {
			agents = append(agents, agent)
		}
	}
	slices.SortStableFunc(agents, func(a, b *session) int { return a.created.Compare(b.created) }) // the starter before the started
	return agents, nil
}

// agentFiles lists what may be files of the session's sub-agents.
func (s *session) agentFiles() []string {
	base := strings.TrimSuffix(s.file.Path, ".jsonl")
	var paths []string
	for _, folder := range []string{base, base + "_subagents"} { // the tool's own, and a copy's
		_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && isAgentFile(d.Name()) {
				paths = append(paths, path)
			}
			return nil
		})
	}
	for agent := range s.spawns {
		path := filepath.Join(filepath.Dir(base), "agent-"+filepath.Base(agent)+".jsonl")
		if _, err := os.Stat(path); err == nil {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

func isAgentFile(name string) bool {
	return strings.HasPrefix(name, "agent-") && strings.HasSuffix(name, ".jsonl")
}

// reopen runs f while the session's file, which scan has closed, is open.
func (s *session) reopen(f func() error) error {
	file, closer, err := transcript.Open(s.file.Path)
	if err != nil {
		return err
	}
	s.file = file
	return errors.Join(f(), closer.Close())
}

// quiet leaves progress out: it is told of the main file only.
type quiet struct{ transcript.Sink }

// Progress implements [transcript.Sink].
func (quiet) Progress(int64) {}
