package history

import (
	"errors"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/message"
)

func TestTurnsThatMayNotBeSaved(t *testing.T) {
	calls := func(settled bool, ids ...string) Entry {
		m := message.Message{Role: message.Assistant, Settled: settled}
		for _, id := range ids {
			m.Parts = append(m.Parts, message.ToolCall{ID: id, Name: "bash"})
		}
		return Entry{Message: &m}
	}
	results := func(ids ...string) Entry {
		var rs []message.ToolResult
		for _, id := range ids {
			rs = append(rs, message.ToolResult{CallID: id})
		}
		m := message.Results(rs...)
		return Entry{Message: &m}
	}
	prompt := message.Prompt("x")
	for _, c := range []struct {
		name    string
		entries []Entry
		want    string // empty: may be saved
	}{
		{"a prompt", []Entry{{Message: &prompt}}, ""},
		{"a whole turn", []Entry{calls(false, "a", "b"), results("b"), results("a")}, ""},
		{"a settled turn", []Entry{calls(true, "a", "b"), results("b")}, ""},
		{"a compaction between", []Entry{{Compaction: &Compaction{}}, calls(false, "a"), results("a")}, ""},
		{"nothing", nil, "nothing to append"},
		{"a waiting call", []Entry{{Message: &prompt}, calls(false, "a", "b"), results("b")}, "entry 2 of 3: not a turn boundary: still waiting for the result of bash (a)"},
		{"a call passed over", []Entry{calls(false, "a"), {Message: &prompt}}, "entry 1 of 2"},
		{"a result alone", []Entry{{Compaction: &Compaction{}}, results("a")}, "entry 2 of 2: part 1 is the result of a call that is not in the same turn"},
		{"neither message nor compaction", []Entry{{}}, "either a message or a compaction"},
		{"a compaction that no view could apply", []Entry{{Compaction: &Compaction{Treatments: []Treatment{{}}}}}, "treatment 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := ValidateTurns(c.entries)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			var waiting *message.WaitingError
			if strings.Contains(c.want, "waiting") && !errors.As(err, &waiting) {
				t.Errorf("%v is no WaitingError", err)
			}
		})
	}
}
