package historytest

import (
	"strings"
	"sync"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

func importTests() []test {
	return []test{
		{"an import brings a tree with its tip and marks", importedTree},
		{"importing again adds only what is new", importedAgain},
		{"an import moves the tip only from where the last import put it", importedTip},
		{"an import makes a conversation as old as its newest entry", importedAge},
		{"an import fills in what a conversation lacks", filledIn},
		{"a broken import stores nothing", brokenImport},
		{"the same file imported many times at once is stored once", importedAtOnce},
		{"an import in pieces is the same as in one", importedInPieces},
		{"an imported record is found by its source", foundBySource},
		{"an import brings blobs, frames, seals and left tips", importedBlobs},
		{"a message of megabytes is stored", largeMessage},
	}
}

func importedTree(f fixture) {
	c := importedConversation()
	c.Title = "theirs"
	c.Tip = history.NewID() // ignored
	entries := imported(c.ID, "a", "b", "c", "d")
	entries[3].Parent = entries[1].ID // a branch
	entries = append(entries, imported(c.ID, "another root")[0])
	compacted := compaction(3)
	compacted.ID, compacted.Parent, compacted.Source = sourceID(c.ID, "comp"), entries[2].ID, "comp"
	entries = append(entries, compacted, imported(c.ID, "e")[0])
	entries[6].Parent = compacted.ID
	entries[6].Usage = &history.Usage{Output: 5}
	mark := history.Checkpoint{ID: history.NewID(), Name: "label", Entry: entries[0].ID, SetBy: message.ByPerson, Created: sourceTime}
	result := f.doImport(history.ImportRequest{Conversation: c, Entries: entries, Checkpoints: []history.Checkpoint{mark}, Tip: entries[6].ID})
	equal(f, "the result", result, history.ImportResult{Created: true, Added: 7, TipMoved: true})
	got := f.conversation(c.ID)
	if got.Tip != entries[6].ID || got.ImportedTip != entries[6].ID || got.Entries != 7 || got.Title != "theirs" || got.Source != c.Source {
		f.Errorf("the conversation is %+v", got)
	}
	path := f.path(c.ID, none)
	equal(f, "the path", texts(path), []string{"a", "b", "c", history.Preview(&compacted), "e"})
	for i, e := range path {
		if e.Depth != i+1 || e.Source == "" || (e.LastCompaction != none) != (i >= 3) {
			f.Errorf("entry %d is %+v", i+1, e)
		}
	}
	equal(f, "the last entry", path[4].Usage, &history.Usage{Output: 5})
	equal(f, "the branch", texts(f.path(c.ID, entries[3].ID)), []string{"a", "b", "d"})
	marks, err := f.Checkpoints(f.Context(), c.ID)
	f.must(err)
	mark.Conversation = c.ID
	equal(f, "the marks", marks, []history.Checkpoint{mark})
}

func importedAgain(f fixture) {
	c := importedConversation()
	entries := imported(c.ID, "a", "b", "c")
	twice := append(imported(c.ID, "a", "b"), entries...)
	mark := history.Checkpoint{ID: history.NewID(), Name: "label", Entry: entries[0].ID, Created: sourceTime}
	r := history.ImportRequest{Conversation: c, Entries: twice, Checkpoints: []history.Checkpoint{mark, mark}, Tip: entries[2].ID}
	equal(f, "the first import", f.doImport(r), history.ImportResult{Created: true, Added: 3, TipMoved: true})
	before, nodes := f.conversation(c.ID), f.nodes(c.ID)
	equal(f, "the second import", f.doImport(r), history.ImportResult{TipMoved: true})
	equal(f, "the conversation", f.conversation(c.ID), before)
	equal(f, "the tree", f.nodes(c.ID), nodes)
	r.Entries = imported(c.ID, "a", "b", "c", "d")
	r.Tip = r.Entries[3].ID
	equal(f, "an import of a longer file", f.doImport(r), history.ImportResult{Added: 1, TipMoved: true})
	equal(f, "the path", texts(f.path(c.ID, none)), []string{"a", "b", "c", "d"})
	if marks, err := f.Checkpoints(f.Context(), c.ID); err != nil || len(marks) != 1 {
		f.Errorf("%d marks, error %v", len(marks), err)
	}
	r.Tip = none
	equal(f, "an import without a tip", f.doImport(r), history.ImportResult{})
}

func importedTip(f fixture) {
	c := importedConversation()
	entries := imported(c.ID, "a", "b", "c", "d")
	move := func(n int, tip history.ID) history.ImportResult {
		f.Helper()
		return f.doImport(history.ImportRequest{Conversation: c, Entries: entries[:n], Tip: tip})
	}
	move(2, entries[1].ID)
	ours := f.append(c.ID, prompt("ours"))[0].ID
	if result := move(3, entries[2].ID); result.TipMoved || f.conversation(c.ID).Tip != ours {
		f.Errorf("the import took the tip from ours: %+v", result)
	}
	f.must(f.MoveTip(f.Context(), f.boundary(c.ID, entries[1].ID), ours))
	if result := move(4, entries[3].ID); !result.TipMoved || f.conversation(c.ID).Tip != entries[3].ID {
		f.Errorf("the import left the tip where the last one had put it: %+v", result)
	}
	equal(f, "our branch", texts(f.path(c.ID, ours)), []string{"a", "b", "ours"})
}

func importedAge(f fixture) {
	c := importedConversation()
	entries := imported(c.ID, "a", "b", "c", "d", "e")
	for i := range entries {
		entries[i].Created = sourceTime.Add(time.Duration(i) * time.Hour)
	}
	entries[0].Created, entries[1].Created = entries[1].Created, entries[0].Created
	update := func(n int, want time.Time) {
		f.Helper()
		f.doImport(history.ImportRequest{Conversation: c, Entries: entries[:n], Tip: entries[n-1].ID})
		equal(f, "when it was updated", f.conversation(c.ID).Updated, want)
	}
	update(2, entries[0].Created)
	update(3, entries[2].Created)
	update(2, entries[2].Created)
	ours := f.append(c.ID, prompt("ours"))[0]
	appended := f.conversation(c.ID).Updated
	if appended.Before(ours.Created) {
		f.Errorf("an append left the conversation at %v", appended)
	}
	update(4, appended)
	entries[4].Created = appended.AddDate(100, 0, 0)
	f.doImport(history.ImportRequest{Conversation: c, Entries: entries})
	if now := f.conversation(c.ID).Updated; !now.After(appended) || now.After(appended.Add(time.Hour)) {
		f.Errorf("an entry of the future makes it %v", now)
	}
	timeless := importedConversation()
	timeless.Created = sourceTime
	f.doImport(history.ImportRequest{Conversation: timeless})
	equal(f, "an empty one", f.conversation(timeless.ID).Updated, sourceTime)
	last := imported(timeless.ID, "a")
	last[0].Created = time.Time{}
	f.doImport(history.ImportRequest{Conversation: timeless, Entries: last})
	if got := f.conversation(timeless.ID).Updated; !got.After(appended) {
		f.Errorf("an import without times makes it %v", got)
	}
}

func filledIn(f fixture) {
	c := importedConversation()
	c.Title = "title"
	f.doImport(history.ImportRequest{Conversation: c, Entries: imported(c.ID, "a")})
	c.Title, c.Model, c.Directory, c.Owner = "other", "m", "/d", "o"
	c.SpawnedBy = history.Link{Conversation: history.NewID()}
	f.doImport(history.ImportRequest{Conversation: c})
	got := f.conversation(c.ID)
	if got.Title != "title" || got.Model != "m" || got.Directory != "/d" || got.SpawnedBy != c.SpawnedBy {
		f.Errorf("the conversation is %+v", got)
	}
}

func brokenImport(f fixture) {
	other := f.create()
	elsewhere := f.append(other, prompt("x"))[0].ID
	theirs := f.mark(other, elsewhere, "theirs")
	c := importedConversation()
	good := func() history.ImportRequest {
		entries := imported(c.ID, "a", "b", "c")
		return history.ImportRequest{Conversation: c, Entries: entries, Tip: entries[2].ID}
	}
	for what, breaking := range map[string]func(*history.ImportRequest){
		"a conversation without id":     func(r *history.ImportRequest) { r.Conversation.ID = none },
		"an entry without id":           func(r *history.ImportRequest) { r.Entries[1].ID = none },
		"a parent that is not there":    func(r *history.ImportRequest) { r.Entries[2].Parent = history.NewID() },
		"a parent behind its child":     func(r *history.ImportRequest) { r.Entries[1].Parent = r.Entries[2].ID },
		"a parent elsewhere":            func(r *history.ImportRequest) { r.Entries[2].Parent = elsewhere },
		"an id that is taken elsewhere": func(r *history.ImportRequest) { r.Entries[2].ID = elsewhere; r.Tip = none },
		"a tip that is not there":       func(r *history.ImportRequest) { r.Tip = history.NewID() },
		"a mark on nothing":             func(r *history.ImportRequest) { r.Checkpoints = []history.Checkpoint{{ID: history.NewID(), Name: "m"}} },
		"a mark elsewhere": func(r *history.ImportRequest) {
			r.Checkpoints = []history.Checkpoint{{ID: history.NewID(), Name: "m", Entry: elsewhere}}
		},
		"a mark that is set elsewhere": func(r *history.ImportRequest) {
			r.Checkpoints = []history.Checkpoint{{ID: theirs.ID, Name: "m", Entry: r.Entries[0].ID}}
		},
		"an entry with nothing in it": func(r *history.ImportRequest) { r.Entries[2].Message = nil },
		"a role nobody knows":         func(r *history.ImportRequest) { r.Entries[2].Message.Role = "narrator" },
		"a left tip elsewhere":        func(r *history.ImportRequest) { r.Entries[2].Left = elsewhere },
		"a blob under another's name": func(r *history.ImportRequest) { r.Blobs = []message.Blob{{Hash: message.Hash{1}}} },
	} {
		r := good()
		breaking(&r)
		if result, err := f.Import(f.Context(), r); err == nil {
			f.Errorf("%s: imported %+v", what, result)
		}
		_, err := f.Conversation(f.Context(), c.ID)
		if f.refuses(err, history.ErrNotFound); f.Failed() {
			f.Fatalf("after %s", what)
		}
	}
	f.doImport(good())
}

func importedAtOnce(f fixture) {
	c := importedConversation()
	var names []string
	for i := range 60 {
		names = append(names, strings.Repeat("x", i+1))
	}
	entries := imported(c.ID, names...)
	var group sync.WaitGroup
	var mu sync.Mutex
	added, created := 0, 0
	for i := range 4 {
		group.Go(func() {
			for n := 15 + i; ; n = min(n+15, len(entries)) {
				result, err := f.Import(f.Context(), history.ImportRequest{Conversation: c, Entries: entries[:n], Tip: entries[n-1].ID})
				if err != nil {
					f.Error(err)
					return
				}
				mu.Lock()
				added += result.Added
				if result.Created {
					created++
				}
				mu.Unlock()
				if n == len(entries) {
					return
				}
			}
		})
	}
	group.Wait()
	if added != 60 || created != 1 || f.conversation(c.ID).Entries != 60 {
		f.Errorf("%d added, %d times created, %d stored", added, created, f.conversation(c.ID).Entries)
	}
	equal(f, "the path", texts(f.path(c.ID, entries[59].ID)), texts(entries))
}

func importedInPieces(f fixture) {
	whole, pieces := importedConversation(), importedConversation()
	names := strings.Split(strings.Repeat("abcdefghij", 3), "")
	for i := range names {
		names[i] += names[(i+11)%30] + string(rune('A'+i))
	}
	all := imported(whole.ID, names...)
	f.doImport(history.ImportRequest{Conversation: whole, Entries: all, Tip: all[29].ID})
	parts := imported(pieces.ID, names...)
	for i := 0; i < 30; i += 7 {
		r := history.ImportRequest{Conversation: pieces, Entries: parts[i:min(i+7, 30)]}
		if i == 28 {
			r.Tip = parts[29].ID
		}
		f.doImport(r)
	}
	equal(f, "the path", texts(f.path(pieces.ID, none)), texts(f.path(whole.ID, none)))
	if n := f.path(pieces.ID, none)[29].Depth; n != 30 {
		f.Errorf("the last entry has the depth %d", n)
	}
}

func foundBySource(f fixture) {
	c := importedConversation()
	entries := imported(c.ID, "a", "b")
	f.doImport(history.ImportRequest{Conversation: c, Entries: entries, Tip: entries[1].ID})
	id, err := f.EntryBySource(f.Context(), c.ID, "b")
	f.must(err)
	equal(f, "the entry", id, entries[1].ID)
	f.refuses(second(f.EntryBySource(f.Context(), c.ID, "c")), history.ErrNotFound)
	fork := f.fork(c.ID, entries[1].ID)
	f.refuses(second(f.EntryBySource(f.Context(), fork.ID, "b")), history.ErrNotFound)
}

func importedBlobs(f fixture) {
	c := importedConversation()
	entries := imported(c.ID, "a", "b", "c")
	image, frame := message.NewBlob("image/png", []byte("png")), message.NewBlob("application/json", []byte("{}"))
	entries[1].Message.Parts = []message.Part{message.Image{Media: message.Media{Type: "image/png", Blob: image.Hash, Size: 3}}}
	entries[1].Frame, entries[1].Seals = frame.Hash, []message.Hash{{1}}
	entries[1].Left = entries[2].ID // stands behind it
	f.doImport(history.ImportRequest{Conversation: c, Entries: entries, Blobs: []message.Blob{image, frame}})
	got, err := f.Entry(f.Context(), c.ID, entries[1].ID)
	f.must(err)
	if got.Frame != frame.Hash || len(got.Seals) != 1 || got.Left != entries[2].ID {
		f.Errorf("the entry is %+v", got)
	}
	blob, err := f.Blob(f.Context(), image.Hash)
	f.must(err)
	equal(f, "the blob", blob, image)
}

func largeMessage(f fixture) {
	c := importedConversation()
	e := imported(c.ID, "large")[0]
	text := strings.Repeat("The quick brown fox, again and again. ", 50_000)
	m := message.Prompt(text)
	e.Message = &m
	f.doImport(history.ImportRequest{Conversation: c, Entries: []history.Entry{e}, Tip: e.ID})
	if got := f.path(c.ID, none)[0].Message.PlainText(); got != text {
		f.Errorf("%d bytes came back of %d", len(got), len(text))
	}
}
