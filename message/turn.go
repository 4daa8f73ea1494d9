package message

import "iter"

// A Turn is a user message, or an assistant message with the results of its
// tool calls: messages From up to, not including, To of a path. Silent
// messages belong to the turn before them.
type Turn struct {
	From, To int
	// Prompt says that the turn is a person's, and so begins an exchange.
	Prompt bool
}

// Turns splits a path into its turns. What stands before the first user or
// assistant message (results whose call is gone) is a turn of its own.
func Turns(path iter.Seq[*Message]) []Turn {
	var turns []Turn
	i := 0
	for m := range path {
		if len(turns) == 0 || (m.Role != Tool && !m.Silent()) {
			turns = append(turns, Turn{From: i, Prompt: m.IsPrompt()})
		}
		i++
		turns[len(turns)-1].To = i
	}
	return turns
}

// Exchanges splits a path into exchanges: a prompt and every turn up to the
// next prompt. What stands before the first prompt is an exchange of its own.
func Exchanges(path iter.Seq[*Message]) []Turn {
	var exchanges []Turn
	for _, t := range Turns(path) {
		if len(exchanges) == 0 || t.Prompt {
			exchanges = append(exchanges, t)
			continue
		}
		exchanges[len(exchanges)-1].To = t.To
	}
	return exchanges
}
