package tui

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
)

// A block is one thing on a transcript: a turn, a notice of the program, or
// what is under way.
type block struct {
	entries []history.Entry // an answer with its results, or one other entry
	notice  string          // where there are no entries

	lines  []string // as rendered; nil until then
	placed []placed // pictures between them
	width  int      // that lines were rendered for
	open   bool     // details are shown
}

// A transcript is the path of a conversation as people read it. It holds what
// is near the screen, and reads the rest as it is scrolled to.
type transcript struct {
	ctx          context.Context
	store        history.Store
	conversation history.Conversation

	blocks  []block
	before  history.ID // the entry above the first block; none at the root
	reading bool
	cut     bool // newer blocks were let go of: the last block is not the tip's

	// The screen ends at line of blocks[last], counted from 1 at its top. At
	// the bottom, it follows what is added.
	last, line int
	following  bool

	// chunk is how many entries are read at a time: more than a screen shows.
	// held is how many blocks there may be before those far off the screen are
	// let go of.
	chunk, held int

	open     bool // details of new blocks are shown
	markdown *markdown
	album    *album
	draw     reclaim.Draw
	width    int
	height   int
}

type (
	// chunkRead brings entries that stand before the first block.
	chunkRead struct {
		conversation history.ID
		entries      []history.Entry
		before       history.ID // what stands before them
		damaged      int
		fresh        bool // instead of all that is held
		err          error
	}
)

func newTranscript(ctx context.Context, store history.Store, c history.Conversation, m *markdown, a *album, draw reclaim.Draw) *transcript {
	return &transcript{ctx: ctx, store: store, conversation: c, following: true, markdown: m, album: a, draw: draw, chunk: 100, held: 1500}
}

// readNewest reads the end of the path, instead of all that is held.
func (t *transcript) readNewest() tea.Cmd {
	t.reading = true
	return t.read(t.conversation.Tip, true)
}

func (t *transcript) read(tip history.ID, fresh bool) tea.Cmd {
	c := t.conversation.ID
	return func() tea.Msg {
		r := chunkRead{conversation: c, fresh: fresh}
		if tip == (history.ID{}) {
			return r
		}
		first := true
		for e, err := range t.store.Path(t.ctx, history.PathQuery{Conversation: c, Tip: tip, Newest: t.chunk}) {
			var damaged *history.DamagedError
			switch {
			case errors.As(err, &damaged):
				r.damaged++
				continue
			case err != nil:
				r.err = err
				return r
			}
			if first {
				r.before, first = e.Parent, false
			}
			r.entries = append(r.entries, e)
		}
		return r
	}
}

// take shows what was read.
func (t *transcript) take(r chunkRead) {
	if r.conversation != t.conversation.ID {
		return
	}
	t.reading = false
	if r.err != nil {
		t.notify("The conversation could not be read: " + r.err.Error())
		return
	}
	blocks := group(nil, r.entries)
	if r.fresh {
		t.blocks, t.cut = append(blocks, t.lastNotices()...), false
		t.bottom()
	} else {
		t.blocks = join(blocks, t.blocks)
		t.last += len(blocks)
	}
	t.before = r.before
	t.letGo()
}

// lastNotices are what the program said since the last entry.
func (t *transcript) lastNotices() []block {
	from := len(t.blocks)
	for from > 0 && len(t.blocks[from-1].entries) == 0 {
		from--
	}
	return slices.Clone(t.blocks[from:])
}

// cutBefore takes an entry, and all that follows it, off the screen.
func (t *transcript) cutBefore(at history.ID) {
	for i, b := range t.blocks {
		if len(b.entries) > 0 && b.entries[0].ID == at {
			t.blocks = slices.Clone(t.blocks[:i])
			t.bottom()
			return
		}
	}
}

// group adds entries to blocks: results go to their answer.
func group(blocks []block, entries []history.Entry) []block {
	for _, e := range entries {
		if n := len(blocks); isResults(&e) && n > 0 && isAnswer(blocks[n-1]) {
			b := &blocks[n-1]
			b.entries, b.lines = append(b.entries, e), nil
			continue
		}
		blocks = append(blocks, block{entries: []history.Entry{e}})
	}
	return blocks
}

// join puts older blocks before newer ones.
func join(older, newer []block) []block {
	if n := len(older); n > 0 && len(newer) > 0 && len(newer[0].entries) > 0 && isResults(&newer[0].entries[0]) && isAnswer(older[n-1]) {
		older[n-1].entries = append(older[n-1].entries, newer[0].entries...)
		newer[0] = block{notice: ""} // keeps the places of the others
	}
	return append(older, newer...)
}

func isResults(e *history.Entry) bool { return e.Message != nil && e.Message.Role == message.Tool }

func isAnswer(b block) bool {
	return len(b.entries) > 0 && b.entries[0].Message != nil && b.entries[0].Message.Role == message.Assistant
}

// add shows entries that were saved behind the last block.
func (t *transcript) add(entries ...history.Entry) {
	if t.cut {
		return // they are read when the person comes back to the end
	}
	t.blocks = group(t.blocks, entries)
	if t.open {
		t.blocks[len(t.blocks)-1].open = true
	}
	if t.following {
		t.bottom()
	}
	t.letGo()
}

// notify shows a notice of the program. It stands on the screen only.
func (t *transcript) notify(text string) {
	t.blocks = append(t.blocks, block{notice: text})
	if t.following {
		t.bottom()
	}
}

// bottom goes to the end.
func (t *transcript) bottom() {
	t.following = true
	t.last = max(len(t.blocks)-1, 0)
	t.line = len(t.rendered(t.last))
}

// letGo drops blocks that are far off the screen: those above, or those below
// where one reads above.
func (t *transcript) letGo() {
	if len(t.blocks) <= t.held {
		return
	}
	first, lines := t.last, t.line
	for ; first > 0 && lines < 3*t.height; first-- {
		lines += len(t.rendered(first - 1))
	}
	if drop := min(first, len(t.blocks)-t.held); t.following && drop > 0 {
		t.blocks = slices.Clone(t.blocks[drop:])
		t.last -= drop
		t.before = firstParent(t.blocks)
		return
	}
	if keep := max(t.last+1, t.held); keep < len(t.blocks) && !t.following {
		t.blocks, t.cut = slices.Clone(t.blocks[:keep]), true
	}
}

// firstParent is what stands before some blocks.
func firstParent(blocks []block) history.ID {
	for _, b := range blocks {
		if len(b.entries) > 0 {
			return b.entries[0].Parent
		}
	}
	return history.ID{}
}

// scroll moves the screen by lines, up where by is negative. The command reads
// what is missing.
func (t *transcript) scroll(by int) tea.Cmd {
	if len(t.blocks) == 0 {
		return nil
	}
	t.line += by
	for t.line < 1 && t.last > 0 {
		t.last--
		t.line += len(t.rendered(t.last))
	}
	for t.line > len(t.rendered(t.last)) && t.last+1 < len(t.blocks) {
		t.line -= len(t.rendered(t.last))
		t.last++
	}
	atEnd := t.last == len(t.blocks)-1 && t.line >= len(t.rendered(t.last))
	t.line = max(min(t.line, len(t.rendered(t.last))), 1)
	t.following = atEnd && !t.cut
	if atEnd && t.cut && !t.reading {
		return t.readNewest()
	}
	return t.fill()
}

// fill reads older entries where the screen comes near the first block, and
// keeps the first line from standing below the top of the screen.
func (t *transcript) fill() tea.Cmd {
	lines := t.line
	for i := t.last - 1; i >= 0 && lines < 2*t.height; i-- {
		lines += len(t.rendered(i))
	}
	if lines >= 2*t.height {
		return nil
	}
	if t.before != (history.ID{}) {
		if t.reading {
			return nil
		}
		t.reading = true
		return t.read(t.before, false)
	}
	if missing := t.height - lines; missing > 0 { // at the root
		t.down(missing)
	}
	return nil
}

// down moves the end of the screen down, as far as there are lines.
func (t *transcript) down(by int) {
	for by > 0 {
		room := len(t.rendered(t.last)) - t.line
		if room >= by {
			t.line += by
			return
		}
		by -= room
		t.line += room
		if t.last+1 >= len(t.blocks) {
			return
		}
		t.last, t.line = t.last+1, 0
	}
}

// top goes to the root of the path, as far as it is held.
func (t *transcript) top() tea.Cmd {
	t.last, t.line, t.following = 0, 1, false
	return t.fill()
}

// toggle shows or hides the details of every block.
func (t *transcript) toggle() {
	t.open = !t.open
	for i := range t.blocks {
		t.blocks[i].open, t.blocks[i].lines = t.open, nil
	}
	t.line = max(min(t.line, len(t.rendered(t.last))), 1)
	if t.following {
		t.bottom()
	}
}

// resize lays everything out for another size.
func (t *transcript) resize(width, height int) tea.Cmd {
	t.width, t.height = width, height
	if t.following {
		t.bottom()
	} else {
		t.line = max(min(t.line, len(t.rendered(t.last))), 1)
	}
	return t.fill()
}

// rendered returns the lines of a block.
func (t *transcript) rendered(i int) []string {
	if i >= len(t.blocks) {
		return nil
	}
	b := &t.blocks[i]
	if b.lines == nil || b.width != t.width {
		b.lines, b.width = t.render(b), t.width
	}
	return b.lines
}

// view returns the lines on the screen, the live ones at the end.
func (t *transcript) view(live []string) []string {
	var lines []string
	if t.following {
		lines = live[max(len(live)-t.height, 0):]
	}
	for i := t.last; i >= 0 && len(lines) < t.height && i < len(t.blocks); i-- {
		shown := t.withPictures(i)
		if i == t.last {
			shown = shown[:min(max(t.line, 0), len(shown))]
		}
		shown = shown[max(len(shown)-(t.height-len(lines)), 0):]
		lines = append(append([]string(nil), shown...), lines...)
	}
	for len(lines) < t.height {
		lines = append(lines, "")
	}
	return lines
}
