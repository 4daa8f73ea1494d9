package eval

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAPaperHidesEachItemOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, count := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 40).Draw(t, "count")
		length := rapid.IntRange(4200, 20000).Draw(t, "length")
		p, err := NewPaper(rand.New(rand.NewPCG(seed, 0)), FirstNumber, count, length)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Text) > length || len(p.Text) < length-300 {
			t.Fatalf("%d characters for a page of %d", len(p.Text), length)
		}
		if strings.ContainsFunc(p.Text, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Fatalf("more than printable ASCII in %q", p.Text)
		}
		for _, it := range p.Items {
			if strings.Count(p.Text, fmt.Sprintf("Item %d is %s here.", it.Number, it.Text)) != 1 {
				t.Fatalf("item %+v does not stand once in\n%s", it, p.Text)
			}
		}
		again, _ := NewPaper(rand.New(rand.NewPCG(seed, 0)), FirstNumber, count, length)
		if again.Text != p.Text {
			t.Fatal("the same seed gave another paper")
		}
		if r := Score(p.Items, answerSheet(p.Items)); r.Total.Exact != count || len(r.Confusions) != 0 {
			t.Fatalf("a perfect transcript scored %+v", r)
		}
	})
}

func answerSheet(items []Item) string {
	var b strings.Builder
	for _, it := range items {
		fmt.Fprintf(&b, "%d %s\n", it.Number, it.Text)
	}
	return b.String()
}

func TestAPageWithoutRoomIsRefused(t *testing.T) {
	_, err := NewPaper(rand.New(rand.NewPCG(1, 0)), FirstNumber, 40, 1000)
	if err == nil || !strings.Contains(err.Error(), "40 strings need a page of") {
		t.Errorf("error %v", err)
	}
}

func TestScore(t *testing.T) {
	items := []Item{
		{1001, "6x13", 1, Hex, "9f3a21cc41d2e7b0"},
		{1002, "6x13", 1, Base62, "aB3dE9xYz012"},
		{1003, "6x13", 1, Sum, "48,213.07"},
		{1004, "8x16", 1, Hex, "0000000000000000"},
		{1005, "8x16", 1, Base62, "QQQQQQQQQQQQ"},
	}
	r := Score(items, "Here is what I read:\n"+
		"- 1001: `9f3a21cc41d2e7bO`\n"+ // 0 as O
		"| 1002 | aB3dE9xYz12 |\n"+ // 0 left out
		"1002 aB3dE9xY2012\n"+ // the last answer counts: z as 2
		"Item 1003 = 48,213.07\n"+
		"1004 ?\n"+
		"9999 x\n")
	if r.Total != (Tally{Strings: 5, Exact: 1, Abstained: 1, Missing: 1, Characters: 37, Edits: 2}) || r.Total.Wrong() != 2 {
		t.Errorf("total %+v", r.Total)
	}
	if got := fmt.Sprint(r.Confusions); got != "[{0 O 1} {z 2 1}]" {
		t.Errorf("confusions %s", got)
	}
	var rows []string
	for _, row := range r.Rows {
		rows = append(rows, fmt.Sprintf("%s %s %.0f%% %.4f", row.Shape, row.Class, 100*row.ExactShare(), row.ErrorRate()))
	}
	if got := strings.Join(rows, ", "); got != "6x13 hex 0% 0.0625, 6x13 base62 0% 0.0833, 6x13 sum 100% 0.0000, 8x16 hex 0% 0.0000, 8x16 base62 0% 0.0000" {
		t.Errorf("rows %s", got)
	}
}

func TestDifferencesAreTheFewest(t *testing.T) {
	for _, c := range []struct{ truth, read, want string }{
		{"abc", "abc", "[]"},
		{"abc", "abd", "[{c d 0}]"},
		{"abc", "ac", "[{b  0}]"},
		{"ac", "abc", "[{ b 0}]"},
		{"", "x", "[{ x 0}]"},
		{"é0", "eO", "[{é e 0} {0 O 0}]"},
	} {
		if got := fmt.Sprint(differences(c.truth, c.read)); got != c.want {
			t.Errorf("%q read as %q: %s, want %s", c.truth, c.read, got, c.want)
		}
	}
}

func TestTruthRoundTrips(t *testing.T) {
	p, err := NewPaper(rand.New(rand.NewPCG(1, 0)), FirstNumber, 10, 5000)
	if err != nil {
		t.Fatal(err)
	}
	p.Items[3].Shape, p.Items[3].Page = "6x13", 2
	var b strings.Builder
	if err := WriteTruth(&b, p.Items); err != nil {
		t.Fatal(err)
	}
	got, err := ReadTruth(strings.NewReader(b.String()))
	if err != nil || fmt.Sprint(got) != fmt.Sprint(p.Items) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := ReadTruth(strings.NewReader("x\n")); err == nil || !strings.Contains(err.Error(), "line 1: expected the five columns") {
		t.Errorf("error %v", err)
	}
}
