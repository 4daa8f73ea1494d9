package transcript

import (
	"context"
	"io"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// A Format reads the files of one tool. Its methods are safe for concurrent use.
type Format interface {
	// Name is the tool as stored in [history.Source], such as claude-code.
	Name() string
	// Detect reports whether f looks like one of the tool's files. It judges by
	// content (f.Head), not by name, and must be sure: formats are asked in turn.
	Detect(f *File) bool
	// Read tells sink everything that f holds. What cannot be read is a
	// [Problem]; an error is returned only where reading cannot go on, and for
	// an error of sink or ctx.
	Read(ctx context.Context, f *File, sink Sink) error
	// Places returns patterns (filepath.Glob) of where the tool keeps its files.
	Places(m Machine) []string
}

// Machine is what [Format.Places] may know of the machine.
type Machine struct {
	Home   string
	Getenv func(string) string
	// Directory is the working directory, for tools that keep files in it.
	Directory string
}

// A File is one file of another tool. It is never written to.
type File struct {
	Path string // for formats that open it themselves (databases), and for messages
	Size int64
	Head []byte // the first HeadLen bytes, or all
	io.ReaderAt
}

// HeadLen is how much of a file [Format.Detect] sees.
const HeadLen = 64 << 10

// Reader returns a reader of the whole file.
func (f *File) Reader() *io.SectionReader { return io.NewSectionReader(f, 0, f.Size) }

// A Sink takes what a format finds in a file, in this order: a conversation,
// then its records, labels and tip, then perhaps the next conversation.
type Sink interface {
	// Conversation begins a conversation. Its ID may repeat one of another
	// file; the records are then added to the same tree.
	Conversation(c Conversation) error
	// Record adds a record to the latest conversation. Its parent must have
	// been given before. The sink keeps r: its bytes must not be reused.
	Record(r Record) error
	// Label names a record of the latest conversation.
	Label(l Label) error
	// Tip says from which record the tool would continue. Without it the tip
	// is the last record.
	Tip(record string) error
	// Problem reports what was not read, or not read as it stands.
	Problem(p Problem)
	// Progress says how many bytes of the file have been read.
	Progress(bytes int64)
}

// Conversation is what a file says of a session.
type Conversation struct {
	ID        string // the tool's own
	Title     string
	Directory string
	Model     string
	Created   time.Time // must be the same at every import of the file
	// SpawnedBy and ForkedFrom point to another session of the same tool.
	SpawnedBy  Link
	ForkedFrom Link
}

// A Link points to a record of another session by the tool's own ids. Record
// may be empty.
type Link struct {
	Conversation, Record string
}

// A Record is a message or a compaction: exactly one of the two is set.
type Record struct {
	ID      string // the tool's own, or made from the place in the file; unique in the conversation
	Parent  string // the record it continues from; empty at a root
	Created time.Time
	Message *message.Message
	// Compaction is the tool's own compaction at this point. Where it cannot be
	// applied to the path of Parent, its texts are kept as a message instead.
	Compaction *Compaction
	Usage      *history.Usage
	Line       int64 // where it stands in the file, for problems; 0 where there are no lines
}

// Compaction is how a tool hides records of the path from its model.
type Compaction struct {
	Treatments []Treatment
	Reason     history.Reason // Trigger is set by the import
}

// Treatment is a [history.Treatment] in the tool's own ids.
type Treatment struct {
	From string // the first record; empty: the root of the path
	To   string // the last record; empty: the one before the compaction
	Part int    // a part of From, counted from 1; 0: whole records
	As   history.As
	Text string
}

// A Label is a person's name for a record.
type Label struct {
	Name, Record string
	Created      time.Time
}

// A Problem is something in a file that was not read as it stands.
type Problem struct {
	Line   int64  // counted from 1; 0 where the file has no lines
	Record string // the tool's own id, where known
	What   string // what is wrong, and what was done about it
}
