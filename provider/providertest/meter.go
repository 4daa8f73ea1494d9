package providertest

import (
	"crypto/sha256"
	"math"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider/providertest/internal/o200k"
)

// perMessage is what a message costs beyond its words, in o200k tokens. (OpenAI
// documents 3 for its chat format.)
const perMessage = 3

// bytesPerToken is about what a PDF costs. (Vendors bill a page as text and as
// an image.)
const bytesPerToken = 30

// A meter bills for one model.
type meter struct {
	scales *scales
	factor float64
	model  catalog.Model
}

// A bill is what a prompt costs, and where in it that adds up.
type bill struct {
	tokens int
	images int
	// upTo is the tokens of the prompt up to and with each block.
	upTo []int
	// read is the hash of everything up to and with each block; bound the same
	// without thinking, which thinking is bound to.
	read, bound []message.Hash
}

// measure bills a prompt. Blocks in left are neither billed nor read.
func (m meter) measure(p *prompt, left map[int]string) bill {
	b := bill{upTo: make([]int, len(p.blocks)), read: make([]message.Hash, len(p.blocks)), bound: make([]message.Hash, len(p.blocks))}
	text, media := 0, 0
	var read, bound message.Hash
	last := -1
	for i, piece := range p.blocks {
		if piece.message != last {
			text += perMessage
			last = piece.message
		}
		if i == p.frame {
			read = chained(read, "mode", message.HashOf([]byte(p.mode)))
		}
		w := m.scales.weigh(piece.json)
		if _, out := left[i]; !out {
			text += w.text
			media += w.bytes / bytesPerToken
			for _, s := range w.images {
				media += m.model.Images.Price.Price(s.widthPx, s.heightPx)
			}
			b.images += len(w.images)
			read = chained(read, piece.role, w.hash)
		}
		if !piece.sealed {
			bound = chained(bound, piece.role, w.hash)
		}
		b.upTo[i], b.read[i], b.bound[i] = m.scaled(text)+media, read, bound
	}
	if n := len(b.upTo); n > 0 {
		b.tokens = b.upTo[n-1]
	}
	return b
}

// text bills a text of an answer.
func (m meter) text(s string) int { return m.scaled(o200k.Count(s)) }

func (m meter) scaled(tokens int) int { return int(math.Ceil(float64(tokens) * m.factor)) }

func chained(before message.Hash, role string, block message.Hash) (after message.Hash) {
	h := sha256.New()
	h.Write(before[:])
	h.Write([]byte(role))
	h.Write(block[:])
	h.Sum(after[:0])
	return after
}
