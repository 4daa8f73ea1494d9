package transcript

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPeekSeesWhatACutHeadHolds(t *testing.T) {
	whole := `{"a":1, "b" : {"c":[true,"x\"y"]} ,"d":"end"}`
	for cut := range len(whole) + 1 {
		var seen []string
		for key, value := range Peek([]byte(whole[:cut])) {
			seen = append(seen, fmt.Sprintf("%s=%s", key, value))
		}
		if cut >= 17 && cut < 35 {
			if want := []string{"a=1", "b=" + strings.TrimSpace(whole[14:cut])}; !slices.Equal(seen, want) {
				t.Errorf("cut at %d: %q, want %q", cut, seen, want)
			}
		}
		if cut == len(whole) && !slices.Equal(seen, []string{"a=1", `b={"c":[true,"x\"y"]}`, `d="end"`}) {
			t.Errorf("whole: %q", seen)
		}
	}
	var elements []string
	for v := range PeekElements([]byte(` [ 1,{"a":2},{"b":`)) {
		elements = append(elements, string(v))
	}
	if want := []string{"1", `{"a":2}`, `{"b":`}; !slices.Equal(elements, want) {
		t.Errorf("elements %q", elements)
	}
	if got := PeekMember([]byte(`{"a":1,"b":[{"c"`), "b"); string(got) != `[{"c"` {
		t.Errorf("member %q", got)
	}
}

func TestHeadLinesLeaveOutWhatIsEmpty(t *testing.T) {
	var got []string
	for line := range memoryFile("\uFEFF{}\r\n\n \x00{\"a\":\n").HeadLines() {
		got = append(got, string(line))
	}
	if !slices.Equal(got, []string{"{}", `{"a":`}) {
		t.Errorf("%q", got)
	}
}

func TestAChainNamesAPlaceAndAllBeforeIt(t *testing.T) {
	names := func(records ...string) []string {
		var c Chain
		var all []string
		for _, r := range records {
			all = append(all, c.Next([]byte(r)))
		}
		return all
	}
	short, long, changed := names("a", "a"), names("a", "a", "b"), names("x", "a", "b")
	if !slices.Equal(short, long[:2]) {
		t.Errorf("a list that grows renames what it has: %q, %q", short, long)
	}
	if short[0] == short[1] || long[1] == changed[1] || long[2] == changed[2] {
		t.Errorf("the same name for different places: %q, %q", long, changed)
	}
}

// placed is a format that is asked only for its places.
type placed struct {
	Format
	patterns []string
}

func (p placed) Name() string            { return "placed" }
func (p placed) Places(Machine) []string { return p.patterns }

func TestPlacesListsEachFileOnce(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.jsonl", "a.jsonl", "c.txt"} {
		writeFile(t, filepath.Join(dir, name), "x")
	}
	pattern := filepath.Join(dir, "*.jsonl")
	got, err := Places([]Format{placed{patterns: []string{pattern}}, placed{patterns: []string{pattern, filepath.Join(dir, "none", "*")}}}, Machine{})
	if want := []string{filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := Places([]Format{placed{patterns: []string{"["}}}, Machine{}); err == nil || !strings.Contains(err.Error(), "placed") {
		t.Errorf("err = %v", err)
	}
}

func TestAMachineWithoutHomeHasNoPlaces(t *testing.T) {
	environment := map[string]string{"TOOL": "/elsewhere"}
	m := Machine{Home: "/home/u", Getenv: func(name string) string { return environment[name] }}
	if got := m.Dir("TOOL", ".tool"); got != "/elsewhere" {
		t.Errorf("got %q", got)
	}
	if got := m.Dir("OTHER", ".other", "sub"); got != filepath.Join("/home/u", ".other", "sub") {
		t.Errorf("got %q", got)
	}
	if got := (Machine{}).Dir("TOOL", ".tool"); got != "" {
		t.Errorf("got %q", got)
	}
}
