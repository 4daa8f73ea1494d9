package cli

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/snapshot"
)

func TestGraphicsFromWhatATerminalAnswers(t *testing.T) {
	for _, c := range []struct {
		name, reply string
		want        graphics
		done        bool
	}{
		{"kitty", "\x1b_Gi=31;OK\x1b\\\x1b[?62;c", kittyGraphics, true},
		{"kitty, half of it", "\x1b_Gi=31;OK\x1b\\\x1b[?6", kittyGraphics, false},
		{"kitty's protocol, switched off", "\x1b_Gi=31;ENOTSUPPORTED\x1b\\\x1b[?62;c", blockGraphics, true},
		{"iTerm2", "\x1b]1337;ReportCellSize=16.0;8.0;2.0\x1b\\\x1b[?62;4c", itermGraphics, true},
		{"xterm with sixel", "\x1b[?64;1;2;4;6;9c", sixelGraphics, true},
		{"14 is not 4", "\x1b[?64;14c", blockGraphics, true},
		{"nothing", "", blockGraphics, false},
		{"typed ahead", "ls\r", blockGraphics, false},
	} {
		if got, done := graphicsFrom(c.reply); got != c.want || done != c.done {
			t.Errorf("%s: %s, done %v; want %s, %v", c.name, got, done, c.want, c.done)
		}
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

// Whatever the protocol, the pixels that reach the terminal are the page's.
func TestGraphicsCarryThePage(t *testing.T) {
	page := examplePage(t)
	show := func(g graphics) string {
		out, b := screen(80)
		if err := g.show(out, page); err != nil {
			t.Fatal(err)
		}
		if err := out.Flush(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	decode := func(text string) []byte {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}

	var chunks strings.Builder
	commands := regexp.MustCompile(`\x1b_G([^;]*);([^\x1b]*)\x1b\\`).FindAllStringSubmatch(show(kittyGraphics), -1)
	for i, c := range commands {
		more := "m=1"
		if i == len(commands)-1 {
			more = "m=0"
		}
		if !strings.HasSuffix(c[1], more) || len(c[2]) > kittyChunk {
			t.Errorf("command %d of %d has options %s and %d bytes", i+1, len(commands), c[1], len(c[2]))
		}
		chunks.WriteString(c[2])
	}
	if len(commands) < 2 || !strings.HasPrefix(commands[0][1], "a=T,f=100,") || !bytes.Equal(decode(chunks.String()), page) {
		t.Errorf("kitty does not get the page in %d commands", len(commands))
	}

	file := regexp.MustCompile(`\x1b\]1337;File=[^:]*inline=1:([^\a]*)\a`).FindStringSubmatch(show(itermGraphics))
	if file == nil || !bytes.Equal(decode(file[1]), page) {
		t.Error("iTerm2 does not get the page")
	}

	_, payload, _ := strings.Cut(show(sixelGraphics), "q")
	payload, _, _ = strings.Cut(payload, "\x1b\\")
	black := sixelInk(t, payload)
	want, err := png.Decode(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			if ink := first(want.At(x, y).RGBA()) == 0; black[image.Pt(x, y)] != ink {
				t.Fatalf("sixel: pixel %d, %d is ink: %v", x, y, !ink)
			}
		}
	}
}

// sixelInk returns the pixels that sixel data paints in black. (The decoder of
// the package that encodes it loses what follows a repeated sixel.)
func sixelInk(t *testing.T, payload string) map[image.Point]bool {
	black := map[image.Point]bool{}
	colours := map[string]string{}
	colour, at := "", image.Point{}
	for _, m := range regexp.MustCompile(`#(\d+)(?:;2;([\d;]+))?|!(\d+)([?-~])|([?-~])|(\$)|(-)`).FindAllStringSubmatch(payload, -1) {
		switch {
		case m[2] != "":
			colours[m[1]] = m[2]
		case m[1] != "":
			colour = colours[m[1]]
		case m[6] != "":
			at.X = 0
		case m[7] != "":
			at = image.Pt(0, at.Y+6)
		default:
			count, sixel := 1, m[5]
			if m[3] != "" {
				var err error
				if count, err = strconv.Atoi(m[3]); err != nil {
					t.Fatal(err)
				}
				sixel = m[4]
			}
			for range count {
				for bit := range 6 {
					if colour == "0;0;0" && (sixel[0]-'?')>>bit&1 == 1 {
						black[at.Add(image.Pt(0, bit))] = true
					}
				}
				at.X++
			}
		}
	}
	return black
}

func first(r, _, _, _ uint32) uint32 { return r }

func TestBlocksShowTheLayout(t *testing.T) {
	out, b := screen(40)
	if err := blockGraphics.show(out, examplePage(t)); err != nil {
		t.Fatal(err)
	}
	out.Flush()
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i, line := range lines {
		if n := strings.Count(line, "▀"); n != 40 || !strings.HasSuffix(line, "\x1b[0m") {
			t.Errorf("line %d of %d has %d characters", i+1, len(lines), n)
		}
	}
	if !strings.HasPrefix(lines[0], "\x1b[38;2;255;255;255;48;2;") && !regexp.MustCompile(`38;2;2[0-5]\d`).MatchString(lines[0]) {
		t.Errorf("the header row is not mostly paper: %q", lines[0][:60])
	}
	if strings.Count(b.String(), "38;2;255;255;255;48;2;255;255;255") == 40*len(lines) {
		t.Error("there is no ink")
	}
}
