// Package exportfile opens the data exports of chat services: a ZIP that holds
// conversations*.json and the files that people shared, or that JSON alone.
package exportfile

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/internal/jsonstream"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// An Export is an opened export.
type Export struct {
	size      int64 // of the file
	documents []document
	assets    []*zip.File // by the last element of their name
}

// document is a JSON file with conversations.
type document struct {
	name string // in the ZIP
	size int64
	open func() (io.ReadCloser, error)
}

var zipMagic = []byte("PK\x03\x04")

// Open opens an export. A file that is no ZIP is taken for its JSON.
func Open(f *transcript.File) (*Export, error) {
	e := &Export{size: f.Size}
	if !bytes.HasPrefix(f.Head, zipMagic) {
		e.documents = []document{{size: f.Size, open: func() (io.ReadCloser, error) { return io.NopCloser(f.Reader()), nil }}}
		return e, nil
	}
	archive, err := zip.NewReader(f, f.Size)
	if err != nil {
		return nil, fmt.Errorf("open %s as a ZIP: %w", f.Path, err)
	}
	for _, file := range archive.File {
		if isDocument(file.Name) {
			e.documents = append(e.documents, document{name: file.Name, size: int64(file.UncompressedSize64), open: file.Open})
		} else {
			e.assets = append(e.assets, file)
		}
	}
	slices.SortFunc(e.documents, func(a, b document) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(e.assets, func(a, b *zip.File) int { return strings.Compare(path.Base(a.Name), path.Base(b.Name)) })
	return e, nil
}

// isDocument knows conversations.json, and the numbered parts of large exports.
func isDocument(name string) bool {
	name = path.Base(name)
	return strings.HasPrefix(name, "conversations") && strings.HasSuffix(name, ".json")
}

// First returns the beginning of the first conversation, as far as a head
// reaches: look into it with [transcript.Peek]. It is empty where there is none
// to read.
func (e *Export) First() []byte {
	if len(e.documents) == 0 {
		return nil
	}
	head, err := e.documents[0].head()
	if err != nil {
		return nil
	}
	begin := (&transcript.File{Head: head}).Document()
	for first := range transcript.PeekElements(begin) {
		return first
	}
	return begin
}

func (d *document) head() (head []byte, err error) {
	r, err := d.open()
	if err != nil {
		return nil, err
	}
	head, err = io.ReadAll(io.LimitReader(r, transcript.HeadLen))
	return head, errors.Join(err, r.Close())
}

// Conversations gives take every conversation, as it stands. What take does not
// understand is reported, and the next one given.
func (e *Export) Conversations(ctx context.Context, sink transcript.Sink, take func(conversation []byte) error) error {
	var done, total int64
	for _, d := range e.documents {
		total += max(d.size, 1)
	}
	for _, d := range e.documents {
		progress := func(offset int64) { sink.Progress(e.size * min(done+offset, total) / total) }
		if err := d.read(ctx, sink, take, progress); err != nil {
			return err
		}
		done += max(d.size, 1)
	}
	return nil
}

// An UnreadableError says that a conversation could not be understood.
type UnreadableError struct{ Err error }

func (e *UnreadableError) Error() string { return e.Err.Error() }

func (e *UnreadableError) Unwrap() error { return e.Err }

func (d *document) read(ctx context.Context, sink transcript.Sink, take func([]byte) error, progress func(int64)) (err error) {
	r, err := d.open()
	if err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for v, err := range values(r) {
		if err == nil {
			err = ctx.Err()
		}
		if damage := (*rawjson.SyntaxError)(nil); errors.As(err, &damage) {
			sink.Problem(transcript.Problem{What: d.where("the file is read up to byte %d: %v", damage.Offset, err)})
			return nil
		}
		if err != nil {
			return err
		}
		if err = v.Err; err == nil {
			err = take(v.Data)
		}
		unreadable := (*UnreadableError)(nil)
		if v.Err != nil || errors.As(err, &unreadable) {
			sink.Problem(transcript.Problem{What: d.where("the conversation at byte %d is not understood; it is skipped: %v", v.Offset, err)})
		} else if err != nil {
			return err
		}
		progress(v.Offset + int64(len(v.Data)))
	}
	return nil
}

func (d *document) where(format string, args ...any) string {
	what := fmt.Sprintf(format, args...)
	if d.name != "" {
		what = d.name + ": " + what
	}
	return what
}

// values yields the conversations of a document: the elements of an array, or
// the one object that the document is.
func values(r io.Reader) iter.Seq2[jsonstream.Value, error] {
	buffered := bufio.NewReader(r)
	head, _ := buffered.Peek(512) // an error is met again below
	if begin := (&transcript.File{Head: head}).Document(); len(begin) == 0 || begin[0] != '{' {
		return jsonstream.Read(buffered)
	}
	return func(yield func(jsonstream.Value, error) bool) {
		data, err := io.ReadAll(io.LimitReader(buffered, jsonstream.MaxValue))
		v := jsonstream.Value{Data: (&transcript.File{Head: data}).Document()}
		if !rawjson.Valid(v.Data) {
			v.Err = errNotWhole
		}
		yield(v, err)
	}
}

var errNotWhole = errors.New("expected one JSON object up to the end of the file")

// maxAsset is the largest shared file that is read into memory. Services take
// files up to 512 MB (ChatGPT, 2025).
const maxAsset = 512 << 20

// Asset returns a shared file of the export whose name begins with prefix, or
// no bytes where there is none.
func (e *Export) Asset(prefix string) (data []byte, err error) {
	at, _ := slices.BinarySearchFunc(e.assets, prefix, func(f *zip.File, prefix string) int { return strings.Compare(path.Base(f.Name), prefix) })
	if prefix == "" || at == len(e.assets) || !strings.HasPrefix(path.Base(e.assets[at].Name), prefix) {
		return nil, nil
	}
	file := e.assets[at]
	if file.UncompressedSize64 > maxAsset {
		return nil, fmt.Errorf("%s: it has %d bytes, more than the %d that are read", file.Name, file.UncompressedSize64, maxAsset)
	}
	r, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name, err)
	}
	data, err = io.ReadAll(io.LimitReader(r, maxAsset))
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name, err)
	}
	return data, nil
}
