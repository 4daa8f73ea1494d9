// Package memory is a store that lives as long as the process: the model that
// other stores are tested against, and what tests of other packages use.
//
// It keeps all promises of package history except that what is written
// survives the process. One lock guards it all; what it yields was copied
// before, so that a caller may write while it reads a sequence.
package memory
