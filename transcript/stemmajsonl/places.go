package stemmajsonl

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// places knows where the entries read so far stand, by their ids in the file.
type places struct {
	known   map[history.ID]place
	last    history.ID // the latest entry
	bridged int        // entries that stand for missing ones
}

type place struct {
	id     history.ID // in the store
	parent history.ID // in the file
	depth  int
}

// maxBridged bounds how many missing entries are stood for, so that a file
// cannot ask for a tree much larger than itself.
const maxBridged = 1000

// has reports whether an entry can continue from id.
func (p *places) has(id history.ID) bool {
	_, ok := p.known[id]
	return ok || id == history.ID{}
}

func (p *places) put(id, parent, stored history.ID) {
	p.known[id] = place{id: stored, parent: parent, depth: p.known[parent].depth + 1}
	p.last = id
}

// bridge returns the entries that have to stand for the missing one at a depth
// and for those above it: lines are missing from the file. They hang on the
// path to the latest entry, which they most likely continued.
func (p *places) bridge(missing history.ID, depth int) []entryLine {
	at := p.last
	for depth > 0 && p.known[at].depth >= depth {
		at = p.known[at].parent
	}
	var chain []entryLine
	add := func(id history.ID) {
		p.bridged++
		chain = append(chain, entryLine{ID: id, Parent: at})
		at = id
	}
	for next := p.known[at].depth + 1; next < depth && p.bridged < maxBridged; next++ {
		add(history.SourceID(time.Time{}, missing.String(), strconv.Itoa(next)))
	}
	add(missing)
	return chain
}

// salvage reads where an entry stands from a line that cannot be read whole.
func salvage(line []byte) (entryLine, bool) {
	at := entryLine{Depth: int(rawjson.Int(rawjson.Get(line, "depth")))}
	parent := rawjson.Get(line, "parent")
	if json.Unmarshal(rawjson.Get(line, "id"), &at.ID) != nil || at.Depth < 1 ||
		(parent != nil && json.Unmarshal(parent, &at.Parent) != nil) {
		return entryLine{}, false
	}
	return at, true
}

// standIn returns an entry that keeps the place of one that cannot be read,
// and the bytes of its line. No model gets it. Its id is not that of the
// missing entry, so that a sound file can still bring that.
func (r *reader) standIn(missing history.ID, line []byte) history.Entry {
	if line == nil {
		line, _ = json.Marshal(entryLine{Type: typeDamaged, ID: missing, What: "not in the file"})
	}
	return history.Entry{
		ID:      history.SourceID(r.target.Created, r.target.ID.String(), typeDamaged, missing.String()),
		Created: r.target.Created,
		Message: transcript.Silent(Format, line),
	}
}
