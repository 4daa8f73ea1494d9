package historytest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

func machineTests() []test {
	return []test{{"P1 P5 P6 P7 P8 random histories are as the model says", randomHistories}}
}

// randomHistories runs random calls on a store and on a model of it. All runs
// share one store: what one does must not show in another.
func randomHistories(f fixture) {
	rapid.Check(f.T, func(t *rapid.T) {
		m := &machine{t: t, f: f}
		m.newTree(history.Conversation{ID: history.NewID(), Created: sourceTime}, m.mustCreate)
		t.Repeat(map[string]func(*rapid.T){
			"":             m.check,
			"append":       m.append,
			"lose":         m.lose,
			"branch":       m.branch,
			"fork":         m.fork,
			"import":       m.importFile,
			"mark":         m.mark,
			"rewind":       m.rewind,
			"pin":          m.pin,
			"queue":        m.queue,
			"draft":        m.draft,
			"search":       m.search,
			"append again": m.appendAgain,
		})
	})
}

// machine is the model: the trees of one run.
type machine struct {
	t     *rapid.T
	f     fixture
	trees []*modelTree
	tree  *modelTree // the one changed last
	words int        // made so far
}

// modelTree is one conversation.
type modelTree struct {
	id, tip, importedTip history.ID
	entries              []*modelEntry
	marks                []history.Checkpoint
	pins                 []history.ID
	queue, drafts        []string // texts
	queued, runs         []history.ID
	last                 *history.AppendRequest // the latest append
	file                 []history.Entry        // the other tool's file
	source               history.Conversation
}

// modelEntry is one entry.
type modelEntry struct {
	id, parent history.ID
	depth      int
	text       string // the preview
	compaction bool
	boundary   bool
}

func (m *machine) must(err error) {
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) mustCreate(c history.Conversation) { m.must(m.f.Create(m.f.Context(), c)) }

func (m *machine) newTree(c history.Conversation, create func(history.Conversation)) *modelTree {
	create(c)
	m.tree = &modelTree{id: c.ID, source: c}
	m.trees = append(m.trees, m.tree)
	return m.tree
}

// pick chooses the tree the next call is for.
func (m *machine) pick(t *rapid.T) *modelTree {
	m.t = t
	m.tree = rapid.SampledFrom(m.trees).Draw(t, "tree")
	return m.tree
}

// pickBoundary chooses an entry where a path may end.
func (m *machine) pickBoundary(t *rapid.T) (*modelTree, *modelEntry) {
	tree := m.pick(t)
	var all []*modelEntry
	for _, e := range tree.entries {
		if e.boundary {
			all = append(all, e)
		}
	}
	if len(all) == 0 {
		t.Skip("the tree is empty")
	}
	return tree, rapid.SampledFrom(all).Draw(t, "entry")
}

func (m *machine) word() string {
	m.words++
	return fmt.Sprintf("word%dx%s", m.words, m.trees[0].id.String()[24:])
}

// drawTurns makes what is to be appended below an entry of a depth.
func (m *machine) drawTurns(t *rapid.T, depth int) []history.Entry {
	var entries []history.Entry
	for range rapid.IntRange(1, 3).Draw(t, "turns") {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			entries = append(entries, prompt(m.word()))
		case 1:
			entries = append(entries, answer(m.word()))
		case 2:
			entries = append(entries, turn(m.word(), m.word())...)
		case 3:
			entries = append(entries, prompt(m.word()+strings.Repeat(" and more words", 600)))
		case 4:
			if at := depth + len(entries); at > 0 {
				entries = append(entries, compaction(at))
			} else {
				entries = append(entries, answer(m.word()))
			}
		}
	}
	for i := range entries {
		entries[i].ID = history.NewID()
	}
	return entries
}

// store puts entries into the model. Inside a turn no path may end.
func (tree *modelTree) store(parent history.ID, entries []history.Entry) {
	for i := range entries {
		e := &modelEntry{id: entries[i].ID, parent: parent, depth: 1, text: history.Preview(&entries[i]), compaction: entries[i].Compaction != nil}
		if p := tree.entry(parent); p != nil {
			e.depth = p.depth + 1
		}
		e.boundary = i+1 == len(entries) || entries[i+1].Compaction != nil || entries[i+1].Message.Role != message.Tool
		tree.entries = append(tree.entries, e)
		parent = e.id
	}
}

func (tree *modelTree) entry(id history.ID) *modelEntry {
	for _, e := range tree.entries {
		if e.id == id {
			return e
		}
	}
	return nil
}

func (tree *modelTree) path(tip history.ID) []*modelEntry {
	var path []*modelEntry
	for e := tree.entry(tip); e != nil; e = tree.entry(e.parent) {
		path = append(path, e)
	}
	slices.Reverse(path)
	return path
}

func (m *machine) append(t *rapid.T) {
	tree := m.pick(t)
	depth := len(tree.path(tree.tip))
	r := history.AppendRequest{Conversation: tree.id, Parent: tree.tip, ExpectedTip: tree.tip, Entries: m.drawTurns(t, depth)}
	if len(tree.queued) > 0 && rapid.Bool().Draw(t, "dequeue") {
		r.Dequeue = tree.queued[:1]
	}
	if len(tree.runs) > 0 && rapid.Bool().Draw(t, "run") {
		r.Run = tree.runs[0]
	}
	_, err := m.f.Append(m.f.Context(), r)
	m.must(err)
	tree.store(r.Parent, r.Entries)
	tree.tip = r.Entries[len(r.Entries)-1].ID
	tree.release(r)
	tree.last = &r
}

func (tree *modelTree) release(r history.AppendRequest) {
	if len(r.Dequeue) > 0 {
		tree.queue, tree.queued = tree.queue[1:], tree.queued[1:]
	}
	if r.Run != none {
		tree.drafts, tree.runs = tree.drafts[1:], tree.runs[1:]
	}
}

func (m *machine) appendAgain(t *rapid.T) {
	tree := m.pick(t)
	if tree.last == nil {
		t.Skip("nothing was appended")
	}
	last := tree.last.Entries[len(tree.last.Entries)-1].ID
	_, err := m.f.Append(m.f.Context(), *tree.last)
	onPath := slices.ContainsFunc(tree.path(tree.tip), func(e *modelEntry) bool { return e.id == last })
	switch {
	case tree.tip == tree.last.ExpectedTip: // it was moved back there meanwhile
		m.must(err)
		tree.tip = last
	case onPath:
		m.must(err)
	case !errors.Is(err, history.ErrTipMoved):
		t.Fatalf("error %v", err)
	}
}

func (m *machine) lose(t *rapid.T) {
	tree, parent := m.pickBoundary(t)
	expected := parent.id
	if expected == tree.tip {
		expected = history.NewID()
	}
	entries := m.drawTurns(t, parent.depth)
	_, err := m.f.Append(m.f.Context(), history.AppendRequest{Conversation: tree.id, Parent: parent.id, ExpectedTip: expected, Entries: entries})
	var moved *history.TipMovedError
	if !errors.As(err, &moved) || moved.Actual != tree.tip || moved.Stored != entries[len(entries)-1].ID {
		t.Fatalf("error %v", err)
	}
	tree.store(parent.id, entries)
}

func (m *machine) branch(t *rapid.T) {
	tree, to := m.pickBoundary(t)
	m.must(m.f.MoveTip(m.f.Context(), m.boundary(tree, to.id), tree.tip))
	tree.tip = to.id
}

func (m *machine) boundary(tree *modelTree, entry history.ID) history.Boundary {
	b, err := history.BoundaryAt(m.f.Context(), m.f, tree.id, entry)
	m.must(err)
	return b
}

func (m *machine) fork(t *rapid.T) {
	if len(m.trees) > 4 {
		t.Skip("enough trees")
	}
	origin, at := m.pickBoundary(t)
	c, err := m.f.Fork(m.f.Context(), history.ForkRequest{At: m.boundary(origin, at.id)})
	m.must(err)
	path := origin.path(at.id)
	stored, err := history.Collect(m.f.Path(m.f.Context(), history.PathQuery{Conversation: c.ID}))
	m.must(err)
	if len(stored) != len(path) {
		t.Fatalf("the fork has %d entries, its origin %d", len(stored), len(path))
	}
	fork := m.newTree(history.Conversation{ID: c.ID}, func(history.Conversation) {})
	fork.tip = c.Tip
	renamed := map[history.ID]history.ID{}
	for i, e := range path {
		renamed[e.id] = stored[i].ID
		copied := *e
		copied.id, copied.parent = stored[i].ID, renamed[e.parent]
		fork.entries = append(fork.entries, &copied)
	}
	m.forkMarks(origin, fork, renamed)
	m.disjoint(origin, fork)
}

// forkMarks copies what stands on the path, in the order it was stored.
func (m *machine) forkMarks(origin, fork *modelTree, renamed map[history.ID]history.ID) {
	stored, err := m.f.Checkpoints(m.f.Context(), fork.id)
	m.must(err)
	for _, mark := range origin.marks {
		if to, ok := renamed[mark.Entry]; ok {
			at := len(stored) - 1 - len(fork.marks) // the newest is listed first
			if at < 0 {
				m.t.Fatalf("the fork lacks the mark %q", mark.Name)
			}
			mark.ID, mark.Conversation, mark.Entry = stored[at].ID, fork.id, to
			fork.marks = append(fork.marks, mark)
		}
	}
	for _, pin := range origin.pins {
		if to, ok := renamed[pin]; ok {
			fork.pins = append(fork.pins, to)
		}
	}
}

func (m *machine) disjoint(origin, fork *modelTree) {
	theirs := m.f.idsOf(origin.id)
	for id, what := range m.f.idsOf(fork.id) {
		if other, both := theirs[id]; both {
			m.t.Fatalf("%s of the fork and %s of its origin are both %v", what, other, id)
		}
	}
}

// importFile imports a file that has grown since the last time, or not.
func (m *machine) importFile(t *rapid.T) {
	m.t = t
	at := slices.IndexFunc(m.trees, func(tree *modelTree) bool { return tree.source.Source.ID != "" })
	if at < 0 {
		m.newTree(importedConversation(), func(history.Conversation) {})
	} else {
		m.tree = m.trees[at]
	}
	tree := m.tree
	known := len(tree.file)
	for range rapid.IntRange(0, 3).Draw(t, "new records") {
		e := imported(tree.id, m.word())[0]
		if len(tree.file) > 0 && rapid.IntRange(0, 9).Draw(t, "root") > 0 {
			e.Parent = rapid.SampledFrom(tree.file).Draw(t, "parent").ID
		}
		tree.file = append(tree.file, e)
		tree.store(e.Parent, []history.Entry{e})
	}
	r := history.ImportRequest{Conversation: tree.source, Entries: tree.file}
	if len(tree.file) > 0 && rapid.Bool().Draw(t, "has a tip") {
		r.Tip = rapid.SampledFrom(tree.file).Draw(t, "tip").ID
	}
	result, err := m.f.Import(m.f.Context(), r)
	m.must(err)
	if r.Tip != none && tree.tip == tree.importedTip && tree.tip != r.Tip {
		tree.tip, tree.importedTip = r.Tip, r.Tip
	}
	want := history.ImportResult{Created: at < 0, Added: len(tree.file) - known, TipMoved: r.Tip != none && tree.tip == r.Tip}
	if result != want {
		t.Fatalf("the import says %+v, want %+v", result, want)
	}
}

func (m *machine) mark(t *rapid.T) {
	tree, at := m.pickBoundary(t)
	c, err := m.f.Mark(m.f.Context(), m.boundary(tree, at.id), history.Checkpoint{Name: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name")})
	m.must(err)
	tree.marks = append(tree.marks, c)
}

func (m *machine) rewind(t *rapid.T) {
	tree := m.pick(t)
	if len(tree.marks) == 0 {
		t.Skip("no marks")
	}
	mark := rapid.SampledFrom(tree.marks).Draw(t, "mark")
	c, err := m.f.Conversation(m.f.Context(), tree.id)
	m.must(err)
	digest, err := history.Rewind(m.f.Context(), m.f, c, mark, m.word())
	onPath := slices.ContainsFunc(tree.path(tree.tip), func(e *modelEntry) bool { return e.id == mark.Entry })
	switch {
	case !onPath:
		if !errors.Is(err, history.ErrOtherBranch) && !(tree.tip == none && errors.Is(err, history.ErrNotFound)) {
			t.Fatalf("error %v", err)
		}
	case mark.Entry == tree.tip:
		if !errors.Is(err, history.ErrNothingToLeave) {
			t.Fatalf("error %v", err)
		}
	default:
		m.must(err)
		if digest.Left != tree.tip || digest.Parent != mark.Entry {
			t.Fatalf("the digest is %+v", digest)
		}
		tree.store(mark.Entry, []history.Entry{digest})
		tree.tip = digest.ID
	}
}

func (m *machine) pin(t *rapid.T) {
	tree, e := m.pickBoundary(t)
	if i := slices.Index(tree.pins, e.id); i >= 0 {
		m.must(m.f.Unpin(m.f.Context(), tree.id, e.id))
		tree.pins = slices.Delete(tree.pins, i, i+1)
		return
	}
	m.must(m.f.Pin(m.f.Context(), tree.id, e.id))
	tree.pins = append(tree.pins, e.id)
}

func (m *machine) queue(t *rapid.T) {
	tree := m.pick(t)
	if len(tree.queued) > 1 {
		m.must(m.f.Dequeue(m.f.Context(), tree.id, tree.queued[0]))
		tree.queue, tree.queued = tree.queue[1:], tree.queued[1:]
		return
	}
	p := history.QueuedPrompt{ID: history.NewID(), Conversation: tree.id, Message: *prompt(m.word()).Message}
	m.must(m.f.Enqueue(m.f.Context(), p))
	tree.queue, tree.queued = append(tree.queue, p.Message.PlainText()), append(tree.queued, p.ID)
}

func (m *machine) draft(t *rapid.T) {
	tree := m.pick(t)
	if len(tree.runs) > 1 {
		m.must(m.f.DiscardDraft(m.f.Context(), tree.id, tree.runs[0]))
		tree.drafts, tree.runs = tree.drafts[1:], tree.runs[1:]
		return
	}
	d := history.Draft{Conversation: tree.id, Run: history.NewID(), Parent: tree.tip, Message: *answer(m.word()).Message}
	m.must(m.f.SaveDraft(m.f.Context(), d))
	tree.drafts, tree.runs = append(tree.drafts, d.Message.PlainText()), append(tree.runs, d.Run)
}

// search looks for the words of an entry that was stored.
func (m *machine) search(t *rapid.T) {
	tree, e := m.pickBoundary(t)
	_, err := m.f.Index(m.f.Context(), 1<<20)
	m.must(err)
	entry, err := m.f.Entry(m.f.Context(), tree.id, e.id)
	m.must(err)
	if e.compaction || entry.Message.PlainText() == "" {
		t.Skip("nothing was said")
	}
	words, _, _ := strings.Cut(entry.Message.PlainText(), " ")
	result, err := m.f.Search(m.f.Context(), history.SearchQuery{Text: `"` + words + `"`, Conversation: tree.id, Limit: 1000})
	m.must(err)
	if result.Unindexed != 0 || !slices.ContainsFunc(result.Hits, func(h history.Hit) bool { return h.Entry == e.id && h.Handle.Depth == e.depth }) {
		t.Fatalf("%q finds %+v, want %v at %d", words, result, e.id, e.depth)
	}
}

// check compares the tree that was changed with the model.
func (m *machine) check(t *rapid.T) {
	tree, ctx := m.tree, m.f.Context()
	same := func(what string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s is\n%+v, want\n%+v", what, got, want)
		}
	}
	c, err := m.f.Conversation(ctx, tree.id)
	m.must(err)
	same("the tip", c.Tip, tree.tip)
	same("the imported tip", c.ImportedTip, tree.importedTip)
	same("the number of entries", c.Entries, len(tree.entries))

	type seen struct {
		id, parent history.ID
		depth      int
		text       string
		compaction bool
	}
	var nodes, entries []seen
	for n, err := range m.f.Nodes(ctx, tree.id) {
		m.must(err)
		nodes = append(nodes, seen{n.ID, n.Parent, n.Depth, n.Preview, n.Kind == history.KindCompaction})
	}
	for _, e := range tree.entries {
		entries = append(entries, seen{e.id, e.parent, e.depth, e.text, e.compaction})
	}
	byID := func(a, b seen) int { return slices.Compare(a.id[:], b.id[:]) }
	slices.SortFunc(nodes, byID)
	slices.SortFunc(entries, byID)
	same("the tree", nodes, entries)

	var path []history.ID
	compacted := none
	for e, err := range m.f.Path(ctx, history.PathQuery{Conversation: tree.id}) {
		m.must(err)
		if e.Compaction != nil {
			compacted = e.ID
		}
		path = append(path, e.ID)
		same("the nearest compaction", e.LastCompaction, compacted)
	}
	var want []history.ID
	for _, e := range tree.path(tree.tip) {
		want = append(want, e.id)
	}
	same("the path", path, want)
	m.checkMarks(same)
}

func (m *machine) checkMarks(same func(what string, got, want any)) {
	tree, ctx := m.tree, m.f.Context()
	marks, err := m.f.Checkpoints(ctx, tree.id)
	m.must(err)
	slices.Reverse(marks)
	same("the marks", marks, append([]history.Checkpoint(nil), tree.marks...))
	pins, err := m.f.Pins(ctx, tree.id)
	m.must(err)
	same("the pins", append([]history.ID{}, pins...), append([]history.ID{}, tree.pins...))
	queue, err := m.f.Queue(ctx, tree.id)
	m.must(err)
	texts := []string{}
	for _, p := range queue {
		texts = append(texts, p.Message.PlainText())
	}
	same("the queue", texts, append([]string{}, tree.queue...))
	drafts, err := m.f.Drafts(ctx, tree.id)
	m.must(err)
	texts = []string{}
	for _, d := range slices.Backward(drafts) {
		texts = append(texts, d.Message.PlainText())
	}
	same("the drafts", texts, append([]string{}, tree.drafts...))
}
