package snapshot

import (
	"slices"
	"strings"
	"unicode"

	"github.com/stemma-history/stemma/snapshot/internal/exact"
)

// surveyed is what an index can tell of a page, in the order of the page.
type surveyed struct {
	prompts  []quote
	failures []quote
	tools    []toolCount
	strings  []*candidate
}

// A quote is the beginning of a text that stands on the page.
type quote struct {
	label string // the handle, and the tool
	text  string
}

type toolCount struct {
	name  string
	calls int
}

// A candidate is an exact string that no earlier index lists.
type candidate struct {
	exact.String
	count  int    // how often it stands on the page
	called bool   // it stands in the arguments of a call
	line   string // of the index that lists it
}

// survey reads a page. listed are the strings to leave out.
func survey(t *pageText, listed map[string]bool) surveyed {
	s := surveyor{listed: listed, at: map[string]*candidate{}}
	if !t.serialised {
		s.strings(t.before, t.text, t.cut, false)
		return s.found
	}
	all := slices.Collect(scopes(t.text))
	for i := range all {
		sc, before := &all[i], ""
		if i == 0 && sc.word == "" {
			before = t.before
		}
		s.scope(sc)
		s.strings(before, sc.raw, t.cut && i == len(all)-1, sc.word == scopeCall)
	}
	return s.found
}

type surveyor struct {
	found  surveyed
	listed map[string]bool
	at     map[string]*candidate
}

func (s *surveyor) scope(sc *scope) {
	if !sc.whole {
		return
	}
	switch sc.word {
	case scopeUser:
		s.found.prompts = append(s.found.prompts, quote{sc.handle, sc.body()})
	case scopeCall:
		s.call(sc.words)
	case scopeOut:
		if tool, failed := sc.failure(); failed {
			s.found.failures = append(s.found.failures, quote{sc.handle + " " + tool, sc.body()})
		}
	}
}

// failure returns the tool of a result that is an error.
func (s *scope) failure() (tool string, failed bool) {
	words := s.words
	if len(words) == 0 {
		return "", false
	}
	tool, words = words[0], words[1:]
	if len(words) >= 2 && words[0] == "of" {
		words = words[2:]
	}
	return tool, len(words) > 0
}

func (s *surveyor) call(words []string) {
	if len(words) == 0 {
		return
	}
	for i := range s.found.tools {
		if s.found.tools[i].name == words[0] {
			s.found.tools[i].calls++
			return
		}
	}
	s.found.tools = append(s.found.tools, toolCount{words[0], 1})
}

// strings notes the exact strings that end in text. before stands in front of
// it: what reaches to its end was left to this page by the one before, as a
// string at the very end of a text that is cut is left to the next.
func (s *surveyor) strings(before, text string, cut, called bool) {
	if before != "" {
		text = before + text
	}
	for found := range exact.Strings(text) {
		if found.End < len(before) || cut && found.End == len(text) || s.listed[found.Text] {
			continue
		}
		c := s.at[found.Text]
		if c == nil {
			c = &candidate{String: found}
			s.at[found.Text] = c
			s.found.strings = append(s.found.strings, c)
		}
		c.count++
		c.called = c.called || called
	}
}

// quoted returns the first words of a text in quotes: one line of at most
// length characters, without anything that could end the quotation or change
// the direction of the text behind it.
func quoted(text string, length int) string {
	if most := 8 * length; len(text) > most { // the rest cannot show
		text = text[:most]
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '"':
			return '\''
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > length {
		text = strings.TrimRight(string(runes[:length-1]), " ") + "…"
	}
	return `"` + text + `"`
}
