package history

import (
	"slices"

	"github.com/stemma-history/stemma/message"
)

// Limit is how much of a path a run wants. A zero field is no limit.
type Limit struct {
	Entries int
	Size    int64
	// SizeOf measures an entry in the unit of Size: bytes, or estimated tokens.
	SizeOf func(*Entry) int64
}

// A Trimmed is the newest part of a path.
type Trimmed struct {
	// Cut is how many entries of the path are left out.
	Cut  int
	Kept []Entry // path[Cut:]
	// Surviving and Dropped are the given checkpoints whose entry is on the
	// path: in the kept part, or before the cut.
	Surviving, Dropped []Checkpoint
	// Over says that the newest turn alone is larger than the limit. It is kept
	// all the same: nothing smaller is a legal beginning.
	Over bool
}

// Trim keeps the newest entries of a path within a limit. The cut is a legal
// beginning: a user or assistant message, never a result whose call would be
// gone, however the results of a batch are spread over entries.
func Trim(path []Entry, marks []Checkpoint, limit Limit) Trimmed {
	var t Trimmed
	if t.Cut = newestWithin(path, limit); t.Cut > 0 {
		for t.Cut < len(path) && !beginsTurn(&path[t.Cut]) {
			t.Cut++
		}
		if t.Over = t.Cut == len(path); t.Over {
			t.Cut = lastTurnOf(path)
		}
	}
	t.Kept = path[t.Cut:]
	for _, m := range marks {
		at := slices.IndexFunc(path, func(e Entry) bool { return e.ID == m.Entry })
		switch {
		case at < 0: // on another branch: neither kept nor dropped by this cut
		case at < t.Cut:
			t.Dropped = append(t.Dropped, m)
		default:
			t.Surviving = append(t.Surviving, m)
		}
	}
	return t
}

// newestWithin returns the smallest index from which on the path is within the
// limit, legal or not.
func newestWithin(path []Entry, limit Limit) int {
	cut, size := len(path), int64(0)
	for cut > 0 {
		if limit.Entries > 0 && len(path)-cut >= limit.Entries {
			break
		}
		if limit.Size > 0 && limit.SizeOf != nil {
			if size += limit.SizeOf(&path[cut-1]); size > limit.Size {
				break
			}
		}
		cut--
	}
	return cut
}

// lastTurnOf returns the index at which the last turn of a path begins.
func lastTurnOf(path []Entry) int {
	for i := range slices.Backward(path) {
		if beginsTurn(&path[i]) {
			return i
		}
	}
	return 0
}

func beginsTurn(e *Entry) bool {
	return e.Message != nil && e.Message.Role != message.Tool && !e.Message.Silent()
}
