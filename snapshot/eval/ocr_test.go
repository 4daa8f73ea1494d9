package eval

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/snapshot"
)

// gocr is a small program for optical character recognition that knows no
// language: it reads shapes, as a model has to where a string is random.
// Debian has it (package gocr).
func gocr(t *testing.T) string {
	path, err := exec.LookPath("gocr")
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("gocr is not installed: scripts/install.sh gocr installs it")
	}
	t.Skip("skipped: gocr is not installed; scripts/install.sh gocr installs it")
	return ""
}

// identifiers returns random identifiers of n characters together, spaces
// between.
func identifiers(rng *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%s ", draw(rng, []Class{Hex, Base62, Identifier, Place}[rng.IntN(4)]))
	}
	return strings.TrimRight(b.String()[:n], " ")
}

func TestOCRReadsIdentifiers(t *testing.T) {
	program := gocr(t)
	for _, name := range []string{"6x13", "8x16"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shape, _ := snapshot.ShapeNamed(name)
			shape = shape.WithPage(100*shape.CellWidth, 26*shape.CellHeight)
			text := identifiers(rand.New(rand.NewPCG(1, 2)), 100*25)
			var read strings.Builder
			for page, err := range snapshot.Render(context.Background(), []snapshot.Segment{{Text: text}}, shape, snapshot.Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(program, "-")
				cmd.Stdin = bytes.NewReader(greyMap(t, page.PNG, shape.CellHeight))
				out, err := cmd.Output()
				if err != nil {
					t.Fatal(err)
				}
				read.Write(out)
			}
			want, got := strings.Join(strings.Fields(text), ""), strings.Join(strings.Fields(read.String()), "")
			changes := differences(want, got)
			right := 1 - float64(len(changes))/float64(len(want))
			t.Logf("%.2f %% of %d characters", 100*right, len(want))
			if right < 0.99 {
				t.Errorf("gocr reads %.2f %% of the characters, want 99 %%; confused: %v", 100*right, changes)
			}
		})
	}
}

// greyMap turns a page without its header row into a portable grey map.
func greyMap(t *testing.T, page []byte, headerPx int) []byte {
	img, err := png.Decode(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	r := img.Bounds()
	r.Min.Y += headerPx
	grey := image.NewGray(r)
	var b bytes.Buffer
	fmt.Fprintf(&b, "P5 %d %d 255\n", r.Dx(), r.Dy())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			grey.Set(x, y, img.At(x, y))
			b.WriteByte(grey.GrayAt(x, y).Y)
		}
	}
	return b.Bytes()
}
