package tui

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
)

// sideBySide is the width from which the preview stands beside the tree.
const sideBySide = 120

// listHeight is how many rows of the tree the screen has.
func (n *navigator) listHeight() int {
	height := n.height - 2 // title and bottom line
	if n.width < sideBySide {
		height -= n.previewHeight()
	}
	return max(height, 1)
}

func (n *navigator) listWidth() int {
	if n.width >= sideBySide {
		return n.width*3/5 - 1
	}
	return n.width
}

// previewHeight is that of a preview below the tree, its rule included.
func (n *navigator) previewHeight() int {
	if n.height < 16 {
		return 0
	}
	return n.height / 3
}

// View returns the screen.
func (n *navigator) View() string {
	switch {
	case n.width == 0:
		return ""
	case n.keys:
		return n.viewKeys()
	}
	list := n.viewList()
	var body string
	if n.width >= sideBySide {
		text := n.viewPreview()
		rule := strings.TrimSuffix(strings.Repeat(" │ \n", n.listHeight()), "\n")
		body = lipgloss.JoinHorizontal(lipgloss.Top, list, faint.Render(rule), text)
	} else {
		body = list
		if n.previewHeight() > 0 {
			body += "\n" + faint.Render(strings.Repeat("─", n.width)) + "\n" + n.viewPreview()
		}
	}
	return n.viewTitle() + "\n" + body + "\n" + n.viewBottom()
}

// viewPreview shows the entry under the cursor.
func (n *navigator) viewPreview() string {
	if n.width >= sideBySide {
		return n.preview.view(n.album, n.width-n.listWidth()-3, n.listHeight())
	}
	return n.preview.view(n.album, n.width, n.previewHeight()-1)
}

func (n *navigator) viewTitle() string {
	title := words.OneLine(n.conversation.Title)
	if title == "" {
		title = n.conversation.ID.String()
	}
	facts := words.Count(len(n.forest.lines), "entry")
	switch {
	case !n.whole && n.conversation.Entries > len(n.forest.lines):
		facts = fmt.Sprintf("reading %s entries …", words.Thousands(n.conversation.Entries))
	case n.forest.leaves > 1:
		facts += ", " + words.Count(n.forest.leaves, "branch")
	}
	if n.sel.filter != showAll || n.sel.query != "" {
		facts += fmt.Sprintf(" · %s shown", words.Thousands(len(n.rows)))
	}
	var tabs strings.Builder
	for f := range filters {
		style := faint
		if f == n.sel.filter {
			style = inverse
		}
		tabs.WriteString(style.Render(" "+filterNames[f]+" ") + " ")
	}
	left := bold.Render(ansi.Truncate(title, max(n.width/3, 12), "…")) + faint.Render("  "+facts+"  ")
	if room := n.width - lipgloss.Width(left); room < lipgloss.Width(tabs.String()) {
		return ansi.Truncate(left+inverse.Render(" "+filterNames[n.sel.filter]+" "), n.width, "…")
	}
	return left + tabs.String()
}

func (n *navigator) viewBottom() string {
	switch {
	case n.asking == asksWords:
		return "/" + n.input.View()
	case n.asking == asksName:
		return "name of the checkpoint: " + n.input.View()
	case n.note != "" && n.failed:
		return red.Render(ansi.Truncate(words.OneLine(n.note), n.width, "…"))
	case n.note != "":
		return ansi.Truncate(n.note, n.width, "…")
	}
	keys := "? keys · enter go there · f fork · c checkpoint · p pin · d compare · / search · tab filter · ← → fold · [ ] prompt · { } branch · t tip · esc back"
	if len(n.preview.pictures) > 0 {
		keys = "v picture · " + keys
	}
	if n.sel.query != "" {
		keys = "/" + n.sel.query + "  ·  esc all entries  ·  " + keys
	}
	return faint.Render(ansi.Truncate(keys, n.width, "…"))
}

// navigatorKeys are what the keys do, in the order in which they are listed.
const navigatorKeys = `enter          go there; a prompt is changed, and run as a sibling
m              go there, from a prompt too
f              fork: copy the path up to there to a new conversation
c              set a checkpoint
p              pin, or unpin: it stays whole in every view
d              compare with the tip, side by side
v   < >        a picture, or a page, alone on the screen; the others
/              search; enter looks into the whole texts
tab   1 … 8    the next filter of those in the first line; one by its number
↑ ↓ j k        up, down; with page up and down, home and end
[ ]   { }      to the prompt, or the fork, above and below
t              to the tip
← → h l   F    fold a branch, unfold it; all of them
J K            scroll the preview
q esc          back

● the tip   ◇ a compaction   ◆ a checkpoint`

func (n *navigator) viewKeys() string {
	lines := strings.Split(navigatorKeys, "\n")
	lines = lines[:min(len(lines), n.height-1)]
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], n.width, "…")
	}
	for len(lines) < n.height-1 {
		lines = append(lines, "")
	}
	return strings.Join(append(lines, faint.Render(ansi.Truncate("any key: back to the tree", n.width, "…"))), "\n")
}

func (n *navigator) viewList() string {
	height, width := n.listHeight(), n.listWidth()
	lines := make([]string, 0, height)
	for row := n.top; row < min(n.top+height, len(n.rows)); row++ {
		lines = append(lines, n.viewRow(n.rows[row], row == n.cursor, width))
	}
	if len(n.rows) == 0 {
		lines = append(lines, faint.Render(n.nothing()))
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	for i, line := range lines {
		lines[i] = line + strings.Repeat(" ", max(width-lipgloss.Width(line), 0))
	}
	return strings.Join(lines, "\n")
}

// nothing says why no row is shown.
func (n *navigator) nothing() string {
	switch {
	case len(n.forest.lines) == 0 && n.conversation.Entries > 0:
		return "Reading …"
	case len(n.forest.lines) == 0:
		return "The conversation is empty."
	case n.sel.query != "":
		return "No entry begins with such words. Enter looks into the whole texts."
	}
	return "There are no " + filterNames[n.sel.filter] + "."
}

func (n *navigator) viewRow(i int, current bool, width int) string {
	l := &n.forest.lines[i]
	var b strings.Builder
	b.WriteString(faint.Render(rails(l)))
	b.WriteString(n.glyph(l) + " ")
	fmt.Fprintf(&b, "%*d ", len(strconv.Itoa(n.forest.deepest)), l.Depth)
	b.WriteString(speakerStyle(l).Render(fmt.Sprintf("%-10s", speakerOf(l))))
	for _, name := range n.labels.checkpoints[l.ID] {
		b.WriteString(emphasis.Render("◆ " + words.OneLine(name) + " "))
	}
	if n.labels.pinned[l.ID] {
		b.WriteString(yellow.Render("pinned "))
	}
	if n.sel.folded[l.ID] {
		b.WriteString(yellow.Render(fmt.Sprintf("▸ %s ", words.Count(n.forest.branchEnd(i)-i, "entry"))))
	}
	preview := words.OneLine(l.Preview)
	if !isPrompt(l) {
		preview = faint.Render(preview)
	}
	line := ansi.Truncate(b.String()+preview, width, "…")
	if current {
		return inverse.Render(ansi.Strip(line) + strings.Repeat(" ", max(width-lipgloss.Width(line), 0)))
	}
	return line
}

// rails are the lines on the left: what goes on behind a branch, and where it
// leaves. Very deep ones are counted instead of drawn.
func rails(l *history.TreeLine) string {
	const most = 8
	switch {
	case l.Level == 0:
		return ""
	case l.Level > most:
		return fmt.Sprintf("%s%-3d", strings.Repeat("│ ", most-2), l.Level)
	case l.Begins:
		return strings.Repeat("│ ", l.Level-1) + "├─"
	}
	return strings.Repeat("│ ", l.Level)
}

func (n *navigator) glyph(l *history.TreeLine) string {
	switch {
	case l.ID == n.conversation.Tip:
		return green.Render("●")
	case l.Kind == history.KindCompaction:
		return purple.Render("◇")
	case l.OnPath:
		return green.Render("○")
	}
	return faint.Render("○")
}

func speakerOf(l *history.TreeLine) string {
	if l.Kind == history.KindCompaction {
		return "" // the preview says it
	}
	return words.Speaker(l.Role, l.Author)
}

// speakerStyle tells the speakers apart at a glance.
func speakerStyle(l *history.TreeLine) lipgloss.Style {
	switch {
	case isPrompt(l):
		return green
	case l.Role == message.User, l.Role == "":
		return purple
	case l.Role == message.Assistant:
		return cyan
	}
	return faint
}
