package native

import (
	"strconv"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
)

// An Item is one message of a tool that becomes one record or several: tools
// keep calls and results, or a person's words and the harness's, in one.
type Item struct {
	ID      string
	Parent  string // the record it continues from
	Created time.Time
	// Open says that the tool may still write the message: its records are
	// named by their content too (see [Revision]).
	Open     bool
	Messages []message.Message
	Usage    *history.Usage // of the last answer in it
}

// Add puts parts behind those that the item has: into its last message where
// role and author are the same, else into a new one.
func (i *Item) Add(role message.Role, author message.Author, parts ...message.Part) {
	if len(parts) == 0 {
		return
	}
	if n := len(i.Messages); n > 0 && i.Messages[n-1].Role == role && i.Messages[n-1].Author == author {
		i.Messages[n-1].Parts = append(i.Messages[n-1].Parts, parts...)
		return
	}
	i.Messages = append(i.Messages, message.Message{Role: role, Author: author, Parts: parts})
}

// Records returns the records of the item, each continuing from the one before.
// The first has the item's id, the others the id with their number.
func (i *Item) Records() []transcript.Record {
	records := make([]transcript.Record, len(i.Messages))
	parent, answer := i.Parent, -1
	for n := range i.Messages {
		m := &i.Messages[n]
		id := i.ID
		if n > 0 {
			id += "/" + strconv.Itoa(n+1)
		}
		if i.Open {
			id = Revision(id, m)
		}
		if m.Role == message.Assistant {
			answer = n
		}
		records[n] = transcript.Record{ID: id, Parent: parent, Created: i.Created, Message: m}
		parent = id
	}
	if answer >= 0 {
		records[answer].Usage = i.Usage
	}
	return records
}
