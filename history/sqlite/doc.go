// Package sqlite is the default store: one SQLite file, embedded, used by any
// number of processes on one machine at the same time.
//
// When a call that writes returns, a kill of the process takes nothing back;
// with [Full], the default, neither does a power cut (P5). A tip is moved by
// compare-and-swap inside the transaction that writes (P6). A fork copies thin
// rows and shares the bodies below them (P7). The tables are described in
// schema/0001.sql.
//
// The driver stands in driver.go alone. [New] runs the same code over another
// one, which is how it is tested on a disk that forgets what was not synced.
package sqlite
