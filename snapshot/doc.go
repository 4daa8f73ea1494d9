// Package snapshot draws text as pages: images of small print that vision
// models read, and that cost many of them less than the text. A reader turns
// pages back into the very text, as proof that no word was lost.
//
// Full pages never change when text is added, and the same text, shape and
// [Version] give the same bytes (P10): pages are a cache of the text they come
// from. [Render] draws, [Cut] only says where pages begin and end and how large
// they are, and [Read] reads. Serialise, Index and Guide make the text
// of a conversation for them, and what a model needs beside them. How a page
// looks is described in docs/snapshot.md.
//
// Nothing here prints, or reads the environment or the clock. All functions
// may be called at the same time.
package snapshot
