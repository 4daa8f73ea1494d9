package reclaim_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/wires"
)

// isSendable (P2): the provider refuses nothing of the body, a model that is blind
// is sent no image, and the last thought comes back where nothing before it has
// changed.
func isSendable(s *sent) error {
	limits := limitsOf(s.wire, s.model)
	limits.Thinking = s.judge(s)
	if refusal := s.wire.Check(s.body.JSON, limits); refusal != nil {
		return refusal
	}
	if !s.model.Sees() {
		for _, image := range []string{`"type":"image"`, `"type":"image_url"`, `"type":"input_image"`, `"mimeType":"image/`} {
			if bytes.Contains(s.body.JSON, []byte(image)) {
				return fmt.Errorf("a model that is blind is sent %s", image)
			}
		}
	}
	if s.before == nil || s.wire.Name == "openai-chat" { // which takes no thinking
		return nil
	}
	if !bytes.Contains(s.body.JSON, []byte(s.lastThought)) {
		return fmt.Errorf("the thought %s does not come back", s.lastThought)
	}
	s.thought++
	return nil
}

// limitsOf are those that a provider holds requests for a model to.
func limitsOf(w wires.Wire, m catalog.Model) wire.Limits {
	l := w.Limits()
	l.StrictKeys = true
	l.MaxOutput = m.MaxOutput
	l.Media = cmp.Or(m.Images.MaxCount, l.Media)
	l.ImageBytes = cmp.Or(m.Images.MaxBytes, l.ImageBytes)
	l.BodyBytes = cmp.Or(m.Images.MaxRequestBytes, l.BodyBytes)
	l.SidePx = cmp.Or(m.Images.MaxEdge, l.SidePx)
	l.ManyImages = cmp.Or(m.Images.ManyCount, l.ManyImages)
	l.ManySidePx = cmp.Or(m.Images.ManyEdge, l.ManySidePx)
	return l
}

// A thinker stands in for a model that binds its thinking to what stood before
// it. Its zero value has not thought yet.
type thinker struct {
	thoughts    map[string]thought // by signature
	lastThought string
	lastSent    []byte // the last thinking in the body that was judged last
}

// A thought is what thinking is bound to.
type thought struct {
	model, wire string
	before      message.Hash // as Anthropic hashes it
	previous    string       // the signature of the thinking before
}

// think answers a request with a thought that is bound to it.
func (k *thinker) think(s *sent) message.Message {
	if k.thoughts == nil {
		k.thoughts = map[string]thought{}
	}
	k.lastThought = base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "thought %d of the model", len(k.thoughts)))
	bound := thought{model: s.model.ID, wire: s.wire.Name, previous: signatureIn(k.lastSent)}
	if s.wire.Name == anthropic.Wire && s.model.ChecksThinking {
		bound.before = anthropic.PrefixOf(s.body.JSON).Last()
	}
	k.thoughts[k.lastThought] = bound
	return message.Message{Role: message.Assistant, Author: message.ByModel, Wire: s.wire.Name, Model: s.model.ID, Parts: []message.Part{
		message.Thinking{Text: "Hm.", Signature: k.lastThought}, message.Text{Text: "Done."},
	}}
}

// judge returns what the provider does with thinking that comes back. What other
// answers of the story have thought is taken for genuine where the model does
// not check what stands before.
func (k *thinker) judge(s *sent) func(wire.SentThinking) wire.Judgement {
	k.lastSent = nil
	return func(sent wire.SentThinking) wire.Judgement {
		k.lastSent = slices.Clone(sent.Block)
		bound, mine := k.thoughts[signatureIn(sent.Block)]
		switch {
		case !mine:
			return wire.Judgement{Moved: s.model.ChecksThinking && s.wire.Name == anthropic.Wire, ChangedAt: -1}
		case bound.model != s.model.ID || bound.wire != s.wire.Name:
			return wire.Judgement{Forged: true}
		case !s.model.ChecksThinking || s.wire.Name != anthropic.Wire:
			return wire.Judgement{}
		}
		moved := bound.before != sent.Before[len(sent.Before)-1] || sent.Previous != nil && bound.previous != signatureIn(sent.Previous)
		return wire.Judgement{Moved: moved, ChangedAt: -1}
	}
}

// signatureIn returns what binds a block, an item or a part.
func signatureIn(block []byte) string {
	for _, key := range []string{"signature", "data", "encrypted_content", "thoughtSignature"} {
		if value := rawjson.Get(block, key); value != nil {
			return rawjson.Text(value)
		}
	}
	return string(bytes.Trim(block, `"`)) // the value alone
}
