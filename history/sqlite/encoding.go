package sqlite

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// How bytes are kept in a row.
const (
	plain    = 0
	withZstd = 1 // a frame of its own (RFC 8878)
	withS2   = 2 // a block (github.com/klauspost/compress/s2, an extension of Snappy)
)

const (
	// From s2From bytes on, bodies and blobs are compressed, from zstdFrom on
	// with zstd. Of messages of 1 to 4 KB, S2 leaves 54 to 69 % in 2 to 7 µs,
	// zstd 41 to 53 % in 20 to 35 µs, which an append would feel; of those over
	// 16 KB zstd leaves 22 %, S2 32 % (the sample transcripts, 2026-11-30).
	s2From   = 1 << 10
	zstdFrom = 16 << 10
	// maxS2 is how long a text a block of S2 may claim to be: its decoder makes
	// room for what a damaged one says, up to 4 GB.
	maxS2 = 1 << 20
	// maxRow is the longest value that is given to SQLite, whose own limit for
	// a whole row is 1,000,000,000 bytes (SQLITE_MAX_LENGTH).
	maxRow = 999_000_000
)

// stored is bytes as a row keeps them.
type stored struct {
	encoding int64
	data     []byte
}

// encode compresses what becomes smaller by at least an eighth. Where room is not
// nil, it is memory for one result after the other: each is good until the next.
func encode(data []byte, mediaType string, room *[]byte) (stored, error) {
	s := stored{plain, data}
	if len(data) >= s2From && compressible(mediaType) {
		if small := compress(data, room); len(small.data) <= len(data)-len(data)/8 {
			s = small
		}
	}
	if err := checkRow(len(data), len(s.data)); err != nil {
		return stored{}, err
	}
	if s.data == nil {
		s.data = []byte{} // nil would be NULL
	}
	return s, nil
}

// checkRow refuses what SQLite could not store.
func checkRow(bytes, compressed int) error {
	if compressed <= maxRow {
		return nil
	}
	return fmt.Errorf("%d bytes, %d after compression, are too many for one row: SQLite's limit is 1 GB", bytes, compressed)
}

func compress(data []byte, room *[]byte) stored {
	if len(data) < zstdFrom {
		return stored{withS2, s2.Encode(nil, data)}
	}
	if room == nil {
		return stored{withZstd, encoder().EncodeAll(data, nil)}
	}
	*room = encoder().EncodeAll(data, slices.Grow((*room)[:0], encoder().MaxEncodedSize(len(data))))
	return stored{withZstd, *room}
}

// decode returns the bytes that encode was given.
func (s stored) decode() ([]byte, error) {
	switch s.encoding {
	case plain:
		return s.data, nil
	case withZstd:
		data, err := decoder().DecodeAll(s.data, nil)
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		return data, nil
	case withS2:
		if n, err := s2.DecodedLen(s.data); err == nil && n > maxS2 {
			return nil, fmt.Errorf("s2: it claims to be %d bytes long, expected at most %d", n, maxS2)
		}
		data, err := s2.Decode(nil, s.data)
		if err != nil {
			return nil, fmt.Errorf("s2: %w", err)
		}
		return data, nil
	}
	return nil, fmt.Errorf("encoding %d is not known to this version", s.encoding)
}

// compressible is false for formats that are compressed by themselves.
func compressible(mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, "/")
	switch {
	case kind == "image" && mediaType != "image/svg+xml" && mediaType != "image/bmp", kind == "audio", kind == "video":
		return false
	}
	return mediaType != "application/pdf" && mediaType != "application/zip"
}

// Both are safe for concurrent use in this form.
var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true)) // 10 MB instead of 18
		if err != nil {
			panic(err) // the options are constants
		}
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0))
		if err != nil {
			panic(err)
		}
		return d
	})
)
