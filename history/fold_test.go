package history

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func describeFold(f Fold) string {
	var b strings.Builder
	for _, s := range f.Segments {
		fmt.Fprintf(&b, "%v-%v %s%s; ", s.From, s.End, s.As, s.Text)
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func treat(from, to, text string, as As) Treatment {
	f, err := ParseHandle(from)
	if err != nil {
		panic(err)
	}
	t, err := ParseHandle(to)
	if err != nil {
		panic(err)
	}
	return Treatment{From: f, To: t, As: as, Text: text}
}

func TestLaterTreatmentsWin(t *testing.T) {
	for _, c := range []struct {
		name        string
		compactions [][]Treatment
		want        string
	}{
		{"a stub in the middle of nothing", [][]Treatment{{treat("5.2", "5.2", "a", AsStub)}}, "5.2-5.3 stuba"},
		{"a summary swallows stubs", [][]Treatment{{treat("5.2", "5.2", "a", AsStub), treat("9", "9", "b", AsStub)}, {treat("2", "7", "s", AsSummary)}}, "2-8 summarys; 9-10 stubb"},
		{"a range is split", [][]Treatment{{treat("1", "9", "s", AsSummary)}, {treat("4", "5", "x", AsStub)}}, "1-4 summarys; 4-6 stubx; 6-10 summarys"},
		{"whole takes an entry back", [][]Treatment{{treat("1", "9", "s", AsSummary)}, {treat("4", "4", "", AsWhole)}}, "1-4 summarys; 5-10 summarys"},
		{"whole takes a part back", [][]Treatment{{treat("4", "4", "s", AsStub)}, {treat("4.2", "4.2", "", AsWhole)}}, "4-4.2 stubs; 4.3-5 stubs"},
		{"within one compaction the later wins too", [][]Treatment{{treat("1", "3", "a", AsStub), treat("2", "2", "b", AsStub)}}, "1-2 stuba; 2-3 stubb; 3-4 stuba"},
		{"out of order", [][]Treatment{{treat("8", "8", "b", AsStub), treat("2", "2", "a", AsStub)}}, "2-3 stuba; 8-9 stubb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var compactions []*Compaction
			for _, ts := range c.compactions {
				compactions = append(compactions, &Compaction{Treatments: ts})
			}
			if got := describeFold(FoldTreatments(compactions)); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestFoldAgreesWithPaintingEachPlace (P4) holds the fold to the simplest
// model: every place of a path is painted with each treatment in turn.
func TestFoldAgreesWithPaintingEachPlace(t *testing.T) {
	const entries, parts = 12, 3
	handle := rapid.Custom(func(t *rapid.T) [2]Handle {
		if rapid.Bool().Draw(t, "parts") {
			d := rapid.IntRange(1, entries).Draw(t, "depth")
			from := rapid.IntRange(1, parts).Draw(t, "from")
			return [2]Handle{{d, from}, {d, rapid.IntRange(from, parts).Draw(t, "to")}}
		}
		from := rapid.IntRange(1, entries).Draw(t, "from")
		return [2]Handle{{from, 0}, {rapid.IntRange(from, entries).Draw(t, "to"), 0}}
	})
	rapid.Check(t, func(t *rapid.T) {
		painted := map[Handle]*Treatment{}
		var compactions []*Compaction
		for range rapid.IntRange(1, 5).Draw(t, "compactions") {
			c := &Compaction{}
			for range rapid.IntRange(1, 6).Draw(t, "treatments") {
				r := handle.Draw(t, "range")
				as := rapid.SampledFrom([]As{AsStub, AsSummary, AsWhole}).Draw(t, "as")
				c.Treatments = append(c.Treatments, Treatment{From: r[0], To: r[1], As: as, Text: "x"})
			}
			compactions = append(compactions, c)
			for i := range c.Treatments {
				tr := &c.Treatments[i]
				for d := tr.From.Depth; d <= tr.To.Depth; d++ {
					for p := 1; p <= parts; p++ {
						if tr.From.Part == 0 || tr.From.Part <= p && p <= tr.To.Part {
							painted[Handle{d, p}] = tr
						}
					}
				}
			}
		}
		fold := FoldTreatments(compactions)
		for d := 1; d <= entries; d++ {
			for p := 1; p <= parts; p++ {
				h := Handle{d, p}
				want := painted[h]
				if want != nil && want.As == AsWhole {
					want = nil
				}
				got := fold.At(h)
				if (got == nil) != (want == nil) || got != nil && got.Treatment != want {
					t.Fatalf("%v: got %v, want %v\n%s", h, got, want, describeFold(fold))
				}
			}
		}
		for i := 1; i < len(fold.Segments); i++ {
			if fold.Segments[i-1].End.Compare(fold.Segments[i].From) > 0 {
				t.Fatalf("segments overlap: %s", describeFold(fold))
			}
		}
	})
}

func TestCompactionsNoViewCouldApplyAreRefused(t *testing.T) {
	for _, c := range []struct {
		treatment Treatment
		want      string
	}{
		{treat("5", "4", "x", AsStub), "ends before it begins"},
		{treat("5.1", "6.1", "x", AsStub), "must stay in one entry"},
		{treat("5", "5.1", "x", AsStub), "must stay in one entry"},
		{treat("5", "5", "", AsSummary), "text that stands for the range is missing"},
		{treat("5", "5", "", AsPages), "pages are expected"},
		{treat("5", "5", "x", "hologram"), "not known"},
		{Treatment{As: AsWhole}, "no depth"},
	} {
		_, err := EncodeCompaction(&Compaction{Treatments: []Treatment{c.treatment}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q in it", c.treatment, err, c.want)
		}
	}
}

func TestCompactionBodiesRoundTrip(t *testing.T) {
	c := &Compaction{
		Reason: Reason{Trigger: ByRefusal, Used: 213_462, Limit: 200_000, Note: "prompt is too long"},
		Treatments: []Treatment{
			treat("3.2", "3.2", "[read main.go]", AsStub),
			{From: Handle{4, 0}, To: Handle{9, 0}, As: AsPages, Text: "guide", Pages: &Pages{Shape: []byte(`{"cell":"8x16"}`), Renderer: 1, Pages: []Page{{End: 10, CRC: 7, Index: "x"}}}},
		},
	}
	body, err := EncodeCompaction(c)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeCompaction(body)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := EncodeCompaction(got); string(again) != string(body) {
		t.Errorf("%s became %s", body, again)
	}
}
