package providertest

import "strings"

// A SummaryTrick is how an adversary answers a request for a summary.
type SummaryTrick int

const (
	// SummaryOverflows refuses it as too long, whatever its length.
	SummaryOverflows SummaryTrick = iota
	// SummaryTooLong answers with as many words as were sent.
	SummaryTooLong
	// SummaryCut closes the connection in the middle.
	SummaryCut
	// SummaryOffTopic answers a question that nobody asked.
	SummaryOffTopic
)

// AsksForSummary reports whether a request without tools asks to condense or
// summarise something. A program with other words for that needs a test of its
// own.
func AsksForSummary(a Ask) bool {
	if len(a.Tools()) > 0 {
		return false
	}
	words := strings.ToLower(a.System() + " " + a.Prompt())
	return strings.Contains(words, "summar") || strings.Contains(words, "condense")
}

// Adversary answers requests for a summary in the worst way, and leaves the
// others to the script.
func (s Script) Adversary(how SummaryTrick) Script {
	return s.When(AsksForSummary, func(a Ask) Answer {
		switch how {
		case SummaryTooLong:
			return Say(Words(a.Tokens))
		case SummaryCut:
			return Say(Words(400)).But(Cut{After: 1000})
		case SummaryOffTopic:
			return Say("The answer to your question is forty-two. Shall I go on?")
		}
		return Answer{Fault: Overflow{}}
	})
}
