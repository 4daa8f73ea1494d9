package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// A Chain names the records of a list that gives them no ids. A name stands for
// the record's place and for everything up to it: a list that has grown keeps
// its names, and one that was cut and continued, or changed inside, gets new
// names from there on, and so stands as a branch beside what was imported
// before. The zero Chain is ready for the first record.
type Chain struct {
	n   int
	sum [sha256.Size]byte
}

// Next returns the name of the next record.
func (c *Chain) Next(record []byte) string {
	h := sha256.New()
	h.Write(c.sum[:])
	h.Write(record)
	h.Sum(c.sum[:0])
	c.n++
	return strconv.Itoa(c.n) + "-" + hex.EncodeToString(c.sum[:6])
}
