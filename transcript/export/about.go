package export

import (
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/history"
)

// fact is something known of the conversation as a whole.
type fact struct{ Name, Value string }

// name is what the export is called.
func (o *outline) name() string {
	if title := line(o.conversation.Title, 200); title != "" {
		return title
	}
	return "Conversation"
}

// facts returns what is known, each on a line for people.
func (o *outline) facts() []fact {
	c := &o.conversation
	all := []fact{
		{"Conversation", c.ID.String()},
		{"Directory", line(c.Directory, 400)},
		{"Model", line(c.Model, 100)},
		{"Imported from", line(strings.TrimSpace(c.Source.Tool+" "+c.Source.ID), 200)},
		{"Forked from", linkText(c.ForkedFrom)},
		{"Started by", linkText(c.SpawnedBy)},
		{"Created", stamp(c.Created)},
		{"Shown", o.extent()},
	}
	known := all[:0]
	for _, f := range all {
		if f.Value != "" {
			known = append(known, f)
		}
	}
	return known
}

func linkText(l history.Link) string {
	switch {
	case l.Conversation == history.ID{}:
		return ""
	case l.Entry == history.ID{}:
		return l.Conversation.String()
	}
	return fmt.Sprintf("%v at %v", l.Conversation, l.Entry)
}

// extent says how much of the tree is shown.
func (o *outline) extent() string {
	if len(o.branches) == 0 {
		return "an empty conversation"
	}
	path := o.branches[0]
	s := fmt.Sprintf("the path of %s to %s", count(len(path.Nodes), "entry", "entries"), path.Last().ID)
	if rest := len(o.branches) - 1; rest > 0 {
		s += ", and " + count(rest, "branch", "branches") + " that leave it"
	}
	if hidden := o.conversation.Entries - len(o.shown); hidden > 0 {
		s += fmt.Sprintf("; %s on other branches not shown", count(hidden, "entry", "entries"))
	}
	return s
}

// origin says where a branch comes from.
func (o *outline) origin(b *branch) string {
	from := "It starts at a root of its own"
	if parent := b.First().Parent; o.shown[parent] {
		from = fmt.Sprintf("It continues from %d", b.First().Depth-1)
	}
	return fmt.Sprintf("%s and has %s, the last is %s", from, count(len(b.Nodes), "entry", "entries"), b.Last().ID)
}
