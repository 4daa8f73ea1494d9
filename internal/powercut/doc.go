// Package powercut proves what the SQLite store promises about power cuts
// (P5), on a disk that forgets.
//
// The store's own code runs over another driver of SQLite, whose files lie on a
// [Disk] in memory. When the power is cut, of all that was written and not
// synced an arbitrary part survives, in pieces of 512 bytes, in whichever
// combination. Then the store is opened again.
//
// It is a module of its own, so that the driver is no dependency of Stemma.
package powercut
