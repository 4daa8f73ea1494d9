package wire

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// A test path is written as words: "p" a prompt, "a" an answer, "a:x,y" an
// answer that calls x and y, "r:x" results, "s" a silent record, "e" an empty
// answer, "t" an answer that only thinks.
func view(words string) View {
	var v View
	for i, w := range strings.Fields(words) {
		kind, ids, _ := strings.Cut(w, ":")
		var m message.Message
		switch kind {
		case "p":
			m = message.Prompt("prompt")
		case "a", "e":
			m = message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{message.Text{Text: map[string]string{"a": "answer", "e": " \n"}[kind]}}}
			for _, id := range strings.Split(ids, ",") {
				if ids != "" {
					m.Parts = append(m.Parts, message.ToolCall{ID: id, Name: "bash"})
				}
			}
		case "r":
			var results []message.ToolResult
			for _, id := range strings.Split(ids, ",") {
				results = append(results, message.ToolResult{CallID: id, Content: []message.Content{message.Text{Text: "out " + id}}})
			}
			m = message.Results(results...)
		case "s":
			m = message.Message{Role: message.User, Author: message.ByHarness, Parts: []message.Part{message.Opaque{Format: "pi", Raw: []byte(`{}`)}}}
		}
		v.Messages = append(v.Messages, Message{Message: m, At: history.Handle{Depth: i + 1}})
	}
	return v
}

var testRules = Rules{
	ValidID: func(id string) bool { return !strings.Contains(id, "!") },
	MakeID:  func(at history.Handle) string { return "made" + at.String() },
}

// words writes steps back in the form of view, with what each result says.
func words(steps []Step) string {
	var out []string
	for _, s := range steps {
		var parts []string
		for _, p := range s.Parts {
			switch p := p.Part.(type) {
			case message.Text:
				parts = append(parts, p.Text)
			case message.ToolCall:
				parts = append(parts, "call "+p.ID)
			case message.ToolResult:
				parts = append(parts, p.CallID+"="+strings.TrimSuffix(p.PlainText(), Interrupted[11:]))
			}
		}
		out = append(out, fmt.Sprintf("%s[%s]", s.Role, strings.Join(parts, " ")))
	}
	return strings.Join(out, " ")
}

func TestNormalise(t *testing.T) {
	for _, c := range []struct{ name, path, want string }{
		{"an ordinary exchange", "p a:x r:x a", "user[prompt] assistant[answer call x] tool[x=out x] assistant[answer]"},
		{"results come in the order of their calls, from several messages", "p a:x,y,z r:z r:x,y", "user[prompt] assistant[answer call x call y call z] tool[x=out x y=out y z=out z]"},
		{"a call without a result is answered", "p a:x,y r:y p", "user[prompt] assistant[answer call x call y] tool[x=Interrupted y=out y] user[prompt]"},
		{"a call at the end is answered", "p a:x", "user[prompt] assistant[answer call x] tool[x=Interrupted]"},
		{"a result without a call becomes words", "p r:x a", "user[prompt [Result of a tool call that is not shown ( 2.1):] out x] assistant[answer]"},
		{"a late result becomes words", "a:x p r:x", "assistant[answer call x] tool[x=Interrupted] user[prompt [Result of a tool call that is not shown ( 3.1):] out x]"},
		{"ids repeated in every answer are made unique", "a:c r:c a:c r:c", "assistant[answer call c] tool[c=out c] assistant[answer call made3.2] tool[made3.2=out c]"},
		{"ids repeated in one answer too", "a:c,c r:c,c", "assistant[answer call c call made1.3] tool[c=out c made1.3=out c]"},
		{"ids the wire refuses are replaced", "a:c! r:c!", "assistant[answer call made1.2] tool[made1.2=out c!]"},
		{"silent records and empty answers are not sent", "p s e a s", "user[prompt] assistant[answer]"},
		{"a silent record does not part a call from its result", "a:x s r:x", "assistant[answer call x] tool[x=out x]"},
		{"prompts in a row are one message", "p p a", "user[prompt prompt] assistant[answer]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := words(Normalise(view(c.path), testRules)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestStepsOfALongerViewBeginTheSame (P9): what is repaired depends on nothing
// that comes later, once the turn it stands in is over.
func TestStepsOfALongerViewBeginTheSame(t *testing.T) {
	path := strings.Fields("p a:c,d r:c p a:c r:c s a p r:q p e a:!,! r:! a p")
	all := words(Normalise(view(strings.Join(path, " ")), testRules))
	for i, w := range path {
		if w[0] == 'a' || w[0] == 'r' { // inside a turn: results may still come
			continue
		}
		prefix := words(Normalise(view(strings.Join(path[:i+1], " ")), testRules))
		if !strings.HasPrefix(all, strings.TrimSuffix(prefix, "]")) {
			t.Errorf("after %v:\n%s\nis no beginning of\n%s", path[:i+1], prefix, all)
		}
	}
}

func TestSealsTellBlocksApart(t *testing.T) {
	seal := func(blocks ...string) message.Hash {
		s := NewSealer()
		for _, b := range blocks {
			s.Add([]byte(b))
		}
		return s.Seal()
	}
	seals := []message.Hash{seal(), seal("ab"), seal("a", "b"), seal("a"), seal("b", "a")}
	for i := range seals {
		if slices.Index(seals, seals[i]) != i {
			t.Errorf("seal %d is not its own", i)
		}
	}
}
