package tui

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
)

const (
	// longPaste is from how many lines on a paste stands as one line in the
	// editor.
	longPaste = 10
	// mostRows is how many rows the editor takes, and mostOffered how many
	// completions are shown at a time, where the terminal has room for them.
	mostRows    = 10
	mostOffered = 6
	// attachmentBytes is the largest image that is attached: 10 MB of base64,
	// what the Anthropic API takes (2026-11).
	attachmentBytes = 10_000_000 / 4 * 3
)

// A completion is something that may stand for a word that is being typed.
type completion struct {
	word string
	note string // what it is
}

// A stand is a few words in the editor that stand for something else.
type stand struct {
	words string
	text  string
	image *message.Image // where it is one
}

// A composer is where a prompt is written.
type composer struct {
	area textarea.Model
	dir  string // what relative paths are relative to

	earlier []string // prompts, the oldest first
	at      int      // which of them is shown; len(earlier) is none
	kept    string   // what was typed before earlier ones were looked at

	pasted []stand // what is long or no text
	pastes int     // long ones so far

	commands []completion // with their slash
	files    []string
	offered  []completion
	chosen   int
	room     int // for how many completions there is
}

func newComposer(dir string, commands []completion) *composer {
	a := textarea.New()
	a.ShowLineNumbers = false
	a.Prompt = "> "
	a.Placeholder = "Ask something, or / for commands"
	a.CharLimit = 0
	a.DynamicHeight, a.MinHeight, a.MaxHeight, a.MaxContentHeight = true, 1, mostRows, 100_000
	a.KeyMap.InsertNewline = key.NewBinding(key.WithKeys("shift+enter", "alt+enter", "ctrl+j"))
	styles := a.Styles()
	styles.Cursor.Blink = false // a screen that nothing happens on is not drawn again
	styles.Focused.CursorLine, styles.Blurred.CursorLine = plain, plain
	styles.Focused.Prompt = green
	a.SetStyles(styles)
	a.Focus()
	return &composer{area: a, dir: dir, commands: commands, room: mostOffered}
}

// submitted is what a composer gives away when the person sends it.
type submitted struct {
	text  string // with pasted texts in their places
	parts []message.Part

	typed  string // as it stood in the editor
	pasted []stand
}

// Update handles a key or a paste. What was sent comes back where there is
// something to send.
func (c *composer) Update(msg tea.Msg) (*submitted, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		c.paste(msg.Content)
		c.offer()
		return nil, nil
	case tea.KeyPressMsg:
		switch name := msg.String(); {
		case len(c.offered) > 0 && (name == "tab" || name == "enter" && c.completes()):
			c.accept()
			return nil, nil
		case len(c.offered) > 0 && name == "up":
			c.chosen = (c.chosen + len(c.offered) - 1) % len(c.offered)
			return nil, nil
		case len(c.offered) > 0 && name == "down":
			c.chosen = (c.chosen + 1) % len(c.offered)
			return nil, nil
		case len(c.offered) > 0 && name == "esc":
			c.offered = nil
			return nil, nil
		case name == "enter":
			return c.submit(), nil
		case name == "up" && c.area.Line() == 0 && c.area.LineInfo().RowOffset == 0:
			c.recall(-1)
			return nil, nil
		case name == "down" && c.area.Line() == c.area.LineCount()-1:
			c.recall(1)
			return nil, nil
		}
	}
	area, cmd := c.area.Update(msg)
	c.area = area
	if _, ok := msg.(tea.KeyPressMsg); ok {
		c.offer()
	}
	return nil, cmd
}

// submit empties the editor.
func (c *composer) submit() *submitted {
	text := c.area.Value()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	c.earlier = append(c.earlier, text)
	var images []message.Part
	for _, p := range c.pasted {
		switch {
		case !strings.Contains(text, p.words): // it was taken out again
		case p.image != nil:
			images = append(images, *p.image)
		default:
			text = strings.ReplaceAll(text, p.words, p.text)
		}
	}
	s := &submitted{typed: c.area.Value(), pasted: c.pasted}
	c.set("")
	c.pasted = nil
	s.text = strings.TrimSpace(text)
	s.parts = append([]message.Part{message.Text{Text: s.text}}, images...)
	return s
}

// restore puts what was sent back, before what was typed since.
func (c *composer) restore(s *submitted) {
	text := s.typed
	if since := c.area.Value(); since != "" {
		text += "\n" + since
	}
	c.pasted = append(s.pasted, c.pasted...)
	c.set(text)
}

// set replaces what is in the editor.
func (c *composer) set(text string) {
	c.area.SetValue(text)
	c.area.MoveToEnd()
	c.at, c.offered = len(c.earlier), nil
}

// offerEarlier offers prompts of a conversation that was opened, unless some
// were typed already.
func (c *composer) offerEarlier(prompts []string) {
	if len(c.earlier) == 0 {
		c.earlier, c.at = prompts, len(prompts)
	}
}

// recall shows an earlier prompt, or what was typed before.
func (c *composer) recall(step int) {
	to := c.at + step
	if to < 0 || to > len(c.earlier) {
		return
	}
	if c.at == len(c.earlier) {
		c.kept = c.area.Value()
	}
	text := c.kept
	if to < len(c.earlier) {
		text = c.earlier[to]
	}
	c.area.SetValue(text)
	c.area.MoveToEnd()
	c.at = to
}

// paste puts a text into the editor: an image where it is the path of one, and
// one line where it is long.
func (c *composer) paste(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if img, name, ok := c.image(text); ok {
		words := fmt.Sprintf("[image %s]", name)
		c.pasted = append(c.pasted, stand{words: words, image: &img})
		c.area.InsertString(words + " ")
		return
	}
	if n := strings.Count(text, "\n") + 1; n >= longPaste || len(text) > 4000 {
		c.pastes++
		line := fmt.Sprintf("[pasted text %d, %s]", c.pastes, words.Count(n, "line"))
		c.pasted = append(c.pasted, stand{words: line, text: text})
		text = line
	}
	c.area.InsertString(text)
}

// image reads the image that a pasted text is the path of: what terminals paste
// when a file is dropped on them.
func (c *composer) image(text string) (message.Image, string, bool) {
	path := strings.Trim(strings.TrimSpace(text), `'"`)
	path = strings.TrimPrefix(strings.ReplaceAll(path, `\ `, " "), "file://")
	if path == "" || strings.ContainsRune(path, '\n') {
		return message.Image{}, "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.dir, path)
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > attachmentBytes {
		return message.Image{}, "", false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return message.Image{}, "", false
	}
	switch kind := http.DetectContentType(data); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return message.NewImage(kind, data), filepath.Base(path), true
	}
	return message.Image{}, "", false
}

// word returns the word before the cursor, and whether it is the first one.
func (c *composer) word() (word string, first bool) {
	lines := strings.Split(c.area.Value(), "\n")
	if c.area.Line() >= len(lines) {
		return "", false
	}
	line := []rune(lines[c.area.Line()])
	before := string(line[:min(c.area.Column(), len(line))])
	start := strings.LastIndexAny(before, " \t") + 1
	return before[start:], start == 0 && c.area.Line() == 0
}

// command reports whether what is typed is a command.
func (c *composer) command() bool {
	_, _, ok := slash(c.area.Value())
	return ok
}

// offer looks for completions of the word before the cursor.
func (c *composer) offer() {
	c.offered, c.chosen = nil, 0
	switch word, first := c.word(); {
	case first && strings.HasPrefix(word, "/"):
		for _, o := range c.commands {
			if strings.HasPrefix(o.word, word) {
				c.offered = append(c.offered, o)
			}
		}
	case strings.HasPrefix(word, "@") && !c.command(): // to which @ is the tip
		want := strings.ToLower(word[1:])
		for _, f := range c.files {
			if len(c.offered) < 100 && strings.Contains(strings.ToLower(f), want) {
				c.offered = append(c.offered, completion{word: "@" + f})
			}
		}
	}
}

// completes reports whether accepting would change what is typed: if not, the
// enter key sends.
func (c *composer) completes() bool {
	word, _ := c.word()
	return c.offered[c.chosen].word != word
}

// accept puts the chosen completion in the place of the word.
func (c *composer) accept() {
	word, _ := c.word()
	for range []rune(word) {
		area, _ := c.area.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
		c.area = area
	}
	c.area.InsertString(c.offered[c.chosen].word + " ")
	c.offered = nil
}

// resize makes room for the editor on a terminal of so many rows: half of it, and
// what is left for completions.
func (c *composer) resize(rows int) {
	c.area.MaxHeight = max(min(mostRows, rows/2), 1)
	c.room = max(min(mostOffered, rows-3), 0)
}

// View returns the editor with the completions below it.
func (c *composer) View(width int) string {
	c.area.SetWidth(width)
	lines := strings.Split(c.area.View(), "\n")
	from := max(min(c.chosen-c.room/2, len(c.offered)-c.room), 0)
	for i, o := range c.offered[from:min(from+c.room, len(c.offered))] {
		line := fmt.Sprintf("  %-14s", words.OneLine(o.word)) + faint.Render(" "+o.note)
		if from+i == c.chosen {
			line = inverse.Render(ansi.Strip(line))
		}
		lines = append(lines, line)
	}
	for i := range lines {
		if lipgloss.Width(lines[i]) > width {
			lines[i] = ansi.Truncate(lines[i], width, "…")
		}
	}
	return strings.Join(lines, "\n")
}
