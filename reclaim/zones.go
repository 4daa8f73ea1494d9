package reclaim

import (
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// zones divide a path: the head and the tail stay as they are, the middle is
// what the later rungs take. All are indexes on the path.
type zones struct {
	head int // entries before it are the head: up to the first prompt
	tail int // entries from it on are the tail: whole turns
	// prompt is the newest prompt: the task at hand. It stays, wherever it is.
	prompt int
}

// zonesOf finds them for a tail of at most tailTokens; the newest turn is
// always in it.
func zonesOf(d *draft, tailTokens int) zones {
	path := d.problem.Path
	z := zones{prompt: -1}
	for i := range path {
		if m := path[i].Message; m != nil && m.IsPrompt() {
			if z.prompt < 0 {
				z.head = i + 1
			}
			z.prompt = i
		}
	}
	z.tail = len(path)
	sum := 0
	for _, t := range turnsBackwards(path) {
		for i := t; i < z.tail; i++ {
			sum += d.problem.Meter.Tokens(d.entries[i].cost)
		}
		if z.tail < len(path) && sum > tailTokens {
			break
		}
		z.tail = t
	}
	z.tail = max(z.tail, z.head)
	return z
}

// turnsBackwards returns the indexes at which turns begin, the newest first.
func turnsBackwards(path []history.Entry) []int {
	var begins []int
	for i := len(path) - 1; i >= 0; i-- {
		if beginsTurn(&path[i]) {
			begins = append(begins, i)
		}
	}
	return begins
}

// beginsTurn reports whether an entry is the first of a turn.
func beginsTurn(e *history.Entry) bool {
	return e.Message != nil && e.Message.Role != message.Tool && !e.Message.Silent()
}
