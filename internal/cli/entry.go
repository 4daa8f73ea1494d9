package cli

import (
	"encoding/json"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// nodeJSON is what --json prints of every entry.
type nodeJSON struct {
	ID      history.ID     `json:"id"`
	Parent  *history.ID    `json:"parent"` // null at a root
	Depth   int            `json:"depth"`
	Kind    history.Kind   `json:"kind"`
	Role    *message.Role  `json:"role"` // null in compactions
	Author  message.Author `json:"author"`
	Created time.Time      `json:"created,omitzero"`
}

// entryJSON is an entry with its body, as docs/format.md describes it.
type entryJSON struct {
	nodeJSON
	Source     string          `json:"source,omitempty"`
	Left       history.ID      `json:"left,omitzero"`
	Usage      *history.Usage  `json:"usage,omitempty"`
	Frame      message.Hash    `json:"frame,omitzero"`
	Message    json.RawMessage `json:"message,omitempty"`
	Compaction json.RawMessage `json:"compaction,omitempty"`
}

func newNodeJSON(n *history.Node) nodeJSON {
	j := nodeJSON{ID: n.ID, Depth: n.Depth, Kind: n.Kind, Author: n.Author, Created: n.Created}
	if n.Parent != (history.ID{}) {
		j.Parent = &n.Parent
	}
	if n.Role != "" {
		j.Role = &n.Role
	}
	return j
}

func newEntryJSON(e history.Entry) entryJSON {
	node := e.Node()
	j := entryJSON{Source: e.Source, Left: e.Left, Usage: e.Usage, Frame: e.Frame}
	if e.Message != nil {
		j.Message, _ = message.Encode(*e.Message)
	} else {
		j.Compaction, _ = history.EncodeCompaction(e.Compaction) // it was decoded from this
	}
	j.nodeJSON = newNodeJSON(&node)
	return j
}

// speakerStyle tells the speakers apart at a glance.
func speakerStyle(role message.Role, author message.Author) style {
	switch {
	case role == message.User && author == message.ByPerson:
		return green
	case role == message.User, role == "":
		return purple
	case role == message.Assistant:
		return cyan
	}
	return faint
}
