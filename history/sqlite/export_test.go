package sqlite

import (
	"context"
	"maps"
	"slices"
)

// ExecOnWriter runs SQL on the connection that writes.
func (s *Store) ExecOnWriter(query string) error {
	s.writer.lock <- struct{}{}
	defer func() { <-s.writer.lock }()
	_, err := s.writer.conn.ExecContext(context.Background(), query)
	return err
}

// Statements returns the SQL that the store has run since it was opened.
func (s *Store) Statements() []string {
	s.writer.lock <- struct{}{}
	all := slices.Collect(maps.Keys(s.writer.stmts))
	<-s.writer.lock
	s.readers.mu.Lock()
	defer s.readers.mu.Unlock()
	return slices.AppendSeq(all, maps.Keys(s.readers.byText))
}

// CheckRow says whether a row can be as long.
var CheckRow = checkRow

// OlderThan compares versions of SQLite.
var OlderThan = olderThan

// MinVersion is the oldest SQLite that is used.
const MinVersion = minVersion
