package native

import (
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/message"
)

func TestParentsComeFirstAndCirclesAreCut(t *testing.T) {
	for _, c := range []struct{ forest, order, cut []int }{
		{[]int{}, nil, nil},
		{[]int{-1, 0, 1}, []int{0, 1, 2}, nil},
		{[]int{2, 0, -1}, []int{2, 0, 1}, nil},
		{[]int{1, 0}, []int{0, 1}, []int{0}},
		{[]int{1, 2, 1, -1}, []int{1, 0, 2, 3}, []int{1}},
	} {
		order, cut := Forest(slices.Clone(c.forest)).ParentsFirst()
		if !slices.Equal(order, c.order) || !slices.Equal(cut, c.cut) {
			t.Errorf("%v: order %v, cut %v", c.forest, order, cut)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		f := Forest(rapid.SliceOfN(rapid.IntRange(-1, n-1), n, n).Draw(t, "parents"))
		before := slices.Clone(f)
		order, cut := f.ParentsFirst()
		place := map[int]int{}
		for at, i := range order {
			place[i] = at
		}
		if len(order) != n || len(place) != n {
			t.Fatalf("order %v", order)
		}
		for i, p := range f {
			if p >= 0 && place[p] >= place[i] {
				t.Fatalf("%d stands before its parent %d", i, p)
			}
			if p != before[i] && !slices.Contains(cut, i) {
				t.Fatalf("%d lost its parent", i)
			}
		}
	})
}

func TestTheNewestLeafIsTheDeepestOfThoseAsNew(t *testing.T) {
	ids, parents := []string{"r", "a", "b", "c", "a"}, []string{"gone", "r", "r", "b", "r"}
	f := NewForest(len(ids), func(i int) string { return ids[i] }, func(i int) string { return parents[i] })
	if !slices.Equal(f, []int{-1, 0, 0, 2, 0}) {
		t.Fatalf("forest %v", f)
	}
	at := []int64{1, 5, 2, 5, 4}
	created := func(i int) time.Time { return time.Unix(at[i], 0) }
	if got := f.NewestLeaf(created, func(int) bool { return true }); got != 3 {
		t.Errorf("newest %d", got)
	}
	if got := f.NewestLeaf(created, func(i int) bool { return i == 4 }); got != 4 {
		t.Errorf("newest %d", got)
	}
	if got := f.NewestLeaf(created, func(int) bool { return false }); got != -1 {
		t.Errorf("newest %d", got)
	}
}

func TestURLsOfData(t *testing.T) {
	png := "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=="
	data, err := message.Base64(png)
	if err != nil {
		t.Fatal(err)
	}
	image := message.Image{Media: message.Media{Type: "image/png", Data: data, Size: int64(len(data))}, WidthPx: 2, HeightPx: 3}
	for link, want := range map[string]message.Content{
		"data:image/png;base64," + png:     image,
		"data:;base64," + png:              image, // told by the bytes
		"data:text/plain;charset=x,a%20b":  message.Document{Media: message.Media{Type: "text/plain", Data: []byte("a b"), Size: 3}},
		"data:application/pdf;base64,AAE-": message.Document{Media: message.Media{Type: "application/pdf", Data: []byte{0, 1, 0x3E}, Size: 3}},
		"data:image/png;base64,!":          message.Document{Media: message.Media{URL: "data:image/png;base64,!"}},
		"https://x.test/a":                 message.Document{Media: message.Media{URL: "https://x.test/a"}},
	} {
		if got := MediaURL("", "", link); !reflect.DeepEqual(got, want) {
			t.Errorf("%.30s: %+v", link, got)
		}
	}
	if got := ImageURL("https://x.test/a"); !reflect.DeepEqual(got, message.Image{Media: message.Media{URL: "https://x.test/a"}}) {
		t.Errorf("%+v", got)
	}
	if got := MediaURL("image/jpeg", "a.jpg", "file:///a.jpg"); !reflect.DeepEqual(got, message.Image{Media: message.Media{Type: "image/jpeg", URL: "file:///a.jpg", Name: "a.jpg"}}) {
		t.Errorf("%+v", got)
	}
}

func TestTimesOfDatabases(t *testing.T) {
	want := time.Date(2025, 8, 9, 3, 11, 0, 0, time.UTC)
	for _, got := range []time.Time{Time(1754709060), Time(1754709060000), ParseTime("2025-08-09 03:11:00"), ParseTime("2025-08-09T05:11:00+02:00")} {
		if !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("got %v", got)
		}
	}
	for _, none := range []time.Time{Time(0), Time(-1), ParseTime(""), ParseTime("soon")} {
		if !none.IsZero() {
			t.Errorf("got %v", none)
		}
	}
}

func TestAnItemIsAChainOfRecords(t *testing.T) {
	item := Item{ID: "m", Parent: "p"}
	item.Add(message.User, message.ByPerson, message.Text{Text: "a"})
	item.Add(message.User, message.ByPerson, message.Text{Text: "b"})
	item.Add(message.User, message.ByHarness, message.Text{Text: "c"})
	item.Add(message.Tool, message.ByTool)
	var got []string
	for _, r := range item.Records() {
		got = append(got, r.Parent+">"+r.ID+":"+strconv.Itoa(len(r.Message.Parts)))
	}
	if !slices.Equal(got, []string{"p>m:2", "m>m/2:1"}) {
		t.Errorf("got %q", got)
	}
	item.Open = true
	open := item.Records()
	item.Messages[1].Parts = []message.Part{message.Text{Text: "other"}}
	changed := item.Records()
	if open[0].ID != changed[0].ID || open[1].ID == changed[1].ID || changed[1].Parent != changed[0].ID {
		t.Errorf("%s %s, then %s %s", open[0].ID, open[1].ID, changed[0].ID, changed[1].ID)
	}
}
