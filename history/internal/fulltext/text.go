package fulltext

import (
	"iter"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stemma-history/stemma/message"
)

// What is longer is searched in its beginning only: dumps must not fill the
// index, and a pasted text of this size has said by then what it is about.
const (
	MaxText = 1 << 20  // bytes of a text
	maxTool = 16 << 10 // bytes of the arguments or of one text of the result of a tool call
)

// Pieces yields the texts of a message that are searched: what was said, names
// and arguments of tool calls, texts of results, names of files. Thinking is
// left out.
func Pieces(m *message.Message) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, p := range m.Parts {
			if !pieces(p, yield) {
				return
			}
		}
	}
}

func pieces(p message.Part, yield func(string) bool) bool {
	switch p := p.(type) {
	case message.Text:
		return yield(head(p.Text, MaxText))
	case message.ToolCall:
		return yield(p.Name) && yield(unescaped(head(string(p.Arguments), maxTool)))
	case message.ToolResult:
		for _, c := range p.Content {
			if t, ok := c.(message.Text); ok {
				c = message.Text{Text: head(t.Text, maxTool)}
			}
			if !pieces(c, yield) {
				return false
			}
		}
	case message.Image:
		return yield(p.Name)
	case message.Document:
		return yield(p.Name)
	}
	return true
}

// AppendMessage appends the words of a message to dst, as [AppendWords] does.
func AppendMessage(dst []byte, m *message.Message) []byte {
	for piece := range Pieces(m) {
		dst = AppendWords(dst, piece)
	}
	return dst
}

func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// unescaped replaces the escapes of JSON strings, so that \n does not glue an
// n to the next word. It does not mind broken JSON.
func unescaped(json string) string {
	if strings.IndexByte(json, '\\') < 0 {
		return json
	}
	out := make([]byte, 0, len(json))
	for i := 0; i < len(json); i++ {
		if json[i] != '\\' || i+1 == len(json) {
			out = append(out, json[i])
			continue
		}
		i++
		switch c := json[i]; c {
		case 'n', 'r', 't', 'b', 'f':
			out = append(out, ' ')
		case 'u':
			r, n := escapedRune(json[i-1:])
			out = utf8.AppendRune(out, r)
			i += n - 2
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// escapedRune decodes \uXXXX, or two of them where they are a surrogate pair,
// and returns the length of what it read.
func escapedRune(s string) (rune, int) {
	unit := func(s string) (rune, bool) {
		if len(s) < 6 || s[:2] != `\u` {
			return 0, false
		}
		v, err := strconv.ParseUint(s[2:6], 16, 16)
		return rune(v), err == nil
	}
	r, ok := unit(s)
	if !ok {
		return ' ', 2
	}
	if utf16.IsSurrogate(r) {
		if low, ok := unit(s[6:]); ok {
			return utf16.DecodeRune(r, low), 12
		}
	}
	return r, 6
}
