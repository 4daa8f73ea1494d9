package tui

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
)

// pickable is how many conversations a picker lists: those updated last.
const pickable = 500

// A picker chooses a conversation: by its title, its directory, or by words
// that were said in it.
type picker struct {
	ctx   context.Context
	store history.Store
	now   time.Time

	all    []history.Conversation
	read   bool
	input  textinput.Model
	said   map[history.ID]string // an excerpt, where words were looked for
	rows   []int                 // of all
	cursor int
	err    error

	width, height int
}

type (
	// picked says which conversation was chosen; none where none was.
	picked struct{ conversation history.Conversation }

	conversationsRead struct {
		all []history.Conversation
		err error
	}
	saidFound struct {
		query string
		said  map[history.ID]string
		err   error
	}
)

func newPicker(ctx context.Context, store history.Store, now time.Time) *picker {
	input := textinput.New()
	input.Prompt = "/"
	styles := input.Styles()
	styles.Cursor.Blink = false
	input.SetStyles(styles)
	input.Focus()
	return &picker{ctx: ctx, store: store, now: now, input: input}
}

func (p *picker) Init() tea.Cmd {
	return func() tea.Msg {
		var r conversationsRead
		for c, err := range p.store.List(p.ctx, history.ListQuery{Limit: pickable}) {
			var damaged *history.DamagedError
			switch {
			case errors.As(err, &damaged):
			case err != nil:
				return conversationsRead{err: err}
			case c.Entries > 0: // the app was opened on others, and left
				r.all = append(r.all, c)
			}
		}
		return r
	}
}

func (p *picker) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		p.width, p.height = msg.Width, msg.Height
	case conversationsRead:
		p.all, p.err, p.read = msg.all, msg.err, true
		p.choose()
		return index(p.ctx, p.store)
	case indexed:
		return tea.Batch(p.search(p.input.Value()), msg.more(p.ctx, p.store))
	case saidFound:
		if p.err = msg.err; msg.err == nil && msg.query == p.input.Value() {
			p.said = msg.said
			p.choose()
		}
	case tea.PasteMsg, tea.KeyPressMsg:
		return p.press(msg)
	}
	return nil
}

func (p *picker) press(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "esc":
			return func() tea.Msg { return picked{} }
		case "enter":
			if p.cursor < len(p.rows) {
				c := p.all[p.rows[p.cursor]]
				return func() tea.Msg { return picked{c} }
			}
			return nil
		case "up":
			p.cursor = max(p.cursor-1, 0)
			return nil
		case "down":
			p.cursor = max(min(p.cursor+1, len(p.rows)-1), 0)
			return nil
		case "pgup":
			p.cursor = max(p.cursor-p.height+2, 0)
			return nil
		case "pgdown":
			p.cursor = max(min(p.cursor+p.height-2, len(p.rows)-1), 0)
			return nil
		}
	}
	before := p.input.Value()
	input, cmd := p.input.Update(msg)
	p.input = input
	if query := p.input.Value(); query != before {
		p.said = nil
		p.choose()
		return tea.Batch(cmd, p.search(query))
	}
	return cmd
}

// search looks for words in everything that was said.
func (p *picker) search(query string) tea.Cmd {
	if strings.TrimSpace(query) == "" {
		return nil
	}
	return func() tea.Msg {
		r, err := p.store.Search(p.ctx, history.SearchQuery{Text: query, Limit: pickable})
		found := saidFound{query, map[history.ID]string{}, err}
		for _, h := range r.Hits {
			if found.said[h.Conversation] == "" {
				found.said[h.Conversation] = h.Excerpt
			}
		}
		return found
	}
}

// choose finds the rows for what is typed.
func (p *picker) choose() {
	p.rows, p.cursor = p.rows[:0], 0
	query := strings.Fields(strings.ToLower(p.input.Value()))
	for i := range p.all {
		c := &p.all[i]
		about := strings.ToLower(c.Title + " " + c.Directory + " " + c.ID.String() + " " + c.Source.Tool)
		named := true
		for _, word := range query {
			named = named && strings.Contains(about, word)
		}
		if named || p.said[c.ID] != "" {
			p.rows = append(p.rows, i)
		}
	}
}

// View returns the screen.
func (p *picker) View() string {
	if p.height < 2 || p.width == 0 {
		return ""
	}
	lines := []string{ansi.Truncate(bold.Render("Resume a conversation  ")+p.input.View(), p.width, "…")}
	height := p.height - 2
	switch {
	case p.err != nil:
		lines = append(lines, wrap(red.Render(words.Printable(p.err.Error())), p.width)...)
	case !p.read:
		lines = append(lines, faint.Render("Reading …"))
	case len(p.all) == 0:
		lines = append(lines, faint.Render("There is no conversation yet."))
	case len(p.rows) == 0:
		lines = append(lines, faint.Render("No title, directory or word matches."))
	}
	from := max(min(p.cursor-height/2, len(p.rows)-height), 0)
	for i := from; i < min(from+height, len(p.rows)); i++ {
		lines = append(lines, p.row(&p.all[p.rows[i]], i == p.cursor))
	}
	lines = lines[:min(len(lines), p.height-1)]
	for len(lines) < p.height-1 {
		lines = append(lines, "")
	}
	return strings.Join(append(lines, faint.Render(ansi.Truncate("enter resume · type to search titles and texts · esc back", p.width, "…"))), "\n")
}

func (p *picker) row(c *history.Conversation, current bool) string {
	title := words.OneLine(c.Title)
	if title == "" {
		title = c.ID.String()
	}
	facts := []string{words.Ago(c.Updated, p.now), words.Count(c.Entries, "entry")}
	if c.Directory != "" {
		facts = append(facts, filepath.Base(c.Directory))
	}
	if c.Source.Tool != "" {
		facts = append(facts, c.Source.Tool)
	}
	line := title + faint.Render("  "+words.OneLine(strings.Join(facts, " · ")))
	if said := p.said[c.ID]; said != "" {
		line += "  " + yellow.Render(words.OneLine(said))
	}
	line = ansi.Truncate(line, p.width, "…")
	if current {
		return inverse.Render(ansi.Strip(line) + strings.Repeat(" ", max(p.width-lipgloss.Width(line), 0)))
	}
	return line
}
