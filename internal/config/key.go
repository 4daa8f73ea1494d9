package config

import (
	"fmt"
	"slices"
	"strings"
)

// settingOf returns the setting of a key, or nil.
func settingOf(key []string) *setting {
	all := settings()
	for i := range all {
		pattern := strings.Split(all[i].key, ".")
		if len(pattern) == len(key) && isBeginning(key, pattern) {
			return &all[i]
		}
	}
	return nil
}

// isHead reports whether a key is that of a table with settings in it.
func isHead(key []string) bool {
	return slices.ContainsFunc(settings(), func(s setting) bool {
		pattern := strings.Split(s.key, ".")
		return len(key) < len(pattern) && isBeginning(key, pattern)
	})
}

func isBeginning(key, pattern []string) bool {
	for i, part := range key {
		if pattern[i] != "*" && pattern[i] != part {
			return false
		}
	}
	return true
}

// unknownKey says which key is meant, perhaps.
func unknownKey(key []string) error {
	name := keyText(key)
	if key[0] == "providers" && slices.Contains(literalKeys, key[len(key)-1]) {
		return fmt.Errorf("%s: keys are not kept here: name a variable with key_env, or a command that prints the key with key_command", name)
	}
	if near := nearest(key); near != "" {
		return fmt.Errorf("the key %s is not known; is %s meant?", name, near)
	}
	return fmt.Errorf("the key %s is not known; stemma config init writes an example with all of them", name)
}

// literalKeys are where other programs keep a key itself.
var literalKeys = []string{"key", "api_key", "apikey", "token", "secret"}

// nearest returns the known key that looks most like one, or "" where none does.
func nearest(key []string) string {
	best, bestDistance := "", 1000
	for _, s := range settings() {
		pattern := strings.Split(s.key, ".")
		last := pattern[len(pattern)-1]
		for i, part := range pattern {
			if part == "*" && i < len(key) {
				pattern[i] = key[i]
			}
		}
		name := keyText(pattern)
		d := distance(keyText(key), name)
		if last == key[len(key)-1] { // the right word in the wrong table
			d = min(d, 1)
		}
		if d < bestDistance && d <= max(2, len(name)/4) {
			best, bestDistance = name, d
		}
	}
	return best
}

// distance is how many letters have to be put in, left out or changed to make b
// of a. (Levenshtein)
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
