// Package exact finds the strings of a text that a reader cannot guess from
// the words around them: hashes, keys, long numbers, versions, paths, URLs.
// A model that reads them from an image gets single characters wrong without
// noticing, so an index quotes them as text.
package exact
