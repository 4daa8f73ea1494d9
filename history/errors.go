package history

import (
	"errors"
	"fmt"
)

var (
	// ErrNotFound: the store has no such conversation, entry or blob.
	ErrNotFound = errors.New("not found")
	// ErrExists: the id is taken.
	ErrExists = errors.New("exists already")
	// ErrTipMoved is what a [*TipMovedError] is.
	ErrTipMoved = errors.New("the tip was moved by another writer")
	// ErrFull: the disk or the quota is full. Nothing that was acknowledged is
	// lost; the call may be made again when there is room.
	ErrFull = errors.New("no space left for the store")
	// ErrNewerFormat: the store was written by a newer version of this program.
	ErrNewerFormat = errors.New("the store was written by a newer version")
)

// A TipMovedError says that another writer moved the tip. What the caller
// wanted to append is stored all the same, as a branch that ends at Stored.
type TipMovedError struct {
	Conversation ID
	Expected     ID
	Actual       ID
	Stored       ID // the last entry that was appended; none for a move
}

func (e *TipMovedError) Error() string {
	s := fmt.Sprintf("conversation %v: %v: expected %s, it is at %s", e.Conversation, ErrTipMoved, name(e.Expected), name(e.Actual))
	if e.Stored != (ID{}) {
		s += fmt.Sprintf("; the new entries are kept as a branch that ends at %v", e.Stored)
	}
	return s
}

// Is makes errors.Is(err, ErrTipMoved) true.
func (e *TipMovedError) Is(target error) bool { return target == ErrTipMoved }

func name(id ID) string {
	if id == (ID{}) {
		return "the empty beginning"
	}
	return id.String()
}

// A DamagedError says that one stored row cannot be read. The rest can.
type DamagedError struct {
	Conversation ID
	Entry        ID
	Err          error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("conversation %v, entry %v is damaged: %v (stemma check tells what can be mended)", e.Conversation, e.Entry, e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }
