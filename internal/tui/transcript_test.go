package tui

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
)

// run does what a transcript asks for, at once.
func (t *transcript) run(cmd tea.Cmd) {
	for cmd != nil {
		r, ok := cmd().(chunkRead)
		if !ok {
			return
		}
		t.take(r)
		cmd = t.fill()
	}
}

func openTranscript(t *testing.T, s *story, width, height int) *transcript {
	tr := newTranscript(t.Context(), s.store, s.conversation(), &markdown{}, newAlbum(t.Context(), noPictures()), reclaim.DrawPage)
	tr.run(tr.resize(width, height))
	tr.run(tr.readNewest())
	return tr
}

// talk adds exchanges of different heights.
func (s *story) talk(exchanges int) {
	tip := s.conversation().Tip
	for i := range exchanges {
		tip = s.say(tip, message.Prompt(fmt.Sprintf("prompt %d", i)),
			answer(message.Text{Text: fmt.Sprintf("look %d", i)}, message.ToolCall{ID: "a", Name: "bash", Arguments: []byte(`{"command":"ls"}`)}),
			message.Results(message.ToolResult{CallID: "a", Content: []message.Content{message.Text{Text: "one\ntwo"}}}),
			answer(message.Text{Text: strings.Repeat(fmt.Sprintf("paragraph %d\n\n", i), 1+i%3)}))
	}
}

func TestATurnIsReadAsPeopleReadIt(t *testing.T) {
	time.Local = time.UTC
	s := newStory(t)
	s.say(history.ID{}, message.Prompt("Mend the parser,\nplease."),
		answer(message.Thinking{Text: "Where is it?\nI look."}, message.Text{Text: "I look at **both** files:\n\n- `a.go`\n- `b.go`"},
			message.ToolCall{ID: "1", Name: "read", Arguments: []byte(`{"path":"a.go"}`)},
			message.ToolCall{ID: "2", Name: "bash", Arguments: []byte(`{"command":"cat b.go\nfalse"}`)},
			message.ToolCall{ID: "3", Name: "bash", Arguments: []byte(`{"command":"rm x"}`)}),
		message.Results(
			message.ToolResult{CallID: "1", Content: []message.Content{message.Text{Text: "package a\n\x1b[31mred\n"}}},
			message.ToolResult{CallID: "2", Outcome: message.Failed, Content: []message.Content{message.Text{Text: "exit 1"}}},
			message.ToolResult{CallID: "3", Outcome: message.Denied}),
		message.Message{Role: message.Assistant, Author: message.ByModel, Stop: message.StopAborted, Parts: []message.Part{message.Text{Text: "So far"}}},
		message.Message{Role: message.User, Author: message.ByDigest, Parts: []message.Part{message.Text{Text: "It was line 12."}}})
	tr := openTranscript(t, s, 60, 30)
	golden(t, "turn_60x30", strings.Join(tr.view(nil), "\n"))
	tr.toggle()
	golden(t, "turn_60x30_open", strings.Join(tr.view(nil), "\n"))
}

// wholePath returns all lines of the path.
func wholePath(t *testing.T, s *story, width int) []string {
	whole := openTranscript(t, s, width, 10_000)
	for whole.before != (history.ID{}) {
		whole.run(whole.scroll(-1))
	}
	return trimmed(whole.view(nil))
}

// Wherever one scrolls, the screen shows a piece of the whole path, and little of
// it is held.
func TestScrollingShowsThePath(t *testing.T) {
	s := newStory(t)
	s.talk(60)
	all := wholePath(t, s, 40)
	rapid.Check(t, func(rt *rapid.T) {
		height := rapid.IntRange(1, 30).Draw(rt, "height")
		tr := newTranscript(t.Context(), s.store, s.conversation(), &markdown{}, newAlbum(t.Context(), noPictures()), reclaim.DrawPage)
		tr.chunk, tr.held = rapid.IntRange(3, 40).Draw(rt, "chunk"), rapid.IntRange(30, 200).Draw(rt, "held")
		tr.run(tr.resize(40, height))
		tr.run(tr.readNewest())
		for _, by := range rapid.SliceOfN(rapid.IntRange(-130, 130), 1, 20).Draw(rt, "scrolls") {
			switch {
			case by > 120:
				tr.run(tr.end())
			case by < -120:
				tr.run(tr.top())
			default:
				tr.run(tr.scroll(by))
			}
			if got := trimmed(tr.view(nil)); !contains(all, got) {
				rt.Fatalf("after scrolling by %d this is no piece of the path:\n%s", by, strings.Join(got, "\n"))
			}
			if most := tr.held + tr.chunk + 6*height; len(tr.blocks) > most {
				rt.Fatalf("%d blocks are held, more than %d", len(tr.blocks), most)
			}
		}
	})
}

// All of the path is reached, up to the root, and down again page by page.
func TestScrollingReachesEveryLine(t *testing.T) {
	s := newStory(t)
	s.talk(60)
	all := wholePath(t, s, 40)
	for _, height := range []int{1, 2, 7, 30} {
		tr := openTranscript(t, s, 40, 10)
		tr.chunk, tr.held = 7, 30
		tr.run(tr.resize(40, height))
		for moves := true; moves; {
			before, last, line := tr.before, tr.last, tr.line
			tr.run(tr.scroll(-20))
			moves = tr.before != before || tr.last != last || tr.line != line
		}
		if got := tr.view(nil); ansi.Strip(got[0]) != "> prompt 0" {
			t.Fatalf("height %d: the top is not reached: %q", height, got[0])
		}
		for !tr.following {
			before := tr.view(nil)
			tr.run(tr.scroll(max(height-1, 1)))
			if got := tr.view(nil); height > 1 && !tr.following && got[0] != before[height-1] {
				t.Fatalf("height %d: a page further down the path does not go on:\n%s\n\n%s", height, strings.Join(before, "\n"), strings.Join(got, "\n"))
			}
		}
		if got := trimmed(tr.view(nil)); !slices.Equal(got, all[len(all)-len(got):]) {
			t.Fatalf("height %d: the end is not reached:\n%s", height, strings.Join(got, "\n"))
		}
	}
}

// trimmed takes the blank lines at the end off.
func trimmed(lines []string) []string {
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func contains(all, piece []string) bool {
	for i := range len(all) - len(piece) + 1 {
		if slices.Equal(all[i:i+len(piece)], piece) {
			return true
		}
	}
	return len(piece) == 0
}

func TestTheEndIsFollowedUnlessOneReadsAbove(t *testing.T) {
	s := newStory(t)
	s.talk(20)
	tr := openTranscript(t, s, 40, 10)
	e := history.Entry{Message: &message.Message{Role: message.User, Author: message.ByPerson, Parts: []message.Part{message.Text{Text: "newest"}}}}
	tr.add(e)
	if !strings.Contains(strings.Join(tr.view(nil), "\n"), "newest") {
		t.Error("the end is not followed")
	}
	tr.run(tr.scroll(-5))
	before := tr.view(nil)
	tr.add(e)
	tr.notify("something")
	if !slices.Equal(before, tr.view([]string{"live"})) {
		t.Error("the screen moves under the eyes of someone who reads above")
	}
}

func TestEveryTranscriptLineFits(t *testing.T) {
	s := newStory(t)
	s.talk(3)
	for width := 1; width < 100; width += 5 {
		tr := openTranscript(t, s, width, 200)
		tr.toggle()
		for _, line := range tr.view(nil) {
			if w := ansi.StringWidth(line); w > width {
				t.Fatalf("width %d: %q is %d wide", width, ansi.Strip(line), w)
			}
		}
	}
}

func TestTheEndsArePathsEnds(t *testing.T) {
	s := newStory(t)
	s.talk(200)
	tr := openTranscript(t, s, 40, 10)
	tr.chunk, tr.held = 20, 40
	newest := tr.view(nil)
	tr.run(tr.top())
	if got := tr.view(nil); ansi.Strip(got[0]) != "> prompt 0" || tr.following {
		t.Errorf("the top is not the root: %q", got)
	}
	e := s.conversation()
	tip := s.say(e.Tip, message.Prompt("said meanwhile"))
	tr.conversation.Tip = tip
	saved, err := s.store.Entry(t.Context(), s.id, tip)
	if err != nil {
		t.Fatal(err)
	}
	tr.add(saved)
	tr.run(tr.end())
	if got := strings.Join(tr.view(nil), "\n"); !strings.Contains(got, "said meanwhile") || !tr.following {
		t.Errorf("the end is not the tip:\n%s\nbefore:\n%s", got, strings.Join(newest, "\n"))
	}
}

// What is saved while the end is being read is not left out.
func TestNothingIsMissedWhileTheEndIsRead(t *testing.T) {
	s := newStory(t)
	s.talk(3)
	tr := openTranscript(t, s, 40, 10)
	reading := tr.readNewest()
	read := reading()
	tip := s.say(s.conversation().Tip, message.Prompt("said meanwhile"), answer(message.Text{Text: "and answered"}))
	tr.conversation.Tip = tip
	tr.take(read.(chunkRead))
	tr.run(tr.fill())
	if got := strings.Join(tr.view(nil), "\n"); !strings.Contains(got, "said meanwhile") || !strings.Contains(got, "and answered") || !tr.following {
		t.Errorf("the newest is missing:\n%s", got)
	}
}

// A holedStore cannot read one entry.
type holedStore struct {
	history.Store
	hole history.ID
}

func (s holedStore) Path(ctx context.Context, q history.PathQuery) iter.Seq2[history.Entry, error] {
	return func(yield func(history.Entry, error) bool) {
		for e, err := range s.Store.Path(ctx, q) {
			if e.ID == s.hole {
				e, err = history.Entry{}, &history.DamagedError{Conversation: q.Conversation, Entry: s.hole, Err: errors.New("bad checksum")}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func TestWhatCannotBeReadIsSaid(t *testing.T) {
	s := newStory(t)
	hole := s.say(history.ID{}, message.Prompt("first"), answer(message.Text{Text: "lost"}))
	s.say(hole, message.Prompt("second"))
	s.store = holedStore{s.store, hole}
	tr := openTranscript(t, s, 60, 20)
	got := ansi.Strip(strings.Join(tr.view(nil), " "))
	for _, want := range []string{"first", "second", "1 entry of the path cannot be read", "stemma check"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not shown: %s", want, got)
		}
	}
}
