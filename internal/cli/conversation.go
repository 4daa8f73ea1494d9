package cli

import (
	"iter"
	"time"

	"github.com/stemma-history/stemma/history"
)

// conversationJSON is a conversation as --json prints it.
type conversationJSON struct {
	ID         history.ID `json:"id"`
	Title      string     `json:"title"`
	Tip        history.ID `json:"tip,omitzero"`
	Entries    int        `json:"entries"`
	Tool       string     `json:"tool,omitempty"`
	SourceID   string     `json:"source_id,omitempty"`
	Model      string     `json:"model,omitempty"`
	Directory  string     `json:"directory,omitempty"`
	Owner      string     `json:"owner,omitempty"`
	ForkedFrom *linkJSON  `json:"forked_from,omitempty"`
	SpawnedBy  *linkJSON  `json:"spawned_by,omitempty"`
	Created    time.Time  `json:"created,omitzero"`
	Updated    time.Time  `json:"updated,omitzero"`
}

type linkJSON struct {
	Conversation history.ID `json:"conversation"`
	Entry        history.ID `json:"entry,omitzero"`
}

func newConversationJSON(c history.Conversation) conversationJSON {
	return conversationJSON{
		ID:         c.ID,
		Title:      c.Title,
		Tip:        c.Tip,
		Entries:    c.Entries,
		Tool:       c.Source.Tool,
		SourceID:   c.Source.ID,
		Model:      c.Model,
		Directory:  c.Directory,
		Owner:      c.Owner,
		ForkedFrom: newLinkJSON(c.ForkedFrom),
		SpawnedBy:  newLinkJSON(c.SpawnedBy),
		Created:    c.Created,
		Updated:    c.Updated,
	}
}

func newLinkJSON(l history.Link) *linkJSON {
	if l == (history.Link{}) {
		return nil
	}
	return &linkJSON{l.Conversation, l.Entry}
}

// mapped yields f of the values of a store, and its errors as they come.
func mapped[T, U any](values iter.Seq2[T, error], f func(T) U) iter.Seq2[U, error] {
	return func(yield func(U, error) bool) {
		for v, err := range values {
			var u U
			if err == nil {
				u = f(v)
			}
			if !yield(u, err) {
				return
			}
		}
	}
}
