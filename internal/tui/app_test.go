package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider/providertest"
)

type toolResult = message.ToolResult

const ringIt = `tool ring {"path":"belfry"}`

func TestAPromptIsAnswered(t *testing.T) {
	c := newStory(t).open(providertest.Config{})
	c.says("Good morning.")
	if want := []string{"user: Good morning.", "assistant: You said: “Good morning.”"}; !slices.Equal(c.path(), want) {
		t.Errorf("the path is %q", c.path())
	}
	for _, want := range []string{"> Good morning.", "You said: “Good morning.”", modelName, "of 1.0M"} {
		if !strings.Contains(c.screen(), want) {
			t.Errorf("the screen does not show %q:\n%s", want, c.screen())
		}
	}
}

func TestAPersonIsAskedAboutCalls(t *testing.T) {
	for key, want := range map[string]struct{ result, later string }{
		"y": {"dong", "Let the model use ring?"},
		"n": {"denied", "Let the model use ring?"},
		"a": {"dong", "The tools said: “dong”"},
	} {
		t.Run(key, func(t *testing.T) {
			c := newStory(t).open(providertest.Config{}, &bell{})
			c.types(ringIt)
			c.shows("Let the model use ring? belfry")
			c.press(key)
			c.settle()
			if got := c.path()[2]; !strings.Contains(got, want.result) {
				t.Errorf("the result is %q", got)
			}
			before := len(c.path())
			c.types(ringIt)
			c.shows(want.later)
			if key != "a" {
				c.press("y")
			}
			c.settle()
			if len(c.path()) != before+4 {
				t.Errorf("the path is %q", c.path())
			}
		})
	}
}

// Who types while a question comes up does not answer it.
func TestALetterThatIsTypedAsAQuestionComesUpAnswersNothing(t *testing.T) {
	for _, key := range []string{"y", "n", "a"} {
		c := newStory(t).open(providertest.Config{}, &bell{})
		c.types(ringIt)
		c.shows("Let the model use ring?")
		c.shows("in a moment y, n and a answer")
		c.send(keyPress(key))
		if got := c.app.composer.area.Value(); got != key || len(c.app.asking) != 1 {
			t.Fatalf("%s answers at once; the editor has %q", key, got)
		}
		c.shows("send or clear what is typed")
		c.press("backspace")
		c.shows("in a moment y, n and a answer")
		c.send(keyPress(key)) // as fast as one types
		c.press("backspace")
		c.pause()
		c.shows("y yes · n no · a always")
		c.send(keyPress(key))
		c.settle()
		if len(c.path()) != 4 {
			t.Errorf("%s answers nothing after a moment: %q", key, c.path())
		}
	}
}

func TestEachQuestionIsSeenBeforeItIsAnswered(t *testing.T) {
	c := newStory(t).open(providertest.Config{}, &bell{})
	c.types(ringIt + "\n" + ringIt)
	c.shows("Let the model use ring?")
	first := c.app.asking[0].call.ID
	c.press("y")
	c.until(func() bool { return len(c.app.asking) == 1 && c.app.asking[0].call.ID != first })
	c.send(keyPress("y"))
	if len(c.app.asking) != 1 {
		t.Fatal("a key pressed twice answers two questions")
	}
	c.press("backspace", "n")
	c.settle()
	if got := c.path()[2]; !strings.Contains(got, "dong") || !strings.Contains(got, "denied") {
		t.Errorf("the results are %q", got)
	}
}

func TestEscInAQuestionEndsTheTurn(t *testing.T) {
	for _, key := range []string{"esc", "ctrl+c"} {
		c := newStory(t).open(providertest.Config{}, &bell{})
		c.types(ringIt)
		c.shows("Let the model use ring?")
		c.press(key)
		c.settle()
		if c.app.working() || c.left {
			t.Error("the run goes on, or the app ends")
		}
		c.says("Never mind.")
		if got := c.path(); got[len(got)-1] != "assistant: You said: “Never mind.”" {
			t.Errorf("the path is %q", got)
		}
	}
}

func TestEscInterruptsATool(t *testing.T) {
	b := &bell{started: make(chan struct{})}
	started := b.started
	c := newStory(t).open(providertest.Config{}, b)
	c.types(ringIt)
	c.shows("Let the model use ring?")
	c.press("y")
	<-started
	c.press("esc")
	c.settle()
	if !strings.Contains(c.screen(), "Interrupted.") {
		t.Errorf("the screen does not say so:\n%s", c.screen())
	}
	c.says("And now?")
	if got := c.path(); got[len(got)-1] != "assistant: You said: “And now?”" {
		t.Errorf("the path is %q", got)
	}
	if refused := c.fake.Journal().Refused(); len(refused) > 0 {
		t.Errorf("the provider refused %+v", refused)
	}
}

func TestAPromptTypedMeanwhileIsAnsweredLater(t *testing.T) {
	c := newStory(t).open(providertest.Config{}, &bell{})
	c.types(ringIt)
	c.shows("Let the model use ring?")
	for _, r := range "You too, always." { // none of it is an answer
		c.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	c.press("enter")
	c.shows("Queued: You too, always.")
	c.press("y")
	c.settle()
	if got := strings.Join(c.path(), "\n"); !strings.Contains(got, "user: You too, always.") || !strings.HasPrefix(c.path()[len(c.path())-1], "assistant:") {
		t.Errorf("the path is %s", got)
	}
}

func TestAnEditedPromptRunsAsASibling(t *testing.T) {
	c := newStory(t).open(providertest.Config{})
	c.says("One.")
	first := c.conversation().Tip
	c.says("/edit")
	if got := c.app.composer.area.Value(); got != "One." {
		t.Fatalf("the editor has %q", got)
	}
	c.says("Another.")
	if want := []string{"user: Another.", "assistant: You said: “Another.”"}; !slices.Equal(c.path(), want) {
		t.Errorf("the path is %q", c.path())
	}
	if _, err := c.store.Entry(t.Context(), c.id, first); err != nil {
		t.Errorf("the old answer is gone: %v", err)
	}
	if s := c.screen(); strings.Contains(s, "“One.”") || !strings.Contains(s, "“Another.”") {
		t.Errorf("the screen does not show the new path alone:\n%s", s)
	}
	c.says("/edit")
	c.press("esc")
	c.says("Further.")
	if got := len(c.path()); got != 4 {
		t.Errorf("esc should leave the prompt as it is: the path has %d entries", got)
	}
}

func TestTheTreeMovesTheChat(t *testing.T) {
	s := newStory(t)
	s.tell()
	c := s.open(providertest.Config{})
	if !strings.Contains(c.screen(), "Done: line 12 is mended.") {
		t.Fatalf("the newest is not shown:\n%s", c.screen())
	}
	c.says("/tree")
	c.press("home", "down", "enter")
	c.settle()
	if s := c.screen(); !strings.Contains(s, "I read it first.") || strings.Contains(s, "line 12 is mended") {
		t.Errorf("the chat does not stand where the tree went:\n%s", s)
	}
	c.says("From here.")
	if got := c.path(); len(got) != 5 || got[3] != "user: From here." {
		t.Errorf("the path is %q", got)
	}
}

func TestAnotherConversationIsResumed(t *testing.T) {
	s := newStory(t)
	c := s.open(providertest.Config{})
	c.says("In the first.")
	c.says("/new")
	if strings.Contains(c.screen(), "In the first.") {
		t.Fatalf("a new conversation shows the old one:\n%s", c.screen())
	}
	c.says("In the second.")
	c.says("/resume")
	c.shows("Resume a conversation")
	for _, r := range "two branches" {
		c.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	c.press("enter")
	c.settle()
	if !strings.Contains(c.screen(), "In the first.") || c.app.conversation.ID != s.id {
		t.Errorf("the first is not open:\n%s", c.screen())
	}
	c.says("Again.")
	if got := c.path(); len(got) != 4 {
		t.Errorf("the path is %q", got)
	}
}

func TestAnotherModelAnswers(t *testing.T) {
	c := newStory(t).open(providertest.Config{})
	c.says("One.")
	c.says("/model claude-haiku-5-5")
	c.says("Two.")
	j := c.fake.Journal()
	if got := j[len(j)-1].Model; got != "claude-haiku-5-5" {
		t.Errorf("%s answered", got)
	}
	c.says("/model none-such")
	if !strings.Contains(c.screen(), "none-such: not known") {
		t.Errorf("the screen does not say so:\n%s", c.screen())
	}
}

func TestWithoutAModelEverythingElseWorks(t *testing.T) {
	s := newStory(t)
	c := s.openWithoutModel()
	if !strings.Contains(c.screen(), "Welcome, stranger.") {
		t.Errorf("nobody is welcomed:\n%s", c.screen())
	}
	c.says("Is anybody there?")
	if c.app.composer.area.Value() != "Is anybody there?" || !strings.Contains(c.screen(), "No model can be asked: no model is chosen") {
		t.Errorf("the prompt is lost, or nothing is said:\n%s", c.screen())
	}
	c.app.composer.set("")
	for _, command := range slashCommands {
		c.says("/" + command.name)
		c.press("esc")
		c.settle()
	}
	if len(c.path()) != 0 {
		t.Errorf("the path is %q", c.path())
	}
}

// Every command, with and without what it takes, leaves a chat that can go on.
func TestWhatCommandsPrintIsForThePersonAlone(t *testing.T) {
	for _, command := range slashCommands {
		t.Run(command.name, func(t *testing.T) {
			c := newStory(t).open(providertest.Config{}, &bell{})
			c.says("Before.")
			for _, args := range []string{"", " 1", " nonsense", " 1 0", " a b c d"} {
				blocks, shown, id := len(c.app.transcript.blocks), c.screen(), c.app.conversation.ID
				c.says("/" + command.name + args)
				if len(c.app.transcript.blocks) == blocks && c.screen() == shown && c.app.conversation.ID == id && !c.left {
					t.Errorf("/%s%s: nothing happens", command.name, args)
				}
				for c.app.screen != nil || c.app.editing != (history.ID{}) {
					c.press("esc")
					c.settle()
				}
			}
			switch command.name {
			case "quit":
				if !c.left {
					t.Error("the app goes on")
				}
			case "new", "resume": // another conversation is open
			default:
				c.says("After.")
				if got := c.path(); got[len(got)-1] != "assistant: You said: “After.”" {
					t.Errorf("the path is %q", got)
				}
			}
			for _, r := range c.fake.Journal().Refused() {
				t.Errorf("the provider refused %+v", r)
			}
			if command.name == "retry" { // which may answer anew
				return
			}
			for _, said := range c.path() {
				if strings.HasPrefix(said, "user: ") && said != "user: Before." && said != "user: After." {
					t.Errorf("the view has %q", said)
				}
			}
		})
	}
}

func TestAnUnknownCommandIsNamed(t *testing.T) {
	c := newStory(t).open(providertest.Config{})
	c.says("/frobnicate now")
	if !strings.Contains(c.screen(), "no command /frobnicate") || len(c.path()) != 0 {
		t.Errorf("%q\n%s", c.path(), c.screen())
	}
	c.says("/usr/bin is a path")
	if len(c.path()) != 2 {
		t.Errorf("a path is taken for a command: %q", c.path())
	}
}

func TestAFailureLosesNoPrompt(t *testing.T) {
	c := newStory(t).open(providertest.Config{})
	c.says("fail 400")
	if got := c.path(); !slices.Equal(got, []string{"user: fail 400"}) {
		t.Errorf("the path is %q", got)
	}
	if !strings.Contains(c.screen(), "/retry sends it again") || !strings.Contains(c.screen(), "> fail 400") {
		t.Errorf("the screen does not say what to do:\n%s", c.screen())
	}
	c.says("/retry")
	c.says("Better.")
	if got := c.path(); !strings.HasSuffix(got[len(got)-1], "Better.”") {
		t.Errorf("the path is %q", got)
	}
}

func TestAConversationPassesTheWall(t *testing.T) {
	c := newStory(t).open(providertest.Config{Window: 8000})
	for range 12 {
		c.says("long 600")
	}
	if !slices.Contains(c.path(), "compaction") {
		t.Error("no room was made")
	}
	if refused := c.fake.Journal().Refused(); len(refused) > 0 {
		t.Errorf("the provider refused %+v", refused)
	}
}

func TestCtrlCLeavesOnlyWhereNothingIsLost(t *testing.T) {
	c := newStory(t).open(providertest.Config{})
	c.app.composer.set("half a thought")
	c.press("ctrl+c")
	c.settle()
	if c.left || c.app.composer.area.Value() != "" {
		t.Error("the first should empty the editor")
	}
	c.press("ctrl+c")
	c.settle()
	if !c.left {
		t.Error("the second should leave")
	}
}

func TestTheChatStandsOnTheScreen(t *testing.T) {
	time.Local = time.UTC
	for name, size := range map[string]tea.WindowSizeMsg{"80x24": {Width: 80, Height: 24}, "120x40": {Width: 120, Height: 40}} {
		s := newStory(t)
		c := s.open(providertest.Config{}, &bell{})
		c.send(size)
		c.says("# What a *day*")
		c.types("think hard about bells\n" + ringIt)
		c.shows("Let the model use ring?")
		c.shows("○ ring belfry  …") // the question may come before it
		c.pause()
		golden(t, "asking_"+name, c.screen())
		c.press("y")
		c.settle()
		golden(t, "chat_"+name, c.screen())
		c.says("/help")
		golden(t, "help_"+name, c.screen())
		w := newStory(t).openWithoutModel()
		w.send(size)
		golden(t, "welcome_"+name, w.screen())
	}
}

func TestACheckpointIsComeBackTo(t *testing.T) {
	c := newStory(t).open(providertest.Config{})
	c.says("One.")
	c.says("/checkpoint here")
	c.says("A blind alley.")
	c.says("/rewind here the alley is blind")
	if s := c.screen(); !strings.Contains(s, "the alley is blind") || strings.Contains(s, "A blind alley.") {
		t.Errorf("the digest does not stand in its place:\n%s", s)
	}
	c.says("/rewind nowhere nothing")
	if !strings.Contains(c.screen(), `no checkpoint "nowhere"`) {
		t.Errorf("the screen does not say what is wrong:\n%s", c.screen())
	}
}
