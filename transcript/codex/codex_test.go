package codex

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript/internal/sinktest"
	"github.com/stemma-history/stemma/wire/openai"
)

const samples = "../../testdata/samples/codex/"

const meta = `{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"S","timestamp":"2026-01-01T00:00:00Z","cwd":"/w","forked_from_id":"O","source":{"subagent":{"thread_spawn":{"parent_thread_id":"P"}}}}}`

func lines(all ...string) []byte { return []byte(strings.Join(all, "\n") + "\n") }

func inEnvelope(kind, payload string) string {
	return `{"timestamp":"2026-01-01T00:00:01Z","type":"` + kind + `","payload":` + payload + `}`
}

func item(payload string) string  { return inEnvelope("response_item", payload) }
func event(payload string) string { return inEnvelope("event_msg", payload) }

func says(role, text string) string {
	kind := "input_text"
	if role == "assistant" {
		kind = "output_text"
	}
	return item(fmt.Sprintf(`{"type":"message","role":%q,"content":[{"type":%q,"text":%q}]}`, role, kind, text))
}

func called(id string) string {
	return item(`{"type":"function_call","call_id":"` + id + `","name":"shell","arguments":"{\"n\": 1.0}"}`)
}

func returned(id, output string) string {
	return item(fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":%q}`, id, output))
}

func counted(input int) string {
	return event(fmt.Sprintf(`{"type":"token_count","info":{"total_token_usage":{"total_tokens":940499},"last_token_usage":{"input_tokens":%d,"cached_input_tokens":40,"output_tokens":7,"reasoning_output_tokens":3}}}`, input))
}

func read(t *testing.T, all ...string) *sinktest.Tree {
	t.Helper()
	return sinktest.ReadBytes(t, Format{}, lines(all...)).Trees[0]
}

// outline describes the path of a tree; records are named by their place.
func outline(tree *sinktest.Tree, tip string) []string {
	got := sinktest.Outline(tree.Path(tip))
	for i, r := range tree.Path(tip) {
		for k, other := range tree.Path(tip) {
			got[i] = strings.ReplaceAll(got[i], other.ID, fmt.Sprint(k+1))
		}
		_ = r
	}
	return got
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestItemsOfAnAnswerAreOneMessageAndEventsAreNotTakenTwice(t *testing.T) {
	tree := read(t, meta,
		inEnvelope("turn_context", `{"model":"gpt-x","cwd":"/w"}`),
		says("developer", "be kind"),
		says("user", "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>"),
		says("user", "go"), event(`{"type":"user_message","message":"go"}`),
		event(`{"type":"agent_reasoning","text":"hm"}`),
		item(`{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gA="}`),
		says("assistant", "so"), event(`{"type":"agent_message","message":"so"}`),
		called("c1"), called("c2"), counted(100), counted(999),
		returned("c1", "done"), returned("c2", "Exit code: 2\nWall time: 1 seconds\nOutput:\noops"),
		item(`{"type":"ghost_snapshot","ghost_commit":{"id":"x"}}`),
		says("assistant", "end"), event(`{"type":"turn_aborted","reason":"interrupted"}`),
		event(`{"type":"thread_name_updated","thread_name":"Title"}`),
	)
	expect(t, outline(tree, tree.Tip),
		`user/harness text:"be kind"`,
		`user/harness text:"<environment_context>\n  <cwd>/w</cwd>\n</"`,
		`user/person text:"go"`,
		`assistant/model thinking:"hm" text:"so" call:shell:c1 call:shell:c2`,
		`tool/tool result:c1`,
		`tool/tool result:c2:error`,
		`user/harness opaque:codex`,
		`assistant/model text:"end"`,
	)
	a := tree.Path(tree.Tip)[3]
	if want := (history.Usage{Input: 60, CacheRead: 40, Output: 7, Reasoning: 3}); *a.Usage != want {
		t.Errorf("usage %+v", a.Usage)
	}
	if m := a.Message; m.Wire != openai.WireResponses || m.Model != "gpt-x" || string(m.Parts[2].(message.ToolCall).Arguments) != `{"n": 1.0}` {
		t.Errorf("answer %+v", m)
	}
	if end := tree.Path(tree.Tip)[7].Message; end.Stop != message.StopAborted {
		t.Errorf("stop %q", end.Stop)
	}
	if c := tree.Conversation; c.ID != "S" || c.Title != "Title" || c.Model != "gpt-x" || c.Directory != "/w" || c.ForkedFrom.Conversation != "O" || c.SpawnedBy.Conversation != "P" {
		t.Errorf("conversation %+v", c)
	}
}

func TestWhatWasRolledBackIsABranch(t *testing.T) {
	session := []string{meta,
		says("user", "<environment_context></environment_context>"),
		says("user", "one"), says("assistant", "1"),
		says("user", "two"), says("assistant", "2"),
		says("user", "three"), called("c"),
	}
	back := event(`{"type":"thread_rolled_back","num_turns":2}`)
	tree := read(t, append(slices.Clone(session), back)...)
	expect(t, outline(tree, tree.Tip), `user/harness text:"<environment_context></environment_conte"`, `user/person text:"one"`, `assistant/model text:"1"`)
	if len(tree.Records) != 7 {
		t.Errorf("%d records", len(tree.Records))
	}
	tree = read(t, append(slices.Clone(session), back, says("user", "two"), says("assistant", "other"))...)
	expect(t, outline(tree, tree.Tip), `user/harness text:"<environment_context></environment_conte"`, `user/person text:"one"`, `assistant/model text:"1"`, `user/person text:"two"`, `assistant/model text:"other"`)
	expect(t, outline(tree, tree.Records[6].ID)[3:], `user/person text:"two"`, `assistant/model text:"2"`, `user/person text:"three"`, `assistant/model call:shell:c`)
	all := read(t, append(slices.Clone(session), event(`{"type":"thread_rolled_back","num_turns":9}`))...)
	expect(t, outline(all, all.Tip), `user/harness text:"<environment_context></environment_conte"`)
}

func TestTheReplacementOfACompactionBecomesTreatments(t *testing.T) {
	tree := read(t, meta,
		says("developer", "be kind"),
		says("user", "one"), says("assistant", "1"),
		says("user", "two"), says("assistant", "2"),
		inEnvelope("compacted", `{"message":"","replacement_history":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"be kind"}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"two"}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"Another language model started to solve this problem: what was"}]}]}`),
		says("user", "three"),
	)
	expect(t, outline(tree, tree.Tip)[5:],
		`compaction .. as summary 1..1 as whole 4..4 as whole`,
		`user/person text:"three"`,
	)
	if c := tree.Path(tree.Tip)[5].Compaction; !strings.HasSuffix(c.Treatments[0].Text, "what was") {
		t.Errorf("summary %q", c.Treatments[0].Text)
	}
}

func TestACompactionWithoutReplacementKeepsThePrompts(t *testing.T) {
	tree := read(t, meta,
		says("developer", "be kind"),
		says("user", strings.Repeat("long ", keptWords/5)), says("assistant", "1"),
		says("user", "two"), says("assistant", "2"),
		inEnvelope("compacted", `{"message":"what was"}`),
		event(`{"type":"thread_rolled_back","num_turns":1}`),
		says("user", "other two"),
		inEnvelope("compacted", `{"message":"what was"}`),
		says("assistant", "x"),
	)
	expect(t, outline(tree, tree.Records[5].ID)[5:], `compaction .. as summary 1..1 as whole 4..4 as whole`)
	expect(t, outline(tree, tree.Tip)[3:],
		`user/person text:"other two"`, // the rollback undid the first compaction
		`compaction .. as summary 1..1 as whole 4..4 as whole`,
		`assistant/model text:"x"`,
	)
}

func TestASummaryThatTheProviderKeepsHidesNothing(t *testing.T) {
	tree := read(t, meta, says("user", "one"), says("assistant", "1"),
		inEnvelope("compacted", `{"message":"","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"one"}]},{"type":"compaction","encrypted_content":"gA="}]}`),
	)
	expect(t, outline(tree, tree.Tip)[2:], `user/harness opaque:codex`)
}

func TestFilesOf2025AreRead(t *testing.T) {
	tree := read(t,
		`{"id":"S","timestamp":"2025-06-01T10:00:00Z","instructions":"be kind","git":{"branch":"main"}}`,
		`{"record_type":"state"}`,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}`,
		`{"record_type":"state"}`,
		`{"type":"local_shell_call","id":"l1","call_id":"c1","status":"completed","action":{"type":"exec","command":["ls"]}}`,
		`{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"oops\",\"metadata\":{\"exit_code\":1,\"duration_seconds\":0.1}}"}`,
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}`,
	)
	expect(t, outline(tree, tree.Tip),
		`user/person text:"go"`,
		`assistant/model call:local_shell:c1`,
		`tool/tool result:c1:error`,
		`assistant/model text:"done"`,
	)
	if tree.ID != "S" || tree.Created.Year() != 2025 || !tree.Records[0].Created.Equal(tree.Created) {
		t.Errorf("conversation %+v", tree.Conversation)
	}
}

func TestWordsOfEventsCountWhereThereAreNoItems(t *testing.T) {
	tree := read(t, meta,
		event(`{"type":"user_message","message":"go"}`),
		event(`{"type":"agent_message","message":"so"}`),
		called("c1"), returned("c1", "done"),
	)
	expect(t, outline(tree, tree.Tip),
		`user/person text:"go"`,
		`assistant/model text:"so" call:shell:c1`,
		`tool/tool result:c1`,
	)
}

func TestDamageCostsTheDamagedLineOnly(t *testing.T) {
	recording := sinktest.ReadBytes(t, Format{}, lines(meta,
		says("user", "one")[:50],
		says("user", "two")+says("assistant", "2"),
		`{"silly":"this"}`,
		item(`{"type":"message","role":"user","content":[7]}`),
		says("assistant", "3")[:60],
	))
	tree := recording.Trees[0]
	expect(t, outline(tree, tree.Tip),
		`user/person text:"two"`,
		`assistant/model text:"2"`,
		`user/harness opaque:codex`,
	)
	var at []int64
	for _, p := range recording.Problems {
		at = append(at, p.Line)
	}
	slices.Sort(at)
	if !slices.Equal(at, []int64{2, 4, 5, 6}) {
		t.Errorf("problems %+v", recording.Problems)
	}
}

func TestARolloutWithoutMessagesIsNoConversation(t *testing.T) {
	recording := sinktest.Read(t, Format{}, samples+"ccusage_session-alpha.jsonl")
	if len(recording.Trees) != 0 || len(recording.Problems) != 1 {
		t.Errorf("%d conversations, problems %+v", len(recording.Trees), recording.Problems)
	}
}

func TestArgumentsAreByteForByte(t *testing.T) {
	for file, want := range map[string]string{
		"agentsview_fc_args_1.jsonl":      `{"cmd":"rg --files","workdir":"/tmp"}`,
		"agentsview_fc_stdin.jsonl":       `{"chars":"yes\n","session_id":"sess-42"}`,
		"agentsview_function_calls.jsonl": ``,
	} {
		tree := sinktest.Read(t, Format{}, samples+file).Trees[0]
		if got := tree.Path(tree.Tip)[1].Message.Parts[0].(message.ToolCall).Arguments; string(got) != want {
			t.Errorf("%s: %s", file, got)
		}
	}
}

func TestARolloutIsNamedByItsFileWhereItsHeaderIsLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rollout-2026-01-01T00-00-00-0b7de8b4-7c6c-4f0e-9d4e-6f3c1a1f0d11.jsonl")
	if err := os.WriteFile(path, lines(says("user", "go")), 0o600); err != nil {
		t.Fatal(err)
	}
	if id := sinktest.Read(t, Format{}, path).Trees[0].ID; id != "0b7de8b4-7c6c-4f0e-9d4e-6f3c1a1f0d11" {
		t.Errorf("id %s", id)
	}
}

func TestARolloutThatGrowsKeepsItsRecords(t *testing.T) {
	whole := []string{meta,
		says("user", "one"), item(`{"type":"reasoning","summary":[],"encrypted_content":"gA="}`), called("c1"), called("c2"), counted(50),
		returned("c1", "1"), returned("c2", "2"), says("assistant", "so"),
		event(`{"type":"thread_rolled_back","num_turns":1}`), says("user", "two"), says("assistant", "2"),
		inEnvelope("compacted", `{"message":"what was"}`), says("user", "three"), says("assistant", "3"),
	}
	for n := 2; n < len(whole); n++ {
		sinktest.Grows(t, sinktest.ReadBytes(t, Format{}, lines(whole[:n]...)), sinktest.ReadBytes(t, Format{}, lines(whole...)))
	}
}

func TestReadStopsWithTheContext(t *testing.T) {
	sinktest.Stops(t, Format{}, sinktest.File(lines(meta, says("user", "go"))))
}

func FuzzRead(f *testing.F) {
	paths, err := filepath.Glob(samples + "*")
	if err != nil || len(paths) == 0 {
		f.Fatal("no samples")
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(lines(meta, says("user", "one"), called("c"), counted(3), returned("c", "x"), inEnvelope("compacted", `{"message":"m","replacement_history":[{"role":"user","content":"one"},{"content":"y"}]}`), event(`{"type":"thread_rolled_back","num_turns":1}`), says("user", "two")))
	f.Add(lines(`{"id":"S","timestamp":"x","instructions":null}`, `{"record_type":"state"}`, `{"role":"user","content":"go"}`))
	sinktest.Fuzz(f, Format{}, sinktest.InMemory)
}
