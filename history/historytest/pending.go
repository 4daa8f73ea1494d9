package historytest

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

func parseID(s string) (history.ID, error) { return uuid.Parse(s) }

func pendingTests() []test {
	return []test{
		{"queued prompts wait in order", queued},
		{"a draft keeps how far each call got", drafted},
		{"P5 a draft is never on a path", draftOffPath},
	}
}

func queued(f fixture) {
	id, ctx := f.create(), f.Context()
	late := history.QueuedPrompt{ID: history.NewID(), Conversation: id, Message: *prompt("late").Message, Created: sourceTime.Add(time.Hour)}
	image := message.Message{Role: message.User, Author: message.ByPerson, Parts: []message.Part{
		message.Image{Media: message.Media{Type: "image/png", Data: []byte("png"), Size: 3}}}}
	early := history.QueuedPrompt{ID: history.NewID(), Conversation: id, Message: image, Created: sourceTime}
	f.must(f.Enqueue(ctx, late))
	f.must(f.Enqueue(ctx, early))
	f.must(f.Enqueue(ctx, early))
	f.must(f.Enqueue(ctx, history.QueuedPrompt{Conversation: id, Message: *prompt("now").Message}))
	if f.Enqueue(ctx, history.QueuedPrompt{Conversation: id}) == nil {
		f.Error("a prompt without a role was queued")
	}
	other := f.create()
	early.Conversation = other
	f.refuses(f.Enqueue(ctx, early), history.ErrExists)
	early.Conversation = id
	early.Message.Parts = []message.Part{message.Image{Media: message.Media{Type: "image/png", Blob: message.HashOf([]byte("png")), Size: 3}}}
	queue, err := f.Queue(ctx, id)
	f.must(err)
	if len(queue) != 3 || queue[2].ID == none || queue[2].Created.IsZero() {
		f.Fatalf("the queue is %+v", queue)
	}
	equal(f, "the queue", queue[:2], []history.QueuedPrompt{early, late})
	f.must(f.Dequeue(ctx, id, late.ID))
	f.refuses(f.Dequeue(ctx, id, late.ID), history.ErrNotFound)
	f.refuses(f.Dequeue(ctx, other, early.ID), history.ErrNotFound)
	queue, err = f.Queue(ctx, id)
	f.must(err)
	if len(queue) != 2 || queue[0].ID != early.ID {
		f.Errorf("the queue is %+v", queue)
	}
}

func drafted(f fixture) {
	id, ctx := f.create(), f.Context()
	tip := f.append(id, prompt("x"))[0].ID
	whole := turn("a", "b", "c", "d")
	failed := message.ToolResult{CallID: "call_1", Outcome: message.Failed, Content: []message.Content{message.Text{Text: strings.Repeat("long ", 5000)}}}
	empty := message.ToolResult{CallID: "call_3"}
	d := history.Draft{
		Conversation: id, Run: history.NewID(), Parent: tip, Message: *whole[0].Message,
		Calls: []history.DraftCall{
			{State: history.CallStarted}, {State: history.CallDone, Result: &failed}, {State: history.CallNotStarted}, {State: history.CallDone, Result: &empty},
		},
	}
	f.must(f.SaveDraft(ctx, history.Draft{Conversation: id, Run: d.Run, Message: *answer("").Message}))
	f.must(f.SaveDraft(ctx, d))
	drafts, err := f.Drafts(ctx, id)
	f.must(err)
	if len(drafts) != 1 || drafts[0].Updated.IsZero() {
		f.Fatalf("the drafts are %+v", drafts)
	}
	d.Updated = drafts[0].Updated
	equal(f, "the draft", drafts[0], d)
	later := history.Draft{Conversation: id, Run: history.NewID(), Message: *answer("later").Message}
	f.must(f.SaveDraft(ctx, later))
	drafts, err = f.Drafts(ctx, id)
	f.must(err)
	if len(drafts) != 2 || drafts[0].Run != later.Run {
		f.Errorf("the drafts are %+v", drafts)
	}
	for what, broken := range map[string]history.Draft{
		"no run":                     {Conversation: id, Message: later.Message},
		"no role":                    {Conversation: id, Run: history.NewID()},
		"done without a result":      {Conversation: id, Run: history.NewID(), Message: later.Message, Calls: []history.DraftCall{{State: history.CallDone}}},
		"a result but not done":      {Conversation: id, Run: history.NewID(), Message: later.Message, Calls: []history.DraftCall{{State: history.CallStarted, Result: &empty}}},
		"a parent that is not there": {Conversation: id, Run: history.NewID(), Message: later.Message, Parent: history.NewID()},
	} {
		if f.SaveDraft(ctx, broken) == nil {
			f.Errorf("a draft with %s was saved", what)
		}
	}
	f.must(f.DiscardDraft(ctx, id, d.Run))
	f.must(f.DiscardDraft(ctx, id, d.Run))
	drafts, err = f.Drafts(ctx, id)
	f.must(err)
	if len(drafts) != 1 || drafts[0].Run != later.Run {
		f.Errorf("the drafts are %+v", drafts)
	}
}

func draftOffPath(f fixture) {
	id := f.create()
	f.append(id, prompt("x"))
	before := f.conversation(id)
	f.must(f.SaveDraft(f.Context(), history.Draft{Conversation: id, Run: history.NewID(), Parent: before.Tip, Message: *turn("a")[0].Message}))
	equal(f, "the conversation", f.conversation(id), before)
	equal(f, "the path", texts(f.path(id, none)), []string{"x"})
}
