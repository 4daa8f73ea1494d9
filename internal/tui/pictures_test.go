package tui

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/graphics"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/snapshot"
	"github.com/stemma-history/stemma/tokens"
)

func noPictures() *display {
	return newDisplay(context.Background(), graphics.Terminal{Protocol: graphics.Off})
}

// on is a terminal whose protocol was chosen.
func on(p graphics.Protocol) graphics.Terminal {
	return graphics.Of(string(p), func(string) string { return "" })
}

// shows is a display of a terminal that has answered, with all colours.
func shows(p graphics.Protocol) *display {
	d := newDisplay(context.Background(), on(p))
	d.take(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	d.take(uv.PrimaryDeviceAttributesEvent{62})
	return d
}

// answers lets the app hear what a terminal says of itself.
func (c *chat) answers(version string) {
	c.Helper()
	c.send(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	c.send(tea.TerminalVersionMsg{Name: version})
	c.send(uv.PrimaryDeviceAttributesEvent{62})
	c.settle()
}

// gradient is a PNG of a size.
func gradient(width, height int) message.Image {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.Set(x, y, color.RGBA{uint8(255 * x / width), uint8(255 * y / height), 128, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return message.NewImage("image/png", b.Bytes())
}

// look adds an exchange in which a person and a tool show images.
func (s *story) look(shown ...message.Image) history.ID {
	s.Helper()
	prompt := message.Prompt("What is wrong with this?")
	for _, img := range shown {
		prompt.Parts = append(prompt.Parts, img)
	}
	return s.say(s.conversation().Tip, prompt,
		answer(message.ToolCall{ID: "1", Name: "read", Arguments: []byte(`{"path":"plot.png"}`)}),
		message.Results(message.ToolResult{CallID: "1", Content: []message.Content{gradient(64, 32)}}),
		answer(message.Text{Text: "The axes are missing."}))
}

var placeholder = regexp.MustCompile(string(kitty.Placeholder) + `\p{M}\p{M}`)

// visible shows the cells of pictures as what people can tell apart.
func visible(screen string) string { return placeholder.ReplaceAllString(screen, "▒") }

var (
	numbered = regexp.MustCompile(`[,_G]i=(\d+)`)
	coloured = regexp.MustCompile(`\x1b\[38;2;(\d+);(\d+);(\d+)m` + string(kitty.Placeholder))
)

// sent returns the numbers of the images in sequences that have an option.
func sent(raw []string, option string) []string {
	var ids []string
	for _, sequence := range raw {
		for _, command := range strings.SplitAfter(sequence, "\x1b\\") {
			if id := numbered.FindStringSubmatch(command); id != nil && strings.Contains(command, option) && !strings.Contains(command, "a=q") {
				ids = append(ids, id[1])
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// onScreen returns the numbers of the images whose cells stand on the screen.
func onScreen(screen string) []string {
	var ids []string
	for _, m := range coloured.FindAllStringSubmatch(screen, -1) {
		var r, g, b int
		fmt.Sscan(strings.Join(m[1:], " "), &r, &g, &b)
		ids = append(ids, fmt.Sprint(r<<16|g<<8|b))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func TestImagesStandInTheChat(t *testing.T) {
	s := newStory(t)
	s.look(gradient(320, 96))
	c := s.openOn(on(graphics.Kitty))
	c.answers("kitty(0.42.1)")
	for _, size := range []image.Point{{80, 24}, {120, 40}} {
		c.send(tea.WindowSizeMsg{Width: size.X, Height: size.Y})
		c.settle()
		golden(t, fmt.Sprintf("images_%dx%d", size.X, size.Y), visible(c.screen()))
	}
	if shown := onScreen(c.app.view()); len(shown) != 2 || !slices.Equal(shown, sent(c.raw, "U=1")) {
		t.Errorf("the screen shows %v, and the terminal was sent %v", shown, sent(c.raw, "U=1"))
	}
	c.says("/quit")
	if !c.left || !slices.Equal(sent(c.raw, "d=I"), sent(c.raw, "U=1")) {
		t.Errorf("left %v: of %v, only %v were taken away", c.left, sent(c.raw, "U=1"), sent(c.raw, "d=I"))
	}
}

func TestImagesScrollWithTheText(t *testing.T) {
	s := newStory(t)
	s.look(gradient(320, 180))
	s.talk(5)
	c := s.openOn(on(graphics.Kitty))
	c.answers("kitty(0.42.1)")
	c.send(tea.KeyPressMsg{Code: tea.KeyHome, Mod: tea.ModCtrl})
	c.settle()
	// The prompt and the line about the image stand above its twelve rows.
	for scrolled, want := range []int{0: -2, 1: 1, 2: 4, 3: 7} {
		top, _, _ := strings.Cut(c.screen(), "\n")
		if row := slices.IndexFunc(rowMarks, func(r string) bool { return strings.Contains(top, r) }); row != max(want, -1) {
			t.Errorf("scrolled by %d lines, row %d of the picture stands at the top: %q", 3*scrolled, row, top)
		}
		c.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
		c.settle()
	}
}

// rowMarks are the beginnings of the rows of a picture.
var rowMarks = func() (r []string) {
	for i := range pictureRows {
		r = append(r, string([]rune{kitty.Placeholder, kitty.Diacritic(i), kitty.Diacritic(0)}))
	}
	return r
}()

func TestWithoutGraphicsImagesAreNamed(t *testing.T) {
	for name, prepare := range map[string]func(*chat){
		"switched off":    func(c *chat) { c.answers("kitty(0.42.1)") },
		"without colours": func(c *chat) { c.app.Update(answersDue{}) },
	} {
		s := newStory(t)
		s.look(gradient(320, 96))
		terminal := on(graphics.Off)
		if name == "without colours" {
			terminal = on(graphics.Blocks)
		}
		c := s.openOn(terminal)
		prepare(c)
		c.settle()
		golden(t, "images_named_80x24", c.screen())
		c.says("/images")
		if screen := c.screen(); !strings.Contains(screen, "This terminal shows no pictures") || !strings.Contains(screen, "image, image/png, 64×32 pixels") {
			t.Errorf("%s:\n%s", name, screen)
		}
	}
}

func TestATerminalThatDoesNotAnswerGetsBlocks(t *testing.T) {
	s := newStory(t)
	s.look(gradient(320, 96))
	c := s.openOn(graphics.Of(graphics.Auto, func(string) string { return "" }))
	if !slices.ContainsFunc(c.raw, func(s string) bool { return strings.Contains(s, "a=q") }) {
		t.Errorf("the terminal was not asked: %q", c.raw)
	}
	c.send(tea.ColorProfileMsg{Profile: colorprofile.ANSI256})
	c.settle()
	if strings.Contains(c.screen(), "▀") {
		t.Error("the terminal had no time to answer")
	}
	c.send(answersDue{})
	c.settle()
	if got := strings.Count(c.screen(), "▀"); got != 40*6+8*2 {
		t.Errorf("%d blocks:\n%s", got, c.screen())
	}
	c.send(uv.KittyGraphicsEvent{Options: kitty.Options{ID: 31}, Payload: []byte("OK")}) // over a very slow line
	c.answers("kitty(0.42.1)")
	if screen := c.screen(); strings.Contains(screen, "▀") || strings.Count(screen, string(kitty.Placeholder)) != 40*6+8*2 {
		t.Errorf("a late answer changes nothing:\n%s", screen)
	}
}

func TestBadImagesAreNamed(t *testing.T) {
	s := newStory(t)
	broken := gradient(320, 96)
	broken.Data = broken.Data[:100]
	huge := gradient(10, 10)
	huge.WidthPx, huge.HeightPx = 320, 96
	huge.Data = []byte("no image at all, whatever its header said")
	s.look(broken, huge)
	c := s.openOn(on(graphics.Kitty))
	c.answers("kitty(0.42.1)")
	c.send(tea.WindowSizeMsg{Width: 100, Height: 60})
	c.settle()
	for _, want := range []string{"320×96 pixels", "(cannot be shown: it is damaged:", "(cannot be shown: the bytes are no GIF,", "The axes are missing."} {
		if !strings.Contains(c.screen(), want) {
			t.Errorf("%q is missing:\n%s", want, c.screen())
		}
	}
}

func TestAnAlbumKeepsThePicturesShownLast(t *testing.T) {
	s := newStory(t)
	a := newAlbum(s.Context(), shows(graphics.Kitty))
	c := &chat{story: s, messages: make(chan tea.Msg, 1000), app: newApp(s.Context(), Options{Store: s.store})}
	for i := range 3 * mostPictures {
		p, _ := pictureOf(s.store, gradient(8+i, 16))
		a.lines(p, 1, 1)
		a.lines(p, 1, 1)
		c.do(a.load())
		c.settle()
		if got := a.lines(p, 1, 1); !strings.Contains(got[0], string(kitty.Placeholder)) {
			t.Fatalf("picture %d is not there: %q", i, got)
		}
	}
	kept, gone := sent(c.raw, "U=1"), sent(c.raw, "d=I")
	if len(kept) != 3*mostPictures || len(gone) != 2*mostPictures || len(a.kept) != mostPictures {
		t.Errorf("sent %d, taken away %d, kept %d", len(kept), len(gone), len(a.kept))
	}
	c.do(a.close())
	c.settle()
	if !slices.Equal(sent(c.raw, "d=I"), kept) {
		t.Error("some images stay in the terminal")
	}
}

func TestAnImageThatComesAfterItsAlbumWasClosedIsTakenAway(t *testing.T) {
	s := newStory(t)
	a := newAlbum(s.Context(), shows(graphics.Kitty))
	p, _ := pictureOf(s.store, gradient(8, 16))
	a.lines(p, 1, 1)
	drawn := a.load()().(pictureDrawn)
	late := sequence(a.take(drawn)())
	a.close()
	c := &chat{story: s, messages: make(chan tea.Msg, 10), app: newApp(s.Context(), Options{Store: s.store})}
	c.doInOrder(late)
	c.settle()
	if shown := sent(c.raw, "U=1"); len(shown) != 1 || !slices.Equal(sent(c.raw, "d=I"), shown) {
		t.Errorf("%.40q", c.raw)
	}
}

// On a terminal without placeholders, a picture is written over an empty screen,
// and nothing of it stays.
func TestAPictureIsShownAloneByEveryProtocol(t *testing.T) {
	for protocol, begins := range map[graphics.Protocol]string{
		graphics.Sixel: "\x1bP0;1q", graphics.ITerm: "\x1b]1337;File=", graphics.Kitty: "\x1b_Gf=100",
	} {
		s := newStory(t)
		s.look(gradient(320, 96))
		c := s.openOn(on(protocol))
		c.answers("another terminal")
		c.raw = nil
		c.press("ctrl+g")
		c.until(func() bool { return len(c.raw) > 0 })
		if want := []string{"\x1b[c"}; !slices.Equal(c.raw, want) {
			t.Errorf("%s: before the terminal shows an empty screen, it is sent %.40q", protocol, c.raw)
		}
		golden(t, "viewer_80x24", c.screen())
		c.send(uv.PrimaryDeviceAttributesEvent{62})
		c.until(func() bool { return len(c.raw) > 1 })
		picture := strings.TrimPrefix(c.raw[1], "\x1b7\x1b[2;1H")
		if !strings.HasPrefix(picture, begins) || !strings.HasSuffix(picture, "\x1b8") {
			t.Errorf("%s: the picture is %.60q", protocol, c.raw[1])
		}
		c.send(uv.PrimaryDeviceAttributesEvent{62})
		c.press("left")
		c.until(func() bool { return c.app.screen.(*viewer).ready != "" })
		if !strings.Contains(c.screen(), "320×96 pixels") || !strings.Contains(c.screen(), "1 of 2") {
			t.Errorf("%s:\n%s", protocol, c.screen())
		}
		c.send(uv.PrimaryDeviceAttributesEvent{62})
		c.press("esc")
		c.until(func() bool { return c.app.screen == nil })
		c.settle()
		if shown := sent(c.raw, "a=T"); !slices.Equal(shown, sent(c.raw, "d=I")) || protocol == graphics.Kitty && len(shown) != 2 {
			t.Errorf("%s: of %v, %v were taken away", protocol, shown, sent(c.raw, "d=I"))
		}
	}
}

func TestAPictureAloneInPlaceholdersIsTakenAway(t *testing.T) {
	s := newStory(t)
	s.look(gradient(1600, 960))
	c := s.openOn(on(graphics.Kitty))
	c.answers("ghostty 1.2.0")
	before := sent(c.raw, "U=1")
	c.says("/images")
	c.press("home")
	c.settle()
	golden(t, "viewer_kitty_80x24", visible(c.screen()))
	c.press("esc")
	c.settle()
	if shown, gone := sent(c.raw, "U=1"), sent(c.raw, "d=I"); len(shown) != len(before)+2 || len(gone) != 2 {
		t.Errorf("shown %v, before %v, taken away %v", shown, before, gone)
	}
}

// compactToPages adds work, and a compaction that puts it on pages.
func (s *story) compactToPages() {
	s.Helper()
	tip := s.say(s.conversation().Tip, message.Prompt("Look at every module."))
	for i := range 12 {
		var text strings.Builder
		for line := range 150 {
			fmt.Fprintf(&text, "%08x module%d.go:%d: call of f%d\n", (i*200+line)*2654435761, i, line*13, line)
		}
		tip = s.say(tip, answer(message.Text{Text: text.String()}), message.Prompt(fmt.Sprintf("And number %d?", i+1)))
	}
	var path []history.Entry
	for e, err := range s.store.Path(s.Context(), history.PathQuery{Conversation: s.id}) {
		if err != nil {
			s.Fatal(err)
		}
		path = append(path, e)
	}
	shape, _ := snapshot.ShapeNamed("6x13")
	plan, err := reclaim.Make(reclaim.Problem{
		Path: path, Rungs: []reclaim.Rung{reclaim.Pages}, Reader: reclaim.Reader{Sees: true, MaxImages: 100, Shape: shape},
		Budget: reclaim.Budget{Window: 400_000, Reserve: 10_000, Tail: 2000},
		Meter:  tokens.Meter{Image: func(w, h int) int { return (w + 27) / 28 * ((h + 27) / 28) }},
	})
	if err != nil || plan.Compaction == nil {
		s.Fatal(plan.Why, err)
	}
	s.clock = s.clock.Add(time.Minute)
	_, err = s.store.Append(s.Context(), history.AppendRequest{Conversation: s.id, Parent: tip, ExpectedTip: s.conversation().Tip, Entries: []history.Entry{
		{ID: history.SourceID(s.clock, "compaction"), Compaction: plan.Compaction, Created: s.clock},
	}})
	if err != nil {
		s.Fatal(err)
	}
}

func TestAPageOfASnapshotStandsInThePreview(t *testing.T) {
	time.Local = time.UTC
	s := newStory(t)
	s.compactToPages()
	for _, size := range []image.Point{{80, 40}, {140, 30}} {
		d := driveOn(t, s, shows(graphics.Kitty), size.X, size.Y)
		golden(t, fmt.Sprintf("tree_page_%dx%d", size.X, size.Y), visible(d.n.View()))
		first := onScreen(d.n.View())
		d.press(">")
		if second := onScreen(d.n.View()); len(first) != 1 || len(second) != 1 || slices.Equal(first, second) {
			t.Errorf("%v: first page %v, second %v", size, first, second)
		}
		d.press("v")
		if large, ok := d.out[0].(viewPictures); !ok || large.at != 1 || len(large.pictures) < 2 {
			t.Errorf("%v: %+v", size, d.out)
		}
		d.do(d.n.close())
		if !slices.Equal(sent(d.raw, "U=1"), sent(d.raw, "d=I")) || len(sent(d.raw, "U=1")) != 2 {
			t.Errorf("%v: of %v, %v were taken away", size, sent(d.raw, "U=1"), sent(d.raw, "d=I"))
		}
	}
	d := drive(t, s, 80, 24)
	golden(t, "tree_page_named_80x24", d.n.View())
	d.press("home", "v")
	if !strings.Contains(d.n.note, "no image") {
		t.Errorf("%q", d.n.note)
	}
}

func TestTheAppTakesThePicturesOfTheTreeAway(t *testing.T) {
	s := newStory(t)
	s.look(gradient(640, 480))
	c := s.openOn(on(graphics.Kitty))
	c.answers("kitty(0.42.1)")
	c.send(tea.WindowSizeMsg{Width: 140, Height: 40})
	c.settle()
	before := sent(c.raw, "U=1")
	c.press("ctrl+t")
	c.settle()
	c.press("home")
	c.settle()
	if len(onScreen(c.app.view())) != 1 {
		t.Fatalf("no picture in the tree:\n%s", c.screen())
	}
	c.press("v")
	c.settle()
	c.press("esc", "esc")
	c.settle()
	c.press("esc")
	c.settle()
	shown, gone := sent(c.raw, "U=1"), sent(c.raw, "d=I")
	if c.app.screen != nil || len(gone) != len(shown)-len(before) || len(gone) < 2 {
		t.Errorf("shown %v, before the tree %v, taken away %v", shown, before, gone)
	}
	for _, id := range before {
		if slices.Contains(gone, id) {
			t.Errorf("image %s of the chat was taken away", id)
		}
	}
}
