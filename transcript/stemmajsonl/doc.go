// Package stemmajsonl is Stemma's own file format: a whole conversation as
// lines of JSON, without loss. [Write] makes a file of a stored conversation,
// [Read] stores what a file holds, and both hold one entry at a time.
//
// Each line is an object with a "type":
//
//	conversation  the header, first; "format" is "stemma", "version" is 1
//	blob          bytes in base64, before the first entry that names them
//	entry         parents before children, siblings in the order of the store;
//	              "message" or "compaction" is the stored body, byte for byte
//	damaged       an entry that the store could not read, so that those below
//	              it keep their place
//	checkpoint, pin, queued
//	end           the last line; a file without it was cut off
//
// A body with a line break outside its strings stands in a string, under
// "message_text". A string that JSON cannot carry is {"base64": "…"}. Drafts of
// running turns are not exported: they are on no path yet.
//
// # Identity
//
// A file keeps its ids. Where the store has no conversation of that id, it is
// created; where it has that very conversation (same id, time and owner), what
// is new in the file is added, so that reading a file again adds nothing. Where
// the id belongs to another owner, the conversation becomes a copy whose ids
// are made from the owner's name and the file's ids; reading again finds it.
// A copy is no import of another tool any more, so it has no source.
package stemmajsonl
