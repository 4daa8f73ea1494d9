// Package history keeps conversations as trees of immutable entries.
//
// An entry is a message or a compaction and records the entry it continues
// from; a conversation names the entry where it stands, its tip. Branching
// moves the tip and writes nothing else, a fork copies a path under new ids,
// a rewind returns to a checkpoint and keeps a digest of what was left.
//
// It promises that no stored entry is ever changed or removed (P1), that what
// is saved ends at a turn boundary, in one transaction (P5), that two writers
// lose no turn (P6), that a fork shares no row with its origin (P7), and that
// a checkpoint lands where it was set or is dropped (P8). Every [Store] passes
// the suite of package historytest.
package history
