package tui

import (
	"strings"

	"charm.land/glamour/v2"
	"charm.land/glamour/v2/styles"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/internal/words"
)

// A markdown renders what models write. The renderer is made at the first use
// of a width, since that takes longer than a frame.
type markdown struct {
	light    bool
	width    int
	renderer *glamour.TermRenderer
}

// take takes what the terminal says of its background, and reports whether texts
// are rendered in another way now.
func (m *markdown) take(dark bool) (changed bool) {
	if m.light == !dark {
		return false
	}
	m.light, m.renderer = !dark, nil
	return true
}

// render returns the lines of a text in a width, without blank ones around it.
// What cannot be rendered comes as it is.
func (m *markdown) render(text string, width int) []string {
	text = words.Printable(text)
	if m.renderer == nil || m.width != width {
		m.renderer, m.width = newRenderer(m.light, width), width
	}
	if m.renderer != nil {
		if rendered, err := m.renderer.Render(text); err == nil {
			return trimBlank(strings.Split(rendered, "\n"), width)
		}
	}
	return wrap(text, width)
}

func newRenderer(light bool, width int) *glamour.TermRenderer {
	style := styles.DarkStyleConfig
	if light {
		style = styles.LightStyleConfig
	}
	margin := uint(0)
	style.Document.Margin = &margin
	style.Document.BlockPrefix, style.Document.BlockSuffix = "", ""
	style.Document.Color = nil // the person's own
	r, err := glamour.NewTermRenderer(glamour.WithStyles(style), glamour.WithWordWrap(max(width, 1)))
	if err != nil {
		return nil
	}
	return r
}

// trimBlank takes the blank lines and ends off that a renderer adds.
func trimBlank(lines []string, width int) []string {
	blank := func(line string) bool { return strings.TrimSpace(ansi.Strip(line)) == "" }
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	for i, line := range lines {
		said := ansi.StringWidth(strings.TrimRight(ansi.Strip(line), " ")) // renderers fill lines up
		lines[i] = ansi.Truncate(line, min(said, max(width, 1)), "")
	}
	return lines
}

// wrap breaks a text into lines no wider than the width.
func wrap(text string, width int) []string {
	text = strings.ReplaceAll(text, "\t", "    ")
	return strings.Split(ansi.Wrap(text, max(width, 1), ""), "\n")
}

// settled returns how much of a text that is still being written will not
// change any more when it is rendered: whole paragraphs outside of code.
func settled(text string) int {
	end, fenced := 0, false
	for at := 0; ; {
		length := strings.IndexByte(text[at:], '\n')
		if length < 0 {
			break // the line may go on
		}
		line := strings.TrimSpace(text[at : at+length])
		at += length + 1
		switch {
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			if fenced = !fenced; !fenced {
				end = at
			}
		case line == "" && !fenced:
			end = at
		}
	}
	return end
}
