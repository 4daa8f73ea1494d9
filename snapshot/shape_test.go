package snapshot

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestShapesFromAFile(t *testing.T) {
	shapes, err := ParseShapes("shapes.toml", []byte(`
[shape.8x16]
page = [1932, 1932]

[shape.large]
font = "9x15"
cell = [10, 20]
grey = true
`))
	if err != nil {
		t.Fatal(err)
	}
	builtin := Shapes()
	want := []Shape{
		builtin[0], // 6x13
		builtin[1].WithPage(1932, 1932),
		builtin[2],
		builtin[3],
		{Name: "large", Font: "9x15", CellWidth: 10, CellHeight: 20, PageWidth: 1568, PageHeight: 784, Grey: true},
	}
	if !slices.Equal(shapes, want) {
		t.Errorf("got %+v", shapes)
	}
}

func TestWrongShapeFilesNameTheKey(t *testing.T) {
	for data, want := range map[string]string{
		"[shape.a]\nfont = \"5x7\"":              `shapes.toml: shape "a": font "5x7": want one of 6x13`,
		"[shape.a]\ncell = [8]":                  `shapes.toml: shape "a": cell = [8]: want width and height in pixels, as in [8, 16]`,
		"[shape.a]\npage = [0, 5]":               `shapes.toml: shape "a": page = [0 5]: want`,
		"[shape.a]\npage = [100, 100]":           `shapes.toml: shape "a": page 100×100 holds`,
		"[shape.a]\ncolour = true":               `shapes.toml: line 2, column 1: the key "shape.a.colour" is not known`,
		"[shape.a]\ncell = [8, 16]\nfont = true": `shapes.toml: line 3, column 8: `,
	} {
		_, err := ParseShapes("shapes.toml", []byte(data))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s…", data, err, want)
		}
	}
}

func TestIllegibleScriptsAreNamed(t *testing.T) {
	for text, want := range map[string]Legibility{
		"": {},
		"plain, Türkçe, Ελληνικά, 漢字, العربية, עברית, 한국어, かな ✅": {Characters: 54},
		"ok ไทย हिन्दी": {Characters: 13, Illegible: 9, Scripts: []string{"Devanagari", "Thai"}},
	} {
		got := Legible(text)
		if got.Characters != want.Characters || got.Illegible != want.Illegible || !slices.Equal(got.Scripts, want.Scripts) {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
	if share := Legible("abคง").Share(); share != 0.5 {
		t.Errorf("a share of %v, want half", share)
	}
}

// TestAHundredthDecides: what people say in a language of their own is little
// beside code and the output of tools.
func TestAHundredthDecides(t *testing.T) {
	code := strings.Repeat("if err != nil { return err }\n", 100)
	thai := "ช่วยแก้ไขการทดสอบที่ล้มเหลว"
	for _, c := range []struct {
		said int
		want bool
	}{{0, false}, {1, false}, {2, true}} {
		src := []Segment{{Text: strings.Repeat(thai+"\n", c.said)}, {Text: code}}
		l := LegibleSource(src)
		if l.StaysText() != c.want {
			t.Errorf("%d prompts, a share of %v: stays text %v", c.said, l.Share(), l.StaysText())
		}
		if whole := Legible(src[0].Text + src[1].Text); !reflect.DeepEqual(l, whole) {
			t.Errorf("in segments %+v, as one %+v", l, whole)
		}
	}
}

func TestParagraphsOfMixedDirectionsStayText(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"שלום עולם", 0},
		{"שלום 12.5 (עולם)", 0},
		{"the word שלום in English", 0},
		{"שלום Go עולם", 8},
		{"- שלום עולם go", 8},
		{"שלום\nGo\nעולם", 0},
		{"שלום\nעולם Go\n", 4},
		{"مرحبا Go", 5},
	} {
		l := Legible(c.text)
		if l.Illegible != c.want || (c.want > 0) != slices.Contains(l.Scripts, Mixed) {
			t.Errorf("%q: %+v, want %d", c.text, l, c.want)
		}
	}
}
