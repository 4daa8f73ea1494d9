package transcript

import (
	"time"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// A Session is what a writer puts around the messages of a new file of a tool.
type Session struct {
	ID    string // the new session's
	Model string
	Now   time.Time
	// NewID makes ids for records: random UUIDs.
	NewID func() string
	// Like is a file of the same tool: working directory, version and the like
	// are taken from it.
	Like *File
}

// A MemberWriter writes JSON objects member by member.
type MemberWriter struct{ JSON []byte }

// Raw adds a member whose value is JSON already. An absent value is left out.
func (w *MemberWriter) Raw(key string, value []byte) {
	if value == nil {
		return
	}
	if len(w.JSON) == 0 || w.JSON[len(w.JSON)-1] != '{' {
		w.JSON = append(w.JSON, ',')
	}
	w.JSON = append(rawjson.AppendString(w.JSON, key), ':')
	w.JSON = append(w.JSON, value...)
}

// Text adds a member that is a string.
func (w *MemberWriter) Text(key, value string) { w.Raw(key, rawjson.AppendString(nil, value)) }

// Object adds a member that is an object, written by f.
func (w *MemberWriter) Object(key string, f func()) {
	w.Raw(key, []byte{})
	w.JSON = append(w.JSON, '{')
	f()
	w.JSON = append(w.JSON, '}')
}

// Without returns an object without a member.
func Without(object []byte, key string) []byte {
	if rawjson.Get(object, key) == nil {
		return object
	}
	w := MemberWriter{JSON: []byte{'{'}}
	_ = rawjson.Members(object, func(k string, v []byte) error { // read before
		if k != key {
			w.Raw(k, v)
		}
		return nil
	})
	return append(w.JSON, '}')
}

// Stamp is how tools write a time: to the millisecond, in UTC.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
