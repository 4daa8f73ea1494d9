// Package o200k counts tokens as the encoding o200k_base does, with which OpenAI
// bills since GPT-4o: the pretend providers bill in it.
//
// A text is split into words, numbers, signs and white space, and a piece that is
// no token of its own is put together from its bytes by merging pairs. Marks of a
// model's own, such as <|endoftext|>, are text like any other here.
package o200k

import (
	_ "embed" // the vocabulary
	"fmt"
	"sync"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

//go:generate go run ./gen vocabulary.zst

// compressed is a byte for its length and the bytes of each token, lowest rank
// first.
//
//go:embed vocabulary.zst
var compressed []byte

// ranks returns the rank of each token. It takes 40 ms and 12 MB, once.
var ranks = sync.OnceValue(func() map[string]uint32 {
	all, err := decode(compressed)
	if err != nil {
		panic(fmt.Sprintf("embedded vocabulary of o200k_base: %v", err)) // a test decodes it
	}
	return all
})

func decode(compressed []byte) (map[string]uint32, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := r.DecodeAll(compressed, nil)
	if err != nil {
		return nil, err
	}
	const tokens = 199_998
	all := make(map[string]uint32, tokens)
	for rest := string(data); rest != ""; {
		end := 1 + int(rest[0])
		if end > len(rest) {
			return nil, fmt.Errorf("token %d ends too early", len(all))
		}
		all[rest[1:end]] = uint32(len(all))
		rest = rest[end:]
	}
	return all, nil
}

// Count returns the tokens of a text. Each byte that is no UTF-8 counts as U+FFFD,
// which a reader of JSON makes of it. Count is safe for concurrent use.
func Count(text string) int {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	ranks := ranks()
	n := 0
	for text != "" {
		end := pieceEnd(text)
		if _, whole := ranks[text[:end]]; whole {
			n++
		} else {
			n += merged(text[:end], ranks)
		}
		text = text[end:]
	}
	return n
}
