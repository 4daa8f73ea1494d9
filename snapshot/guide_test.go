package snapshot

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/snapshot/internal/font"
)

// The guide stays in the caches of providers and in stored compactions. To
// change it, raise GuideVersion and add a golden file for the new version.
func TestTheGuideOfAVersionNeverChanges(t *testing.T) {
	golden := fmt.Sprintf("testdata/guide-%d.txt", GuideVersion)
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if Guide != string(want) {
		t.Errorf("the guide differs from %s", golden)
	}
}

func TestTheGuideExplainsEveryMark(t *testing.T) {
	for _, word := range []string{scopeUser, scopeAI, scopeAgent, scopeHarness, scopeDigest, scopeThink, scopeCall, scopeOut, scopeImage, scopeDocument, scopeOpaque, scopeStub} {
		if !strings.Contains(Guide, scopeMark+word+" ") && !strings.Contains(Guide, scopeMark+word+",") {
			t.Errorf("the speaker %s is not explained", word)
		}
	}
	_, pages, _ := strings.Cut(Guide, "\nPages. ")
	pages, _, _ = strings.Cut(pages, "\n")
	tiles := []cell{markNewline, markSpaces, markTab, markReturn, markCode, markBytes, markEnd, markRowEnd}
	for s := font.Latin; s <= font.Cyrillic; s++ {
		tiles = append(tiles, scriptTile(s))
	}
	for _, r := range "\u00A0\u202F\u3000\uFE0F\u200D\u200B\u00AD" {
		c, _ := silent(r)
		tiles = append(tiles, c)
	}
	for _, c := range tiles {
		sign := strings.ReplaceAll(string(rune(c-tileBase)), "\n", "¶")
		if !regexp.MustCompile(`[ ]` + regexp.QuoteMeta(sign) + `[ ,;]`).MatchString(pages) {
			t.Errorf("the tile %s is not explained", sign)
		}
	}
	for _, escaped := range []string{escapeOf('▶'), escapeOf('¬')} {
		if !strings.Contains(Guide, escaped) {
			t.Errorf("the escape %s is not explained", escaped)
		}
	}
}

// Words that make a text with images look like an injection, and words that
// claim more than is so.
func TestTheGuideAsksForNothing(t *testing.T) {
	if found := regexp.MustCompile(`(?i)\b(must|obey|follow|always|never|important|ignore|instructions?|you|your|please|do not|don't)\b`).FindString(Guide); found != "" {
		t.Errorf("the guide says %q", found)
	}
}

func TestTheGuideToAFileSpeaksOfNoConversation(t *testing.T) {
	for _, word := range []string{"conversation", "entries", "▶", "recall"} {
		if strings.Contains(FileGuide, word) {
			t.Errorf("it says %q", word)
		}
	}
	if !strings.Contains(FileGuide, "¶ begins a new line") {
		t.Error("it does not explain the signs")
	}
}
