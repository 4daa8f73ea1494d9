// Package jsonstream reads JSON documents that are too large, or too damaged,
// to be read at once: exports of a million messages in one array, files that
// end in the middle.
//
// It finds where each value ends and hands it on as it stands; what is inside
// is for internal/rawjson to read.
package jsonstream
