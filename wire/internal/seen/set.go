// Package seen remembers which strings have come by, and goes back in time.
package seen

// A Set holds strings. A copy of it is the set as it was then, and shares its
// memory. What is added to an older copy takes the place of what came after it:
// the newer copies are no longer valid.
type Set struct {
	shared *history
	len    int
}

type history struct {
	index map[string]int // of each string in order
	order []string
}

// Has reports whether s has been added.
func (set *Set) Has(s string) bool {
	if set.shared == nil {
		return false
	}
	i, ok := set.shared.index[s]
	return ok && i < set.len
}

// Add adds s.
func (set *Set) Add(s string) {
	if set.Has(s) {
		return
	}
	if set.shared == nil {
		set.shared = &history{index: map[string]int{}}
	}
	h := set.shared
	for _, later := range h.order[set.len:] {
		delete(h.index, later)
	}
	h.order = append(h.order[:set.len], s)
	h.index[s] = set.len
	set.len++
}
