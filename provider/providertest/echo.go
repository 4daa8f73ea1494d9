package providertest

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mostWords is the longest answer that [Echo] can be asked for.
const mostWords = 100_000

// Echo is the script for trying things by hand. It answers a prompt with its
// words, except where the first word is one of these:
//
//	tool NAME JSON    calls a tool; several such lines call tools in parallel
//	think TEXT        thinks TEXT, then answers
//	long N            answers with about N words
//	fail STATUS       refuses with a status, such as 429 or 529
//	cut N, hang N     sends N bytes, then closes the connection or falls silent
//
// Where a prompt ends with a request for headings, each with ## before it, it
// answers with these. It answers the results of tools with what they said, shortened.
func Echo(a Ask) Answer {
	if results := a.Results(); len(results) > 0 {
		var said []string
		for _, r := range results {
			said = append(said, quoted(r.PlainText()))
		}
		return Say("The tools said: " + strings.Join(said, "; "))
	}
	prompt := strings.TrimSpace(a.Prompt())
	if names := headings(prompt); len(names) > 0 {
		return Say("## " + strings.Join(names, "\nnothing of note\n## ") + "\nnothing of note")
	}
	var answer Answer
	for line := range strings.Lines(prompt) {
		if rest, ok := word(line, "tool"); ok {
			name, arguments, _ := strings.Cut(rest, " ")
			if arguments = strings.TrimSpace(arguments); arguments == "" {
				arguments = "{}"
			}
			answer = answer.Call(name, arguments)
		}
	}
	if len(answer.Parts) > 0 {
		return answer
	}
	if rest, ok := word(prompt, "think"); ok {
		return answer.Think(rest).Say("I have thought: " + quoted(rest))
	}
	for name, do := range map[string]func(n int) Answer{
		"long": func(n int) Answer { return Say(Words(min(n, mostWords))) },
		"fail": func(n int) Answer { return answer.But(Refuse{Status: n}) },
		"cut":  func(n int) Answer { return Say(Words(2000)).But(Cut{After: n}) },
		"hang": func(n int) Answer { return Say(Words(2000)).But(Hang{After: n}) },
	} {
		if rest, ok := word(prompt, name); ok {
			if n, err := strconv.Atoi(rest); err == nil {
				return do(n)
			}
		}
	}
	return Say("You said: " + quoted(prompt))
}

// headings returns the headings that a prompt asks for: beginning with "## ": A,
// B, C.
func headings(prompt string) []string {
	const before = `beginning with "## ": `
	at := strings.LastIndex(prompt, before)
	if at < 0 {
		return nil
	}
	names, _, _ := strings.Cut(prompt[at+len(before):], ".")
	return strings.Split(names, ", ")
}

// word returns what follows the first word of a line, if it is this one.
func word(line, first string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(strings.TrimSpace(line), first+" ")
	return strings.TrimSpace(rest), ok
}

// quoted returns a text in quotes, shortened.
func quoted(text string) string {
	const most = 300
	text = strings.TrimSpace(text)
	if len(text) > most {
		end := most
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "…"
	}
	return "“" + text + "”"
}

// Words returns a text of n words, the same for the same n.
func Words(n int) string {
	stock := strings.Fields("a scribe copies the text and keeps every mistake that was there before while adding one of his own so the mistakes tell which copy came from which")
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		if i%11 == 10 {
			fmt.Fprintf(&b, "(%d)", i)
			continue
		}
		b.WriteString(stock[(i*7+i/13)%len(stock)])
	}
	return b.String()
}
