package historytest

import (
	"slices"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

func searchTests() []test {
	return []test{
		{"what is said, called and answered is found by its words", foundByWords},
		{"a search says how much is not indexed yet", unindexed},
		{"any text is safe to search for", safeQueries},
		{"an entry of a fork is found without new indexing", foundInForks},
		{"the best match comes first, and a limit holds", bestMatch},
	}
}

func (f fixture) search(text string, conversation history.ID) []history.Hit {
	f.Helper()
	result, err := f.Search(f.Context(), history.SearchQuery{Text: text, Conversation: conversation})
	f.must(err)
	return result.Hits
}

func foundByWords(f fixture) {
	id, other := f.create(), f.create()
	call := turn("find_ringtones")
	image := prompt("look")
	image.Message.Parts = append(image.Message.Parts, message.Image{Media: message.Media{Type: "image/png", Data: []byte("x"), Name: "cafeteria.png"}})
	said := f.append(id, prompt("Die Größe des Zuges: über 400 m.\nWe said NOTHING about 会话历史记录 then."))[0]
	called := f.append(id, call...)
	shown := f.append(id, image, compaction(2))[0]
	f.append(other, prompt("nothing here"))
	f.index()
	for query, want := range map[string][]history.ID{
		"größe":                {said.ID},
		"GROSSE":               nil,
		"grosze":               nil,
		"uber 400":             {said.ID},
		"zug":                  {said.ID}, // the last word may be a beginning
		"zug 400":              nil,
		`"about 会话"`:           {said.ID},
		"历史":                   {said.ID},
		"史历":                   nil,
		"find_ringtones":       {called[0].ID, called[1].ID},
		`"ran find"`:           {called[1].ID},
		"cafeteria":            {shown.ID},
		"what happened so far": nil, // compactions are not messages
		"absent":               nil,
	} {
		var got []history.ID
		for _, h := range f.search(query, id) {
			got = append(got, h.Entry)
			if h.Match[1] <= h.Match[0] || h.Match[1] > len(h.Excerpt) || strings.Contains(h.Excerpt, "\n") {
				f.Errorf("%q: excerpt %q, match %v", query, h.Excerpt, h.Match)
			}
		}
		equal(f, "what has "+query, sortedIDs(got), sortedIDs(want))
	}
	hit := f.search("nothing about", none)[0]
	if hit.Conversation != id || hit.Entry != said.ID || hit.Handle != said.Handle() || hit.Role != message.User || !hit.Created.Equal(said.Created) {
		f.Errorf("the hit is %+v", hit)
	}
	if word := hit.Excerpt[hit.Match[0]:hit.Match[1]]; word != "NOTHING" {
		f.Errorf("the match is %q", word)
	}
	if all := f.search("nothing", none); len(all) != 2 {
		f.Errorf("in all conversations %+v", all)
	}
}

func unindexed(f fixture) {
	id := f.create()
	f.append(id, prompt("needle one"), prompt("needle two"), prompt("needle three"))
	for indexed := range 4 {
		result, err := f.Search(f.Context(), history.SearchQuery{Text: "needle"})
		f.must(err)
		if len(result.Hits) != indexed || result.Unindexed != 3-indexed {
			f.Errorf("%d hits, %d not indexed, with %d indexed", len(result.Hits), result.Unindexed, indexed)
		}
		left, err := f.Index(f.Context(), 1)
		f.must(err)
		if left != max(2-indexed, 0) {
			f.Errorf("%d left after %d", left, indexed+1)
		}
	}
}

func safeQueries(f fixture) {
	id := f.create()
	f.append(id, prompt(`a "quoted" AND OR NOT near(x y) col:umn star* ^caret {b} + - '`))
	f.index()
	for _, query := range []string{`"quoted`, `AND`, `OR OR`, `NOT near`, `col:umn`, `star*`, `^caret`, `near(x y)`, `{b} +`, `"quoted" AND ''`, `x"`, "caret\x00"} {
		if hits := f.search(query, none); len(hits) != 1 {
			f.Errorf("%q finds %d entries", query, len(hits))
		}
	}
	for _, query := range []string{"", " ", `""`, "*", "'; --"} {
		if _, err := f.Search(f.Context(), history.SearchQuery{Text: query}); err == nil {
			f.Errorf("%q was searched for", query)
		}
	}
}

func foundInForks(f fixture) {
	id := f.create()
	e := f.append(id, prompt("needle"), prompt("needle too"))
	f.index()
	fork := f.fork(id, e[0].ID)
	result, err := f.Search(f.Context(), history.SearchQuery{Text: "needle", Conversation: fork.ID})
	f.must(err)
	if len(result.Hits) != 1 || result.Hits[0].Entry != fork.Tip || result.Unindexed != 0 {
		f.Errorf("in the fork %+v", result)
	}
	if all := f.search("needle", none); len(all) != 3 {
		f.Errorf("in all conversations %+v", all)
	}
}

func bestMatch(f fixture) {
	id := f.create()
	for range 30 {
		f.append(id, prompt("needle "+strings.Repeat("hay ", 200)))
	}
	best := f.append(id, prompt("needle needle needle"))[0].ID
	f.index()
	hits := f.search("needle", none)
	if len(hits) != 20 || hits[0].Entry != best {
		f.Errorf("%d hits, the best is number %d", len(hits), slices.IndexFunc(hits, func(h history.Hit) bool { return h.Entry == best }))
	}
	result, err := f.Search(f.Context(), history.SearchQuery{Text: "needle", Limit: 3})
	f.must(err)
	if len(result.Hits) != 3 {
		f.Errorf("%d hits", len(result.Hits))
	}
}
