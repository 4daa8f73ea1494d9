package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/message"
)

func TestChatBranchesAndComparesThem(t *testing.T) {
	t.Parallel()
	c := startChat(t, 120, 40)
	c.says("Where do we begin?")
	c.says("By land.")
	c.shows("You said: “By land.”")
	c.enter("/branch 2")
	c.shows("the tip is at 2")
	c.hides("By land.")
	c.says("By sea.")
	c.shows("You said: “By sea.”")

	c.press("C-t")
	c.shows("6 entries, 2 branches", "├─○ 3 user      By land.", "● 4 assistant You said: “By sea.”")
	c.press("Home", "Down", "Down", "Down", "d") // to the answer of the other branch
	c.shows("The two paths share 2 entries.", "this up to 4: 2 entries, 1 answer", "the tip up to 4: 2 entries, 1 answer")
	c.until("both branches side by side", func(s string) bool {
		return slices.ContainsFunc(strings.Split(s, "\n"), func(line string) bool {
			a, b, beside := strings.Cut(line, "│")
			return beside && strings.Contains(a, "3 By land.") && strings.Contains(b, "3 By sea.")
		})
	})
	c.press("Escape")
	c.shows("6 entries, 2 branches")
	c.press("Enter") // goes there
	c.shows("You said: “By land.”")
	c.hides("By sea.")
	c.says("And then?")
	c.keeps(
		"person: Where do we begin?", "model: You said: “Where do we begin?”",
		"person: By land.", "model: You said: “By land.”",
		"person: And then?", "model: You said: “And then?”",
	)

	tree := c.tree("@")
	sea := entryOf(t, tree, "By sea.")
	if land := entryOf(t, tree, "By land."); *land.Parent != *sea.Parent || len(tree) != 8 {
		t.Errorf("%d entries are stored; the branches part at %v and %v", len(tree), land.Parent, sea.Parent)
	}
	c.enter("/diff " + sea.ID.String() + " 6")
	c.shows("The two paths share 2 entries, up to 2", "A 1 entry to 3", "prompts 3 By sea.", "B 4 entries to 6", "prompts 3 By land. 5 And then?")
	c.rests() // and the editor is where it was
}

func TestChatEditsAPromptAndRunsItAgain(t *testing.T) {
	t.Parallel()
	c := startChat(t, 120, 40)
	c.says("Good morning.")
	c.says("What is the hour?")
	c.enter("/edit")
	c.shows("edits a prompt · esc leaves it", "> What is the hour?")
	c.press("Escape")
	c.hides("edits a prompt")

	c.enter("/edit")
	c.shows("edits a prompt", "> What is the hour?")
	c.press("C-u")
	c.says("What is the day?")
	c.shows("You said: “What is the day?”")
	c.hides("What is the hour?")
	c.keeps(
		"person: Good morning.", "model: You said: “Good morning.”",
		"person: What is the day?", "model: You said: “What is the day?”",
	)

	// A prompt of the tree goes to the editor as well.
	c.press("C-t")
	c.shows("What is the hour?")
	c.press("Home", "Enter")
	c.shows("edits a prompt", "> Good morning.")
	c.press("C-u")
	c.says("Good evening.")
	c.shows("You said: “Good evening.”")
	c.hides("You said: “Good morning.”")
	c.keeps("person: Good evening.", "model: You said: “Good evening.”")

	tree := c.tree("@")
	hour, day := entryOf(t, tree, "What is the hour?"), entryOf(t, tree, "What is the day?")
	if len(tree) != 8 || *hour.Parent != *day.Parent || entryOf(t, tree, "Good evening.").Parent != nil {
		t.Errorf("%d entries are stored; the edited prompts are no siblings: %+v", len(tree), tree)
	}
}

func TestChatCheckpointAndRewind(t *testing.T) {
	t.Parallel()
	c := startChat(t, 120, 40)
	c.says("Where do we begin?")
	c.enter("/checkpoint fork")
	c.shows("Marked: /rewind fork DIGEST comes back here.")
	c.says("A blind alley.")
	c.shows("You said: “A blind alley.”")
	c.says("/rewind fork the alley is blind")
	c.shows("the alley is blind")
	c.hides("You said: “A blind alley.”")
	c.says("The other way.")
	c.shows("You said: “")

	entries := c.entries("@")
	if len(entries) != 5 || entries[2].Author != message.ByDigest || !strings.Contains(entries[2].String(), "the alley is blind") {
		t.Fatalf("the path: %v", entries)
	}
	tree := c.tree("@")
	marked, left := entryOf(t, tree, "You said: “Where do we begin?”"), entryOf(t, tree, "You said: “A blind alley.”")
	if !slices.Equal(marked.Checkpoints, []string{"fork"}) || *entries[2].Parent != marked.ID || entries[2].Left != left.ID {
		t.Errorf("the mark is at %+v, and the digest at %+v", marked, entries[2].entryJSON)
	}

	c.press("C-t")
	c.shows("◆ fork You said: “Where do we begin?”", "├─○ 3 user      A blind alley.", "3 digest")
	c.press("Home", "Down", "Enter")
	c.shows("You said: “Where do we begin?”")
	c.hides("The other way.")
	c.keeps("person: Where do we begin?", "model: You said: “Where do we begin?”")
}

// entryOf is the entry of a tree that begins with a text.
func entryOf(t *testing.T, tree []treeNodeJSON, preview string) treeNodeJSON {
	t.Helper()
	i := slices.IndexFunc(tree, func(n treeNodeJSON) bool { return strings.HasPrefix(n.Preview, preview) })
	if i < 0 {
		t.Fatalf("the tree has no %q: %+v", preview, tree)
	}
	return tree[i]
}
