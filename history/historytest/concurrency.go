package historytest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/stemma-history/stemma/history"
)

func concurrencyTests() []test {
	return []test{
		{"P6 many writers on one conversation lose no turn", manyWriters},
		{"P5 readers see whole turns while others write", readersSeeWholeTurns},
		{"writers on conversations of their own are not in each other's way", ownConversations},
	}
}

func manyWriters(f fixture) {
	const writers, each = 8, 15
	id := f.create()
	f.append(id, prompt("root"))
	var mu sync.Mutex
	var won, lost []history.ID // the last entry of each turn
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				c, err := f.Conversation(f.Context(), id)
				if err != nil {
					f.Error(err)
					return
				}
				stored, err := f.Append(f.Context(), history.AppendRequest{
					Conversation: id, Parent: c.Tip, ExpectedTip: c.Tip, Entries: turn(fmt.Sprint(w, "-", i)),
				})
				mu.Lock()
				switch {
				case err == nil:
					won = append(won, stored[1].ID)
				case errors.Is(err, history.ErrTipMoved):
					lost = append(lost, stored[1].ID)
				default:
					f.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	nodes := map[history.ID]history.Node{}
	for _, n := range f.nodes(id) {
		nodes[n.ID] = n
	}
	if len(nodes) != 1+2*writers*each || len(won)+len(lost) != writers*each {
		f.Fatalf("%d entries, %d turns won, %d lost", len(nodes), len(won), len(lost))
	}
	onPath := map[history.ID]bool{}
	for _, e := range f.path(id, none) {
		onPath[e.ID] = true
	}
	for _, id := range won {
		if !onPath[id] {
			f.Errorf("the turn %v was said to be the tip, and is not on the path", id)
		}
	}
	for _, id := range lost {
		if n, ok := nodes[id]; !ok || onPath[id] || nodes[n.Parent].ID == none {
			f.Errorf("the turn %v was said to be a branch, and is %+v", id, n)
		}
	}
	if len(onPath) != 1+2*len(won) {
		f.Errorf("the path has %d entries, %d turns were won", len(onPath), len(won))
	}
}

func readersSeeWholeTurns(f fixture) {
	id := f.create()
	f.append(id, prompt("root"))
	var done atomic.Bool
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for !done.Load() {
				path, err := history.Collect(f.Path(f.Context(), history.PathQuery{Conversation: id, Newest: 30}))
				if err != nil {
					f.Error(err)
					return
				}
				last := path[len(path)-1]
				if (last.Depth-1)%3 != 0 {
					f.Errorf("a reader saw the path end at %v, inside a turn", last.Handle())
				}
				for i := 1; i < len(path); i++ {
					if path[i].Parent != path[i-1].ID || path[i].Depth != path[i-1].Depth+1 {
						f.Errorf("entry %v does not continue from the one before", path[i].Handle())
					}
				}
			}
		})
	}
	for i := range 60 {
		f.append(id, turn(fmt.Sprint(i), "second")...)
		if i%20 == 10 {
			f.fork(id, f.conversation(id).Tip)
		}
	}
	done.Store(true)
	group.Wait()
}

func ownConversations(f fixture) {
	var group sync.WaitGroup
	for range 6 {
		id := f.create()
		group.Go(func() {
			tip := none
			for range 20 {
				stored, err := f.Append(f.Context(), history.AppendRequest{
					Conversation: id, Parent: tip, ExpectedTip: tip, Entries: []history.Entry{prompt("p"), answer("a")},
				})
				if err != nil {
					f.Error(err)
					return
				}
				tip = stored[1].ID
			}
			if path, err := history.Collect(f.Path(f.Context(), history.PathQuery{Conversation: id})); err != nil || len(path) != 40 {
				f.Errorf("a path of %d entries, error %v", len(path), err)
			}
		})
	}
	group.Wait()
}
