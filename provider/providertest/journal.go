package providertest

import (
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// A Record is what became of one request.
type Record struct {
	Number int       `json:"number"` // from 1
	At     time.Time `json:"at"`
	Action string    `json:"action"` // generate, count, compact
	Wire   string    `json:"wire"`
	Model  string    `json:"model"`
	// Body is the hash of the body, Bytes its length.
	Body  message.Hash `json:"body"`
	Bytes int          `json:"bytes"`
	// Tokens is what the prompt measures, also where it was refused; 0 where it
	// was refused before that. Window is that of the model.
	Tokens int `json:"tokens"`
	Window int `json:"window"`
	Images int `json:"images,omitempty"`
	// Usage is what was billed, with the price in dollars.
	Usage history.Usage `json:"usage"`
	// Dropped is how many thinking blocks were not read.
	Dropped int `json:"dropped,omitempty"`
	// Status is that of HTTP; Refused is in the provider's words, empty where an
	// answer was given.
	Status  int    `json:"status"`
	Refused string `json:"refused,omitempty"`
	// Overflow says that the prompt was longer than the window, whether it was
	// said or not.
	Overflow bool `json:"overflow,omitempty"`
	// Fault says what was made to go wrong.
	Fault string `json:"fault,omitempty"`
}

// A Journal is what was asked of a server, in the order in which it came in.
type Journal []Record

// Generated returns the requests for an answer: not those that only count.
func (j Journal) Generated() Journal {
	var g Journal
	for _, r := range j {
		if r.Action == string(generates) {
			g = append(g, r)
		}
	}
	return g
}

// Refused returns those that were refused.
func (j Journal) Refused() Journal {
	var refused Journal
	for _, r := range j {
		if r.Refused != "" {
			refused = append(refused, r)
		}
	}
	return refused
}

// Alike returns pairs of requests with the same body, by their numbers. After
// an error that is no refusal, a body may well be sent again.
func (j Journal) Alike() [][2]int {
	var pairs [][2]int
	first := map[message.Hash]int{}
	for _, r := range j.Generated() {
		if n, seen := first[r.Body]; seen {
			pairs = append(pairs, [2]int{n, r.Number})
			continue
		}
		first[r.Body] = r.Number
	}
	return pairs
}

// Recoveries returns, for each overflow that began a row of them, how many
// requests followed until one was answered; those that never were count too.
// The journal must be that of one conversation.
func (j Journal) Recoveries() []int {
	var rows []int
	recovering := false
	for _, r := range j.Generated() {
		switch {
		case recovering:
			rows[len(rows)-1]++
			recovering = r.Refused != "" || r.Overflow
		case r.Overflow:
			rows = append(rows, 0)
			recovering = true
		}
	}
	return rows
}

// Usage returns the sum of what was billed.
func (j Journal) Usage() history.Usage {
	var sum history.Usage
	for _, r := range j {
		sum.Add(r.Usage)
	}
	return sum
}

// CacheReadShare returns which part of the billed input came from the cache,
// from 0 to 1.
func (j Journal) CacheReadShare() float64 {
	u := j.Usage()
	all := u.Input + u.CacheRead + u.CacheWrite
	if all == 0 {
		return 0
	}
	return float64(u.CacheRead) / float64(all)
}

// CostUSD returns what it all would have cost.
func (j Journal) CostUSD() float64 { return j.Usage().CostUSD }
