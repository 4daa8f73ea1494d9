package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/history"
)

func compared(t *testing.T, width, height int) *comparison {
	s := newStory(t)
	branch, tip := s.tell()
	c := newComparison(t.Context(), s.store, s.conversation(), branch, tip)
	c.Update(tea.WindowSizeMsg{Width: width, Height: height})
	c.Update(c.Init()())
	return c
}

func TestBranchesStandSideBySide(t *testing.T) {
	golden(t, "compare_80x24", compared(t, 80, 24).View())
	golden(t, "compare_40x10", compared(t, 40, 10).View())
}

func TestAComparisonFitsEveryScreen(t *testing.T) {
	for width := 1; width < 120; width += 7 {
		c := compared(t, width, 12)
		for _, key := range []string{"down", "end", "home", "up"} {
			c.Update(keyPress(key))
			lines := strings.Split(c.View(), "\n")
			if len(lines) != 12 {
				t.Fatalf("%d lines", len(lines))
			}
			for _, line := range lines {
				if w := ansi.StringWidth(line); w > width {
					t.Fatalf("width %d: %q is %d wide", width, ansi.Strip(line), w)
				}
			}
		}
	}
}

func TestAComparisonThatFailsSaysSo(t *testing.T) {
	s := newStory(t)
	_, tip := s.tell()
	c := newComparison(t.Context(), s.store, s.conversation(), history.NewID(), tip)
	c.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	c.Update(c.Init()())
	if !strings.Contains(c.View(), "not found") {
		t.Errorf("%s", c.View())
	}
	if _, ok := c.Update(keyPress("esc"))().(leaveComparison); !ok {
		t.Error("esc should leave")
	}
}
