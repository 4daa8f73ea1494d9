package historytest

import (
	"bytes"
	"reflect"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

func forkTests() []test {
	return []test{
		{"P7 a fork says the same under ids of its own", forkedPath},
		{"P7 a fork shares no id with its origin, nested ones included", forkedIDs},
		{"P7 a fork and its origin go separate ways", separateWays},
		{"a fork keeps marks and pins of its path, and drops the others", forkedMarks},
		{"a fork keeps its lineage through a compaction", lineage},
		{"a fork made again is the same fork", forkedAgain},
		{"a fork in the middle of a path ends there", forkedInTheMiddle},
		{"a fork of thousands of entries is whole", forkedLong},
	}
}

// tangled is a conversation with everything that refers to something: branches,
// compactions, a rewind, checkpoints, pins, an import.
func (f fixture) tangled() (id, tip history.ID) {
	f.Helper()
	c := importedConversation()
	c.Title, c.Model, c.Directory, c.Owner = "tangled", "m", "/d", "o"
	c.SpawnedBy = history.Link{Conversation: f.create()}
	old := imported(c.ID, "one", "two")
	f.doImport(history.ImportRequest{Conversation: c, Entries: old, Tip: old[1].ID})
	f.append(c.ID, compaction(2))
	entries := f.append(c.ID, turn("a", "b")...)
	mark := f.mark(c.ID, entries[2].ID, "m")
	f.mark(c.ID, old[0].ID, "old")
	f.must(f.Pin(f.Context(), c.ID, old[1].ID))
	f.must(f.Pin(f.Context(), c.ID, entries[0].ID))
	left := f.append(c.ID, compaction(4), prompt("on a branch"))
	f.mark(c.ID, left[1].ID, "on the branch")
	f.must(f.Pin(f.Context(), c.ID, left[1].ID))
	_, err := history.Rewind(f.Context(), f, f.conversation(c.ID), mark, "learned")
	f.must(err)
	last := answer("last")
	last.Message.Parts = append(last.Message.Parts, message.Thinking{Text: "hm", Signature: "sig"})
	last.Usage, last.Seals = &history.Usage{Input: 3}, []message.Hash{{7}}
	f.append(c.ID, compaction(3), last)
	return c.ID, f.conversation(c.ID).Tip
}

func forkedPath(f fixture) {
	id, tip := f.tangled()
	fork := f.fork(id, tip)
	origin := f.conversation(id)
	want := history.Conversation{
		ID: fork.ID, Title: origin.Title, Tip: fork.Tip, ForkedFrom: history.Link{Conversation: id, Entry: tip},
		Model: origin.Model, Directory: origin.Directory, Owner: origin.Owner,
		Created: fork.Created, Updated: fork.Updated, Entries: 9,
	}
	equal(f, "the fork", fork, want)
	equal(f, "the fork as it is read", f.conversation(fork.ID), fork)
	from, to := f.path(id, tip), f.path(fork.ID, none)
	if len(from) != len(to) || fork.Tip != to[len(to)-1].ID {
		f.Fatalf("%d entries, the origin has %d", len(to), len(from))
	}
	var parent, compacted history.ID
	for i := range to {
		e := from[i]
		if e.Compaction != nil {
			compacted = to[i].ID
		}
		e.ID, e.Conversation, e.Parent, e.Source, e.Left, e.LastCompaction = to[i].ID, fork.ID, parent, "", none, compacted
		equal(f, "an entry of the fork", to[i], e)
		parent = e.ID
	}
	depths := func(conversation, tip history.ID) (all []int) {
		for _, e := range collect(f, f.Compactions(f.Context(), conversation, tip)) {
			all = append(all, e.Depth)
		}
		return all
	}
	equal(f, "the fork's compactions", depths(fork.ID, fork.Tip), depths(id, tip))
}

func forkedIDs(f fixture) {
	id, tip := f.tangled()
	fork := f.fork(id, tip)
	twice := f.fork(fork.ID, fork.Tip)
	a, b, c := f.idsOf(id), f.idsOf(fork.ID), f.idsOf(twice.ID)
	for _, pair := range [][2]map[history.ID]string{{a, b}, {b, c}, {a, c}} {
		for id, what := range pair[0] {
			if other, both := pair[1][id]; both {
				f.Errorf("%s and %s are both %v", what, other, id)
			}
		}
	}
	if len(a) < 14 || len(b) != 12 { // conversation, entries, checkpoints of the path
		f.Errorf("%d and %d ids were compared", len(a), len(b))
	}
	for _, e := range f.path(fork.ID, none) {
		body := bodyOf(e)
		for id := range a {
			if bytes.Contains(body, []byte(id.String())) || bytes.Contains(body, id[:]) {
				f.Errorf("the body of entry %v of the fork holds the id %v of the origin", e.Handle(), id)
			}
		}
	}
}

// idsOf returns all ids of ours in a conversation, and what they are. The link
// from a fork to its origin is what it says, and is left out.
func (f fixture) idsOf(conversation history.ID) map[history.ID]string {
	all := map[history.ID]string{}
	add := func(id history.ID, what string) {
		if id != none {
			all[id] = what
		}
	}
	fields := func(v any, what string) {
		walkIDs(reflect.ValueOf(v), func(id history.ID) { add(id, what) })
	}
	c := f.conversation(conversation)
	c.ForkedFrom = history.Link{}
	fields(c, "the conversation")
	for _, n := range f.nodes(conversation) {
		fields(n, "a node")
		e, err := f.Entry(f.Context(), conversation, n.ID)
		f.must(err)
		fields(e, "an entry")
	}
	marks, err := f.Checkpoints(f.Context(), conversation)
	f.must(err)
	fields(marks, "a checkpoint")
	pins, err := f.Pins(f.Context(), conversation)
	f.must(err)
	fields(pins, "a pin")
	return all
}

// walkIDs calls add with every id in v, however deep.
func walkIDs(v reflect.Value, add func(history.ID)) {
	if v.Kind() == reflect.Invalid {
		return
	}
	if v.CanInterface() {
		switch x := v.Interface().(type) {
		case history.ID:
			add(x)
			return
		case time.Time, message.Hash:
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		walkIDs(v.Elem(), add)
	case reflect.Struct:
		for i := range v.NumField() {
			walkIDs(v.Field(i), add)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			walkIDs(v.Index(i), add)
		}
	}
}

func bodyOf(e history.Entry) []byte {
	if e.Compaction != nil {
		body, _ := history.EncodeCompaction(e.Compaction)
		return body
	}
	body, _ := message.Encode(*e.Message)
	return body
}

func separateWays(f fixture) {
	id, tip := f.tangled()
	before := f.path(id, none)
	fork := f.fork(id, tip)
	f.append(fork.ID, prompt("in the fork"))
	f.mark(fork.ID, fork.Tip, "in the fork")
	f.must(f.Enqueue(f.Context(), history.QueuedPrompt{Conversation: fork.ID, Message: *prompt("later").Message}))
	equal(f, "the origin's path", f.path(id, none), before)
	marks, err := f.Checkpoints(f.Context(), id)
	f.must(err)
	queue, err := f.Queue(f.Context(), id)
	f.must(err)
	if len(marks) != 3 || len(queue) != 0 {
		f.Errorf("the origin has %d marks and %d queued prompts", len(marks), len(queue))
	}
	f.append(id, prompt("in the origin"))
	equal(f, "the fork's last words", texts(f.path(fork.ID, none))[9:], []string{"in the fork"})
}

func forkedMarks(f fixture) {
	id, tip := f.tangled()
	fork := f.fork(id, tip)
	path := f.path(fork.ID, none)
	marks, err := f.Checkpoints(f.Context(), fork.ID)
	f.must(err)
	original, err := f.Checkpoints(f.Context(), id)
	f.must(err)
	var want []history.Checkpoint
	for _, m := range original {
		if m.Name != "on the branch" {
			m.ID, m.Conversation = marks[len(want)].ID, fork.ID
			m.Entry = path[map[string]int{"old": 0, "m": 5}[m.Name]].ID
			want = append(want, m)
		}
	}
	equal(f, "the fork's marks", marks, want)
	pins, err := f.Pins(f.Context(), fork.ID)
	f.must(err)
	equal(f, "the fork's pins", pins, []history.ID{path[1].ID, path[3].ID})
	// The marks of a fork are as good as the origin's.
	_, err = history.Rewind(f.Context(), f, fork, marks[0], "learned in the fork")
	f.must(err)
}

func lineage(f fixture) {
	id := f.create()
	entries := f.append(id, prompt("a"), answer("b"))
	fork := f.fork(id, entries[1].ID)
	f.append(fork.ID, compaction(2))
	f.append(fork.ID, prompt("c"))
	equal(f, "the origin of the fork", f.conversation(fork.ID).ForkedFrom, history.Link{Conversation: id, Entry: entries[1].ID})
	again := f.fork(fork.ID, f.conversation(fork.ID).Tip)
	equal(f, "the origin of the fork's fork", again.ForkedFrom.Conversation, fork.ID)
}

func forkedAgain(f fixture) {
	id, tip := f.tangled()
	r := history.ForkRequest{At: f.boundary(id, tip), ID: history.NewID(), Title: "another title"}
	first, err := f.Fork(f.Context(), r)
	f.must(err)
	second, err := f.Fork(f.Context(), r)
	f.must(err)
	equal(f, "the second fork", second, first)
	if first.ID != r.ID || first.Title != r.Title {
		f.Errorf("the fork is %+v", first)
	}
	r.ID = id
	_, err = f.Fork(f.Context(), r)
	f.refuses(err, history.ErrExists)
}

func forkedInTheMiddle(f fixture) {
	id, tip := f.tangled()
	path := f.path(id, tip)
	fork := f.fork(id, path[1].ID)
	equal(f, "the fork's path", texts(f.path(fork.ID, none)), []string{"one", "two"})
	if fork.Entries != 2 {
		f.Errorf("the fork has %d entries", fork.Entries)
	}
	pins, err := f.Pins(f.Context(), fork.ID)
	f.must(err)
	if len(pins) != 1 {
		f.Errorf("the fork has the pins %v", pins)
	}
}

func forkedLong(f fixture) {
	id := f.create()
	const n = 1500
	var entries []history.Entry
	for i := range n {
		if i%700 == 699 {
			entries = append(entries, compaction(i))
			continue
		}
		entries = append(entries, prompt("p"))
	}
	stored := f.append(id, entries...)
	f.mark(id, stored[1199].ID, "m")
	fork := f.fork(id, stored[n-2].ID)
	path := f.path(fork.ID, none)
	if len(path) != n-1 || fork.Entries != n-1 {
		f.Fatalf("%d entries on the path, %d in the fork", len(path), fork.Entries)
	}
	parent, compacted := none, none
	for i, e := range path {
		if e.Compaction != nil {
			compacted = e.ID
		}
		if e.Parent != parent || e.Depth != i+1 || e.LastCompaction != compacted {
			f.Fatalf("entry %d is %+v", i+1, e)
		}
		parent = e.ID
	}
	marks, err := f.Checkpoints(f.Context(), fork.ID)
	f.must(err)
	if len(marks) != 1 || marks[0].Entry != path[1199].ID {
		f.Errorf("the marks are %+v", marks)
	}
}
