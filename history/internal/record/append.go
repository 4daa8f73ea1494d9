package record

import (
	"fmt"
	"time"

	"github.com/stemma-history/stemma/history"
)

// Source is where a store takes times and ids from.
type Source struct {
	Now   func() time.Time
	NewID func() history.ID
}

// OrDefault fills in what is missing: the wall clock, random ids.
func (s Source) OrDefault() Source {
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.NewID == nil {
		s.NewID = history.NewID
	}
	return s
}

// Time returns the current time as stores keep it.
func (s Source) Time() time.Time { return Time(s.Now()) }

// Fill sets an id and a time where they are missing.
func (s Source) Fill(id *history.ID, created *time.Time) {
	if *id == (history.ID{}) {
		*id = s.NewID()
	}
	if created.IsZero() {
		*created = s.Now()
	}
	*created = Time(*created)
}

// Append checks a request and returns its entries, complete except for Depth
// and LastCompaction, and their records.
func (s Source) Append(r history.AppendRequest) ([]history.Entry, []Record, error) {
	if err := history.ValidateTurns(r.Entries); err != nil {
		return nil, nil, err
	}
	if err := CheckBlobs(r.Blobs); err != nil {
		return nil, nil, err
	}
	entries := make([]history.Entry, len(r.Entries))
	records := make([]Record, len(r.Entries))
	ids := make(map[history.ID]bool, len(r.Entries))
	parent := r.Parent
	for i, e := range r.Entries {
		e.Conversation, e.Parent, e.Source = r.Conversation, parent, ""
		s.Fill(&e.ID, &e.Created)
		if ids[e.ID] {
			return nil, nil, fmt.Errorf("entry %d of %d: id %v stands twice in the request", i+1, len(entries), e.ID)
		}
		var err error
		if records[i], err = Of(&e); err != nil {
			return nil, nil, fmt.Errorf("entry %d of %d: %w", i+1, len(entries), err)
		}
		ids[e.ID], parent, entries[i] = true, e.ID, e
	}
	return entries, records, nil
}
