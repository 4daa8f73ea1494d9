package gemini

import (
	"strings"

	"github.com/stemma-history/stemma/transcript/internal/native"
)

// hiding is what a compaction does to a range of nodes, or to the result of one
// call.
type hiding struct {
	from, to *node
	call     string
	text     string // what stands instead
	summary  bool
}

// gap is a place between messages that the new list keeps: what it dropped from
// there, and what it has instead.
type gap struct {
	dropped []item
	added   []native.Object
}

// replace takes a new list of messages for the present one: gemini-cli writes
// it when it has compressed or masked its history. What it drops stays on the
// path, hidden by a compaction that shows what it has instead.
func (s *session) replace(list []native.Object, line int64) {
	gaps, kept, ok := s.compare(list)
	last := len(gaps) - 1
	for _, g := range gaps[:last] {
		ok = ok && (len(g.dropped) > 0 || len(g.added) == 0)
	}
	if !ok {
		s.restart(list, line)
		return
	}
	var hides []hiding
	var items []item
	for i := range kept {
		gapHides, gapItems := gaps[i].hide()
		items = append(append(items, gapItems...), s.items[kept[i].at])
		hides = append(hides, gapHides...)
		if s.items[kept[i].at].node != nil {
			hides = append(hides, s.merge(kept[i].at, kept[i].version)...)
		}
	}
	added := gaps[last].added
	if end := gaps[last]; len(end.dropped) > 0 {
		if len(added) == 0 { // the end was taken back
			s.tip = end.dropped[0].before()
		} else {
			endHides, endItems := end.hide()
			hides, items, added = append(hides, endHides...), append(items, endItems...), nil
		}
	}
	s.items = items
	for _, i := range items {
		s.ids[i.id] = true
	}
	if len(hides) > 0 {
		s.compact(hides, line)
	}
	for _, o := range added {
		s.add(o, line)
	}
}

// hide returns what hides the dropped messages of a gap, and the items that
// stand for them.
func (g *gap) hide() (hides []hiding, items []item) {
	if len(g.dropped) == 0 {
		return nil, nil
	}
	from, to := g.dropped[0].from, g.dropped[len(g.dropped)-1].to
	for _, added := range g.added {
		items = append(items, item{id: added.Text("id"), from: from, to: to})
	}
	return []hiding{{from: from, to: to, text: joined(g.added), summary: true}}, items
}

// match is a message of the new list that the present one has: its index there.
type match struct {
	at      int
	version native.Object
}

// compare lays the new list over the present one. There is one gap more than
// there are matches. It is not ok where the order changed.
func (s *session) compare(list []native.Object) (gaps []gap, kept []match, ok bool) {
	gaps, ok = []gap{{}}, true
	next := 0
	for _, o := range list {
		g := &gaps[len(gaps)-1]
		at := s.find(o.Text("id"))
		if at < 0 {
			g.added = append(g.added, o)
			continue
		}
		if at < next {
			return gaps, kept, false
		}
		g.dropped = s.items[next:at]
		kept = append(kept, match{at, o})
		gaps = append(gaps, gap{})
		next = at + 1
	}
	gaps[len(gaps)-1].dropped = s.items[next:]
	return gaps, kept, ok
}

// restart begins a branch of its own with a list that does not fit the present
// one.
func (s *session) restart(list []native.Object, line int64) {
	s.items, s.tip = nil, nil
	for _, o := range list {
		s.add(o, line)
	}
}

// joined returns the words of messages.
func joined(list []native.Object) string {
	var texts []string
	for _, o := range list {
		if text := textOf(o["content"]); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n\n")
}
