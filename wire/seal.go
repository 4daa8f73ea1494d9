package wire

import (
	"crypto/sha256"
	"encoding"
	"fmt"
	"hash"

	"github.com/stemma-history/stemma/message"
)

// A Sealer hashes what a request sends, in the order the model reads it. Cache
// marks are left out: they may move.
type Sealer struct {
	h hash.Hash
}

// between stands behind each block. JSON has no zero byte: blocks cannot run
// into each other.
var between = []byte{0}

// NewSealer returns a sealer that has seen nothing.
func NewSealer() *Sealer { return &Sealer{h: sha256.New()} }

// Add takes the bytes of the next block, or of a role or a part of the frame.
func (s *Sealer) Add(block []byte) {
	s.h.Write(block)
	s.h.Write(between)
}

// Clone returns a sealer that has seen the same.
func (s *Sealer) Clone() *Sealer {
	c := NewSealer()
	state, err := s.h.(encoding.BinaryAppender).AppendBinary(nil)
	if err == nil {
		err = c.h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
	}
	if err != nil {
		panic(fmt.Sprintf("copying the state of SHA-256: %v", err)) // which package sha256 promises to do
	}
	return c
}

// Seal returns the hash of everything so far.
func (s *Sealer) Seal() (seal message.Hash) {
	s.h.Sum(seal[:0])
	return seal
}

// KeepsThinking reports whether thinking of an answer may be sent back: it is
// this model's own, over this wire, and what stands before it now is what stood
// before it then, or the model does not check that.
func (r *Request) KeepsThinking(answer *message.Message, seal, now message.Hash) bool {
	if answer.Wire != r.Frame.Wire || answer.Model != r.Frame.Model {
		return false
	}
	return !r.ChecksThinking || seal == now
}
