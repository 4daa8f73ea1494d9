package historytest

import (
	"context"
	"fmt"
	"time"

	"github.com/stemma-history/stemma/history"
)

func conversationTests() []test {
	return []test{
		{"a conversation comes back as it was created", createdConversation},
		{"an id is taken once", takenID},
		{"what is not there is told from what cannot be read now", notFound},
		{"conversations are listed by what changed last", listed},
		{"titles, models and directories can be changed", described},
		{"a watcher sees each write", watched},
	}
}

func createdConversation(f fixture) {
	c := history.Conversation{
		ID: history.NewID(), Title: "Füße \U0001F600\x00", Model: "m", Directory: `C:\X`, Owner: "o",
		Created:    time.Date(2025, 1, 2, 3, 4, 5, 678912345, time.FixedZone("", 3600)),
		Source:     history.Source{Tool: "pi", ID: "s"},
		SpawnedBy:  history.Link{Conversation: history.NewID(), Entry: history.NewID()},
		ForkedFrom: history.Link{Conversation: history.NewID()},
		Tip:        history.NewID(), ImportedTip: history.NewID(), Entries: 5, // all three are the store's to say
	}
	f.must(f.Create(f.Context(), c))
	got := f.conversation(c.ID)
	if got.Updated.IsZero() {
		f.Error("the store did not set Updated")
	}
	c.Created = time.Date(2025, 1, 2, 2, 4, 5, 678912000, time.UTC)
	c.Tip, c.ImportedTip, c.Entries, c.Updated = none, none, 0, got.Updated
	equal(f, "the conversation", got, c)
}

func takenID(f fixture) {
	id := f.create()
	f.append(id, prompt("kept"))
	f.refuses(f.Create(f.Context(), history.Conversation{ID: id, Title: "another"}), history.ErrExists)
	if err := f.Create(f.Context(), history.Conversation{Title: "nameless"}); err == nil {
		f.Error("a conversation without an id was created")
	}
	if c := f.conversation(id); c.Title != "a title" || c.Entries != 1 {
		f.Errorf("the conversation became %+v", c)
	}
}

func notFound(f fixture) {
	ctx, id, other := f.Context(), f.create(), f.create()
	e := f.append(other, prompt("elsewhere"))[0].ID
	at := f.boundary(other, e)
	f.append(id, prompt("x"))
	for what, err := range map[string]error{
		"a conversation":             second(f.Conversation(ctx, none)),
		"an entry":                   second(f.Entry(ctx, id, history.NewID())),
		"another's entry":            second(f.Entry(ctx, id, e)),
		"a path":                     second(history.Collect(f.Path(ctx, history.PathQuery{Conversation: none}))),
		"another's path":             second(history.Collect(f.Path(ctx, history.PathQuery{Conversation: id, Tip: e}))),
		"compactions":                second(history.Collect(f.Compactions(ctx, id, e))),
		"nodes":                      second(history.Collect(f.Nodes(ctx, none))),
		"children":                   second(history.Collect(f.Children(ctx, none, none))),
		"a source":                   second(f.EntryBySource(ctx, id, "s")),
		"no source":                  second(f.EntryBySource(ctx, id, "")),
		"found entries":              second(f.FindEntries(ctx, none, "", 1)),
		"checkpoints":                second(f.Checkpoints(ctx, none)),
		"pins":                       second(f.Pins(ctx, none)),
		"a pin":                      f.Pin(ctx, id, e),
		"an unpin":                   f.Unpin(ctx, none, e),
		"a queue":                    second(f.Queue(ctx, none)),
		"drafts":                     second(f.Drafts(ctx, none)),
		"a discarded draft":          f.DiscardDraft(ctx, none, none),
		"a blob":                     second(f.Blob(ctx, [32]byte{1})),
		"a description":              f.Describe(ctx, none, history.Description{}),
		"a search":                   second(f.Search(ctx, history.SearchQuery{Text: "x", Conversation: history.NewID()})),
		"an append":                  second(f.Append(ctx, history.AppendRequest{Conversation: none, Entries: []history.Entry{prompt("x")}})),
		"an append to another's":     second(f.Append(ctx, history.AppendRequest{Conversation: id, Parent: e, Entries: []history.Entry{prompt("x")}})),
		"an append to nothing":       second(f.Append(ctx, history.AppendRequest{Conversation: id, Parent: history.NewID(), Entries: []history.Entry{prompt("x")}})),
		"a boundary of no entry":     second(history.BoundaryAt(ctx, f, id, none)),
		"a move of the zero":         f.MoveTip(ctx, history.Boundary{}, none),
		"a mark at the zero":         second(f.Mark(ctx, history.Boundary{}, history.Checkpoint{Name: "m"})),
		"a fork at the zero":         second(f.Fork(ctx, history.ForkRequest{})),
		"a queued prompt":            f.Enqueue(ctx, history.QueuedPrompt{Conversation: none, Message: *prompt("x").Message}),
		"a prompt that is not there": f.Dequeue(ctx, id, history.NewID()),
		"a draft":                    f.SaveDraft(ctx, history.Draft{Conversation: none, Run: history.NewID(), Message: *prompt("x").Message}),
	} {
		if f.refuses(err, history.ErrNotFound); f.Failed() {
			f.Fatalf("looking for %s", what)
		}
	}
	if n := f.conversation(id).Entries; n != 1 {
		f.Errorf("the conversation has %d entries", n)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	f.refuses(f.Create(cancelled, history.Conversation{ID: history.NewID()}), context.Canceled)
	f.refuses(f.MoveTip(cancelled, at, e), context.Canceled)
	f.refuses(second(history.Collect(f.Path(cancelled, history.PathQuery{Conversation: id}))), context.Canceled)
	f.refuses(second(history.Collect(f.List(cancelled, history.ListQuery{}))), context.Canceled)
}

// second returns the error of a call.
func second[T any](_ T, err error) error { return err }

func listed(f fixture) {
	if all := collect(f, f.List(f.Context(), history.ListQuery{})); len(all) != 0 {
		f.Errorf("a new store has %d conversations", len(all))
	}
	var made []history.ID
	for i := range 6 {
		c := history.Conversation{ID: history.NewID(), Directory: fmt.Sprint("/d", i%2)}
		if i > 3 {
			c.Source = history.Source{Tool: "pi", ID: fmt.Sprint(i)}
		}
		f.must(f.Create(f.Context(), c))
		made = append(made, c.ID)
	}
	first := f.append(made[0], prompt("x"))[0].ID
	f.append(made[2], prompt("x"))
	f.appendAt(made[0], first, first, prompt("y"))
	for what, c := range map[string]struct {
		query history.ListQuery
		want  []int
	}{
		"all":              {history.ListQuery{}, []int{0, 2, 5, 4, 3, 1}},
		"of a directory":   {history.ListQuery{Directory: "/d0"}, []int{0, 2, 4}},
		"of a source":      {history.ListQuery{Source: history.Source{Tool: "pi", ID: "5"}}, []int{5}},
		"of no source":     {history.ListQuery{Source: history.Source{Tool: "pi", ID: "7"}}, nil},
		"by id":            {history.ListQuery{IDPrefix: made[3].String()[:30]}, []int{3}},
		"by a whole id":    {history.ListQuery{IDPrefix: made[1].String()}, []int{1}},
		"by what no id is": {history.ListQuery{IDPrefix: "x"}, nil},
		"a few":            {history.ListQuery{Limit: 2}, []int{0, 2}},
		"by all":           {history.ListQuery{Directory: "/d1", Source: history.Source{Tool: "pi", ID: "5"}, IDPrefix: "0", Limit: 1}, []int{5}},
	} {
		var got, want []history.ID
		for _, c := range collect(f, f.List(f.Context(), c.query)) {
			got = append(got, c.ID)
		}
		for _, i := range c.want {
			want = append(want, made[i])
		}
		equal(f, "the list "+what, got, want)
	}
	for c, err := range f.List(f.Context(), history.ListQuery{}) {
		f.must(err)
		if c.Entries != 2 {
			f.Errorf("the first of the list has %d entries", c.Entries)
		}
		break // leaving early must not leave anything open
	}
}

func described(f fixture) {
	id := f.create()
	before := f.conversation(id)
	title, model, empty := "new", "m2", ""
	f.must(f.Describe(f.Context(), id, history.Description{Model: &model}))
	if got := f.conversation(id); got.Title != "a title" || got.Model != "m2" || !got.Updated.Equal(before.Updated) {
		f.Errorf("another model made it %+v", got)
	}
	f.must(f.Describe(f.Context(), id, history.Description{Title: &title, Model: &empty, Directory: &title}))
	if got := f.conversation(id); got.Title != "new" || got.Model != "" || got.Directory != "new" || !got.Updated.After(before.Updated) {
		f.Errorf("another title made it %+v", got)
	}
}

func watched(f fixture) {
	w, ok := f.Store.(history.Watcher)
	if !ok {
		f.Skip("the store is no Watcher")
	}
	version := func() int64 {
		v, err := w.DataVersion(f.Context())
		f.must(err)
		return v
	}
	start := version()
	if again := version(); again != start {
		f.Errorf("version %d became %d without a write", start, again)
	}
	id := f.create()
	created := version()
	f.append(id, prompt("x"))
	if appended := version(); created == start || appended == created {
		f.Errorf("versions %d, %d, %d", start, created, appended)
	}
}
