package tui

import (
	"context"
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
	next    int        // the depth of the entry below the last block; 0 at the tip
	reading bool

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

func newTranscript(ctx context.Context, store history.Store, c history.Conversation, m *markdown, a *album, draw reclaim.Draw) *transcript {
	return &transcript{ctx: ctx, store: store, conversation: c, following: true, markdown: m, album: a, draw: draw, chunk: 100, held: 600}
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
	if t.next > 0 {
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

// end goes to the tip.
func (t *transcript) end() tea.Cmd {
	if t.next > 0 {
		return t.readNewest()
	}
	t.bottom()
	return nil
}

// bottom goes to the end of what is held.
func (t *transcript) bottom() {
	t.following = true
	t.last = max(len(t.blocks)-1, 0)
	t.line = len(t.rendered(t.last))
}

// letGo drops blocks that are far off the screen, on the side where more of them
// are. Three screens stay on either side.
func (t *transcript) letGo() {
	over := len(t.blocks) - t.held
	if over <= 0 {
		return
	}
	if above := t.last; above > len(t.blocks)/2 {
		first := t.last
		for lines := t.line; first > 0 && lines < 3*t.height; first-- {
			lines += len(t.rendered(first - 1))
		}
		drop := min(first, over)
		t.blocks = slices.Clone(t.blocks[drop:])
		t.last -= drop
		t.before = firstParent(t.blocks)
		return
	}
	keep := t.last + 1
	for lines := 0; keep < len(t.blocks) && lines < 3*t.height; keep++ {
		lines += len(t.rendered(keep))
	}
	if keep = max(keep, t.held); keep < len(t.blocks) {
		if next := firstDepth(t.blocks[keep:]); next > 0 {
			t.blocks, t.next = slices.Clone(t.blocks[:keep]), next
		}
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

// firstDepth is that of the first entry of some blocks; 0 where there is none.
func firstDepth(blocks []block) int {
	for _, b := range blocks {
		if len(b.entries) > 0 {
			return b.entries[0].Depth
		}
	}
	return 0
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
	t.following = atEnd && t.next == 0
	return t.fill()
}

// fill reads entries where the screen comes near the first block or the last,
// and keeps the first line from standing below the top of the screen.
func (t *transcript) fill() tea.Cmd {
	if t.reading || len(t.blocks) == 0 {
		return nil
	}
	above := t.line
	for i := t.last - 1; i >= 0 && above < 2*t.height; i-- {
		above += len(t.rendered(i))
	}
	if above < 2*t.height {
		if t.before != (history.ID{}) {
			return t.read(false, t.before, 0)
		}
		if missing := t.height - above; missing > 0 { // at the root
			t.down(missing)
		}
	}
	if t.next == 0 {
		return nil
	}
	below := len(t.rendered(t.last)) - t.line
	for i := t.last + 1; i < len(t.blocks) && below < t.height; i++ {
		below += len(t.rendered(i))
	}
	if below >= t.height {
		return nil
	}
	return t.read(false, history.ID{}, t.next)
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

// top goes to the root of the path.
func (t *transcript) top() tea.Cmd {
	if t.before != (history.ID{}) {
		return t.read(true, history.ID{}, 1)
	}
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
