package transcript

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/stemma-history/stemma/history"
)

// ErrUnknownFormat: no format recognised the file.
var ErrUnknownFormat = errors.New("the format is not known")

// Open opens a file for detection and reading. Close it when done.
func Open(path string) (*File, io.Closer, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a directory; expected a file", path)
	}
	f := &File{Path: path, ReaderAt: file}
	if err == nil {
		f.Size = info.Size()
		f.Head = make([]byte, min(f.Size, HeadLen))
		_, err = io.ReadFull(f.Reader(), f.Head)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return f, file, nil
}

// Detect returns the first format that recognises f, or [ErrUnknownFormat].
func Detect(formats []Format, f *File) (Format, error) {
	for _, format := range formats {
		if format.Detect(f) {
			return format, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", f.Path, ErrUnknownFormat)
}

// Options of [Import].
type Options struct {
	// Owner goes into new conversations and their ids.
	Owner string
	// Progress, if set, is told how many bytes of the file have been read.
	Progress func(bytes int64)
}

// Report says what an import did. It is complete even where the import ended
// with an error.
type Report struct {
	Format        string
	Conversations []Imported
	Problems      []Problem // the first of them; ProblemCount has the number of all
	ProblemCount  int
}

// Imported is what became of one conversation of a file.
type Imported struct {
	Conversation history.ID
	Title        string
	Created      bool       // it was new
	Records      int        // how many the file has
	Added        int        // how many of them were new
	Tip          history.ID // where the tool would continue
	// TipMoved is false where someone has moved the tip since the last import:
	// what is new stands as a branch that ends at Tip.
	TipMoved bool
}

// maxProblems bounds a report; a file of garbage has a problem on every line.
const maxProblems = 100

// Import reads f with format into store. It may be stopped at any point and
// run again: only what is missing is added then.
func Import(ctx context.Context, store history.Store, format Format, f *File, options Options) (Report, error) {
	w := &writer{ctx: ctx, store: store, tool: format.Name(), options: options}
	w.report.Format = format.Name()
	err := format.Read(ctx, f, w)
	if err == nil {
		err = w.finish()
	}
	if w.long {
		debug.FreeOSMemory() // what the format had in hand while that batch was stored
	}
	if err != nil {
		err = fmt.Errorf("import %s as %s: %w", f.Path, format.Name(), err)
	}
	return w.report, err
}
