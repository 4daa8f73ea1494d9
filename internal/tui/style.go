package tui

import "charm.land/lipgloss/v2"

// The sixteen colours are those of the person's own theme. Where a terminal
// shows fewer or none, Bubble Tea leaves them out.
var (
	plain    = lipgloss.NewStyle()
	bold     = plain.Bold(true)
	faint    = plain.Faint(true)
	inverse  = plain.Reverse(true)
	red      = plain.Foreground(lipgloss.Red)
	green    = plain.Foreground(lipgloss.Green)
	yellow   = plain.Foreground(lipgloss.Yellow)
	purple   = plain.Foreground(lipgloss.Magenta)
	cyan     = plain.Foreground(lipgloss.Cyan)
	emphasis = bold.Foreground(lipgloss.Yellow)
)
