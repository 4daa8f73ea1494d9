package cli

import (
	"context"
	"fmt"
	"image"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stemma-history/stemma/internal/graphics"
	"github.com/stemma-history/stemma/snapshot"
)

func TestAnswersOfATerminalComeInPieces(t *testing.T) {
	const answers = "ls\r\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1bP>|kitty(0.42.1)\x1b\\\x1b[?62;c"
	for name, reader := range map[string]func(string) *graphics.Terminal{
		"at once": func(s string) *graphics.Terminal {
			screen := graphics.Of(graphics.Auto, func(string) string { return "" })
			hear(strings.NewReader(s), &screen)
			return &screen
		},
		"a byte at a time": func(s string) *graphics.Terminal {
			screen := graphics.Of(graphics.Auto, func(string) string { return "" })
			hear(iotest.OneByteReader(strings.NewReader(s)), &screen)
			return &screen
		},
	} {
		if got := reader(answers); got.Protocol != graphics.Kitty || got.Cell != image.Pt(10, 20) {
			t.Errorf("%s: %+v", name, got)
		}
		if got := reader(strings.TrimSuffix(answers, "\x1b[?62;c")); got.Protocol != graphics.Blocks {
			t.Errorf("%s, without the last answer: %+v", name, got)
		}
	}
}

func TestAPageIsAsWideAsTheScreen(t *testing.T) {
	screenOf := graphics.Of(string(graphics.Blocks), func(string) string { return "" })
	out, b := screen(40)
	if err := out.show(&screenOf, examplePage(t)); err != nil {
		t.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i, line := range lines {
		if n := strings.Count(line, "▀"); n != 40 {
			t.Errorf("line %d of %d has %d characters", i+1, len(lines), n)
		}
	}
	if err := out.show(&screenOf, []byte("no image")); err == nil {
		t.Error("what is no image is shown")
	}
}

func examplePage(t *testing.T) []byte {
	shape, _ := snapshot.ShapeNamed("8x16")
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "%x ", i*i*i) // what does not repeat is a file of some size
	}
	for page, err := range snapshot.Render(context.Background(), []snapshot.Segment{{Text: text.String()}}, shape, snapshot.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		return page.PNG
	}
	t.Fatal("no page")
	return nil
}
