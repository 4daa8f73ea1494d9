//go:build unix

package request

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire/wires"
)

// A teller makes up a long working day of an agent, the same each time.
type teller struct {
	random *rand.Rand // the same each time
	wire   wires.Wire
	path   []history.Entry
}

// entries is how many entries a million tokens of such a day are.
const entries = 20_000

func newTeller(w wires.Wire) *teller {
	return &teller{random: rand.New(rand.NewPCG(1, 2)), wire: w}
}

func (s *teller) add(m message.Message) {
	e := history.Entry{ID: history.NewID(), Depth: len(s.path) + 1, Message: &m}
	if n := len(s.path); n > 0 {
		e.Parent = s.path[n-1].ID
	}
	s.path = append(s.path, e)
}

var (
	codeLines = []string{
		"\tif err := s.load(ctx, id); err != nil {\n", "\t\treturn fmt.Errorf(\"load %s: %w\", id, err)\n", "\t}\n", "func (s *Store) Open(path string) error {\n",
		"\tfor i, row := range rows {\n", "\t\tout = append(out, row.Name+\"\\t\"+strconv.Itoa(i))\n", "// The zero value is ready to use.\n",
		"type entry struct {\n", "\tid    ID // “uuid”, as text\n", "}\n\n", `{"level":"info","ts":1764550000,"msg":"request done","ms":42}` + "\n",
	}
	words = strings.Fields("the store opens at the last boundary so a crash between two writes loses nothing that was acknowledged before and we should look at how the reader finds its way back to it first then run the tests again")
)

func (s *teller) code(lines int) string {
	var b strings.Builder
	for range lines {
		b.WriteString(codeLines[s.random.IntN(len(codeLines))])
	}
	return b.String()
}

func (s *teller) prose(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = words[s.random.IntN(len(words))]
	}
	return strings.Join(list, " ") + "."
}

// turn adds an answer with one or two calls and their results.
func (s *teller) turn(thinking ...message.Part) {
	answer := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: s.wire.Name, Model: model(s.wire), Parts: thinking}
	if s.random.IntN(3) > 0 {
		answer.Parts = append(answer.Parts, message.Text{Text: s.prose(5 + s.random.IntN(9))})
	}
	var results []message.ToolResult
	for range 1 + s.random.IntN(2) {
		id := fmt.Sprintf("toolu_%08x", s.random.Uint32())
		tool := []string{"bash", "read", "grep", "edit"}[s.random.IntN(4)]
		answer.Parts = append(answer.Parts, message.ToolCall{ID: id, Name: tool, Arguments: fmt.Appendf(nil, `{"path":"internal/part%d/file%d.go","offset":%d}`, s.random.IntN(90), s.random.IntN(900), s.random.IntN(500))})
		results = append(results, message.ToolResult{CallID: id, Name: tool, Content: []message.Content{message.Text{Text: s.code(1 + s.random.IntN(4))}}})
	}
	s.add(answer)
	s.add(message.Results(results...))
}

// day tells until the path has so many entries.
func (s *teller) day(n int) {
	for len(s.path) < n {
		s.add(message.Prompt(s.prose(12)))
		for range 8 {
			s.turn()
		}
	}
}
