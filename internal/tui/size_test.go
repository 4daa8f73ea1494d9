package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/stemma-history/stemma/provider/providertest"
)

// sizes are terminals that are smaller than any should be, too.
var sizes = []tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 40, Height: 10}, {Width: 40, Height: 6}, {Width: 30, Height: 4}, {Width: 10, Height: 3}, {Width: 2, Height: 2}, {Width: 1, Height: 1}}

func TestTheCursorIsOnEveryScreen(t *testing.T) {
	c := newStory(t).open(providertest.Config{})
	for _, size := range sizes {
		c.send(size)
		c.app.composer.set(strings.TrimSuffix(strings.Repeat("row\n", 30), "\n"))
		for _, up := range []int{0, 40} {
			for range up {
				c.app.composer.area.CursorUp()
			}
			c.send(tea.KeyPressMsg{Code: 'x', Text: "x"})
			if shown := c.screen(); size.Width > 6 && !strings.Contains(shown, "rowx") {
				t.Errorf("%d×%d: what is typed is not on the screen:\n%s", size.Width, size.Height, shown)
			}
		}
		c.app.composer.set("")
	}
}

func TestCompletionsLeaveTheEditorOnTheScreen(t *testing.T) {
	c := newStory(t).open(providertest.Config{})
	for _, size := range sizes {
		c.send(size)
		c.app.composer.set("")
		c.send(tea.KeyPressMsg{Code: '/', Text: "/"})
		shown := c.screen()
		if size.Width > 6 && size.Height > 1 && !strings.Contains(shown, "> /") {
			t.Errorf("%d×%d: the editor is not on the screen:\n%s", size.Width, size.Height, shown)
		}
		if size.Width > 12 && size.Height > 3 && !strings.Contains(shown, "/compact") {
			t.Errorf("%d×%d: nothing is offered:\n%s", size.Width, size.Height, shown)
		}
	}
}

func TestAQuestionIsOnEveryScreen(t *testing.T) {
	c := newStory(t).open(providertest.Config{}, &bell{})
	c.types(`tool ring {"path":"` + strings.Repeat("a long way to the belfry ", 20) + `"}`)
	c.shows("Let the model use ring?")
	for _, size := range sizes {
		c.send(size)
		if shown := c.screen(); size.Width > 6 && !strings.Contains(shown, "Let the") {
			t.Errorf("%d×%d: the question is not on the screen:\n%s", size.Width, size.Height, shown)
		}
	}
	c.send(sizes[0])
	c.press("n")
	c.settle()
}

// What a small screen had no room for is there again on a larger one.
func TestAScreenComesBackFromATinyOne(t *testing.T) {
	s := newStory(t)
	s.tell()
	c := s.open(providertest.Config{})
	before := c.screen()
	for _, size := range sizes[1:] {
		c.send(size)
		c.settle()
		c.screen() // each has to fit
		c.send(sizes[0])
		c.settle()
		if got := c.screen(); got != before {
			t.Errorf("after %d×%d:\n%s", size.Width, size.Height, got)
		}
	}
}
