package snapshot

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// The words behind a scope mark. The reading guide explains them.
const (
	scopeUser     = "user"
	scopeAI       = "ai"
	scopeAgent    = "agent"
	scopeHarness  = "harness"
	scopeDigest   = "digest"
	scopeThink    = "think"
	scopeCall     = "call"
	scopeOut      = "out"
	scopeImage    = "image"
	scopeDocument = "document"
	scopeOpaque   = "opaque"
	scopeStub     = "stub"
)

// scopeMark begins the line of a scope, and stands nowhere else. It looks like
// no letter, and not like ¶, which is the tile of a new line before it.
const scopeMark = "▶"

// isMark reports whether a reader of small print can take r for the mark.
func isMark(r rune) bool {
	switch r {
	case '▶', '►', '▸', '‣', '⏵', '⯈', '🞂':
		return true
	}
	return false
}

// escapeMark begins what is written in a text for a character that could be
// taken for the mark: ¬25B6; has no mark in it, so neither in the middle of a
// line nor at the top of a page, where the one before was cut, can a text show
// one. A ¬ is doubled. Neither ends in a letter that an accent could join.
const escapeMark = "¬"

// speaker is who a message's text comes from. The author says so, not the
// role: a reminder of the harness is no word of the person's.
func speaker(m *message.Message) string {
	switch m.Author {
	case message.ByPerson:
		return scopeUser
	case message.ByModel:
		if m.Role == message.User {
			return scopeAgent // another model, that set this one a task
		}
		return scopeAI
	case message.ByTool:
		return scopeOut
	case message.ByDigest:
		return scopeDigest
	}
	return scopeHarness
}

// scope writes the line of a scope and the text behind it.
func (w *serialiser) scope(word string, h history.Handle, words []string, body string) {
	w.text.WriteString(scopeMark)
	w.text.WriteString(word)
	w.text.WriteByte(' ')
	w.text.WriteString(h.String())
	for _, s := range words {
		w.text.WriteByte(' ')
		w.text.WriteString(plainWord(s))
	}
	w.text.WriteByte('\n')
	if body != "" {
		w.text.WriteString(escapeMarks(body))
		w.text.WriteByte('\n')
	}
}

// plainWord returns a name for the line of a scope: quoted where it could be
// taken for several words, or is none.
func plainWord(s string) string {
	if s == "" {
		return "?"
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("_.:/+@-", c) >= 0:
		default:
			return strconv.QuoteToASCII(s)
		}
	}
	return s
}

// escapeMarks writes a text so that it shows no mark.
func escapeMarks(s string) string {
	var b strings.Builder
	kept := 0 // s[kept:i] is to be written as it is
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if isMark(r) || r == '¬' {
			b.WriteString(s[kept:i])
			b.WriteString(escapeOf(r))
			kept = i + n
		}
		i += n
	}
	if kept == 0 {
		return s
	}
	b.WriteString(s[kept:])
	return b.String()
}

func escapeOf(r rune) string {
	if r == '¬' {
		return escapeMark + escapeMark
	}
	return fmt.Sprintf("%s%X;", escapeMark, r)
}

// unescapeMarks is the inverse of escapeMarks. An escape that a page cut in two
// stays as it is.
func unescapeMarks(s string) string {
	before, rest, found := strings.Cut(s, escapeMark)
	if !found {
		return s
	}
	var b strings.Builder
	for ; found; before, rest, found = strings.Cut(rest, escapeMark) {
		b.WriteString(before)
		r, n := unescapeOf(rest)
		if n == 0 {
			r = '¬'
		}
		b.WriteRune(r)
		rest = rest[n:]
	}
	b.WriteString(before)
	return b.String()
}

// unescapeOf returns the character that an escape stands for, and the length
// of the escape behind its ¬; 0 where it is none.
func unescapeOf(s string) (r rune, n int) {
	if strings.HasPrefix(s, escapeMark) {
		return '¬', len(escapeMark)
	}
	code, _, ended := strings.Cut(s[:min(len(s), len("1F782;"))], ";")
	v, err := strconv.ParseUint(code, 16, 32)
	if !ended || err != nil || !isMark(rune(v)) {
		return 0, 0
	}
	return rune(v), len(code) + len(";")
}

// A scope is one part of a serialised text.
type scope struct {
	word   string // user, ai, call …
	handle string
	words  []string // what else its line says
	raw    string   // the lines under it, marks escaped
	whole  bool     // its line is: a page can end in the middle of one
}

// body returns the text as it was before Serialise.
func (s *scope) body() string { return unescapeMarks(strings.TrimSuffix(s.raw, "\n")) }

// scopes reads what Serialise wrote, or a piece of it as a page holds it: the
// text before the first mark belongs to a scope without a word.
func scopes(text string) iter.Seq[scope] {
	return func(yield func(scope) bool) {
		before, rest, found := strings.Cut(text, scopeMark)
		if before != "" && !yield(scope{raw: before}) {
			return
		}
		for found {
			var s string
			s, rest, found = strings.Cut(rest, scopeMark)
			line, raw, whole := strings.Cut(s, "\n")
			words := splitWords(line)
			sc := scope{word: words[0], raw: raw, whole: whole}
			if len(words) > 1 {
				sc.handle, sc.words = words[1], words[2:]
			}
			if !yield(sc) {
				return
			}
		}
	}
}

// splitWords splits the line of a scope, and takes quotes off.
func splitWords(line string) []string {
	words := []string{}
	for line != "" || len(words) == 0 {
		if quoted, err := strconv.QuotedPrefix(line); err == nil {
			word, _ := strconv.Unquote(quoted)
			words = append(words, word)
			line = strings.TrimPrefix(line[len(quoted):], " ")
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		words = append(words, word)
		line = rest
	}
	return words
}
