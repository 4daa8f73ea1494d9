package snapshot

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// argumentText writes the arguments of a call for reading: a line for each
// member, text as text. In JSON, code is hard to read and one escape can hide
// another; and an exact string behind \n would not be found as one. Arguments
// that are no JSON object stand as they are.
//
//	command: go test ./...
//	content:
//	  package main
//	limit: 20
func argumentText(arguments []byte) string {
	var lines argumentLines
	if err := rawjson.Members(arguments, lines.member("")); err != nil {
		return string(arguments)
	}
	return strings.TrimSuffix(lines.String(), "\n")
}

type argumentLines struct{ strings.Builder }

// member returns a function that writes members of the value called prefix.
func (b *argumentLines) member(prefix string) func(key string, value []byte) error {
	return func(key string, value []byte) error {
		return b.value(prefix+plainWord(key), value)
	}
}

// value writes one argument. A list or an object is one line of JSON, unless
// it holds escapes: then each of its members has a line.
func (b *argumentLines) value(name string, value []byte) error {
	first := value[0]
	switch {
	case first == '"':
		text, err := rawjson.String(value)
		b.text(name, text)
		return err
	case first == '{' && bytes.IndexByte(value, '\\') >= 0:
		return rawjson.Members(value, b.member(name+"."))
	case first == '[' && bytes.IndexByte(value, '\\') >= 0:
		i := 0
		return rawjson.Elements(value, func(v []byte) error {
			i++
			return b.value(name+"."+strconv.Itoa(i), v)
		})
	}
	b.text(name, string(value))
	return nil
}

// text writes a text behind its name, or under it where it has several lines.
func (b *argumentLines) text(name, text string) {
	b.WriteString(name)
	switch {
	case text == "":
		b.WriteString(": \"\"\n")
	case strings.Contains(text, "\n"):
		b.WriteString(":\n")
		for line := range strings.SplitSeq(text, "\n") {
			b.WriteString("  ")
			b.WriteString(line)
			b.WriteByte('\n')
		}
	default:
		b.WriteString(": ")
		b.WriteString(text)
		b.WriteByte('\n')
	}
}
