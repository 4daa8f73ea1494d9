// Package sqlitefile reads the SQLite databases of other tools without ever
// touching them.
//
// A tool may be running while its database is read. Opening the file itself,
// even for reading only, takes locks that can make the tool's writes fail, and
// may leave a -shm file behind. So [Open] reads a private copy, together with
// the write-ahead log, whose newest commits are not in the main file yet.
package sqlitefile
