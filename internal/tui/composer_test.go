package tui

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/message"
)

func writeTo(c *composer, text string) {
	for _, r := range text {
		c.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func press(c *composer, name string) *submitted {
	s, _ := c.Update(keyPress(name))
	return s
}

func newTestComposer(t *testing.T) *composer {
	c := newComposer(t.TempDir(), []completion{{"/compact", "make room"}, {"/context", "what fills the window"}, {"/tree", "the tree"}})
	c.View(80)
	return c
}

func TestAPromptIsSentWithEnter(t *testing.T) {
	c := newTestComposer(t)
	if press(c, "enter") != nil {
		t.Error("nothing is not sent")
	}
	writeTo(c, "hello")
	c.Update(tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl})
	writeTo(c, "world")
	s := press(c, "enter")
	if s == nil || s.text != "hello\nworld" || c.area.Value() != "" {
		t.Errorf("%+v %q", s, c.area.Value())
	}
}

func TestEarlierPromptsComeBack(t *testing.T) {
	c := newTestComposer(t)
	for _, text := range []string{"one", "two"} {
		writeTo(c, text)
		press(c, "enter")
	}
	writeTo(c, "half")
	for _, want := range []string{"two", "one", "one"} {
		press(c, "up")
		if c.area.Value() != want {
			t.Errorf("%q, wanted %q", c.area.Value(), want)
		}
	}
	press(c, "down")
	press(c, "down")
	if c.area.Value() != "half" {
		t.Errorf("what was typed is lost: %q", c.area.Value())
	}
}

func TestALongPasteIsOneLineUntilItIsSent(t *testing.T) {
	c := newTestComposer(t)
	long := strings.Repeat("a line\r\n", 50)
	writeTo(c, "look: ")
	c.Update(tea.PasteMsg{Content: long})
	if c.area.Value() != "look: [pasted text 1, 51 lines]" {
		t.Errorf("%q", c.area.Value())
	}
	if s := press(c, "enter"); s.text != "look: "+strings.TrimSpace(strings.ReplaceAll(long, "\r\n", "\n")) {
		t.Errorf("%q", s.text)
	}
	c.Update(tea.PasteMsg{Content: "short"})
	if c.area.Value() != "short" {
		t.Errorf("%q", c.area.Value())
	}
}

func TestTheFileOfAnImageIsAttached(t *testing.T) {
	c := newTestComposer(t)
	f, err := os.Create(filepath.Join(c.dir, "a dot.png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, image.NewGray(image.Rect(0, 0, 4, 3))); err != nil {
		t.Fatal(err)
	}
	f.Close()
	c.Update(tea.PasteMsg{Content: strings.ReplaceAll(f.Name(), " ", `\ `)})
	writeTo(c, "what is it?")
	s := press(c, "enter")
	if len(s.parts) != 2 || s.text != "[image a dot.png] what is it?" {
		t.Fatalf("%+v", s)
	}
	if img, ok := s.parts[1].(message.Image); !ok || img.WidthPx != 4 {
		t.Errorf("%+v", s.parts[1])
	}
}

func TestCompletions(t *testing.T) {
	c := newTestComposer(t)
	c.files = []string{"main.go", "cmd/Main_test.go"}
	writeTo(c, "/co")
	if len(c.offered) != 2 || !strings.Contains(ansi.Strip(c.View(80)), "/compact       make room") {
		t.Errorf("%v\n%s", c.offered, ansi.Strip(c.View(80)))
	}
	press(c, "down")
	if s := press(c, "enter"); s != nil || c.area.Value() != "/context " {
		t.Errorf("%q", c.area.Value())
	}
	if s := press(c, "enter"); s == nil || s.text != "/context" {
		t.Errorf("%+v", s)
	}
	writeTo(c, "/tree")
	if s := press(c, "enter"); s == nil || s.text != "/tree" {
		t.Error("a whole command is sent at once")
	}
	writeTo(c, "see @main")
	press(c, "down")
	press(c, "tab")
	if c.area.Value() != "see @cmd/Main_test.go " {
		t.Errorf("%q", c.area.Value())
	}
	writeTo(c, "@m")
	press(c, "esc")
	if len(c.offered) != 0 {
		t.Error("esc does not close the completions")
	}
}

func TestFilesAreNotOfferedInCommands(t *testing.T) {
	c := newComposer(t.TempDir(), nil)
	c.files = []string{"main.go"}
	typed := func(text string) {
		c.set("")
		for _, r := range text {
			c.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	typed("Look at @")
	if len(c.offered) != 1 {
		t.Errorf("%d files are offered in a prompt", len(c.offered))
	}
	typed("/diff here @")
	sent, _ := c.Update(keyPress("enter"))
	if sent == nil || sent.text != "/diff here @" {
		t.Errorf("the command is not sent: %+v, the editor has %q", sent, c.area.Value())
	}
}
