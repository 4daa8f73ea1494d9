// Package fulltext is what all stores mean by the words of a message and by a
// search for them, so that the same search finds the same entries everywhere.
//
// Text is cut into words here, not by a database: what reaches an index is
// words in lower case without diacritics, with spaces between. Characters of
// scripts that put no spaces between words (Chinese, Japanese, Thai …) are a
// word each, and a run of them in a search is a phrase.
package fulltext
