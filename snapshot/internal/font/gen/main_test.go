package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The data that is kept must be what the fonts give.
func TestDataIsUpToDate(t *testing.T) {
	const (
		misc  = "/usr/share/fonts/X11/misc"
		hex   = "/usr/share/unifont/unifont.hex"
		upper = "/usr/share/fonts/opentype/unifont/unifont_upper.otf"
	)
	for _, source := range []string{filepath.Join(misc, "6x13.pcf.gz"), hex, upper} {
		if _, err := os.Stat(source); err != nil {
			t.Skipf("the fonts are not installed: %v", err)
		}
	}
	dir := t.TempDir()
	if err := run(misc, hex, upper, dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"6x13.zst", "8x13.zst", "9x15.zst", "unifont.zst"} {
		made, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(filepath.Join("../data", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(made, kept) {
			t.Errorf("%s: %d bytes are kept, the fonts give %d others; run go generate, and raise snapshot.Version", name, len(kept), len(made))
		}
	}
}

func TestRepairsNameTheLineOfAnError(t *testing.T) {
	for text, want := range map[string]string{
		"##..":                   "repairs.txt:1: want FONT U+CODE, or a row of . and #",
		"8x13 U+XYZ":             `repairs.txt:1: strconv.ParseUint: parsing "XYZ": invalid syntax`,
		"8x13 U+41\n##..\n#...#": "repairs.txt:3: a row of 5 pixels after rows of 4",
	} {
		if _, err := parseRepairs(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	fixes, err := parseRepairs("// a comment\n\n8x13 U+41\n#.\n.#\n")
	if err != nil || len(fixes) != 1 || fixes[0].code != 'A' || fixes[0].width != 2 {
		t.Fatalf("%+v, %v", fixes, err)
	}
	if p := fixes[0].picture(3); p.rows[0] != 2 || p.rows[1] != 1 || p.rows[2] != 0 {
		t.Errorf("rows %v", p.rows)
	}
}
