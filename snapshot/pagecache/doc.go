// Package pagecache keeps drawn pages in a directory, so that a request is not
// drawn again for every turn.
//
// A page is named by the hash of its text, its shape and the version of the
// renderer, which decide its bytes (promise P10); deleting any file, or all of
// them, loses nothing. What cannot be read or written, or was damaged, is drawn
// instead, and no error is made of it. The directory is held to a size: of what
// is too much, the pages go that were used longest ago.
//
// Several processes may use one directory.
package pagecache
