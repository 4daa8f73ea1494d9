package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/reclaim"
)

// A navigator shows a conversation as a tree, and moves about in it. It reads
// the newest part of the current path first, and the rest behind.
type navigator struct {
	ctx          context.Context
	store        history.Store
	conversation history.Conversation
	album        *album
	draw         reclaim.Draw

	nodes  []history.Node // what was read of the tree
	whole  bool           // nodes is all of it
	forest *forest
	labels labels
	sel    selection
	rows   []int      // lines of the forest that are shown
	cursor int        // index in rows
	at     history.ID // the entry under the cursor; stays while filters hide it
	top    int        // first row on the screen
	centre bool       // put the cursor into the middle of the next screen

	preview preview
	keys    bool          // what the keys do is shown instead of the tree
	rest    time.Duration // how long the cursor stays on an entry before it is read
	asking  question
	input   textinput.Model
	note    string // what the last action did
	failed  bool   // the note is an error

	width, height int
}

// A question is what the line at the bottom asks for.
type question int

const (
	asksNothing question = iota
	asksWords            // to search for
	asksName             // of a checkpoint
)

// What a navigator tells the program around it.
type (
	// leaveTree closes the navigator.
	leaveTree struct{}
	// tipMoved says that the conversation now stands elsewhere.
	tipMoved struct{ conversation history.Conversation }
	// editPrompt asks for a prompt to be changed and run again, as a sibling.
	editPrompt struct{ entry history.Entry }
	// conversationForked says that a copy was made.
	conversationForked struct{ conversation history.Conversation }
	// compareBranches asks for a comparison of two entries.
	compareBranches struct{ a, b history.ID }
)

func newNavigator(ctx context.Context, store history.Store, c history.Conversation, d *display, draw reclaim.Draw) *navigator {
	input := textinput.New()
	input.Prompt = ""
	styles := input.Styles()
	styles.Cursor.Blink = false // a screen that nothing happens on is not drawn again
	input.SetStyles(styles)
	return &navigator{
		ctx: ctx, store: store, conversation: c, album: newAlbum(ctx, d), draw: draw, input: input, centre: true,
		forest: newForest(nil, c.Tip),
		sel:    selection{folded: map[history.ID]bool{}},
		rest:   40 * time.Millisecond,
	}
}

func (n *navigator) Init() tea.Cmd { return tea.Batch(n.readNewest(), n.readLabels()) }

func (n *navigator) close() tea.Cmd { return n.album.close() }

func (n *navigator) Update(msg tea.Msg) tea.Cmd {
	cmd := n.update(msg)
	if len(n.preview.pictures) > 0 {
		n.viewPreview() // asks for the picture that it shows
		return tea.Batch(cmd, n.album.load())
	}
	return cmd
}

func (n *navigator) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		n.width, n.height = msg.Width, msg.Height
		n.scroll()
	case newestRead:
		n.nodes = msg.nodes
		n.show(msg.forest)
		return tea.Batch(n.readTree(), n.look())
	case treeRead:
		n.nodes, n.whole = msg.nodes, true
		n.show(msg.forest)
		if msg.damaged > 0 {
			n.fail(fmt.Errorf("%s cannot be read and are left out; stemma check says more", words.Count(msg.damaged, "entry")))
		}
		return tea.Batch(n.look(), index(n.ctx, n.store))
	case indexed:
		return tea.Batch(n.findWords(n.sel.query), msg.more(n.ctx, n.store))
	case labelsRead:
		n.labels = msg.labels
		n.choose()
	case laidOut:
		n.show(msg.forest)
		return n.look()
	case moved:
		n.conversation = msg.conversation
		n.tell(msg.note)
		return tea.Batch(n.layOut(), func() tea.Msg { return tipMoved{msg.conversation} })
	case said:
		n.tell(msg.note)
		return n.readLabels()
	case entryRead:
		if n.preview.take(msg); n.preview.entry != nil {
			n.preview.pictures = picturesOf(n.store, n.draw, n.conversation.ID, n.preview.entry)
			if left, ok := n.forest.at[n.preview.entry.Left]; ok {
				n.preview.left = fmt.Sprintf("(of the branch that was left at %d)", n.forest.lines[left].Depth)
			}
		}
	case lookNow:
		return n.preview.read(n, msg)
	case wordsFound:
		if msg.query == n.sel.query {
			n.sel.hits = msg.hits
			n.choose()
		}
	case failure:
		n.fail(msg.error)
	case tea.PasteMsg, tea.KeyPressMsg:
		if n.asking != asksNothing {
			return n.answer(msg)
		}
		if key, ok := msg.(tea.KeyPressMsg); ok {
			if n.keys {
				n.keys = false
				return nil
			}
			return n.press(key.String())
		}
	case tea.MouseClickMsg:
		if row := n.top + msg.Y - 1; msg.Button == tea.MouseLeft && msg.Y > 0 && msg.Y <= n.listHeight() && msg.X < n.listWidth() && row < len(n.rows) {
			return n.move(row - n.cursor)
		}
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelUp {
			return n.move(-3)
		}
		return n.move(3)
	}
	return nil
}

// press handles a key.
func (n *navigator) press(key string) tea.Cmd {
	switch key {
	case "q", "esc":
		if n.sel.query != "" {
			return n.search("")
		}
		return func() tea.Msg { return leaveTree{} }
	case "up", "k":
		return n.move(-1)
	case "down", "j":
		return n.move(1)
	case "pgup", "ctrl+b":
		return n.move(-n.listHeight())
	case "pgdown", "ctrl+f", "space":
		return n.move(n.listHeight())
	case "home", "g":
		return n.move(-len(n.rows))
	case "end", "G":
		return n.move(len(n.rows))
	case "left", "h":
		return n.fold()
	case "right", "l":
		return n.unfold()
	case "F":
		return n.foldAll()
	case "[":
		return n.jump(-1, isPrompt)
	case "]":
		return n.jump(1, isPrompt)
	case "{":
		return n.jump(-1, func(l *history.TreeLine) bool { return l.Branches > 1 })
	case "}":
		return n.jump(1, func(l *history.TreeLine) bool { return l.Branches > 1 })
	case "t":
		return n.goTo(n.conversation.Tip)
	case "tab":
		return n.filter((n.sel.filter + 1) % filters)
	case "shift+tab":
		return n.filter((n.sel.filter + filters - 1) % filters)
	case "1", "2", "3", "4", "5", "6", "7", "8":
		return n.filter(filter(key[0] - '1'))
	case "/":
		return n.ask(asksWords, n.sel.query)
	case "c":
		return n.ask(asksName, "")
	case "<":
		n.preview.turn(-1)
		return nil
	case ">":
		n.preview.turn(1)
		return nil
	case "J", "shift+down":
		n.preview.top++
		return nil
	case "K", "shift+up":
		n.preview.top--
		return nil
	case "?":
		n.keys, n.note = true, ""
		return nil
	case "v":
		return n.viewPictures()
	}
	return n.act(key)
}

// show takes a new layout. The cursor stays on its entry, or goes to the tip
// where it had none.
func (n *navigator) show(f *forest) {
	n.forest = f
	n.choose()
}

// choose finds the rows anew, and keeps the cursor on its entry or the nearest
// above.
func (n *navigator) choose() {
	n.rows = n.forest.rows(&n.sel, &n.labels)
	want := n.at
	if want == (history.ID{}) {
		want = n.conversation.Tip
	}
	line, known := n.forest.at[want]
	if !known {
		line = len(n.forest.lines)
	}
	row, found := slices.BinarySearch(n.rows, line)
	if !found {
		row--
	}
	n.cursor = max(min(row, len(n.rows)-1), 0)
	n.scroll()
}

// line returns the line under the cursor, nil where there is none.
func (n *navigator) line() *history.TreeLine {
	if n.cursor >= len(n.rows) {
		return nil
	}
	return &n.forest.lines[n.rows[n.cursor]]
}

func (n *navigator) move(by int) tea.Cmd {
	n.cursor = max(min(n.cursor+by, len(n.rows)-1), 0)
	if l := n.line(); l != nil {
		n.at = l.ID
	}
	n.scroll()
	return n.look()
}

// jump goes to the next row of a kind.
func (n *navigator) jump(step int, want func(*history.TreeLine) bool) tea.Cmd {
	for row := n.cursor + step; row >= 0 && row < len(n.rows); row += step {
		if want(&n.forest.lines[n.rows[row]]) {
			return n.move(row - n.cursor)
		}
	}
	return nil
}

func (n *navigator) goTo(id history.ID) tea.Cmd {
	n.at, n.centre = id, true
	n.choose()
	return n.look()
}

// scroll keeps the cursor on the screen.
func (n *navigator) scroll() {
	height := n.listHeight()
	if n.centre && len(n.rows) > 0 && height > 0 {
		n.top, n.centre = n.cursor-height/2, false
	}
	n.top = max(min(n.top, n.cursor, len(n.rows)-height), n.cursor-height+1, 0)
}

func (n *navigator) filter(f filter) tea.Cmd {
	n.sel.filter = f
	n.choose()
	return n.look()
}

// fold folds the branch that the cursor is in.
func (n *navigator) fold() tea.Cmd {
	if n.cursor >= len(n.rows) {
		return nil
	}
	begin := n.forest.branchOf(n.rows[n.cursor])
	if begin < 0 {
		return n.jump(-1, func(l *history.TreeLine) bool { return l.Branches > 1 })
	}
	id := n.forest.lines[begin].ID
	n.sel.folded[id] = true
	n.at = id
	n.choose()
	return n.look()
}

func (n *navigator) unfold() tea.Cmd {
	l := n.line()
	if l == nil || !n.sel.folded[l.ID] {
		return n.move(1)
	}
	delete(n.sel.folded, l.ID)
	n.choose()
	return nil
}

// foldAll folds every branch, or unfolds all where some are.
func (n *navigator) foldAll() tea.Cmd {
	if len(n.sel.folded) > 0 {
		clear(n.sel.folded)
	} else {
		for i := range n.forest.lines {
			if l := &n.forest.lines[i]; l.Begins {
				n.sel.folded[l.ID] = true
			}
		}
	}
	n.choose()
	return n.look()
}

// ask opens the line at the bottom.
func (n *navigator) ask(q question, value string) tea.Cmd {
	n.asking, n.note = q, ""
	n.input.SetValue(value)
	n.input.CursorEnd()
	return n.input.Focus()
}

// answer handles what is typed into the line at the bottom.
func (n *navigator) answer(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "esc":
			asked := n.asking
			n.asking = asksNothing
			if asked == asksWords {
				return n.search("")
			}
			return nil
		case "enter":
			asked := n.asking
			n.asking = asksNothing
			if asked == asksName {
				return n.mark(strings.TrimSpace(n.input.Value()))
			}
			return n.findWords(n.sel.query)
		case "up", "down":
			if n.asking == asksWords {
				return n.press(key.String())
			}
		}
	}
	input, cmd := n.input.Update(msg)
	n.input = input
	if n.asking == asksWords {
		return tea.Batch(cmd, n.search(n.input.Value()))
	}
	return cmd
}

// search shows what has all the words of a text, at first by the previews.
func (n *navigator) search(text string) tea.Cmd {
	n.sel.query, n.sel.hits = strings.ToLower(strings.TrimSpace(text)), nil
	n.choose()
	return n.look()
}

// viewPictures shows the pictures of the entry large.
func (n *navigator) viewPictures() tea.Cmd {
	pictures, at := n.preview.pictures, n.preview.at
	if len(pictures) == 0 {
		n.tell("There is no image in this entry, and no page.")
		return nil
	}
	return func() tea.Msg { return viewPictures{pictures, at} }
}

func (n *navigator) tell(note string) { n.note, n.failed = note, false }

func (n *navigator) fail(err error) { n.note, n.failed = err.Error(), true }

// look has the entry under the cursor shown, once the cursor rests.
func (n *navigator) look() tea.Cmd {
	l := n.line()
	if l == nil || l.ID == n.preview.id {
		return nil
	}
	n.preview = preview{id: l.ID}
	id := l.ID
	return tea.Tick(n.rest, func(time.Time) tea.Msg { return lookNow{id} })
}
