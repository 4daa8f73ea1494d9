package record

import (
	"time"

	"github.com/stemma-history/stemma/history"
)

// Describe changes the texts of a conversation that d has.
func Describe(c *history.Conversation, d history.Description) {
	for field, text := range map[*string]*string{&c.Title: d.Title, &c.Model: d.Model, &c.Directory: d.Directory} {
		if text != nil {
			*field = *text
		}
	}
}

// Fork returns the conversation, still empty, that a fork of origin is.
func Fork(origin *history.Conversation, r history.ForkRequest) history.Conversation {
	title := r.Title
	if title == "" {
		title = origin.Title
	}
	return history.Conversation{
		ID:         r.ID,
		Title:      title,
		ForkedFrom: history.Link{Conversation: origin.ID, Entry: r.At.Entry()},
		Model:      origin.Model,
		Directory:  origin.Directory,
		Owner:      origin.Owner,
	}
}

// ImportedAt returns the Updated of a conversation after an import that changed
// it, or made it: the time of its newest entry, by the other tool's clock. It
// never goes back, nor beyond the current time. Where the entries have no
// times, a new conversation is as old as its beginning, and what is added to
// another was added now.
func (s Source) ImportedAt(c *history.Conversation, r history.ImportRequest, result history.ImportResult) time.Time {
	now := s.Time()
	var newest time.Time
	for _, e := range r.Entries {
		if e.Created.After(newest) {
			newest = Time(e.Created)
		}
	}
	if newest.IsZero() && result.Created {
		newest = c.Created
	}
	if newest.After(now) || newest.IsZero() && result.Added > 0 {
		newest = now
	}
	if newest.After(c.Updated) || result.Created {
		return newest
	}
	return c.Updated
}

// FillIn sets what a conversation lacks and an import of it knows.
func FillIn(c *history.Conversation, from history.Conversation) (changed bool) {
	for field, text := range map[*string]string{&c.Title: from.Title, &c.Model: from.Model, &c.Directory: from.Directory} {
		if *field == "" && text != "" {
			*field, changed = text, true
		}
	}
	for field, link := range map[*history.Link]history.Link{&c.ForkedFrom: from.ForkedFrom, &c.SpawnedBy: from.SpawnedBy} {
		if *field == (history.Link{}) && link != (history.Link{}) {
			*field, changed = link, true
		}
	}
	return changed
}
