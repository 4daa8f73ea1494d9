package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider/providertest"
)

// slowly lets a conversation be opened only when it is told to.
func (c *chat) slowly(wait <-chan error) {
	open := c.app.Open
	c.app.Open = func(ctx context.Context, conv history.Conversation, permit Permit) (Opened, error) {
		select {
		case err := <-wait:
			if err != nil {
				return Opened{}, err
			}
		case <-ctx.Done():
			return Opened{}, ctx.Err()
		}
		return open(ctx, conv, permit)
	}
}

// again opens the conversation that is open once more, slowly, and waits until it
// is on the screen.
func (c *chat) again(wait <-chan error, words string) {
	c.Helper()
	c.slowly(wait)
	_, cmd := c.app.Update(picked{c.conversation()})
	c.do(cmd)
	c.shows(words)
}

func TestTheNewestIsShownBeforeTheConversationIsOpen(t *testing.T) {
	s := newStory(t)
	s.tell()
	c := s.open(providertest.Config{})
	wait := make(chan error)
	c.again(wait, "Done: line 12 is mended.")
	if !strings.Contains(c.screen(), "counting…") || strings.Contains(c.screen(), "of 1.0M") {
		t.Errorf("the status does not say that it counts:\n%s", c.screen())
	}
	wait <- nil
	c.settle()
	if strings.Contains(c.screen(), "counting…") || !strings.Contains(c.screen(), "of 1.0M") {
		t.Errorf("the status does not say what was counted:\n%s", c.screen())
	}
}

func TestPromptsWaitForTheConversationToBeOpen(t *testing.T) {
	s := newStory(t)
	s.tell()
	c := s.open(providertest.Config{})
	before := len(c.path())
	wait := make(chan error)
	c.again(wait, "Done: line 12 is mended.")
	c.types("First.")
	c.types("Second.")
	for _, want := range []string{"> First. (sent when", "> Second. (sent when"} {
		if !strings.Contains(c.screen(), want) {
			t.Errorf("%q does not stand on the screen:\n%s", want, c.screen())
		}
	}
	wait <- nil
	c.settle()
	said := slices.DeleteFunc(c.path()[before:], func(s string) bool { return strings.HasPrefix(s, "assistant:") })
	if !slices.Equal(said, []string{"user: First.", "user: Second."}) {
		t.Errorf("after it was opened, %q was said", said)
	}
	if last := c.path()[len(c.path())-1]; last != "assistant: You said: “Second.”" {
		t.Errorf("the last is %q", last)
	}
}

func TestPromptsThatNobodyCanTakeComeBack(t *testing.T) {
	for name, comesBack := range map[string]func(*chat, chan<- error){
		"no model": func(_ *chat, wait chan<- error) { wait <- errors.New("no key") },
		"esc":      func(c *chat, _ chan<- error) { c.press("esc") },
		"ctrl+c":   func(c *chat, _ chan<- error) { c.press("ctrl+c") },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.tell()
			c := s.open(providertest.Config{})
			before := c.path()
			wait := make(chan error, 1)
			c.again(wait, "Done: line 12 is mended.")
			long := strings.Repeat("a line\n", 20)
			c.send(tea.PasteMsg{Content: long})
			c.press("enter")
			c.types("And this.")
			comesBack(c, wait)
			if name != "no model" {
				wait <- nil
			}
			c.settle()
			if got := c.app.composer.area.Value(); !strings.HasPrefix(got, "[pasted text 1,") || !strings.HasSuffix(got, "\nAnd this.") {
				t.Errorf("the editor has %q", got)
			}
			if !slices.Equal(c.path(), before) {
				t.Errorf("the path is %q", c.path())
			}
			if sent := c.app.composer.submit(); !strings.HasPrefix(sent.text, long) {
				t.Errorf("what was pasted is lost: %q", sent.text)
			}
		})
	}
}

func TestAnotherConversationEndsTheOpening(t *testing.T) {
	s := newStory(t)
	s.tell()
	c := s.open(providertest.Config{})
	wait := make(chan error)
	c.again(wait, "Done: line 12 is mended.")
	c.types("/new")
	c.shows("new conversation")
	close(wait)
	c.settle()
	c.says("Here.")
	if got := c.path(); !slices.Equal(got, []string{"user: Here.", "assistant: You said: “Here.”"}) {
		t.Errorf("the path is %q", got)
	}
}

func TestTheSameConversationIsOpenedAnew(t *testing.T) {
	s := newStory(t)
	s.tell()
	c := s.open(providertest.Config{})
	wait := make(chan error)
	c.again(wait, "Done: line 12 is mended.")
	c.send(picked{c.conversation()}) // the first try ends with an error
	c.types("Hello again.")
	c.until(func() bool { return c.app.giveUp != nil && c.pending == 1 })
	wait <- nil
	c.settle()
	if got := c.path(); got[len(got)-1] != "assistant: You said: “Hello again.”" {
		t.Errorf("the path is %q:\n%s", got, c.screen())
	}
}

func TestWhatIsSaidInAConversationThatWasLeftStaysThere(t *testing.T) {
	s := newStory(t)
	b := &bell{started: make(chan struct{})}
	started := b.started
	c := s.open(providertest.Config{}, b)
	c.types(ringIt)
	c.shows("Let the model use ring?")
	c.press("y")
	<-started
	c.says("/new")
	if shown := c.screen(); strings.Contains(shown, "belfry") || len(c.path()) != 0 {
		t.Errorf("the new conversation has %q:\n%s", c.path(), shown)
	}
	c.says("Here.")
	if got := c.path(); !slices.Equal(got, []string{"user: Here.", "assistant: You said: “Here.”"}) {
		t.Errorf("the path is %q", got)
	}
}

func TestAPromptQueuedTooLateIsAnsweredAllTheSame(t *testing.T) {
	c := newStory(t).open(providertest.Config{})
	c.says("One.")
	// The exchange has ended between the key and the store.
	if _, err := c.app.run.Queue(t.Context(), c.app.composer.given("Late.").parts...); err != nil {
		t.Fatal(err)
	}
	c.send(queued{"Late."})
	c.settle()
	if got := c.path(); got[len(got)-1] != "assistant: You said: “Late.”" {
		t.Errorf("the path is %q", got)
	}
}

// given is what a composer gives away that a text was typed into.
func (c *composer) given(text string) *submitted {
	c.set(text)
	return c.submit()
}

func TestTheLastPromptIsFoundHoweverFarAbove(t *testing.T) {
	s := newStory(t)
	tip := s.say(history.ID{}, message.Prompt("The only one."))
	for range 100 {
		tip = s.say(tip, answer(message.ToolCall{ID: "a", Name: "bash", Arguments: []byte(`{}`)}),
			message.Results(message.ToolResult{CallID: "a", Content: []message.Content{message.Text{Text: "done"}}}))
	}
	c := s.open(providertest.Config{})
	c.says("/edit")
	if got := c.app.composer.area.Value(); got != "The only one." {
		t.Errorf("the editor has %q", got)
	}
}

func TestWhatCouldNotBeHadIsSaid(t *testing.T) {
	s := newStory(t)
	c := s.open(providertest.Config{})
	open := c.app.Open
	c.app.Open = func(ctx context.Context, conv history.Conversation, permit Permit) (Opened, error) {
		o, err := open(ctx, conv, permit)
		o.Notices = []string{"mcp server broken: no such file"}
		return o, err
	}
	c.says("/new")
	if !strings.Contains(c.screen(), "mcp server broken: no such file") {
		t.Errorf("the screen does not say so:\n%s", c.screen())
	}
}
