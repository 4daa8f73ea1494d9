package tui

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/memory"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
)

var update = flag.Bool("update", false, "write golden files anew")

// golden compares a screen with what it was, without colours.
func golden(t *testing.T, name, screen string) {
	t.Helper()
	lines := strings.Split(ansi.Strip(screen), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	got := strings.Join(lines, "\n") + "\n"
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: run the test with -update and look at the difference\n%s", name, got)
	}
}

// A story is a small conversation with a branch, a checkpoint and a compaction.
type story struct {
	*testing.T
	store history.Store
	id    history.ID
	clock time.Time
}

func newStory(t *testing.T) *story {
	s := &story{T: t, clock: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	s.store = memory.New(memory.Options{})
	s.id = history.SourceID(s.clock, "story")
	if err := s.store.Create(t.Context(), history.Conversation{ID: s.id, Title: "A tale of two branches", Created: s.clock}); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *story) conversation() history.Conversation {
	s.Helper()
	c, err := s.store.Conversation(s.Context(), s.id)
	if err != nil {
		s.Fatal(err)
	}
	return c
}

// say appends messages to an entry and returns the last.
func (s *story) say(parent history.ID, messages ...message.Message) history.ID {
	s.Helper()
	r := history.AppendRequest{Conversation: s.id, Parent: parent, ExpectedTip: s.conversation().Tip}
	for i := range messages {
		s.clock = s.clock.Add(time.Minute)
		r.Entries = append(r.Entries, history.Entry{
			ID: history.SourceID(s.clock, fmt.Sprint(s.clock)), Message: &messages[i], Created: s.clock,
		})
	}
	entries, err := s.store.Append(s.Context(), r)
	if err != nil {
		s.Fatal(err)
	}
	return entries[len(entries)-1].ID
}

func answer(parts ...message.Part) message.Message {
	return message.Message{Role: message.Assistant, Author: message.ByModel, Model: "m", Parts: parts}
}

// tell makes the conversation that most tests look at.
func (s *story) tell() (branch, tip history.ID) {
	s.Helper()
	start := s.say(history.ID{}, message.Prompt("Mend the parser."),
		answer(message.Text{Text: "I read it first."}, message.ToolCall{ID: "1", Name: "read", Arguments: []byte(`{"path":"parser.go"}`)}),
		message.Results(message.ToolResult{CallID: "1", Content: []message.Content{message.Text{Text: "package parser"}}}),
		answer(message.Text{Text: "It is broken at line 12."}))
	branch = s.say(start, message.Prompt("Rewrite it."), answer(message.Text{Text: "Rewritten, with ünïcode."}))
	tip = s.say(start, message.Prompt("Only line 12, please."), answer(message.Text{Text: "Done: line 12 is mended."}))
	at, err := history.BoundaryAt(s.Context(), s.store, s.id, start)
	if err == nil {
		_, err = s.store.Mark(s.Context(), at, history.Checkpoint{Name: "before the change", SetBy: message.ByPerson, Created: s.clock})
	}
	if err == nil {
		c := s.conversation()
		at, err = history.BoundaryAt(s.Context(), s.store, s.id, tip)
		if err == nil {
			err = s.store.MoveTip(s.Context(), at, c.Tip)
		}
	}
	if err != nil {
		s.Fatal(err)
	}
	return branch, tip
}

// A driver feeds a navigator and runs what it asks for, at once.
type driver struct {
	*testing.T
	n   *navigator
	out []tea.Msg // what the navigator tells the program around it
	raw []string  // what it writes to the terminal as it is
}

func drive(t *testing.T, s *story, width, height int) *driver {
	return driveOn(t, s, noPictures(), width, height)
}

func driveOn(t *testing.T, s *story, on *display, width, height int) *driver {
	d := &driver{T: t, n: newNavigator(context.Background(), s.store, s.conversation(), on, reclaim.DrawPage)}
	d.n.rest = 0
	d.do(d.n.Init())
	d.send(tea.WindowSizeMsg{Width: width, Height: height})
	return d
}

func (d *driver) send(msg tea.Msg) { d.do(d.n.Update(msg)) }

// do runs a command and everything that comes of it.
func (d *driver) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			d.do(c)
		}
	case tea.RawMsg:
		d.raw = append(d.raw, fmt.Sprint(msg.Msg))
	case pictureDrawn:
		d.do(msg.album.take(msg))
		d.send(msg)
	case pictureSent:
		d.do(msg.album.sent(msg))
		d.send(msg)
	case leaveTree, tipMoved, editPrompt, conversationForked, compareBranches, viewPictures:
		d.out = append(d.out, msg)
	case nil:
	default:
		if cmds := sequence(msg); cmds != nil {
			for _, c := range cmds {
				d.do(c)
			}
			return
		}
		if reflect.TypeOf(msg).PkgPath() != reflect.TypeOf(d.n).Elem().PkgPath() {
			return // the blinking of a cursor
		}
		d.send(msg)
	}
}

func (d *driver) press(keys ...string) {
	for _, k := range keys {
		d.send(keyPress(k))
	}
}

func (d *driver) write(text string) {
	for _, r := range text {
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func keyPress(name string) tea.KeyPressMsg {
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"tab": tea.KeyTab, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	}
	if letter, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: []rune(letter)[0], Mod: tea.ModCtrl}
	}
	if code, ok := special[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

func TestTheTreeStandsOnTheScreen(t *testing.T) {
	time.Local = time.UTC
	s := newStory(t)
	s.tell()
	golden(t, "tree_80x24", drive(t, s, 80, 24).n.View())
	golden(t, "tree_140x20", drive(t, s, 140, 20).n.View())
	golden(t, "tree_40x10", drive(t, s, 40, 10).n.View())
}

func TestEveryLineFitsTheScreen(t *testing.T) {
	s := newStory(t)
	s.tell()
	for width := 10; width < 150; width += 7 {
		for height := 3; height < 40; height += 5 {
			screen := drive(t, s, width, height).n.View()
			lines := strings.Split(screen, "\n")
			if len(lines) > height {
				t.Fatalf("%d×%d: %d lines", width, height, len(lines))
			}
			for _, line := range lines {
				if w := ansi.StringWidth(line); w > width {
					t.Fatalf("%d×%d: a line is %d wide: %q", width, height, w, line)
				}
			}
		}
	}
}

func TestEnterMovesTheTipToTheEndOfATurn(t *testing.T) {
	s := newStory(t)
	branch, tip := s.tell()
	d := drive(t, s, 100, 30)
	d.press("home", "down", "enter") // an answer whose call has results behind it
	if c := s.conversation(); c.Tip == tip {
		t.Fatal("the tip did not move")
	} else if e, err := s.store.Entry(t.Context(), s.id, c.Tip); err != nil || e.Depth != 3 {
		t.Errorf("the tip stands at %+v, %v", e, err)
	}
	if len(d.out) != 1 || !strings.Contains(d.n.note, "at 3 now, where that turn ends") {
		t.Errorf("%v %q", d.out, d.n.note)
	}
	d.send(d.n.goTo(branch)())
	d.press("enter")
	if c := s.conversation(); c.Tip != branch {
		t.Errorf("the tip is %v, not on the other branch", c.Tip)
	}
	if d.n.conversation.Tip != branch || !strings.Contains(ansi.Strip(d.n.View()), "● 6") {
		t.Errorf("the screen does not show it:\n%s", ansi.Strip(d.n.View()))
	}
}

func TestEnterOnAPromptEditsIt(t *testing.T) {
	s := newStory(t)
	s.tell()
	d := drive(t, s, 100, 30)
	d.press("home", "enter")
	if edit, ok := d.out[0].(editPrompt); !ok || edit.entry.Message.PlainText() != "Mend the parser." {
		t.Errorf("%+v", d.out)
	}
}

func TestAnotherWriterWhoMovedTheTipIsSeen(t *testing.T) {
	s := newStory(t)
	_, tip := s.tell()
	d := drive(t, s, 100, 30)
	s.say(tip, message.Prompt("meanwhile"))
	d.press("home", "down", "down", "down", "enter")
	if !d.n.failed || !strings.Contains(d.n.note, "moved") {
		t.Errorf("%q", d.n.note)
	}
}

func TestFilters(t *testing.T) {
	s := newStory(t)
	s.tell()
	d := drive(t, s, 100, 30)
	for f, want := range map[filter]int{showAll: 8, showPrompts: 3, showAnswers: 4, showCalls: 2, showCheckpoints: 1, showPins: 0, showCompactions: 0, showBranches: 2} {
		d.press(fmt.Sprint(int(f) + 1))
		if len(d.n.rows) != want {
			t.Errorf("%s: %d rows, wanted %d", filterNames[f], len(d.n.rows), want)
		}
	}
	d.press("6")
	if !strings.Contains(d.n.View(), "There are no pins.") {
		t.Error("an empty screen says nothing")
	}
}

func TestSearchGoesBehindThePreviews(t *testing.T) {
	s := newStory(t)
	_, tip := s.tell()
	s.say(tip, message.Prompt(strings.Repeat("word ", 100)+"needle"))
	d := drive(t, s, 100, 30)
	d.press("/")
	d.write("LINE 12")
	if len(d.n.rows) != 3 {
		t.Errorf("%d rows", len(d.n.rows))
	}
	d.press("esc", "/")
	d.write("needle")
	if len(d.n.rows) != 0 {
		t.Errorf("%d rows", len(d.n.rows))
	}
	d.press("enter")
	if len(d.n.rows) != 1 {
		t.Errorf("%d rows after looking into the texts", len(d.n.rows))
	}
	d.press("esc")
	if len(d.n.rows) != 9 || len(d.out) != 0 {
		t.Errorf("esc should first end the search: %d rows, %v", len(d.n.rows), d.out)
	}
	d.press("esc")
	if len(d.out) != 1 {
		t.Error("esc should leave the tree")
	}
}

func TestFolding(t *testing.T) {
	s := newStory(t)
	branch, _ := s.tell()
	d := drive(t, s, 100, 30)
	d.send(d.n.goTo(branch)())
	d.press("left")
	if len(d.n.rows) != 7 || !strings.Contains(d.n.View(), "▸ 2 entries") {
		t.Errorf("%d rows\n%s", len(d.n.rows), ansi.Strip(d.n.View()))
	}
	d.press("right")
	if len(d.n.rows) != 8 {
		t.Errorf("%d rows", len(d.n.rows))
	}
	d.press("F")
	if len(d.n.rows) != 7 {
		t.Errorf("%d rows", len(d.n.rows))
	}
}

func TestMarksPinsAndForks(t *testing.T) {
	s := newStory(t)
	_, tip := s.tell()
	d := drive(t, s, 100, 30)
	d.press("p", "c")
	d.write("good")
	d.press("enter", "f", "d")
	screen := ansi.Strip(d.n.View())
	if !strings.Contains(screen, "◆ good pinned") {
		t.Errorf("%s", screen)
	}
	marks, err := s.store.Checkpoints(t.Context(), s.id)
	if err != nil || len(marks) != 2 || marks[0].Entry != tip || marks[0].Name != "good" {
		t.Errorf("%+v %v", marks, err)
	}
	fork, ok := d.out[0].(conversationForked)
	if !ok || fork.conversation.ForkedFrom.Entry != tip {
		t.Errorf("%+v", d.out)
	}
	if _, ok := d.out[1].(compareBranches); !ok {
		t.Errorf("%+v", d.out)
	}
	d.press("p")
	if pins, _ := s.store.Pins(t.Context(), s.id); len(pins) != 0 {
		t.Error("the pin is still there")
	}
}

func TestAnEmptyConversationHasATree(t *testing.T) {
	s := newStory(t)
	d := drive(t, s, 80, 24)
	d.press("enter", "f", "c", "esc", "left", "right", "end", "home", "F", "]", "}", "t", "d", "p")
	if !strings.Contains(d.n.View(), "The conversation is empty.") {
		t.Errorf("%s", d.n.View())
	}
}

func TestTheKeysOfTheTreeAreListed(t *testing.T) {
	s := newStory(t)
	s.tell()
	d := drive(t, s, 80, 24)
	tree := d.n.View()
	d.press("?")
	golden(t, "tree_keys_80x24", d.n.View())
	d.press("f")
	if d.n.View() != tree || len(d.out) != 0 {
		t.Error("a key should only go back to the tree")
	}
	for _, size := range [][2]int{{30, 10}, {10, 3}} {
		d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		d.press("?")
		lines := strings.Split(d.n.View(), "\n")
		if len(lines) != size[1] || ansi.StringWidth(lines[0]) > size[0] {
			t.Errorf("%v: %q", size, lines)
		}
		d.press("?")
	}
}

func TestAClickChoosesAnEntry(t *testing.T) {
	s := newStory(t)
	s.tell()
	d := drive(t, s, 140, 20)
	d.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 10, Y: 5})
	if d.n.line().Preview != "Rewrite it." {
		t.Errorf("the cursor stands on %q", d.n.line().Preview)
	}
	for _, elsewhere := range []tea.MouseClickMsg{{Button: tea.MouseLeft, X: 10, Y: 0}, {Button: tea.MouseLeft, X: 10, Y: 15}, {Button: tea.MouseLeft, X: 120, Y: 2}, {Button: tea.MouseRight, X: 10, Y: 2}} {
		d.send(elsewhere)
		if d.n.line().Preview != "Rewrite it." {
			t.Errorf("%+v moves the cursor to %q", elsewhere, d.n.line().Preview)
		}
	}
}

func TestThePreviewOfALongEntryScrolls(t *testing.T) {
	s := newStory(t)
	var text strings.Builder
	for i := range 50 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	s.say(history.ID{}, message.Prompt(text.String()))
	d := drive(t, s, 140, 20)
	if screen := d.n.View(); !strings.Contains(screen, "line 15") || strings.Contains(screen, "line 17") || !strings.Contains(screen, "J K scroll") {
		t.Errorf("%s", ansi.Strip(screen))
	}
	d.press("J", "J", "J")
	if screen := d.n.View(); strings.Contains(screen, "line 1\n") || !strings.Contains(screen, "line 18") {
		t.Errorf("%s", ansi.Strip(screen))
	}
	for range 100 {
		d.press("J")
	}
	d.n.View()
	d.press("K")
	if screen := d.n.View(); !strings.Contains(screen, "line 48") || strings.Contains(screen, "line 30 ") {
		t.Errorf("%s", ansi.Strip(screen))
	}
}

func TestADigestSaysWhatItStandsFor(t *testing.T) {
	s := newStory(t)
	_, tip := s.tell()
	marks, err := s.store.Checkpoints(t.Context(), s.id)
	if err != nil || len(marks) != 1 {
		t.Fatal(marks, err)
	}
	if _, err := history.Rewind(t.Context(), s.store, s.conversation(), marks[0], "Line 12 was not it."); err != nil {
		t.Fatal(err)
	}
	d := drive(t, s, 140, 20)
	screen := ansi.Strip(d.n.View())
	if !strings.Contains(screen, "● 5 digest    Line 12 was not it.") || !strings.Contains(screen, "(of the branch that was left at 6)") {
		t.Errorf("%s", screen)
	}
	d.send(d.n.goTo(tip)())
	if strings.Contains(d.n.View(), "that was left") {
		t.Error("another entry stands for a branch")
	}
}
