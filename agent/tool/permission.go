package tool

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Permission is what a rule says of a call.
type Permission string

const (
	Ask   Permission = "ask"   // a person decides
	Allow Permission = "allow" // it runs
	Deny  Permission = "deny"  // it does not run; the model is told
)

// A Rule gives a permission to the calls of some tools.
type Rule struct {
	// Tool is a tool's name, or a pattern such as mcp__github__*.
	Tool string
	// Prefix limits the rule to calls whose Subject begins with it: a command,
	// a path, an address. A command that could run another one (&&, |, ;, $()
	// is not allowed by its prefix, since only that would be looked at.
	Prefix     string
	Permission Permission
}

// ParseRule reads TOOL or TOOL(PREFIX), as people write it: bash(git status).
func ParseRule(s string, p Permission) (Rule, error) {
	name, rest, hasPrefix := strings.Cut(s, "(")
	r := Rule{Tool: strings.TrimSpace(name), Permission: p}
	if hasPrefix {
		prefix, closed := strings.CutSuffix(strings.TrimSpace(rest), ")")
		if !closed {
			return Rule{}, fmt.Errorf("rule %q: expected TOOL or TOOL(PREFIX): the bracket is not closed", s)
		}
		r.Prefix = prefix
	}
	if _, err := path.Match(r.Tool, ""); err != nil || r.Tool == "" {
		return Rule{}, fmt.Errorf("rule %q: %q is no name or pattern of tools", s, r.Tool)
	}
	return r, nil
}

// Decide returns what rules say of a call of a tool. Of the rules that match,
// the last one counts; where none does, calls of tools that only read are
// allowed, and a person is asked about the others.
func Decide(rules []Rule, t Tool, c Call) Permission {
	decision := Ask
	if t.ReadOnly() {
		decision = Allow
	}
	for _, r := range rules {
		if r.matches(t.Definition().Name, c) {
			decision = r.Permission
		}
	}
	return decision
}

func (r Rule) matches(name string, c Call) bool {
	if ok, err := path.Match(r.Tool, name); err != nil || !ok {
		return false
	}
	if r.Prefix == "" {
		return true
	}
	rest, ok := strings.CutPrefix(Subject(c), r.Prefix)
	if !ok || inWord(r.Prefix, rest) {
		return false
	}
	return r.Permission != Allow || !joins(rest)
}

// inWord reports whether a prefix ends inside of a word: ls is no prefix of
// lsof.
func inWord(prefix, rest string) bool {
	last, _ := utf8.DecodeLastRuneInString(prefix)
	next, _ := utf8.DecodeRuneInString(rest)
	return isWord(last) && isWord(next)
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-')
}

// joins reports whether the rest of a command could run another one.
func joins(rest string) bool { return strings.ContainsAny(rest, ";&|`$<>()\n\r") }

// Subject is what a call is about, for people and rules: its command, path,
// address, pattern or name; empty where it has none of them.
func Subject(c Call) string {
	a, err := decode[struct {
		Command string `json:"command"`
		Path    string `json:"path"`
		URL     string `json:"url"`
		Pattern string `json:"pattern"`
		Handle  string `json:"handle"`
		Name    string `json:"name"`
	}](c.Arguments)
	if err != nil {
		return ""
	}
	for _, s := range []string{a.Command, a.URL, a.Pattern, a.Path, a.Handle, a.Name} {
		if s != "" {
			return s
		}
	}
	return ""
}
