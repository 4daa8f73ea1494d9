package history

import (
	"reflect"
	"testing"

	"github.com/stemma-history/stemma/message"
)

func TestWorkSumsUpAPath(t *testing.T) {
	call := func(id, tool, arguments string) message.Part {
		return message.ToolCall{ID: id, Name: tool, Arguments: []byte(arguments)}
	}
	path := pathOf(
		message.Prompt("fix it"),
		message.Message{Role: message.Assistant, Parts: []message.Part{call("1", "edit", `"a"`), call("2", "edit", `"b"`), call("3", "ls", `"."`)}},
		message.Results(
			message.ToolResult{CallID: "2", Outcome: message.Failed},
			message.ToolResult{CallID: "1", Content: []message.Content{message.Text{Text: "done"}}},
		),
		message.Message{Role: message.Assistant, Parts: []message.Part{message.Text{Text: "fixed"}}},
	)
	path[1].Usage = &Usage{Input: 100, CacheRead: 50, Output: 7}
	path[3].Usage = &Usage{Input: 10, Output: 3}
	path = append(path, Entry{Compaction: &Compaction{}})
	changes := func(c message.ToolCall) string {
		if c.Name == "edit" {
			return string(c.Arguments)
		}
		return ""
	}
	want := Work{
		Entries: 5,
		Prompts: []Quote{{At: Handle{Depth: 1}, Text: "fix it"}},
		Replies: []Quote{{At: Handle{Depth: 4}, Text: "fixed"}},
		Calls:   []Tally{{Name: "edit", Count: 2, Failed: 1}, {Name: "ls", Count: 1}},
		Files:   []Tally{{Name: `"a"`, Count: 1}},
		Answers: 2, Billed: 2,
		Usage: Usage{Input: 110, CacheRead: 50, Output: 10},
		Bytes: int64(len("fix it") + len(`edit"a"edit"b"ls"."`) + len("done") + len("fixed")),
	}
	if got := WorkOf(path, changes); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
