package providertest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"sync"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// A signature of thinking says for which model it was made and behind what: the
// content before it, and the thinking before it. All of that is signed, so that
// what was made up is told from what was moved.
type signature struct {
	model    [8]byte
	prefix   message.Hash
	previous [8]byte // zero if it was the first
}

const signatureLen = 8 + len(message.Hash{}) + 8

// A binder signs thinking and knows its own.
type binder struct {
	secret []byte
	mu     sync.Mutex
	// prefixes are those that thinking was bound to, with those before them: they
	// tell where a conversation was changed. Each is kept once.
	prefixes map[message.Hash]*prefix
}

type prefix struct {
	before *prefix
	depth  int // how many blocks
	hash   message.Hash
}

func newBinder(secret []byte) *binder {
	return &binder{secret: secret, prefixes: map[message.Hash]*prefix{}}
}

// sign returns the signature of thinking behind a prefix and earlier thinking,
// whose signature is empty if there is none.
func (b *binder) sign(model string, before message.Hash, previous string) string {
	body := short(model)
	signed := append(body[:], before[:]...)
	p := short(previous)
	signed = append(signed, p[:]...)
	return base64.StdEncoding.EncodeToString(append(signed, b.mac(signed)...))
}

// short tells texts apart; that of none is zero.
func short(text string) (hash [8]byte) {
	if text != "" {
		sum := sha256.Sum256([]byte(text))
		copy(hash[:], sum[:])
	}
	return hash
}

func (b *binder) mac(body []byte) []byte {
	mac := hmac.New(sha256.New, b.secret)
	mac.Write(body)
	return mac.Sum(nil)
}

// open returns what a signature says, if this binder has made it.
func (b *binder) open(text string) (s signature, genuine bool) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data) != signatureLen+sha256.Size || !hmac.Equal(b.mac(data[:signatureLen]), data[signatureLen:]) {
		return s, false
	}
	copy(s.model[:], data)
	copy(s.prefix[:], data[8:])
	copy(s.previous[:], data[8+len(s.prefix):])
	return s, true
}

// remember keeps the prefixes of a conversation: of the frame, then after each
// block.
func (b *binder) remember(hashes []message.Hash) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := len(hashes)
	for known > 0 && b.prefixes[hashes[known-1]] == nil {
		known--
	}
	var before *prefix
	if known > 0 {
		before = b.prefixes[hashes[known-1]]
	}
	for depth := known; depth < len(hashes); depth++ {
		before = &prefix{before: before, depth: depth, hash: hashes[depth]}
		b.prefixes[hashes[depth]] = before
	}
}

// changedAt returns where a conversation first differs from that which thinking
// was bound to; -1 if that is not known.
func (b *binder) changedAt(bound message.Hash, now []message.Hash) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.prefixes[bound]
	if p == nil {
		return -1
	}
	for ; p != nil; p = p.before {
		if p.depth < len(now) && now[p.depth] == p.hash {
			return p.depth + 1
		}
	}
	return 0
}

// A judge looks at the thinking that is sent back in one request, and notes what
// is not read: by its index among the blocks of the prompt, why.
type judge struct {
	binder *binder
	model  string
	checks bool // the model looks at what stands before
	frame  int
	left   map[int]string
}

// Reasons why thinking is not read, in the words of Anthropic.
const (
	prefixMismatch = "prefix_binding_mismatch"
	modelMismatch  = "model_binding_mismatch"
)

// look judges a thinking block of Anthropic's.
func (j *judge) look(sent wire.SentThinking) wire.Judgement {
	s, genuine := j.binder.open(signatureOf(sent.Block))
	at := j.frame + len(sent.Before) - 1
	switch now := sent.Before[len(sent.Before)-1]; {
	case !genuine:
		return wire.Judgement{Forged: true}
	case s.model != short(j.model):
		j.left[at] = modelMismatch
	case j.checks && s.prefix != now:
		j.left[at] = prefixMismatch
		return wire.Judgement{Moved: true, ChangedAt: j.binder.changedAt(s.prefix, sent.Before)}
	case j.checks && sent.Previous != nil && s.previous != short(signatureOf(sent.Previous)):
		j.left[at] = prefixMismatch
		return wire.Judgement{Moved: true, ChangedAt: -1}
	}
	return wire.Judgement{}
}

// signatureOf returns what binds a thinking block.
func signatureOf(block []byte) string {
	if data := textAt(block, "data"); data != "" {
		return data
	}
	return textAt(block, "signature")
}

// forged judges what OpenAI and Google want back: here only whether it is
// genuine.
func (b *binder) forged(sent wire.SentThinking) wire.Judgement {
	text := rawjson.Text(sent.Block)
	if text == "" {
		text = string(sent.Block) // Gemini's checker gives it without quotes
	}
	_, genuine := b.open(text)
	return wire.Judgement{Forged: !genuine}
}

// leave notes which reasoning items stand behind something else than when they
// were made: OpenAI drops them without refusing.
func (b *binder) leave(p *prompt, bound []message.Hash, model string) map[int]string {
	left := map[int]string{}
	for i, block := range p.blocks {
		if !block.sealed {
			continue
		}
		s, genuine := b.open(textAt(block.json, "encrypted_content"))
		var before message.Hash
		if i > 0 {
			before = bound[i-1]
		}
		switch {
		case !genuine:
		case s.model != short(model):
			left[i] = modelMismatch
		case s.prefix != before:
			left[i] = prefixMismatch
		}
	}
	return left
}
