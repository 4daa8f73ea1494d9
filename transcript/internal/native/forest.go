package native

import "time"

// A Forest has the parent of each node by index, -1 at a root.
type Forest []int

// NewForest links nodes by their ids. A node whose parent is not there is a
// root; of an id that stands twice the first node counts.
func NewForest(n int, id, parent func(int) string) Forest {
	index := make(map[string]int, n)
	for i := range n {
		if _, ok := index[id(i)]; !ok {
			index[id(i)] = i
		}
	}
	f := make(Forest, n)
	for i := range f {
		at, ok := index[parent(i)]
		if !ok || at == i {
			at = -1
		}
		f[i] = at
	}
	return f
}

// ParentsFirst returns all nodes in their order, except that parents come
// before their children. A circle is cut open: the node where it was met is
// made a root, and is among those returned as cut.
func (f Forest) ParentsFirst() (order, cut []int) {
	const (
		fresh = iota
		climbed
		placed
	)
	state := make([]byte, len(f))
	var climb []int
	for i := range f {
		for at := i; at >= 0 && state[at] != placed; at = f[at] {
			if state[at] == climbed {
				f[at] = -1
				cut = append(cut, at)
				// What is above it in the climb stands below it now.
				for climb[len(climb)-1] != at {
					state[climb[len(climb)-1]] = fresh
					climb = climb[:len(climb)-1]
				}
				break
			}
			state[at] = climbed
			climb = append(climb, at)
		}
		for n := len(climb) - 1; n >= 0; n-- {
			state[climb[n]] = placed
			order = append(order, climb[n])
		}
		climb = climb[:0]
	}
	return order, cut
}

// NewestLeaf returns the leaf that was made last; among those as new the
// deepest, and then the last. It is -1 where there is none that counts.
func (f Forest) NewestLeaf(created func(int) time.Time, counts func(int) bool) int {
	inner := make([]bool, len(f))
	depth := make([]int, len(f))
	order, _ := f.ParentsFirst()
	for _, i := range order {
		if p := f[i]; p >= 0 {
			inner[p], depth[i] = true, depth[p]+1
		}
	}
	best := -1
	for i := range f {
		if inner[i] || !counts(i) {
			continue
		}
		if best < 0 || created(i).After(created(best)) || created(i).Equal(created(best)) && depth[i] >= depth[best] {
			best = i
		}
	}
	return best
}
