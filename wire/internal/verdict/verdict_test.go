package verdict

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wiretest"
)

func TestTheEarliestStageSpeaks(t *testing.T) {
	var s Stages
	if s.First() != nil || !s.Open(2) {
		t.Error("something was refused before anything was")
	}
	for _, add := range []struct {
		stage int
		words string
	}{{2, "late"}, {1, "first"}, {1, "second"}} {
		s.Add(add.stage, &wire.Refusal{Message: add.words})
	}
	if got := s.First().Message; got != "first" {
		t.Errorf("got %q", got)
	}
}

func TestIsBase64(t *testing.T) {
	long := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("long", 5000)))
	for in, want := range map[string]bool{
		"": true, "c2ln": true, "c2k=": true, "c2k": true, "-_-_": true, long: true,
		"c": false, "c2k!": false, long[:9000] + "!" + long[9001:]: false, "skip_thought_signature_validator": true,
	} {
		if got := IsBase64([]byte(in)); got != want {
			t.Errorf("%.20s of %d bytes: %v", in, len(in), got)
		}
	}
}

func TestImagesAreReadByTheirHeader(t *testing.T) {
	whole := base64.StdEncoding.EncodeToString(wiretest.PNG(300, 200))
	for _, in := range []string{whole, whole[:64]} {
		if got := ReadImage([]byte(in)); got != (Image{Type: "image/png", WidthPx: 300, HeightPx: 200}) {
			t.Errorf("%d bytes: %+v", len(in), got)
		}
	}
	if got := ReadImage([]byte("!")); got.Type != "" {
		t.Errorf("%+v", got)
	}
}

func TestStringsAreLookedInto(t *testing.T) {
	for in, want := range map[string][2]bool{`""`: {true, true}, `" \n"`: {false, true}, `"\u2003"`: {false, true}, `"x"`: {false, false}, `" x"`: {false, false}, `"é"`: {false, false}} {
		if empty, blank := Blank([]byte(in)); empty != want[0] || blank != want[1] {
			t.Errorf("%s: empty %v, blank %v", in, empty, blank)
		}
	}
	for in, want := range map[string]string{`"a\/b"`: "a/b", `"ab"`: "ab", `7`: "", ``: ""} {
		if got := string(Inside([]byte(in))); got != want {
			t.Errorf("%s: %q", in, got)
		}
	}
	if kind, data, ok := DataURL([]byte("data:image/png;base64,AA==")); kind != "image/png" || string(data) != "AA==" || !ok {
		t.Errorf("%s %s %v", kind, data, ok)
	}
	for _, other := range []string{"https://example.org", "data:image/png,AA", "data:"} {
		if _, _, ok := DataURL([]byte(other)); ok {
			t.Errorf("%s is no data URL of base64", other)
		}
	}
}
