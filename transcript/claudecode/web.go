package claudecode

import (
	"errors"
	"iter"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// isWebExport reports whether the file is a session of Claude Code on the web:
// one object with all lines.
func isWebExport(f *transcript.File) bool {
	for key := range transcript.Peek(f.Document()) {
		if key == "loglines" {
			return true
		}
	}
	return false
}

// webObjects yields the lines of a session from the web.
func webObjects(f *transcript.File) iter.Seq2[transcript.Object, error] {
	return func(yield func(transcript.Object, error) bool) {
		data, err := f.ReadObject(transcript.Span{Size: int(f.Size)})
		if err == nil && !rawjson.Valid(data) {
			err = errors.New("the file is no whole JSON document; export it again")
		}
		if err != nil {
			yield(transcript.Object{}, err)
			return
		}
		_ = rawjson.Elements(rawjson.Get(data, "loglines"), func(v []byte) error {
			// v is a slice of data: what it lacks in capacity stands before it
			at := transcript.Span{Offset: int64(cap(data) - cap(v)), Size: len(v)}
			if !yield(transcript.Object{Span: at, Data: v}, nil) {
				return rawjson.ErrStop
			}
			return nil
		})
	}
}
