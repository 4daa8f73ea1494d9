package history

import (
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// SourceID returns the id that stands for a record of another tool, named by
// words such as the tool, its session and its own id. It is a UUIDv7 whose
// random bits are a hash of the words, so that importing a record again gives
// the same id, and whose time is the record's. Words and time must be the same
// at every import.
func SourceID(created time.Time, words ...string) ID {
	h := sha256.New()
	for _, w := range words {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(w)))
		h.Write(size[:])
		h.Write([]byte(w))
	}
	var id ID
	copy(id[:], h.Sum(nil))
	var ms int64
	if !created.IsZero() {
		ms = max(created.UnixMilli(), 0)
	}
	id[0], id[1], id[2], id[3], id[4], id[5] = byte(ms>>40), byte(ms>>32), byte(ms>>24), byte(ms>>16), byte(ms>>8), byte(ms)
	id[6] = id[6]&0x0F | 0x70 // version 7
	id[8] = id[8]&0x3F | 0x80 // variant of RFC 9562
	return id
}
