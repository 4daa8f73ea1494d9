package eval

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// An Item is one string that a reader has to find and write down.
type Item struct {
	Number int    // names the item in the text; unique among the papers of a directory
	Shape  string // of the page, where there is one
	Page   int    // 0 where there is none
	Class  Class
	Text   string
}

// Class is a kind of string.
type Class string

const (
	Hex        Class = "hex"        // 16 hexadecimal digits
	Base62     Class = "base62"     // 12 letters and digits
	Identifier Class = "identifier" // word_Word12345.ab12
	Place      Class = "file:line"  // lib/parser_test.go:1204
	Sum        Class = "sum"        // 48,213.07
)

// Classes returns all classes, in the order of reports.
func Classes() []Class { return []Class{Hex, Base62, Identifier, Place, Sum} }

// FirstNumber is the first number of an item. All have the same length, so
// that none is part of another.
const FirstNumber = 1001

// A Paper is the text of one page and the items in it.
type Paper struct {
	Text  string
	Items []Item
}

// NewPaper writes a paper of at most length characters, all of them ASCII,
// without line breaks. The classes take turns, and the items stand at random
// places in prose. It fails where the items leave no room for prose.
func NewPaper(rng *rand.Rand, firstNumber, count, length int) (Paper, error) {
	p := Paper{Items: make([]Item, count)}
	inserts := make([]string, count)
	used := 0
	for i := range p.Items {
		class := Classes()[i%len(Classes())]
		p.Items[i] = Item{Number: firstNumber + i, Class: class, Text: draw(rng, class)}
		inserts[i] = fmt.Sprintf("Item %d is %s here. ", p.Items[i].Number, p.Items[i].Text)
		used += len(inserts[i])
	}
	const proseForEach = 40 // characters, so that items do not stand in a list
	if left := length - used; left < count*proseForEach {
		return Paper{}, fmt.Errorf("%d strings need a page of %d characters or more, this one has %d", count, used+count*proseForEach, length)
	}
	prose := sentences(rng, length-used)
	rng.Shuffle(count, func(i, j int) { inserts[i], inserts[j] = inserts[j], inserts[i] })
	var b strings.Builder
	written := 0
	for i, insert := range inserts {
		for upTo := (2*i + 1) * len(prose) / (2 * count); written < upTo; written++ {
			b.WriteString(prose[written])
		}
		b.WriteString(insert)
	}
	for _, s := range prose[written:] {
		b.WriteString(s)
	}
	p.Text = strings.TrimRight(b.String(), " ")
	return p, nil
}

const (
	lowerLetters = "abcdefghijklmnopqrstuvwxyz"
	upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	figures      = "0123456789"
)

// draw returns a random string of a class.
func draw(rng *rand.Rand, class Class) string {
	from := func(alphabet string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[rng.IntN(len(alphabet))]
		}
		return string(b)
	}
	switch class {
	case Hex:
		return from("0123456789abcdef", 16)
	case Base62:
		return from(lowerLetters+upperLetters+figures, 12)
	case Identifier:
		// The capital of one word before the rest of another: no word to guess.
		capital := strings.ToUpper(pick(rng, nouns)[:1]) + pick(rng, nouns)[1:]
		return pick(rng, nouns) + "_" + capital + from(figures, 5) + "." + from(lowerLetters, 2) + from(figures, 2)
	case Place:
		return pick(rng, nouns) + "/" + pick(rng, nouns) + "_" + from(lowerLetters, 3) + ".go:" + from("123456789", 1) + from(figures, 3)
	case Sum:
		return from("123456789", 1) + from(figures, 1) + "," + from(figures, 3) + "." + from(figures, 2)
	}
	panic("eval: unknown class " + string(class))
}

func pick(rng *rand.Rand, words []string) string { return words[rng.IntN(len(words))] }

// sentences returns prose of at most length characters, a space behind each
// sentence.
func sentences(rng *rand.Rand, length int) []string {
	var prose []string
	for {
		s := fmt.Sprintf("The %s %s %s the %s, %s the %s %s by %s. ",
			pick(rng, adjectives), pick(rng, nouns), pick(rng, verbs), pick(rng, nouns),
			pick(rng, links), pick(rng, nouns), pick(rng, verbs), pick(rng, nouns))
		if length -= len(s); length < 0 {
			return prose
		}
		prose = append(prose, s)
	}
}

var (
	adjectives = []string{"old", "narrow", "quiet", "second", "heavy", "open", "distant", "plain", "early", "broken", "yellow", "careful", "empty", "common", "hidden", "late"}
	nouns      = []string{"harbour", "ledger", "window", "engine", "garden", "parcel", "signal", "river", "market", "column", "letter", "bridge", "kettle", "orchard", "quarry", "voyage", "jacket", "meadow", "pillow", "fabric"}
	verbs      = []string{"carries", "follows", "measures", "crosses", "answers", "divides", "repairs", "explains", "weighs", "borrows", "judges", "quiets", "fixes", "moves", "keeps", "hears"}
	links      = []string{"while", "because", "although", "before", "where", "until", "after", "since"}
)
