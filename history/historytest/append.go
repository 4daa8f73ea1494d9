package historytest

import (
	"bytes"
	"errors"
	"strings"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

func appendTests() []test {
	return []test{
		{"P1 what was appended comes back byte for byte", appended},
		{"P5 an append ends at a turn boundary or stores nothing", wholeTurns},
		{"P5 an append continues from a turn boundary", fromBoundary},
		{"P5 an append made again stores nothing twice", appendedAgain},
		{"an append is refused where its ids are taken", idsTaken},
		{"an append replaces the draft and the queued prompts it contains", draftReplaced},
		{"what an append returns is complete and is what is read", returned},
		{"what a caller does to its values later changes nothing stored", noAliases},
		{"several roots stand side by side", roots},
	}
}

func appended(f fixture) {
	id := f.create()
	image := bytes.Repeat([]byte{0x89, 'P'}, 3000)
	dump := strings.Repeat("line of a dump\n", 3000)
	calls := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: "w", Model: "m", Stop: message.StopTools, Parts: []message.Part{
		message.Thinking{Text: "hm", Signature: "sig", Raw: []byte(`{"z": 1, "a":"\u00e9<&>"}`)},
		message.RedactedThinking{Data: "data"},
		message.Text{Text: "text \xed\xa0\x80 \xff \x00 😀", Signature: "s"},
		message.ToolCall{ID: "call_0", Name: "bash", Arguments: []byte("{\n \"b\" : 1.0e5, \"a\":\"\\ud83d\"}"), Signature: "s"},
		message.Opaque{Format: "anthropic", Raw: []byte(`{"type":"x"}`)},
		message.Document{Media: message.Media{Type: "text/plain", URL: "https://example.org/"}},
	}}
	results := message.Results(message.ToolResult{CallID: "call_0", Name: "bash", Outcome: message.Failed, Content: []message.Content{
		message.Text{Text: dump},
		message.Image{Media: message.Media{Type: "image/png", Data: image, Size: int64(len(image)), Name: "shot"}, WidthPx: 7, HeightPx: 8},
	}})
	frame := message.NewBlob("application/json", []byte(`{"system":"be brief"}`))
	entries := []history.Entry{
		prompt("first"),
		{Message: &calls, Created: time.Date(2025, 1, 2, 3, 4, 5, 678901000, time.UTC), Frame: frame.Hash,
			Usage: &history.Usage{Input: 1, CacheRead: 2, CacheWrite: 3, Output: 4, Reasoning: 5, Estimate: 6, CostUSD: 0.25},
			Seals: []message.Hash{{1}, {2}}},
		{Message: &results},
		compaction(2),
	}
	stored, err := f.Append(f.Context(), history.AppendRequest{Conversation: id, Entries: entries, Blobs: []message.Blob{frame}})
	f.must(err)
	got := f.path(id, none)
	for i := range got {
		want := entries[i]
		want.ID, want.Conversation, want.Parent, want.Depth = stored[i].ID, id, none, i+1
		if i > 0 {
			want.Parent = stored[i-1].ID
		}
		if want.Created.IsZero() {
			want.Created = got[i].Created
		}
		if i == 3 {
			want.LastCompaction = want.ID
		}
		if want.Message == &results { // the bytes of images stay in the store
			r := results.Parts[0].(message.ToolResult)
			r.Content = []message.Content{r.Content[0], message.Image{
				Media:   message.Media{Type: "image/png", Blob: message.HashOf(image), Size: int64(len(image)), Name: "shot"},
				WidthPx: 7, HeightPx: 8,
			}}
			m := message.Results(r)
			want.Message = &m
		}
		equal(f, "entry "+want.Handle().String(), got[i], want)
	}
	for _, b := range []message.Blob{frame, message.NewBlob("image/png", image), message.NewBlob("text/plain", []byte(dump))} {
		blob, err := f.Blob(f.Context(), b.Hash)
		f.must(err)
		equal(f, "the blob", blob, b)
	}
	nodes := f.nodes(id)
	if body, _ := message.Encode(results); nodes[2].Bytes != int64(len(body)+len(dump)) {
		f.Errorf("the results count as %d bytes, want %d and the dump's %d", nodes[2].Bytes, len(body), len(dump))
	}
}

func wholeTurns(f fixture) {
	id := f.create()
	tip := f.append(id, prompt("x"))[0].ID
	before := f.conversation(id)
	whole := turn("a", "b")
	badRole := prompt("x")
	badRole.Message.Role = "narrator"
	noPart := prompt("x")
	noPart.Message.Parts = append(noPart.Message.Parts, nil)
	for what, entries := range map[string][]history.Entry{
		"nothing":              {},
		"a waiting call":       whole[:2],
		"a result alone":       whole[2:],
		"a call passed over":   append([]history.Entry{prompt("p"), whole[0]}, prompt("q")),
		"an empty entry":       {prompt("p"), {}},
		"a role nobody knows":  {prompt("p"), badRole},
		"a part that is none":  {prompt("p"), noPart},
		"a broken compaction":  {prompt("p"), {Compaction: &history.Compaction{Treatments: []history.Treatment{{As: "odd"}}}}},
		"one id for two":       {withID(prompt("p"), tip), withID(prompt("q"), tip)},
		"a tip left elsewhere": {withLeft(prompt("p"), history.NewID())},
	} {
		if stored, err := f.Append(f.Context(), history.AppendRequest{Conversation: id, Parent: tip, ExpectedTip: tip, Entries: entries}); err == nil || stored != nil {
			f.Errorf("%s: stored %d entries, error %v", what, len(stored), err)
		}
	}
	blob := message.NewBlob("text/plain", []byte("x"))
	blob.Data = []byte("y")
	if _, err := f.Append(f.Context(), history.AppendRequest{Conversation: id, Parent: tip, ExpectedTip: tip, Entries: []history.Entry{prompt("p")}, Blobs: []message.Blob{blob}}); err == nil {
		f.Error("a blob under another's name was stored")
	}
	equal(f, "the conversation after refused appends", f.conversation(id), before)
	f.append(id, whole...)
	settled := *whole[0].Message
	settled.Settled = true
	f.append(id, history.Entry{Message: &settled}, whole[1])
}

func withID(e history.Entry, id history.ID) history.Entry     { e.ID = id; return e }
func withLeft(e history.Entry, left history.ID) history.Entry { e.Left = left; return e }

func fromBoundary(f fixture) {
	id := f.create()
	stored := f.append(id, append([]history.Entry{prompt("x")}, turn("a", "b", "c")...)...)
	tip := stored[4].ID
	for _, inside := range stored[1:4] {
		_, err := f.Append(f.Context(), history.AppendRequest{Conversation: id, Parent: inside.ID, ExpectedTip: tip, Entries: []history.Entry{prompt("y")}})
		var mid *history.MidTurnError
		if !errors.As(err, &mid) || mid.Before.Depth != 1 {
			f.Errorf("an append to entry %v: %v", inside.Handle(), err)
		}
		_, err = history.BoundaryAt(f.Context(), f, id, inside.ID)
		if !errors.As(err, &mid) {
			f.Errorf("entry %v as a boundary: %v", inside.Handle(), err)
		}
	}
	if n := f.conversation(id).Entries; n != 5 {
		f.Errorf("%d entries", n)
	}
}

func appendedAgain(f fixture) {
	id := f.create()
	root := f.append(id, prompt("root"))[0].ID
	run := history.NewID()
	f.must(f.SaveDraft(f.Context(), history.Draft{Conversation: id, Run: run, Message: *answer("dr").Message}))
	r := history.AppendRequest{Conversation: id, Parent: root, ExpectedTip: root, Run: run}
	for _, e := range turn("a") {
		r.Entries = append(r.Entries, withID(e, history.NewID()))
	}
	first, err := f.Append(f.Context(), r)
	f.must(err)
	second, err := f.Append(f.Context(), r)
	f.must(err)
	equal(f, "the second answer's ids", ids(second), ids(first))
	equal(f, "the second answer's depth", second[1].Depth, 3)
	next := f.append(id, prompt("others went on"))[0].ID
	if _, err := f.Append(f.Context(), r); err != nil {
		f.Errorf("again, after others went on: %v", err)
	}
	if c := f.conversation(id); c.Entries != 4 || c.Tip != next {
		f.Errorf("%d entries, tip %v, want 4 and %v", c.Entries, c.Tip, next)
	}
	// A loser that tries again is told again, and stored once.
	lost := history.AppendRequest{Conversation: id, Parent: root, ExpectedTip: root, Entries: []history.Entry{withID(prompt("lost"), history.NewID())}}
	for range 2 {
		_, err := f.Append(f.Context(), lost)
		f.refuses(err, history.ErrTipMoved)
	}
	if n := f.conversation(id).Entries; n != 5 {
		f.Errorf("%d entries", n)
	}
}

func idsTaken(f fixture) {
	id, other := f.create(), f.create()
	a := f.append(id, prompt("a"))[0]
	b := f.append(id, prompt("b"))[0]
	elsewhere := f.append(other, prompt("c"))[0]
	for what, taken := range map[string]history.ID{"the parent's": b.ID, "one further up": a.ID, "another conversation's": elsewhere.ID} {
		_, err := f.Append(f.Context(), history.AppendRequest{Conversation: id, Parent: b.ID, ExpectedTip: b.ID,
			Entries: []history.Entry{prompt("new"), withID(prompt("x"), taken)}})
		if f.refuses(err, history.ErrExists); f.Failed() {
			f.Fatalf("with %s id", what)
		}
	}
	if c := f.conversation(id); c.Entries != 2 || c.Tip != b.ID {
		f.Errorf("%d entries, tip %v", c.Entries, c.Tip)
	}
}

func draftReplaced(f fixture) {
	id, run, otherRun := f.create(), history.NewID(), history.NewID()
	for _, r := range []history.ID{run, otherRun} {
		f.must(f.SaveDraft(f.Context(), history.Draft{Conversation: id, Run: r, Message: *answer("half").Message}))
	}
	var queued []history.ID
	for _, text := range []string{"one", "two", "three"} {
		p := history.QueuedPrompt{ID: history.NewID(), Conversation: id, Message: *prompt(text).Message}
		f.must(f.Enqueue(f.Context(), p))
		queued = append(queued, p.ID)
	}
	_, err := f.Append(f.Context(), history.AppendRequest{
		Conversation: id, Entries: []history.Entry{answer("whole"), prompt("one"), prompt("three")}, Run: run,
		Dequeue: []history.ID{queued[0], queued[2], history.NewID()},
	})
	f.must(err)
	drafts, err := f.Drafts(f.Context(), id)
	f.must(err)
	queue, err := f.Queue(f.Context(), id)
	f.must(err)
	if len(drafts) != 1 || drafts[0].Run != otherRun || len(queue) != 1 || queue[0].ID != queued[1] {
		f.Errorf("drafts %+v, queue %+v", drafts, queue)
	}
	// A refused append leaves both.
	_, err = f.Append(f.Context(), history.AppendRequest{Conversation: id, Entries: turn("a")[:1], Run: otherRun, Dequeue: queued})
	if drafts, _ := f.Drafts(f.Context(), id); err == nil || len(drafts) != 1 {
		f.Errorf("error %v, drafts %+v", err, drafts)
	}
}

func returned(f fixture) {
	id := f.create()
	first := f.append(id, prompt("x"), compaction(1))
	more := f.append(id, turn("a", "b")...)
	all := append(first, more...)
	for i, e := range f.path(id, none) {
		equal(f, "what was read", e, all[i])
		one, err := f.Entry(f.Context(), id, e.ID)
		f.must(err)
		equal(f, "what was read alone", one, e)
		if i > 0 && e.LastCompaction != first[1].ID {
			f.Errorf("entry %v has the compaction %v", e.Handle(), e.LastCompaction)
		}
	}
}

func noAliases(f fixture) {
	id := f.create()
	raw := []byte(`{"a":1}`)
	entries := turn("a")
	entries[0].Message.Parts = append(entries[0].Message.Parts, message.Opaque{Format: "w", Raw: raw})
	entries[0].Usage = &history.Usage{Input: 1}
	entries[0].Seals = []message.Hash{{1}}
	f.append(id, entries...)
	clear(raw)
	entries[0].Message.Role, entries[0].Usage.Input, entries[0].Seals[0] = "gone", 2, message.Hash{}
	read := f.path(id, none)[0]
	if o := read.Message.Parts[1].(message.Opaque); string(o.Raw) != `{"a":1}` || read.Message.Role != message.Assistant ||
		read.Usage.Input != 1 || read.Seals[0] != (message.Hash{1}) {
		f.Errorf("stored is %+v", read)
	}
	clear(read.Message.Parts[1].(message.Opaque).Raw)
	read.Usage.Input, read.Seals[0] = 3, message.Hash{3}
	if again := f.path(id, none)[0]; again.Usage.Input != 1 || again.Seals[0] != (message.Hash{1}) ||
		string(again.Message.Parts[1].(message.Opaque).Raw) != `{"a":1}` {
		f.Errorf("stored is %+v after a reader changed its copy", again)
	}
}

func roots(f fixture) {
	id := f.create()
	a := f.append(id, prompt("a"))[0]
	b := f.appendAt(id, none, a.ID, prompt("b"))[0]
	if b.Depth != 1 || b.Parent != none {
		f.Errorf("the second root is %+v", b)
	}
	equal(f, "the path", texts(f.path(id, none)), []string{"b"})
	var children []history.ID
	for _, n := range collect(f, f.Children(f.Context(), id, none)) {
		children = append(children, n.ID)
	}
	equal(f, "the roots", children, []history.ID{a.ID, b.ID})
}
