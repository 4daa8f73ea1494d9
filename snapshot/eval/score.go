package eval

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A Tally counts how the strings of one kind were read.
type Tally struct {
	Strings   int `json:"strings"`
	Exact     int `json:"exact"`     // every character right
	Abstained int `json:"abstained"` // said to be unreadable
	Missing   int `json:"missing"`   // no answer
	// Characters is the length of the strings that were answered, Edits how
	// many characters have to be put in, taken out or changed to correct the
	// answers.
	Characters int `json:"characters"`
	Edits      int `json:"edits"`
}

// ExactShare is the share of all strings that were read exactly.
func (t Tally) ExactShare() float64 { return share(t.Exact, t.Strings) }

// ErrorRate is the character error rate of the answers.
func (t Tally) ErrorRate() float64 { return share(t.Edits, t.Characters) }

// Wrong is how many strings were answered, but not exactly: the errors that
// nobody notices.
func (t Tally) Wrong() int { return t.Strings - t.Exact - t.Abstained - t.Missing }

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func (t *Tally) add(u Tally) {
	t.Strings += u.Strings
	t.Exact += u.Exact
	t.Abstained += u.Abstained
	t.Missing += u.Missing
	t.Characters += u.Characters
	t.Edits += u.Edits
}

// A Row is the tally of the strings of one class on pages of one shape.
type Row struct {
	Shape string `json:"shape"`
	Class Class  `json:"class"`
	Tally
}

// A Confusion is a character that was read as another. Read is "" where it was
// left out, Truth is "" where one was put in.
type Confusion struct {
	Truth string `json:"truth"`
	Read  string `json:"read"`
	Count int    `json:"count"`
}

// A Report is what Score found.
type Report struct {
	Total      Tally       `json:"total"`
	Rows       []Row       `json:"rows"`       // shapes in the order of the truth, classes in that of Classes
	Confusions []Confusion `json:"confusions"` // most frequent first
}

// Score marks a transcript: lines with the number of an item and its string.
// Marks of lists and tables, quotes and backticks around either are ignored,
// and so is every other line. Where an item is answered again, the last answer
// counts.
func Score(items []Item, transcript string) Report {
	answers := answersIn(transcript)
	var r Report
	rows := map[Row]*Tally{}
	pairs := map[Confusion]int{}
	var shapes []string
	for _, it := range items {
		key := Row{Shape: it.Shape, Class: it.Class}
		if rows[key] == nil {
			rows[key] = &Tally{}
		}
		if !slices.Contains(shapes, it.Shape) {
			shapes = append(shapes, it.Shape)
		}
		answer, found := answers[it.Number]
		t := mark(it.Text, answer, found, pairs)
		rows[key].add(t)
		r.Total.add(t)
	}
	for _, shape := range shapes {
		for _, class := range Classes() {
			if t := rows[Row{Shape: shape, Class: class}]; t != nil {
				r.Rows = append(r.Rows, Row{shape, class, *t})
			}
		}
	}
	for pair, n := range pairs {
		pair.Count = n
		r.Confusions = append(r.Confusions, pair)
	}
	slices.SortFunc(r.Confusions, func(a, b Confusion) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Truth, b.Truth), cmp.Compare(a.Read, b.Read))
	})
	return r
}

// mark tallies one answer, and counts in pairs what was confused in it.
func mark(truth, answer string, found bool, pairs map[Confusion]int) Tally {
	t := Tally{Strings: 1}
	switch {
	case !found:
		t.Missing = 1
		return t
	case strings.Trim(answer, "?") == "":
		t.Abstained = 1
		return t
	case answer == truth:
		t.Exact = 1
	}
	t.Characters = len([]rune(truth))
	for _, c := range differences(truth, answer) {
		t.Edits++
		pairs[c]++
	}
	return t
}

// answersIn finds the lines of a transcript that answer an item.
func answersIn(transcript string) map[int]string {
	answers := map[int]string{}
	for line := range strings.Lines(transcript) {
		line = strings.TrimLeft(line, " \t*-|>`\"'")
		line = strings.TrimPrefix(line, "Item ")
		end := strings.IndexFunc(line, func(r rune) bool { return r < '0' || r > '9' })
		if end <= 0 {
			continue
		}
		number, err := strconv.Atoi(line[:end])
		if err != nil {
			continue
		}
		const around = " \t\r\n|`\"'*"
		if answer := strings.Trim(strings.TrimLeft(line[end:], around+":.="), around); answer != "" {
			answers[number] = answer
		}
	}
	return answers
}
