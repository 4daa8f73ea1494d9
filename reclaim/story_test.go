package reclaim_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire/wiretest"
)

// A story is what happens to a conversation, whichever model it is sent to.
type story struct {
	chapters []chapter
	// billed is how many tokens the provider counts for each estimated.
	billed float64
}

// A chapter is what happens before a request.
type chapter struct {
	event
	messages []message.Message // what is said then
	stored   []message.Message // the same, in memory of its own (P1)
}

// An event is what a person or a run does to a conversation besides talking.
type event int

const (
	nothing    event = iota
	switches         // to another model
	goesBack         // the tip moves to where an earlier chapter began
	compacts         // as small as it gets
	shakes           // reads that are out of date out of the view
	caps             // results that are too long to be shown whole
	pins             // an entry
	reframes         // another system prompt
	isRefused        // the last request, by the provider
	isHidden         // a part of it by another tool, which it was imported from
	eventCount = iota
)

// GoString tells the story in few words. (Rapid reads back no line of a failure
// that is longer than 64 KiB.)
func (s story) GoString() string {
	var b strings.Builder
	fmt.Fprintf(&b, "billed %v", s.billed)
	for _, c := range s.chapters {
		fmt.Fprintf(&b, "\n== event %d", c.event)
		for _, m := range c.messages {
			fmt.Fprintf(&b, "\n%s %s", m.Role, m.Author)
			for _, p := range m.Parts {
				fmt.Fprintf(&b, "\n    %.150s", fmt.Sprintf("%T %+q", p, p))
			}
		}
	}
	return b.String()
}

// stories draws stories most of whose answers came over one wire. Most are
// short, and some are long enough to be too large for all but the largest
// windows.
func stories(wireName string) *rapid.Generator[story] {
	long, longest := 60_000, 8<<20
	if raceEnabled { // everything takes ten times as long
		long, longest = 3000, 100<<10
	}
	work := []*rapid.Generator[[]message.Message]{
		nil, nil,
		wiretest.Work(5, 1, 20, 200, 3000), wiretest.Work(5, 1, 20, 200, 3000),
		nil,
		wiretest.Work(6, 1, 3000, long/3, 200),
		wiretest.Work(10, 1, long/3, long, 200),
		wiretest.Gallery(longest),
		nil, nil,
	}
	return rapid.Custom(func(t *rapid.T) story {
		s := story{billed: rapid.SampledFrom([]float64{1, 1, 0.8, 1.3, 1.6}).Draw(t, "billed")}
		steady := rapid.IntRange(0, 5).Draw(t, "steady") == 5
		for range rapid.IntRange(1, 4).Draw(t, "chapters") {
			c := chapter{event: compacts}
			if !steady {
				c.event = event(rapid.IntRange(0, eventCount-1).Draw(t, "event"))
			}
			c.messages = append(c.messages, message.Prompt(rapid.StringN(1, 60, 200).Draw(t, "prompt")+"."))
			if more := rapid.SampledFrom(work).Draw(t, "work"); more != nil {
				c.messages = append(c.messages, more.Draw(t, "more")...)
			}
			c.messages = append(c.messages, wiretest.Path(wireName).Draw(t, "path")...)
			if lines := rapid.SampledFrom([]int{0, 0, 0, 0, 1000, 3000, 0, 0}).Draw(t, "pasted"); lines > 0 { // more than a small window
				c.messages = append(c.messages, message.Prompt("What is this?\n"+strings.Repeat("a pasted line\n", lines)))
			}
			for _, m := range c.messages {
				c.stored = append(c.stored, copyOf(m))
			}
			s.chapters = append(s.chapters, c)
		}
		return s
	})
}

// copyOf copies a message with all that could be changed in place.
func copyOf(m message.Message) message.Message {
	m.Parts = slices.Clone(m.Parts)
	for i := range m.Parts {
		m.Parts[i] = copyOfPart(m.Parts[i])
	}
	return m
}

func copyOfPart(p message.Part) message.Part {
	switch p := p.(type) {
	case message.Thinking:
		p.Raw = bytes.Clone(p.Raw)
		return p
	case message.ToolCall:
		p.Arguments = bytes.Clone(p.Arguments)
		return p
	case message.ToolResult:
		p.Content = slices.Clone(p.Content)
		for i := range p.Content {
			p.Content[i] = copyOfPart(p.Content[i]).(message.Content)
		}
		return p
	case message.Image:
		p.Data = bytes.Clone(p.Data)
		return p
	case message.Document:
		p.Data = bytes.Clone(p.Data)
		return p
	case message.Opaque:
		p.Raw = bytes.Clone(p.Raw)
		return p
	}
	return p
}

// copyOfCompaction copies what a compaction records.
func copyOfCompaction(c *history.Compaction) *history.Compaction {
	kept := *c
	kept.Treatments = slices.Clone(c.Treatments)
	for i := range kept.Treatments {
		if pages := kept.Treatments[i].Pages; pages != nil {
			kept.Treatments[i].Pages = &history.Pages{Shape: bytes.Clone(pages.Shape), Renderer: pages.Renderer, Pages: slices.Clone(pages.Pages)}
		}
	}
	return &kept
}
