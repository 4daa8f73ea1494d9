package sqlite

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// How values stand in columns: ids and hashes as bytes, times as microseconds,
// what is none as NULL.

func idOrNull(id history.ID) any {
	if id == (history.ID{}) {
		return nil
	}
	return id[:]
}

func numberOrNull(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// scanRow reads the values of a row.
func scanRow(row []driver.Value, dest []any) error {
	if len(row) != len(dest) {
		return fmt.Errorf("a row of %d columns, expected %d", len(row), len(dest))
	}
	for i, v := range row {
		if err := scanValue(v, dest[i]); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

func scanValue(value driver.Value, dest any) error {
	switch d := dest.(type) {
	case sql.Scanner:
		return d.Scan(value)
	case *int64:
		if v, ok := value.(int64); ok {
			*d = v
			return nil
		}
	case *int:
		if v, ok := value.(int64); ok {
			*d = int(v)
			return nil
		}
	case *[]byte:
		if v, ok := value.([]byte); ok {
			*d = bytes.Clone(v)
			return nil
		}
	}
	return fmt.Errorf("a %T cannot be read into a %T", value, dest)
}

// idColumn scans into an id.
type idColumn struct{ id *history.ID }

func (c idColumn) Scan(value any) error { return scanBytes(value, c.id[:], "id") }

// hashColumn scans into a hash.
type hashColumn struct{ hash *message.Hash }

func (c hashColumn) Scan(value any) error { return scanBytes(value, c.hash[:], "hash") }

func scanBytes(value any, to []byte, what string) error {
	switch v := value.(type) {
	case nil:
		clear(to)
		return nil
	case []byte:
		if len(v) == len(to) {
			copy(to, v)
			return nil
		}
		return fmt.Errorf("%s of %d bytes, expected %d", what, len(v), len(to))
	}
	return fmt.Errorf("%s is a %T, expected bytes", what, value)
}

// timeColumn scans into a time.
type timeColumn struct{ time *time.Time }

func (c timeColumn) Scan(value any) error {
	us, ok := value.(int64)
	if !ok {
		return fmt.Errorf("time is a %T, expected microseconds", value)
	}
	*c.time = time.UnixMicro(us).UTC()
	return nil
}

// textColumn scans into a string; NULL is the empty one.
type textColumn[T ~string] struct{ text *T }

func (c textColumn[T]) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*c.text = ""
	case string:
		*c.text = T(v)
	default:
		return fmt.Errorf("text is a %T", value)
	}
	return nil
}

func text[T ~string](to *T) textColumn[T] { return textColumn[T]{to} }

// numberColumn scans into a number; NULL is 0.
type numberColumn struct{ n *int64 }

func (c numberColumn) Scan(value any) error {
	*c.n = 0
	n, ok := value.(int64)
	if !ok && value != nil {
		return fmt.Errorf("number is a %T", value)
	}
	*c.n = n
	return nil
}

func encodeUsage(u *history.Usage) (any, error) {
	if u == nil {
		return nil, nil
	}
	data, err := json.Marshal(u)
	return string(data), err
}

func decodeUsage(text string) (*history.Usage, error) {
	if text == "" {
		return nil, nil
	}
	var u history.Usage
	if err := json.Unmarshal([]byte(text), &u); err != nil {
		return nil, fmt.Errorf("usage: %w", err)
	}
	return &u, nil
}

func encodeSeals(seals []message.Hash) any {
	if len(seals) == 0 {
		return nil
	}
	data := make([]byte, 0, len(seals)*len(seals[0]))
	for _, s := range seals {
		data = append(data, s[:]...)
	}
	return data
}

func decodeSeals(data []byte) ([]message.Hash, error) {
	const size = len(message.Hash{})
	if len(data)%size != 0 {
		return nil, fmt.Errorf("seals of %d bytes, expected a multiple of %d", len(data), size)
	}
	var seals []message.Hash
	for ; len(data) > 0; data = data[size:] {
		seals = append(seals, message.Hash(data[:size]))
	}
	return seals, nil
}

func hashOrNull(h message.Hash) any {
	if h.IsZero() {
		return nil
	}
	return h[:]
}
