package history

import (
	"time"

	"github.com/google/uuid"

	"github.com/stemma-history/stemma/message"
)

// ID names a conversation, an entry, a checkpoint or a run. Ids are UUIDv7, so
// that they sort by time. The zero ID stands for none.
type ID = uuid.UUID

// NewID returns a new random id. It is the default of everything that takes a
// source of ids.
func NewID() ID { return uuid.Must(uuid.NewV7()) }

// A Conversation is a tree of entries with one tip.
type Conversation struct {
	ID    ID
	Title string
	// Tip is where the conversation stands; none in an empty one.
	Tip ID
	// ForkedFrom is the entry that a fork was copied at.
	ForkedFrom Link
	// SpawnedBy is the entry whose tool call started this conversation of a
	// sub-agent, as far as it is known.
	SpawnedBy Link
	// Source is the file of another tool that was imported. Empty in a fork.
	Source Source
	// ImportedTip is where the last import put the tip.
	ImportedTip ID
	Model       string // the model used last
	Directory   string // working directory, spelt as the person did
	Owner       string
	Created     time.Time
	// Updated is the time of the last append, move of the tip, or change of
	// title here; where an import was later, that of the newest imported entry.
	Updated time.Time
	// Entries is how many entries the tree has. Set by the store.
	Entries int
}

// A Link points to an entry of another conversation. Both ids are zero where
// there is none; the entry alone is zero where only the conversation is known.
type Link struct {
	Conversation ID
	Entry        ID
}

// Source names what another tool calls a conversation.
type Source struct {
	Tool string // the format's name, such as claude-code
	ID   string // the tool's own id of the session
}

// Kind tells the two kinds of entries apart.
type Kind string

const (
	KindMessage    Kind = "message"
	KindCompaction Kind = "compaction"
)

// An Entry is one immutable node of a conversation: exactly one of Message and
// Compaction is set.
type Entry struct {
	ID           ID
	Conversation ID
	Parent       ID  // none at a root
	Depth        int // 1 at a root
	Message      *message.Message
	Compaction   *Compaction
	Created      time.Time // UTC, to the microsecond
	// Source is the tool's own id of the record this was imported from. Empty
	// in a fork and in entries of our own.
	Source string
	// LastCompaction is the nearest compaction at or above this entry.
	LastCompaction ID
	// Left is the tip that a rewind left, on the digest that it appended.
	// Empty in a fork.
	Left ID

	// What follows is known of answers of a model only.

	Usage *Usage
	// Frame is the blob with the system prompt and tools of the request.
	Frame message.Hash
	// Seals are the hashes of everything sent before each thinking part, in
	// order. A model that checks its thinking gets a part back only where the
	// seal still matches.
	Seals []message.Hash
}

// Kind says whether e is a message or a compaction.
func (e *Entry) Kind() Kind {
	if e.Compaction != nil {
		return KindCompaction
	}
	return KindMessage
}

// Author is who wrote the entry. Compactions are the harness's.
func (e *Entry) Author() message.Author {
	if e.Message != nil {
		return e.Message.Author
	}
	return message.ByHarness
}

// Node returns what a tree view needs to know of e, without the size of its
// body.
func (e *Entry) Node() Node {
	n := Node{ID: e.ID, Parent: e.Parent, Depth: e.Depth, Kind: e.Kind(), Author: e.Author(), Created: e.Created, Preview: Preview(e)}
	if e.Message != nil {
		n.Role = e.Message.Role
	}
	return n
}

// Handle is the name of the entry on every path through it.
func (e *Entry) Handle() Handle { return Handle{Depth: e.Depth} }

// Usage is what a provider billed for a request, in tokens.
type Usage struct {
	Input      int64 `json:"input,omitempty"` // neither read from nor written to the cache
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	Output     int64 `json:"output,omitempty"`    // thinking included
	Reasoning  int64 `json:"reasoning,omitempty"` // the part of Output that was thinking, where it is known
	// Estimate is what the request was taken to cost before it was sent.
	Estimate int64 `json:"estimate,omitempty"`
	// CostUSD is the price that the source states.
	CostUSD float64 `json:"cost_usd,omitempty"`
}

// Prompt is the size of the whole request, cached or not.
func (u Usage) Prompt() int64 { return u.Input + u.CacheRead + u.CacheWrite }

// Add counts the usage of another request in.
func (u *Usage) Add(other Usage) {
	u.Input += other.Input
	u.CacheRead += other.CacheRead
	u.CacheWrite += other.CacheWrite
	u.Output += other.Output
	u.Reasoning += other.Reasoning
	u.Estimate += other.Estimate
	u.CostUSD += other.CostUSD
}

// A Node is what a tree view needs to know of an entry, without its body.
type Node struct {
	ID      ID
	Parent  ID
	Depth   int
	Kind    Kind
	Role    message.Role // empty for compactions
	Author  message.Author
	Created time.Time
	Preview string // one line, at most PreviewLen bytes
	Bytes   int64  // size of the body with the text in its blobs, before compression
}

// A Checkpoint is a named mark on an entry at a turn boundary.
type Checkpoint struct {
	ID           ID
	Conversation ID
	Name         string
	Entry        ID
	SetBy        message.Author // ByModel or ByPerson
	Created      time.Time
}

// A QueuedPrompt was typed while a run was busy. It goes onto the path at a
// turn boundary.
type QueuedPrompt struct {
	ID           ID
	Conversation ID
	Message      message.Message
	Created      time.Time
}

// A Draft is the turn that a run has under way. It is never on a path.
type Draft struct {
	Conversation ID
	Run          ID
	Parent       ID // the entry that the turn will continue from
	// Message is the answer as far as it came.
	Message message.Message
	// Calls has the state of each tool call of Message, in order.
	Calls   []DraftCall
	Updated time.Time
}

// A DraftCall is how far a tool call of a draft got.
type DraftCall struct {
	State  CallState           `json:"state"`
	Result *message.ToolResult `json:"-"` // where State is CallDone
}

// CallState is how far the tool call of a draft got.
type CallState string

const (
	CallNotStarted CallState = "not_started"
	CallStarted    CallState = "started" // it may have had its effect
	CallDone       CallState = "done"
)
