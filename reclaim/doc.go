// Package reclaim decides what of a path a model is shown, and frees context
// where the path has outgrown the window.
//
// [View] applies the compactions that a path records; it is pure and reads
// nothing else, so that the same path gives the same view next year. [Shake]
// plans a compaction that takes bulk out and keeps every word of the
// narrative: what it leaves is a stub that says what was there and how to get
// it back. Nothing here changes or removes a stored entry (promises P1, P4).
package reclaim
