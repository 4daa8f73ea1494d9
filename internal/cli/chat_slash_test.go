package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
)

// A slashStep is a line that a person types, what is on the screen then, and
// what is stored.
type slashStep struct {
	line   string
	shows  []string
	press  []string // keys, once that is shown
	then   []string // is shown after them
	stored func(*chat)
}

// Every command, each of which says what it did, before and after, or what it
// could not do and why.
func TestChatSlashCommands(t *testing.T) {
	t.Parallel()
	c := startChat(t, 120, 60)
	notes := filepath.Join(c.home, "notes.txt")
	text := strings.Repeat("a note that is read once and then written anew, so that nobody needs it\n", 40)
	if err := os.WriteFile(notes, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	unchanged := func(entries int) func(*chat) {
		return func(c *chat) {
			if got := len(c.tree("@")); got != entries {
				c.Errorf("%d entries are stored, want %d", got, entries)
			}
		}
	}
	done := map[string]bool{}
	for _, step := range []slashStep{
		{line: "/help", shows: []string{"/compact [rungs] [focus]", "/quit", "ctrl+t tree"}},
		{line: "/nonsense", shows: []string{"There is no command /nonsense; /help lists them."}},
		{line: "/tools", shows: []string{"bash Runs a command", "recall Gets back"}},
		{line: "/context", shows: []string{"about", "about 0 of 8,000 tokens", "elision 0 0 0 the conversation is empty"}},

		// Where nothing is there, each says so.
		{line: "/compact", shows: []string{"Nothing was compacted: the conversation is empty."}},
		{line: "/branch", shows: []string{"/branch ENTRY: expected a handle"}},
		{line: "/branch 7", shows: []string{"entry 7: not found: the conversation is empty"}},
		{line: "/fork", shows: []string{"the conversation is empty"}},
		{line: "/checkpoint", shows: []string{"no checkpoint is set"}},
		{line: "/checkpoint early", shows: []string{"the conversation is empty"}},
		{line: "/rewind", shows: []string{"/rewind NAME DIGEST: expected the name of a checkpoint, and what was learned since."}},
		{line: "/rewind early x", shows: []string{`there is no checkpoint "early"`}},
		{line: "/retry", shows: []string{"There is nothing to retry: nothing was said in the conversation yet."}},
		{line: "/edit", shows: []string{"There is no prompt to edit."}},
		{line: "/diff", shows: []string{"/diff A B: expected two entries"}},
		{line: "/recall", shows: []string{"/recall HANDLE: expected a handle such as 12 or 12.2."}},
		{line: "/recall 7", shows: []string{"entry 7: not found: the path is empty"}},
		{line: "/pin", shows: []string{"/pin ENTRY: expected a handle such as 12."}},
		{line: "/images", shows: []string{"no image"}, stored: func(c *chat) {
			if got := c.stemma("list"); got != "" {
				c.Errorf("before anything is said, stored is %s", got)
			}
		}},

		{line: "Where do we begin?", shows: []string{"You said: “Where do we begin?”"}, stored: unchanged(2)},
		{line: `tool read {"path":"notes.txt"}`, shows: []string{"✓ read notes.txt", "The tools said: “"}, stored: unchanged(6)},
		{
			line: `tool write {"path":"notes.txt","content":"anew"}`, shows: []string{"Let the model use write? notes.txt", "y yes"},
			press: []string{"y"}, then: []string{"✓ write notes.txt", "The tools said: “"}, stored: unchanged(10),
		},

		{line: "/context", shows: []string{"of 8,000 tokens", "a request of it costs about $0.", "tools 10", "What each rung alone would give back", "elision 1"}, stored: unchanged(10)},
		{line: "/shake images", shows: []string{"Nothing was compacted: nothing can be taken out of the view.", "not images: the view has no images"}, stored: unchanged(10)},
		{line: "/shake everything", shows: []string{"/shake takes results, images or thinking."}},
		{line: "/shake results", shows: []string{"◇ compaction (command) 1 stub, about", "→", "elision: old results that decided nothing"}, stored: func(c *chat) {
			last := c.entries("@")[10]
			made, err := history.DecodeCompaction(last.Compaction)
			if err != nil {
				c.Fatal(err)
			}
			if made.Reason.Trigger != history.ByCommand || made.Reason.After >= made.Reason.Before || made.Treatments[0].From != (history.Handle{Depth: 5, Part: 1}) {
				c.Errorf("the compaction is %+v", made)
			}
		}},
		{line: "/recall 5", shows: []string{"a note that is read once and then written anew, so that nobody needs it"}},
		{line: "/pin 1", shows: []string{"1 is pinned: Where do we begin?"}, stored: func(c *chat) {
			if !c.tree("@")[0].Pinned {
				c.Error("the first entry is not pinned")
			}
		}},
		{line: "/compact elision,wrong", shows: []string{`rung "wrong": expected some of`}, stored: unchanged(11)},
		{line: "/compact outline what was written", shows: []string{"A focus is for a summary", "1 outline, about", "outline: one line an exchange in place of the middle"}, stored: func(c *chat) {
			if entries := c.entries("@"); len(entries) != 12 || entries[11].Compaction == nil {
				c.Errorf("stored is %v", entries)
			}
		}},

		{line: "/checkpoint here", shows: []string{"Marked: /rewind here DIGEST comes back here."}, stored: func(c *chat) {
			if got := c.tree("@")[11].Checkpoints; !slices.Equal(got, []string{"here"}) {
				c.Errorf("marked as %q", got)
			}
		}},
		{line: "A blind alley.", shows: []string{"“A blind alley.”"}, stored: unchanged(14)},
		{line: "/rewind here it is blind", shows: []string{"it is blind"}, stored: unchanged(15)},
		{line: "/model none-such", shows: []string{"model none-such: its provider is not known"}},
		{line: "/model claude-haiku-4-5", shows: []string{"The model is claude-haiku-4-5 now. The next request is not in its cache: about", "tokens, $"}},
		{line: "And on.", shows: []string{"· claude-haiku-4-5"}, stored: func(c *chat) {
			if last := c.entries("@")[14]; last.message.Model != "claude-haiku-4-5" {
				c.Errorf("%s answered", last.message.Model)
			}
		}},
		{line: "/retry", shows: []string{"There is nothing to retry: the conversation ends in a finished answer. /retry again answers the last prompt anew"}},
		{line: "/retry again", stored: unchanged(18)}, // a sibling of the answer
		{
			line: "/edit", shows: []string{"edits a prompt", "> And on."},
			press: []string{"C-u", "B", "a", "c", "k", ".", "Enter"}, then: []string{"Back.”"}, stored: unchanged(20),
		},
		{line: "/diff here @", shows: []string{"The two paths share 12 entries", "A 0 entries to 12", "B 3 entries to 15", "prompts 14 Back."}},
		{
			line: "/branch here", shows: []string{"the tip is at 12", "to go back: /branch 0"}, stored: func(c *chat) {
				if got := len(c.entries("@")); got != 12 {
					c.Errorf("the path has %d entries", got)
				}
			},
		},
		{line: "/tree", shows: []string{"20 entries, 4 branches", "◆ here", "● 12"}, press: []string{"Escape"}, then: []string{"> Ask something"}},
		{line: "/fork 2", shows: []string{"2 entries copied", "/resume opens the copy."}, stored: func(c *chat) {
			if got := strings.Count(c.stemma("list"), "\n"); got != 2 {
				c.Errorf("%d conversations are stored", got)
			}
		}},
		{line: "/export markdown out.md", shows: []string{"Written to out.md."}, stored: func(c *chat) {
			if text, err := os.ReadFile(filepath.Join(c.home, "out.md")); err != nil || !strings.Contains(string(text), "Where do we begin?") {
				c.Errorf("exported is %q, %v", text, err)
			}
		}},
		{line: "/new", shows: []string{"new conversation"}},
		{line: "Something else.", shows: []string{"You said: “Something else.”"}, stored: unchanged(2)},
	} {
		done[strings.Fields(step.line)[0]] = true
		c.enter(step.line)
		c.shows(step.shows...)
		for _, key := range step.press {
			c.press(key)
		}
		c.shows(step.then...)
		c.rests()
		if step.stored != nil {
			step.stored(c)
		}
	}
	done["/resume"], done["/quit"] = true, true
	c.enter("/resume")
	c.shows("Resume a conversation", "Something else.", "Where do we begin?")
	c.types("blind") // which was said in one of them
	c.shows("/blind", "blind alley")
	c.hides("Something else.")
	c.press("Enter")
	c.shows("You said: “Where do we begin?”", "◇ compaction (command) 1 outline")
	c.enter("/quit")
	c.shows("stemma chat 0", "resumes this conversation")

	c.runs("clear; stemma chat")
	c.until("the model", func(s string) bool { return strings.Contains(above(s, 0), " of 1.0M") })
	c.enter("/help")
	c.shows("/compact [rungs]")
	for _, name := range regexp.MustCompile(`(?m)^..(/[a-z]+)`).FindAllStringSubmatch(c.screen(), -1) {
		if !done[name[1]] {
			t.Errorf("%s was not tried", name[1])
		}
	}
}
