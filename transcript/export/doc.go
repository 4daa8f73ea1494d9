// Package export writes conversations for reading elsewhere: [JSONL] without
// loss, to be imported again; [Markdown] and [HTML] for people.
//
// All of them read the store, not a view of it: what a compaction hides from a
// model is in the export all the same (promise P1), and the compaction is shown
// for what it is. Markdown and HTML show one path, or the whole tree as that
// path and the branches that leave it.
//
// Words of people, models and tools cannot pass for something else. In
// Markdown each of their lines stands behind "> ", with HTML made inert. In
// HTML they are escaped, or, in answers, Markdown that went through a
// sanitizer; the page loads nothing, and its content security policy allows
// its own style and script only. Characters that change how others are read
// (controls, directional overrides) are shown as what they are.
package export
