package message

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func calls(ids ...string) Message {
	m := Message{Role: Assistant, Author: ByModel}
	for _, id := range ids {
		m.Parts = append(m.Parts, ToolCall{ID: id, Name: "bash", Arguments: []byte(`{}`)})
	}
	return m
}

func settled(ids ...string) Message {
	m := calls(ids...)
	m.Settled = true
	return m
}

func answers(ids ...string) Message {
	var results []ToolResult
	for _, id := range ids {
		results = append(results, ToolResult{CallID: id})
	}
	return Results(results...)
}

func note() Message {
	return Message{Role: User, Author: ByHarness, Parts: []Part{Opaque{Format: "claude-code", Raw: []byte(`{}`)}}}
}

// describe writes a pairing as "id:state" in order, orphans behind a bar.
func describe(p Pairing) string {
	var b strings.Builder
	for _, c := range p.Calls {
		fmt.Fprintf(&b, "%s:%s ", c.ID, [...]string{"waits", "answered", "unanswered"}[c.State])
	}
	fmt.Fprintf(&b, "| %d", len(p.Orphans))
	return b.String()
}

func TestPair(t *testing.T) {
	for _, c := range []struct {
		name string
		path []Message
		want string
	}{
		{"a call waits at the end", []Message{Prompt("x"), calls("a")}, "a:waits | 0"},
		{"a prompt ends the wait", []Message{calls("a"), Prompt("x")}, "a:unanswered | 0"},
		{"a batch is answered in any order and in several messages", []Message{calls("a", "b", "c"), answers("c"), answers("a", "b")}, "a:answered b:answered c:answered | 0"},
		{"half a batch waits", []Message{calls("a", "b"), answers("b")}, "a:waits b:answered | 0"},
		{"ids repeat in every answer", []Message{calls("call_0"), answers("call_0"), calls("call_0"), answers("call_0")}, "call_0:answered call_0:answered | 0"},
		{"a repeated id belongs to the latest answer", []Message{calls("call_0"), calls("call_0"), answers("call_0")}, "call_0:unanswered call_0:answered | 0"},
		{"ids repeat within one answer", []Message{calls("a", "a"), answers("a", "a")}, "a:answered a:answered | 0"},
		{"a second result is an orphan", []Message{calls("a"), answers("a", "a")}, "a:answered | 1"},
		{"a result without a call is an orphan", []Message{answers("z")}, "| 1"},
		{"a result after the conversation went on is an orphan", []Message{calls("a"), Prompt("x"), answers("a")}, "a:unanswered | 1"},
		{"a settled message awaits nothing", []Message{settled("a", "b"), answers("b")}, "a:unanswered b:answered | 0"},
		{"a silent record between call and result changes nothing", []Message{calls("a"), note(), answers("a")}, "a:answered | 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := describe(Pair(Each(c.path))); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestOnlyAPathWithoutWaitingCallsIsABoundary(t *testing.T) {
	if b, err := AtBoundary([]Message{Prompt("x"), calls("a"), answers("a")}); err != nil || b.Messages() != 3 {
		t.Errorf("boundary %+v, error %v", b, err)
	}
	_, err := AtBoundary([]Message{calls("a", "b", "c"), answers("b")})
	var waiting *WaitingError
	if !errors.As(err, &waiting) || len(waiting.Calls) != 2 || waiting.Calls[0].ID != "a" || waiting.Calls[1].ID != "c" {
		t.Errorf("error %v", err)
	}
}

func TestTurnsAndExchanges(t *testing.T) {
	path := []Message{answers("gone"), Prompt("1"), calls("a", "b"), answers("b"), note(), answers("a"), calls(), Prompt("2"), Prompt("3"), calls()}
	if got := fmt.Sprint(Turns(Each(path))); got != "[{0 1 false} {1 2 true} {2 6 false} {6 7 false} {7 8 true} {8 9 true} {9 10 false}]" {
		t.Errorf("turns %s", got)
	}
	if got := fmt.Sprint(Exchanges(Each(path))); got != "[{0 1 false} {1 7 true} {7 8 true} {8 10 true}]" {
		t.Errorf("exchanges %s", got)
	}
}
