package history

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// A Handle names an entry of a path by its depth (412), or one part of it,
// counted from 1 (412.2). Handles are what bodies, stubs and pages hold
// instead of ids; they are the same in a fork.
type Handle struct {
	Depth int // 1 is the root
	Part  int // 0 is the whole entry
}

// ParseHandle reads the form that [Handle.String] writes.
func ParseHandle(s string) (Handle, error) {
	depth, part, hasPart := strings.Cut(s, ".")
	h := Handle{}
	var err error
	if h.Depth, err = strconv.Atoi(depth); err != nil || h.Depth < 1 {
		return Handle{}, handleError(s)
	}
	if hasPart {
		if h.Part, err = strconv.Atoi(part); err != nil || h.Part < 1 {
			return Handle{}, handleError(s)
		}
	}
	return h, nil
}

func handleError(s string) error {
	return fmt.Errorf("handle %q: expected the depth of an entry, such as 412, or a part of it, such as 412.2", s)
}

// String returns the handle as people and models write it.
func (h Handle) String() string {
	if h.Part == 0 {
		return strconv.Itoa(h.Depth)
	}
	return strconv.Itoa(h.Depth) + "." + strconv.Itoa(h.Part)
}

// MarshalText implements [encoding.TextMarshaler].
func (h Handle) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (h *Handle) UnmarshalText(text []byte) (err error) {
	*h, err = ParseHandle(string(text))
	return err
}

// Compare orders handles along a path; an entry comes before its parts.
func (h Handle) Compare(other Handle) int {
	return cmp.Or(cmp.Compare(h.Depth, other.Depth), cmp.Compare(h.Part, other.Part))
}

// next returns the first handle behind h and, where h is a whole entry, all
// its parts.
func (h Handle) next() Handle {
	if h.Part == 0 {
		return Handle{Depth: h.Depth + 1}
	}
	return Handle{Depth: h.Depth, Part: h.Part + 1}
}
