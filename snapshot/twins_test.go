package snapshot

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/snapshot/internal/font"
)

var update = flag.Bool("update", false, "write what the tests find to their golden files")

// The documentation lists every letter that shares its picture with one of
// another alphabet, and how many characters each font draws.
func TestTwinsAreListed(t *testing.T) {
	const page, start, end = "../docs/snapshot.md", "-update -->\n", "<!-- end of twins -->"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), start)
	listed, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no list of twins", page)
	}
	found := twinList()
	if *update {
		if err := os.WriteFile(page, []byte(before+start+found+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if listed != found {
		t.Errorf("%s lists other twins than the fonts have; run with -update", page)
	}
}

func twinList() string {
	var b strings.Builder
	b.WriteString("\n| font | characters | letters that share a picture |\n| --- | --- | --- |\n")
	for _, name := range font.Names {
		f := font.Load(name)
		characters := 0
		var letters []string
		twins := findTwins(f, func(rune) bool { return false })
		for code := range f.Codes {
			if code < font.TileBase {
				characters++
			}
			if class := twins[code]; class != nil && class[0] == code {
				letters = append(letters, string(class))
			}
		}
		slices.Sort(letters)
		fmt.Fprintf(&b, "| %s | %d | %d: %s |\n", name, characters, len(letters), strings.Join(letters, " "))
	}
	b.WriteByte('\n')
	return b.String()
}

// Every character that can be drawn comes back, behind text of any alphabet.
func TestEveryCharacterComesBack(t *testing.T) {
	const step = 1 + slowdown/5 // under the race detector every third will do
	for _, shape := range Shapes() {
		f := faceFor(shape)
		if shape.Name == "8x22" {
			continue // as 8x16
		}
		var b strings.Builder
		for code := rune(' '); code < 0x20000; code += step {
			if _, ok := f.find(code); !ok {
				continue
			}
			if font.ScriptOf(code) != font.NoScript { // three times: after each alphabet
				fmt.Fprintf(&b, "d%cδ%cд%c", code, code, code)
			} else {
				b.WriteRune(code)
			}
		}
		src := []Segment{{Text: b.String()}}
		if got, want := readAll(t, render(t, src, shape.WithPage(1932, 1932), Options{})), Canonical(b.String()); got != want {
			t.Errorf("%s: %s", shape.Name, difference(got, want))
		}
	}
}

func TestTwinsOfOtherAlphabetsAreMarked(t *testing.T) {
	shape, _ := ShapeNamed("6x13")
	for text, want := range map[string]int{ // tiles, the end of the row not counted
		"a cat":        0, // Latin is expected
		"кот":          0, // к is Cyrillic only
		"окно":         1, // о is taken for Latin first
		"the кот":      0,
		"the окно":     1,
		"окно the the": 1, // t is Latin only
		"окно a":       2,
	} {
		set := newSetter(shape)
		set.fill([]Segment{{Text: text}}, place{}, 1<<30, false)
		tiles := -1
		for _, c := range set.cells[:set.n] {
			if isTile(c) {
				tiles++
			}
		}
		if tiles != want {
			t.Errorf("%q has %d marks, want %d", text, tiles, want)
		}
	}
}
