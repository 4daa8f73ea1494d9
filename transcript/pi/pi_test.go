package pi

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
	"github.com/stemma-history/stemma/transcript/internal/sinktest"
)

const sample = "../../testdata/samples/pi/before-compaction.jsonl"

const header = `{"type":"session","version":3,"id":"S","timestamp":"2026-01-01T00:00:00Z","cwd":"/w","parentSession":"/home/u/.pi/agent/sessions/--w--/2025-12-09T00-52-54-397Z_d97339c6.jsonl"}`

func lines(all ...string) []byte { return []byte(strings.Join(all, "\n") + "\n") }

// line writes an entry of version 3.
func line(kind, id, parent, more string) string {
	link := "null"
	if parent != "" {
		link = `"` + parent + `"`
	}
	return `{"type":"` + kind + `","id":"` + id + `","parentId":` + link + `,"timestamp":"2026-01-01T00:00:01Z",` + more + `}`
}

func says(id, parent, text string) string {
	return line("message", id, parent, `"message":{"role":"user","content":"`+text+`"}`)
}

func read(t *testing.T, all ...string) *sinktest.Tree {
	t.Helper()
	return sinktest.ReadBytes(t, Format{}, lines(all...)).Trees[0]
}

func expect(t *testing.T, tree *sinktest.Tree, tip string, want ...string) {
	t.Helper()
	path := tree.Path(tip)
	got := sinktest.Outline(path)
	for i := range got {
		got[i] = path[i].ID + " " + got[i]
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestTheRealSessionIsReadAsItHappened(t *testing.T) {
	recording := sinktest.Read(t, Format{}, sample)
	tree := recording.Trees[0]
	if len(recording.Problems) > 0 || len(tree.Records) != 992 {
		t.Fatalf("%d records, problems %v", len(tree.Records), recording.Problems)
	}
	if tree.ID != "ffae836b-9420-4060-ac13-7745215f90ff" || tree.Model != "claude-opus-4-5" || tree.Directory != "/Users/badlogic/workspaces/pi-mono" || tree.ForkedFrom.Conversation != "d97339c6-6c10-4827-846b-9ff1d9c3dc37" {
		t.Errorf("conversation %+v", tree.Conversation)
	}
	path := tree.Path(tree.Tip)
	pairing := sinktest.Pairing(path)
	answered := 0
	for _, c := range pairing.Calls {
		if c.State == message.Answered {
			answered++
		}
	}
	if len(path) != 992 || len(pairing.Calls) != 454 || answered != 448 || len(pairing.Orphans) != 0 {
		t.Errorf("path of %d, %d calls, %d answered, %d orphans", len(path), len(pairing.Calls), answered, len(pairing.Orphans))
	}
	var compactions []transcript.Record
	var cost float64
	for _, r := range path {
		if r.Compaction != nil {
			compactions = append(compactions, r)
		}
		if r.Usage != nil {
			cost += r.Usage.CostUSD
		}
	}
	if len(compactions) != 2 || compactions[0].Compaction.Reason.Before != 175004 || cost < 20 {
		t.Errorf("%d compactions, cost %.2f", len(compactions), cost)
	}
	// The first kept line is number 294, header included: the prompt after the
	// last record that is hidden.
	hidden := slices.IndexFunc(path, func(r transcript.Record) bool { return r.ID == compactions[0].Compaction.Treatments[0].To })
	if kept := path[hidden+1]; kept.Line != 294 {
		t.Errorf("the first kept record is of line %d", kept.Line)
	}
}

func TestBytesAreThoseOfTheFile(t *testing.T) {
	content := string(sinktest.Bytes(t, sample))
	for _, r := range sinktest.Read(t, Format{}, sample).Trees[0].Records {
		if r.Message == nil {
			continue
		}
		for _, p := range r.Message.Parts {
			switch p := p.(type) {
			case message.ToolCall:
				if !strings.Contains(content, `"arguments":`+string(p.Arguments)) && !strings.Contains(content, `"arguments": `+string(p.Arguments)) {
					t.Fatalf("record %s: arguments %.60s", r.ID, p.Arguments)
				}
			case message.Thinking:
				if p.Signature != "" && !strings.Contains(content, p.Signature) {
					t.Fatalf("record %s: signature %.60s", r.ID, p.Signature)
				}
			}
		}
	}
}

func TestATreeKeepsItsBranchesAndSettingsAreNoRecords(t *testing.T) {
	tree := read(t, header,
		line("model_change", "m", "", `"provider":"p","modelId":"first"`),
		says("u", "m", "go"),
		line("message", "a", "u", `"message":{"role":"assistant","api":"anthropic-messages","model":"claude-x","content":[{"type":"thinking","thinking":"t","thinkingSignature":"s="},{"type":"toolCall","id":"c","name":"read","arguments":{"p": 1}}],"stopReason":"toolUse","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cost":{"total":0.5}}}`),
		line("message", "r", "a", `"message":{"role":"toolResult","toolCallId":"c","toolName":"read","content":[{"type":"text","text":"x"}],"isError":true}`),
		line("thinking_level_change", "l", "r", `"thinkingLevel":"high"`),
		says("v", "l", "first way"),
		line("branch_summary", "b", "u", `"fromId":"v","summary":"tried"`),
		says("w", "b", "second way"),
		line("label", "x", "w", `"targetId":"v","label":"old"`),
		line("label", "y", "x", `"targetId":"v","label":"mine"`),
		line("label", "z", "y", `"targetId":"w","label":"gone"`),
		line("label", "z2", "z", `"targetId":"w"`),
		line("session_info", "i", "z2", `"name":"Title"`),
	)
	expect(t, tree, tree.Tip,
		`u user/person text:"go"`,
		`b user/digest text:"tried"`,
		`w user/person text:"second way"`,
	)
	expect(t, tree, "v",
		`u user/person text:"go"`,
		`a assistant/model thinking:"t" call:read:c`,
		`r tool/tool result:c:error`,
		`v user/person text:"first way"`,
	)
	a := tree.Record(t, "a")
	if want := (history.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, CostUSD: 0.5}); *a.Usage != want {
		t.Errorf("usage %+v", a.Usage)
	}
	if m := a.Message; m.Wire != native.WireAnthropic || m.Model != "claude-x" || m.Stop != message.StopTools {
		t.Errorf("answer %+v", m)
	}
	if tree.Title != "Title" || tree.Model != "claude-x" || tree.ForkedFrom.Conversation != "d97339c6" {
		t.Errorf("conversation %+v", tree.Conversation)
	}
	if len(tree.Labels) != 1 || tree.Labels[0].Name != "mine" || tree.Labels[0].Record != "v" {
		t.Errorf("labels %+v", tree.Labels)
	}
}

func TestACompactionHidesWhatTheToolDidNotKeep(t *testing.T) {
	compaction := func(kept string) string {
		return line("compaction", "k", "v", `"summary":"what was","firstKeptEntryId":"`+kept+`","tokensBefore":900`)
	}
	session := []string{header, says("u", "", "one"), line("model_change", "m", "u", `"modelId":"x"`), says("v", "m", "two")}
	for kept, want := range map[string]string{
		"v":    `k compaction ..u as summary`,
		"m":    `k compaction ..u as summary`,
		"u":    `k user/harness text:"what was"`, // nothing is before it
		"gone": `k compaction ..v as summary`,
	} {
		tree := read(t, append(slices.Clone(session), compaction(kept))...)
		if got := "k " + sinktest.Outline(tree.Path("k"))[2]; got != want {
			t.Errorf("kept from %s: %s, want %s", kept, got, want)
		}
	}
}

func TestWhatIsNoTalkOfTheTwoKeepsItsPlace(t *testing.T) {
	tree := read(t, header,
		line("message", "s", "", `"message":{"role":"bashExecution","command":"false","output":"oops","exitCode":1,"cancelled":false,"fullOutputPath":"/tmp/o"}`),
		line("message", "q", "s", `"message":{"role":"bashExecution","command":"ls","output":"x","exitCode":0,"excludeFromContext":true}`),
		line("custom", "c", "q", `"customType":"state","data":{"n":1}`),
		line("custom_message", "m", "c", `"customType":"note","content":"for the model","display":true`),
		line("message", "h", "m", `"message":{"role":"hookMessage","content":[{"type":"text","text":"hook"}]}`),
		line("message", "e", "h", `"message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"400 too long","usage":{"input":0}}`),
		line("later_kind", "l", "e", `"x":1`),
	)
	expect(t, tree, tree.Tip,
		`s user/harness text:"$ false\noops\n[exit code 1]\n[the whole ou"`,
		`q user/harness opaque:pi`,
		`c user/harness opaque:pi`,
		`m user/harness text:"for the model"`,
		`h user/harness text:"hook"`,
		`e assistant/model opaque:pi`,
		`l user/harness opaque:pi`,
	)
	failed := tree.Record(t, "e")
	if failed.Usage != nil || failed.Message.Stop != message.StopError || !strings.Contains(string(failed.Message.Parts[0].(message.Opaque).Raw), "400 too long") {
		t.Errorf("failed answer %+v", failed.Message)
	}
}

func TestAReasoningItemIsKeptWhole(t *testing.T) {
	item := `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAA="}`
	tree := read(t, header, line("message", "a", "", `"message":{"role":"assistant","api":"openai-responses","model":"gpt","content":[{"type":"thinking","thinking":"","thinkingSignature":`+string(rawjson.AppendString(nil, item))+`},{"type":"thinking","thinking":"[hidden]","thinkingSignature":"data","redacted":true}]}`))
	parts := tree.Record(t, "a").Message.Parts
	if got := parts[0].(message.Thinking); string(got.Raw) != item || got.Signature != "gAAA=" {
		t.Errorf("thinking %+v", got)
	}
	if got := parts[1].(message.RedactedThinking); got.Data != "data" {
		t.Errorf("redacted %+v", got)
	}
}

func TestImagesKeptAsideAreFoundByTheirHash(t *testing.T) {
	dir := t.TempDir()
	sum := sha256.Sum256([]byte("png"))
	hash := hex.EncodeToString(sum[:])
	path := filepath.Join(dir, "sessions", "--w--", "s.jsonl")
	for file, content := range map[string]string{
		path:                              string(lines(header, line("message", "u", "", `"message":{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"blob:sha256:`+hash+`"},{"type":"image","mimeType":"image/png","data":"blob:sha256:`+strings.Repeat("0", 64)+`"},{"type":"image","mimeType":"image/png","data":"cG5n"}]}`))),
		filepath.Join(dir, "blobs", hash): "png",
		filepath.Join(dir, "blobs", strings.Repeat("0", 64)): "not what the hash says",
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parts := sinktest.Read(t, Format{}, path).Trees[0].Record(t, "u").Message.Parts
	if string(parts[0].(message.Image).Data) != "png" || string(parts[2].(message.Image).Data) != "png" {
		t.Errorf("images %+v, %+v", parts[0], parts[2])
	}
	if missing := parts[1].(message.Image); missing.Data != nil || !strings.HasPrefix(missing.URL, "blob:sha256:000") {
		t.Errorf("missing image %+v", missing)
	}
}

func TestDamageCostsTheDamagedEntryOnly(t *testing.T) {
	recording := sinktest.ReadBytes(t, Format{}, lines(header,
		says("u", "", "one"),
		`{"type":"message","id":"torn","par`,
		says("v", "torn", "two"),
		says("v", "u", "the id again"),
		line("message", "b", "v", `"message":{"role":"oracle","content":"x"}`),
		`{"type":"message","id":"end"`,
	))
	tree := recording.Trees[0]
	expect(t, tree, tree.Tip,
		`u user/person text:"one"`,
		`v user/person text:"two"`,
		`b user/harness opaque:pi`,
	)
	var at []int64
	for _, p := range recording.Problems {
		at = append(at, p.Line)
	}
	if !slices.Equal(at, []int64{3, 4, 5, 6, 7}) {
		t.Errorf("problems %+v", recording.Problems)
	}
}

func TestAFileWithoutItsHeaderIsRead(t *testing.T) {
	tree := read(t, says("u", "", "one"), says("v", "u", "two"))
	if tree.ID == "" || tree.Tip != "v" {
		t.Errorf("conversation %+v", tree.Conversation)
	}
}

func TestAnySessionThatGrowsKeepsItsRecords(t *testing.T) {
	content := sinktest.Bytes(t, sample)
	whole := sinktest.ReadBytes(t, Format{}, content)
	end := 0
	for n := range strings.Count(string(content), "\n") {
		end += strings.Index(string(content[end:]), "\n") + 1
		if n%331 == 3 {
			sinktest.Grows(t, sinktest.ReadBytes(t, Format{}, content[:end]), whole)
		}
	}
}

func TestReadStopsWithTheContext(t *testing.T) {
	sinktest.Stops(t, Format{}, sinktest.File(sinktest.Bytes(t, sample)))
}

func FuzzRead(f *testing.F) {
	data, err := os.ReadFile(sample)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[:8<<10])
	f.Add(lines(header, says("u", "", "x"), line("compaction", "k", "u", `"summary":"s","firstKeptEntryId":"u"`), line("label", "l", "k", `"targetId":"k","label":"n"`)))
	f.Add(lines(`{"type":"session","id":"x","timestamp":"2025-01-01T00:00:00Z"}`, `{"type":"message","timestamp":"t","message":{"role":"user","content":"a"}}`, `{"type":"compaction","summary":"s","firstKeptEntryIndex":1}`))
	sinktest.Fuzz(f, Format{}, sinktest.InMemory)
}
