package anthropic

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wiretest"
)

// signer stands in for a model that binds its thinking to what stood before it:
// the content, and the thinking block before.
type signer struct {
	answers int
	// made is, by signature, what stood before a block when it was made: as the
	// API hashes it, and as flat blocks with the thinking among them.
	made map[string]binding
}

type binding struct {
	hashes   []message.Hash
	previous string
	blocks   []string
}

func (s *signer) sign(b binding) string {
	mac := hmac.New(sha256.New, []byte("key"))
	last := b.hashes[len(b.hashes)-1]
	mac.Write(last[:])
	mac.Write([]byte(b.previous))
	mac.Write(fmt.Appendf(nil, "%d", len(s.made)))
	signature := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	s.made[signature] = b
	return signature
}

// judge is what the API does with a block that comes back.
func (s *signer) judge(sent wire.SentThinking) wire.Judgement {
	b, ok := s.made[rawjson.Text(rawjson.Get(sent.Block, "signature"))]
	if !ok {
		return wire.Judgement{Forged: true}
	}
	if !slices.Equal(last(sent.Before), last(b.hashes)) || sent.Previous != nil && string(sent.Previous) != b.previous {
		return wire.Judgement{Moved: true, ChangedAt: -1}
	}
	return wire.Judgement{}
}

func last(hashes []message.Hash) []message.Hash { return hashes[len(hashes)-1:] }

// answer answers a body: thinking, a text of its own, and perhaps more thinking
// and a call.
func (s *signer) answer(t *rapid.T, body []byte) []message.Part {
	flat, err := wiretest.Blocks(body)
	if err != nil {
		t.Fatal(err)
	}
	prefix, previous := PrefixOf(body), ""
	walk(body, func(_ string, block []byte, _ *Prefix, _, _ int) {
		if isThinking(block) {
			previous = string(block)
		}
	})
	s.answers++
	var parts []message.Part
	add := func(block string) {
		p, err := DecodeBlock([]byte(block))
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
		prefix.Add("assistant", []byte(block))
		flat = append(slices.Clone(flat), "assistant "+block)
	}
	think := func() {
		b := binding{hashes: slices.Clone(prefix.Hashes()), previous: previous, blocks: flat}
		previous = fmt.Sprintf(`{"type":"thinking","thinking":"hm","signature":"%s"}`, s.sign(b))
		add(previous)
	}
	think()
	add(fmt.Sprintf(`{"type":"text","text":"answer %d"}`, s.answers))
	if rapid.Bool().Draw(t, "calls") {
		if rapid.Bool().Draw(t, "thinks again") {
			think()
		}
		add(fmt.Sprintf(`{"type":"tool_use","id":"toolu_x%d","name":"bash","input":{"cmd":"ls"}}`, s.answers))
	}
	return parts
}

// talk is a conversation whose view is edited between turns.
type talk struct {
	*rapid.T
	signer
	model string
	view  wire.View
}

func (c *talk) request() wire.Request {
	limits := Limits()
	limits.Thinking = c.judge
	return wire.Request{
		Frame:          wire.Frame{Model: c.model, System: []string{"s"}},
		View:           wire.View{Messages: slices.Clone(c.view.Messages)},
		ChecksThinking: true,
		Limits:         &limits,
	}
}

func (c *talk) say(m message.Message, seals ...message.Hash) {
	c.view.Messages = append(c.view.Messages, wire.Message{Message: m, At: history.Handle{Depth: len(c.view.Messages) + 1}, Seals: seals})
}

// turn sends the view, and takes the answer with results for its calls.
func (c *talk) turn() {
	r := c.request()
	sent, err := Encode(r)
	if err != nil {
		c.Fatal(err)
	}
	c.leftOutForAReason(sent.JSON)
	answer := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: Wire, Model: c.model, Parts: c.answer(c.T, sent.JSON)}
	seals, err := NewSession().Seals(r, answer)
	if err != nil {
		c.Fatal(err)
	}
	if seals[0] != sent.Seal {
		c.Fatal("the first seal is not that of the request")
	}
	c.say(answer, seals...)
	for _, call := range answer.Calls {
		c.say(message.Results(message.ToolResult{CallID: call.ID, Content: []message.Content{message.Text{Text: "out of " + call.ID}, message.NewImage("image/png", wiretest.PNG(1, 1))}}))
	}
	if !slices.ContainsFunc(answer.Parts, func(p message.Part) bool { _, ok := p.(message.ToolCall); return ok }) {
		c.say(message.Prompt(fmt.Sprintf("prompt %d", c.answers)))
	}
}

// leftOutForAReason fails where thinking is not in a body although it stands
// behind exactly what it was made behind.
func (c *talk) leftOutForAReason(body []byte) {
	now, err := wiretest.Blocks(body)
	if err != nil {
		c.Fatal(err)
	}
	for _, m := range c.view.Messages {
		for i, p := range m.Parts {
			thinking, ok := p.(message.Thinking)
			if !ok || m.Model != c.model || strings.Contains(string(body), thinking.Signature) {
				continue
			}
			next := slices.IndexFunc(now, func(block string) bool { return strings.Contains(block, nameOf(m.Parts[i+1])) })
			if next < 0 {
				c.Fatalf("%v is not in %s", m.Parts[i+1], body)
			}
			if slices.Equal(now[:next], c.made[thinking.Signature].blocks) {
				c.Fatalf("thinking before %s is left out, and its prefix is what it was", nameOf(m.Parts[i+1]))
			}
		}
	}
}

// nameOf returns what tells a part of an answer from all others.
func nameOf(p message.Part) string {
	if call, ok := p.(message.ToolCall); ok {
		return `"type":"tool_use","id":"` + call.ID + `"`
	}
	return `"` + p.(message.Text).Text + `"`
}

// edit changes the view as compactions, branches and other models do.
func (c *talk) edit() {
	at := func() *wire.Message {
		return &c.view.Messages[rapid.IntRange(0, len(c.view.Messages)-1).Draw(c.T, "at")]
	}
	switch rapid.IntRange(0, 4).Draw(c.T, "edit") {
	case 0: // elision of a result, or its restoration
		m := at()
		for i, r := range m.Results {
			stub := message.Text{Text: "[taken out]"}
			if slices.Equal(r.Content, []message.Content{stub}) {
				r.Content = []message.Content{message.Text{Text: "out of " + r.CallID}, message.NewImage("image/png", wiretest.PNG(1, 1))}
			} else {
				r.Content = []message.Content{stub}
			}
			m.Parts = slices.Clone(m.Parts)
			m.Parts[i] = r
		}
	case 1: // elision of thinking
		m := at()
		if _, ok := m.Parts[0].(message.Thinking); ok {
			m.Parts, m.Seals = m.Parts[1:], m.Seals[1:]
		}
	case 2: // a branch from an earlier boundary
		for i := rapid.IntRange(1, len(c.view.Messages)).Draw(c.T, "back to"); i <= len(c.view.Messages); i++ {
			if m := &c.view.Messages[i-1]; m.Role != message.Assistant {
				c.view.Messages = c.view.Messages[:i:i]
			}
		}
	case 3:
		c.model = rapid.SampledFrom([]string{"claude-opus-5-5", "claude-fable-5-2"}).Draw(c.T, "model")
	case 4: // another prompt
		if m := at(); m.Role == message.User {
			m.Message = message.Prompt(m.PlainText() + "!")
		}
	}
}

// TestP2ThinkingIsSentExactlyWhereItIsBound: whatever happens to the view,
// no request carries thinking that the model would refuse, and none lacks
// thinking that stands where it was made.
func TestP2ThinkingIsSentExactlyWhereItIsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := talk{T: t, signer: signer{made: map[string]binding{}}, model: "claude-opus-5-5"}
		c.say(message.Prompt("begin"))
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			if rapid.IntRange(0, 3).Draw(t, "step") == 0 {
				c.edit()
			}
			c.turn()
		}
	})
}

// TestThinkingAfterAnElision tells the usual story: what stood before the change
// stays, what came behind it goes, what comes after stays again; and undoing
// the change brings all back but what was made meanwhile.
func TestThinkingAfterAnElision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := talk{T: t, signer: signer{made: map[string]binding{}}, model: "claude-opus-5-5"}
		c.say(message.Prompt("begin"))
		signatures := func(from int) (list []string) {
			for _, m := range c.view.Messages[from:] {
				for _, p := range m.Parts {
					if t, ok := p.(message.Thinking); ok {
						list = append(list, t.Signature)
					}
				}
			}
			return list
		}
		expect := func(when string, sent, left []string) {
			b, err := Encode(c.request())
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range sent {
				if !strings.Contains(string(b.JSON), s) {
					t.Fatalf("%s: thinking is left out", when)
				}
			}
			for _, s := range left {
				if strings.Contains(string(b.JSON), s) {
					t.Fatalf("%s: thinking is sent", when)
				}
			}
		}
		for range 4 {
			c.turn()
		}
		middle := len(c.view.Messages)
		original := message.Prompt("look here")
		c.say(original)
		for range 3 {
			c.turn()
		}
		end := len(c.view.Messages)
		before, behind := signatures(0)[:len(signatures(0))-len(signatures(middle))], signatures(middle)
		expect("growing", append(before, behind...), nil)

		c.view.Messages[middle].Message = message.Prompt("[taken out]")
		expect("after the change", before, behind)
		for range 3 {
			c.turn()
		}
		meanwhile := signatures(end)
		expect("after new turns", append(before, meanwhile...), behind)

		c.view.Messages[middle].Message = original
		expect("undone", append(before, behind...), meanwhile)
	})
}
