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

var testRules = Rules{IDs: IDRule{MaxLen: 20, Punctuation: "_", Prefix: "made"}}

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
			case message.Image:
				parts = append(parts, "image")
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
		{"an ordinary exchange", "p a:x r:x a p", "user[prompt] assistant[answer call x] tool[x=out x] assistant[answer] user[prompt]"},
		{"results come in the order of their calls, from several messages", "p a:x,y,z r:z r:x,y", "user[prompt] assistant[answer call x call y call z] tool[x=out x y=out y z=out z]"},
		{"a call without a result is answered", "p a:x,y r:y p", "user[prompt] assistant[answer call x call y] tool[x=Interrupted y=out y] user[prompt]"},
		{"a call at the end is answered", "p a:x", "user[prompt] assistant[answer call x] tool[x=Interrupted]"},
		{"a result without a call becomes words", "p r:x", "user[prompt [Result of a tool call that is not shown ( 2.1):] out x]"},
		{"a late result becomes words", "p a:x p r:x", "user[prompt] assistant[answer call x] tool[x=Interrupted] user[prompt [Result of a tool call that is not shown ( 4.1):] out x]"},
		{"ids repeated in every answer are made unique", "p a:c r:c a:c r:c", "user[prompt] assistant[answer call c] tool[c=out c] assistant[answer call made4_2] tool[made4_2=out c]"},
		{"ids repeated in one answer too", "p a:c,c r:c,c", "user[prompt] assistant[answer call c call made2_3] tool[c=out c made2_3=out c]"},
		{"ids the wire refuses are replaced", "p a:c! r:c!", "user[prompt] assistant[answer call made2_2] tool[made2_2=out c!]"},
		{"silent records and empty answers are not sent", "p s e p s", "user[prompt prompt]"},
		{"a silent record does not part a call from its result", "p a:x s r:x", "user[prompt] assistant[answer call x] tool[x=out x]"},
		{"prompts in a row are one message", "p p", "user[prompt prompt]"},
		{"a view that begins with an answer", "a p", "user[" + Opening + "] assistant[answer] user[prompt]"},
		{"a view that ends with an answer", "p a", "user[prompt] assistant[answer] user[" + GoOn + "]"},
		{"a view of nothing", "s e", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := words(Normalise(view(c.path), testRules)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestPartsThatStandInTheWrongRole: what a message cannot say in its role is
// said where it can be, or not at all.
func TestPartsThatStandInTheWrongRole(t *testing.T) {
	call := message.ToolCall{ID: "x", Name: "bash"}
	result := message.ToolResult{CallID: "x", Content: []message.Content{message.Text{Text: "out x"}}}
	picture := message.Image{Media: message.Media{Type: "image/png", URL: "https://example.org/a.png"}}
	text := message.Text{Text: "words"}
	for _, c := range []struct {
		name string
		path []message.Message
		want string
	}{
		{"a user's call is left out, and its result becomes words", []message.Message{
			{Role: message.User, Parts: []message.Part{text, call}}, message.Results(result),
		}, "user[words [Result of a tool call that is not shown ( 2.1):] out x]"},
		{"a call after it still finds its result", []message.Message{
			{Role: message.User, Parts: []message.Part{call, text}},
			{Role: message.Assistant, Parts: []message.Part{call}}, message.Results(result),
		}, "user[words] assistant[call x] tool[x=out x]"},
		{"a result in the answer that called", []message.Message{
			message.Prompt("prompt"), {Role: message.Assistant, Parts: []message.Part{call, result}},
		}, "user[prompt] assistant[call x] tool[x=out x]"},
		{"what a model drew comes after the results", []message.Message{
			message.Prompt("prompt"), {Role: message.Assistant, Parts: []message.Part{picture, text, call}}, message.Results(result),
		}, "user[prompt] assistant[words call x] tool[x=out x] user[[From the answer above (2.1):] image]"},
		{"a user does not think", []message.Message{
			{Role: message.User, Parts: []message.Part{message.Thinking{Text: "hm"}, text}},
		}, "user[words]"},
		{"thinking that is no JSON", []message.Message{
			message.Prompt("prompt"), {Role: message.Assistant, Parts: []message.Part{message.Thinking{Raw: []byte("{")}, text}}, message.Prompt("prompt"),
		}, "user[prompt] assistant[words] user[prompt]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var v View
			for i, m := range c.path {
				v.Messages = append(v.Messages, Message{Message: m, At: history.Handle{Depth: i + 1}})
			}
			if got := words(Normalise(v, testRules)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestResultsWithoutWordsSayHowTheCallEnded(t *testing.T) {
	for outcome, want := range map[message.Outcome]string{message.OK: "", message.Denied: "The call was denied and did not run.", message.Unknown: Interrupted} {
		path := []message.Message{
			message.Prompt("prompt"),
			{Role: message.Assistant, Parts: []message.Part{message.ToolCall{ID: "x", Name: "bash"}}},
			message.Results(message.ToolResult{CallID: "x", Outcome: outcome, Content: []message.Content{message.Text{Text: " "}, message.Opaque{Format: "other", Raw: []byte("{}")}}}),
		}
		var v View
		for i, m := range path {
			v.Messages = append(v.Messages, Message{Message: m, At: history.Handle{Depth: i + 1}})
		}
		steps := Normalise(v, testRules)
		if got := steps[2].Parts[0].Part.(message.ToolResult).PlainText(); got != want {
			t.Errorf("%q says %q, want %q", outcome, got, want)
		}
	}
}

func TestIDsFitTheRule(t *testing.T) {
	for name, rule := range map[string]IDRule{
		"none":         {},
		"mistral":      {MinLen: 9, MaxLen: 9},
		"anthropic":    {MaxLen: 64, Punctuation: "_-", Prefix: "toolu_"},
		"long":         {MinLen: 12, Prefix: "c"},
		"without an _": {MaxLen: 40, Punctuation: "-", Prefix: "call-"},
	} {
		seen := map[string]bool{}
		for depth := 1; depth < 50_000; depth += 97 {
			for part := range 40 {
				id := rule.Make(history.Handle{Depth: depth, Part: part + 1})
				if !rule.Valid(id) || seen[id] {
					t.Fatalf("%s: %d.%d got %q", name, depth, part+1, id)
				}
				seen[id] = true
			}
		}
	}
	nine := IDRule{MinLen: 9, MaxLen: 9}
	for id, want := range map[string]bool{"": false, "abcDEF123": true, "abcDEF12": false, "abcDEF1234": false, "abc_EF123": false} {
		if nine.Valid(id) != want {
			t.Errorf("%q: valid is %v", id, !want)
		}
	}
}

// TestStepsOfALongerViewBeginTheSame (P9): what is repaired depends on nothing
// that comes later, once the turn it stands in is over.
func TestStepsOfALongerViewBeginTheSame(t *testing.T) {
	path := strings.Fields("a p a:c,d r:c p a:c r:c s a p r:q p e a:!,! r:! a p")
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
