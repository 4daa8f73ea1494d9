package fulltext

import (
	"fmt"
	"strings"
	"unicode"
)

// A Query is what someone searches for: messages that have all the phrases.
type Query struct {
	Phrases []Phrase
}

// A Phrase is words that stand next to each other. With Prefix, the last one
// may be the beginning of a word.
type Phrase struct {
	Words  []string
	Prefix bool
}

// Parse reads a search text: words, phrases in double quotes. What is typed as
// one word but is several (read_file, 会话) is a phrase. The last word may be a
// beginning.
func Parse(text string) (Query, error) {
	var q Query
	quoted := false
	for i, part := range strings.Split(text, `"`) {
		quoted = i%2 == 1
		words := []string{part}
		if !quoted {
			words = strings.FieldsFunc(part, unicode.IsSpace)
		}
		for _, w := range words {
			q.add(w)
		}
	}
	if len(q.Phrases) == 0 {
		return Query{}, fmt.Errorf("search %q: expected at least one word of letters or digits", text)
	}
	if !quoted && !strings.HasSuffix(strings.TrimSpace(text), `"`) {
		q.Phrases[len(q.Phrases)-1].Prefix = true
	}
	return q, nil
}

func (q *Query) add(text string) {
	var p Phrase
	for _, w := range Words(text) {
		p.Words = append(p.Words, w.Text)
	}
	if p.Words != nil {
		q.Phrases = append(q.Phrases, p)
	}
}

// Count returns how often the phrases occur among words, or 0 where one of
// them does not.
func (q Query) Count(words []Word) int {
	all := 0
	for _, p := range q.Phrases {
		n := 0
		for i := range words {
			if p.at(words[i:]) {
				n++
			}
		}
		if n == 0 {
			return 0
		}
		all += n
	}
	return all
}

// at reports whether words begin with the phrase.
func (p Phrase) at(words []Word) bool {
	last := len(p.Words) - 1
	if len(words) <= last {
		return false
	}
	for i, w := range p.Words[:last] {
		if words[i].Text != w {
			return false
		}
	}
	if p.Prefix {
		return strings.HasPrefix(words[last].Text, p.Words[last])
	}
	return words[last].Text == p.Words[last]
}
