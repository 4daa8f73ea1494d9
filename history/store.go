package history

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/stemma-history/stemma/message"
)

// A Store keeps conversations. All methods are safe for concurrent use, by
// goroutines and, where the store is a file or a server, by processes.
//
// A method that writes is one transaction: when it returns without an error
// its effect is durable (as far as the store's options promise), and when it
// returns an error other than [*TipMovedError] it has had none. Where the
// outcome is in doubt (a cut connection, a killed process) the same call may
// be made again: ids come from the caller, and what is stored already is not
// stored twice.
//
// Close waits for the write under way. A closed store is not used any more.
//
// Sequences yield an error where one row is damaged ([*DamagedError]) and go
// on with the next; after any other error they end.
type Store interface {
	Conversations
	Entries
	Marks
	Pending
	Blobs
	Searcher
	Checker
	io.Closer
}

// Conversations is the list of trees.
type Conversations interface {
	// Create stores a new conversation without entries. It needs an ID; the store
	// sets Updated, and Created where missing.
	// It fails with [ErrExists] where the id is taken.
	Create(ctx context.Context, c Conversation) error
	// Conversation fails with [ErrNotFound].
	Conversation(ctx context.Context, id ID) (Conversation, error)
	// List yields conversations, the most recently updated first.
	List(ctx context.Context, q ListQuery) iter.Seq2[Conversation, error]
	// Describe changes what people and runs may change of a conversation.
	Describe(ctx context.Context, id ID, d Description) error
}

// ListQuery selects conversations. The zero query selects all.
type ListQuery struct {
	Directory string // only those of this working directory
	Source    Source // only those imported from this
	IDPrefix  string // only those whose id begins so, in lower-case text form
	Limit     int    // 0 is no limit
}

// Description has the changeable texts of a conversation; nil leaves one as it is.
type Description struct {
	Title, Model, Directory *string
}

// Entries is the trees themselves.
type Entries interface {
	// Append stores entries, each continuing from the one before, the first
	// from Parent, and moves the tip to the last of them if it still equals
	// ExpectedTip. If it does not, the entries stand as a branch, and the error
	// is a [*TipMovedError]; the returned entries are complete in both cases.
	//
	// The entries must end at a turn boundary with every call answered or its
	// message settled ([ValidateTurns]), and continue from one: the error is a
	// [*MidTurnError] where Parent is inside a turn. Entries whose ids are stored
	// under the same parent already are taken as saved by an earlier try; if all
	// are, and the tip is at or below the last of them, the tip stays.
	Append(ctx context.Context, r AppendRequest) ([]Entry, error)
	// MoveTip makes to the tip if the tip still equals expected, or is to
	// already; else it fails with a [*TipMovedError] and nothing changes.
	MoveTip(ctx context.Context, to Boundary, expected ID) error
	// Fork copies the path that ends at r.At, its checkpoints and pins into a
	// new conversation under new ids. It streams: memory does not grow with the
	// path. Where r.ID names a fork of the same entry, that one is returned.
	Fork(ctx context.Context, r ForkRequest) (Conversation, error)
	// Import stores entries of another tool's file; see [ImportRequest].
	Import(ctx context.Context, r ImportRequest) (ImportResult, error)

	// Entry fails with [ErrNotFound] where the conversation has no such entry.
	Entry(ctx context.Context, conversation, id ID) (Entry, error)
	// Path yields the entries of a path from the root, or from the oldest that
	// q asks for, down to q.Tip. It fails with [ErrNotFound] where there is no
	// such conversation or entry, and yields nothing where the tip is none.
	Path(ctx context.Context, q PathQuery) iter.Seq2[Entry, error]
	// Compactions yields the compactions on the path to an entry, the oldest
	// first, without reading what stands between them.
	Compactions(ctx context.Context, conversation, entry ID) iter.Seq2[Entry, error]
	// Nodes yields the whole tree, parents before their children, siblings in
	// the order they were stored.
	Nodes(ctx context.Context, conversation ID) iter.Seq2[Node, error]
	// Children yields the entries that continue from parent, or the roots where
	// parent is none, in the order they were stored.
	Children(ctx context.Context, conversation, parent ID) iter.Seq2[Node, error]
	// EntryBySource returns the entry that was imported from a record of the
	// conversation's source. It fails with [ErrNotFound].
	EntryBySource(ctx context.Context, conversation ID, source string) (ID, error)
	// FindEntries returns at most limit entries whose id begins with prefix, in
	// lower-case text form.
	FindEntries(ctx context.Context, conversation ID, prefix string, limit int) ([]ID, error)
}

// AppendRequest asks for turns to be saved.
type AppendRequest struct {
	Conversation ID
	Parent       ID // none starts a new root
	ExpectedTip  ID // none where the conversation is expected to be empty
	// Entries have the caller's ID, Message or Compaction, Created, Left, Usage,
	// Frame and Seals. The store sets the rest, an ID and Created where missing.
	Entries []Entry
	// Blobs are stored with the entries: frames, and bytes that messages name
	// by hash only.
	Blobs []message.Blob
	// Run, if set, is the run whose draft these entries replace.
	Run ID
	// Dequeue lists the queued prompts that these entries contain.
	Dequeue []ID
}

// ForkRequest asks for a copy of a path.
type ForkRequest struct {
	At    Boundary
	ID    ID     // of the new conversation; the store makes one where missing
	Title string // Default: the title of the origin
}

// ImportRequest adds entries of another tool's file to the conversation that
// stands for it. Ids are made from what the tool calls things ([SourceID]), so
// that importing again adds only what is new, and the order of two imports at
// the same time does not matter.
type ImportRequest struct {
	// Conversation is created where its id is new. Its Tip and Updated are
	// ignored: Updated becomes the time of the newest entry that has one, if that
	// is later than what it was and not in the future, so that a list shows when
	// something was said. Where the conversation exists, title, model, directory
	// and links that it lacks are filled in.
	Conversation Conversation
	// Entries have ID, Parent, Source, Created, Message or Compaction, Left,
	// Usage, Frame and Seals. A parent stands before its children, in this
	// request or an earlier one. An entry whose id is stored already is skipped.
	Entries []Entry
	// Blobs are stored with the entries: frames, and bytes that messages name
	// by hash only.
	Blobs []message.Blob
	// Checkpoints have ID, Name, Entry, SetBy and Created, and may mark any entry.
	// Those stored already are skipped.
	Checkpoints []Checkpoint
	// Tip is where the other tool would continue. The tip moves there only if
	// it stands where the last import put it. None leaves the tip alone.
	Tip ID
}

// ImportResult says what an import changed.
type ImportResult struct {
	Created  bool // the conversation is new
	Added    int  // entries that were new
	TipMoved bool // the tip is, or was already, where the import wants it
}

// PathQuery selects a path or its newest part.
type PathQuery struct {
	Conversation ID
	Tip          ID // none: the conversation's tip
	// Newest limits the path to its last entries. 0 is the whole path. What it
	// costs depends on this number, not on the length of the path.
	Newest int
}

// Marks are checkpoints and pins.
type Marks interface {
	// Mark stores a checkpoint at a turn boundary. A name may be set again: the
	// earlier mark stays listed. The store makes an ID and Created where missing.
	// Setting a mark again by its ID has no effect.
	Mark(ctx context.Context, at Boundary, c Checkpoint) (Checkpoint, error)
	// Checkpoints returns all marks of a conversation, the newest first.
	Checkpoints(ctx context.Context, conversation ID) ([]Checkpoint, error)
	// Pin keeps an entry whole in every view, Unpin no longer. Both may be
	// called again without effect.
	Pin(ctx context.Context, conversation, entry ID) error
	Unpin(ctx context.Context, conversation, entry ID) error
	// Pins returns the pinned entries in the order they were stored.
	Pins(ctx context.Context, conversation ID) ([]ID, error)
}

// Pending is what is not on a path yet.
type Pending interface {
	// Enqueue keeps a prompt for the next turn boundary. The store makes an ID
	// and Created where missing. Keeping it again by its ID has no effect.
	Enqueue(ctx context.Context, p QueuedPrompt) error
	// Queue returns the waiting prompts, the oldest first.
	Queue(ctx context.Context, conversation ID) ([]QueuedPrompt, error)
	// Dequeue drops a prompt that its author took back. It fails with
	// [ErrNotFound] where the prompt does not wait any more: a run has taken it.
	Dequeue(ctx context.Context, conversation, prompt ID) error

	// SaveDraft stores or replaces the draft of a run, and sets Updated.
	SaveDraft(ctx context.Context, d Draft) error
	// Drafts returns the drafts of a conversation, the latest first.
	Drafts(ctx context.Context, conversation ID) ([]Draft, error)
	// DiscardDraft drops the draft of a run, if there is one.
	DiscardDraft(ctx context.Context, conversation, run ID) error
}

// Blobs are bytes named by their hash, each stored once.
type Blobs interface {
	// Blob fails with [ErrNotFound].
	Blob(ctx context.Context, hash message.Hash) (message.Blob, error)
	// PutBlob stores a blob; storing it again has no effect.
	PutBlob(ctx context.Context, b message.Blob) error
}

// Searcher is full-text search over the words of messages. The index follows
// behind the appends, and every answer says how far it is.
type Searcher interface {
	// Index reads at most limit bodies into the index and returns how many are
	// left.
	Index(ctx context.Context, limit int) (left int, err error)
	// Search finds entries that have all the words of the text, the best match
	// first. It does not index.
	Search(ctx context.Context, q SearchQuery) (SearchResult, error)
}

// SearchQuery asks for entries by their words.
type SearchQuery struct {
	Text         string // words; a part in double quotes is a phrase; the last word may be a beginning
	Conversation ID     // none: all
	Limit        int    // Default: 20
}

// SearchResult is an answer of [Searcher].
type SearchResult struct {
	Hits []Hit
	// Unindexed is how many bodies the index has not read yet: they are not in
	// the answer.
	Unindexed int
}

// A Hit is an entry found by its words.
type Hit struct {
	Conversation ID
	Entry        ID
	Handle       Handle
	Role         message.Role
	Created      time.Time
	// Excerpt is one line around the first match; Match is the byte range of
	// the match in it.
	Excerpt string
	Match   [2]int
}

// Checker verifies what is stored.
type Checker interface {
	// Check reads everything and yields the problems it finds. With repair it
	// mends what can be mended without dropping anything, and says so.
	Check(ctx context.Context, repair bool) iter.Seq2[Problem, error]
}

// A Problem is something wrong in a store.
type Problem struct {
	Conversation ID     // none where the problem is not of one conversation
	Entry        ID     // none where the problem is not of one entry
	What         string // for people: what is wrong and what it means
	Repaired     bool
	Advice       string // what to do, where Repaired is false
}

// A Watcher tells cheaply that something was written. It is an extra of a
// store, found by a type assertion.
type Watcher interface {
	// DataVersion returns a number that is another one after each write, by
	// whichever process. It costs microseconds, so that a program which shows a
	// conversation may ask several times a second. The number means nothing
	// beyond this open store.
	DataVersion(ctx context.Context) (int64, error)
}
