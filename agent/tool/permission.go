package tool

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
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
	// Prefix limits the rule to calls that are about something which begins with
	// it. A path is compared with all links followed, relative to the working
	// directory or absolute; an address by its scheme and host, then its path. A
	// command that could run another one (&&, |, ;, $() is not allowed by its
	// prefix, since only that would be looked at; rules that ask or deny look at
	// each command of a line. They take the case of letters for no difference in a
	// path, and a search in a directory for one in all that is below. They guard against mistakes, and are no sandbox:
	// what a program does with the rest of its arguments is not known
	// (find -exec, git -c), and a denied file can be read by a command.
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
// allowed, and a person is asked about the others, and before a page of a
// private network is fetched.
func Decide(rules []Rule, t Tool, c Call) Permission {
	decision := Ask
	if t.ReadOnly() {
		decision = Allow
	}
	if about, ok := t.(careful); ok && about.asks(c) {
		decision = Ask
	}
	for _, r := range rules {
		if r.matches(t, c) {
			decision = r.Permission
		}
	}
	return decision
}

// About is what a call is about as its tool reads it, for people: its command,
// path, address, pattern or name; empty where it has none of them.
func About(t Tool, c Call) string { return first(subjects(c, declared(t))) }

// Subject is [About] where only the call is at hand. A model may have put in what
// the tool does not look at: nothing may be decided on it.
func Subject(c Call) string { return first(subjects(c, func(string) bool { return true })) }

func first(subjects []string) string {
	if len(subjects) == 0 {
		return ""
	}
	return subjects[0]
}

// subjects are the members that say what a call is about, of those that its tool
// knows; the one that says most is the first.
func subjects(c Call, known func(member string) bool) []string {
	a, err := decode[struct {
		Command string `json:"command"`
		Path    string `json:"path"`
		URL     string `json:"url"`
		Pattern string `json:"pattern"`
		Handle  string `json:"handle"`
		Name    string `json:"name"`
	}](c.Arguments)
	if err != nil {
		return nil
	}
	var found []string
	for _, m := range []struct{ name, value string }{
		{"command", a.Command}, {"url", a.URL}, {"pattern", a.Pattern}, {"path", a.Path}, {"handle", a.Handle}, {"name", a.Name},
	} {
		if m.value != "" && known(m.name) {
			found = append(found, m.value)
		}
	}
	return found
}

// declared reports whether a tool knows a member: one that it ignores must not
// stand for what the call is about.
func declared(t Tool) func(member string) bool {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	err := json.Unmarshal(t.Definition().Schema, &schema)
	return func(member string) bool { return err == nil && schema.Properties[member] != nil }
}
