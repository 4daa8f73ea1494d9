package config

import (
	"encoding/json"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A words is a value that came as text, from a variable or a flag: any form
// may be written in it. A string of the file is a string only.
type words string

// A form is a type of values: what is expected, in words, and how one is read.
type form[T any] struct {
	want string
	read func(any) (T, bool)
	// settle finishes a value by where it stands. Default: it stays.
	settle func(T, Origin) T
	// show returns the value as it is printed; nil hides it. Default: as it is.
	show func(T) any
}

var text = form[string]{want: "a text in quotes", read: readText}

func readText(v any) (string, bool) {
	switch v := v.(type) {
	case words:
		return string(v), true
	case string:
		return v, v != ""
	}
	return "", false
}

// address is a URL. A password in it is not shown.
var address = form[string]{want: "an address in quotes", read: readText, show: withoutPassword}

func withoutPassword(s string) any {
	u, err := url.Parse(s)
	switch {
	case err != nil && strings.Contains(s, "@"):
		return nil
	case err == nil && u.User != nil:
		return u.Redacted()
	}
	return s
}

// place is a path, or the address of a store.
var place = form[string]{want: "a path in quotes", read: readText, settle: resolve, show: withoutPassword}

// places is a list of paths.
var places = form[[]string]{want: `a list of paths, such as ["~/src", "/srv/data"]`, read: list.read, settle: func(all []string, from Origin) []string {
	for i, each := range all {
		all[i] = resolve(each, from)
	}
	return all
}}

// resolve returns a path that means the same everywhere: ~ is the person's own
// directory, and a relative path of the file is relative to the file.
func resolve(path string, from Origin) string {
	if strings.Contains(path, "://") {
		return path
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if from.Kind == ByFile && !filepath.IsAbs(path) {
		return filepath.Join(filepath.Dir(from.Name), path)
	}
	return path
}

// secret is a text that may hold a key: it is not shown.
var secret = form[string]{want: "a text in quotes", read: readText, show: func(string) any { return nil }}

var truth = form[bool]{want: "true or false", read: func(v any) (bool, bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case words:
		b, err := strconv.ParseBool(string(v))
		return b, err == nil
	}
	return false, false
}}

// choice is a text out of a few.
func choice(options ...string) form[string] {
	return form[string]{want: strings.Join(options, ", "), read: func(v any) (string, bool) {
		s, ok := readText(v)
		return s, ok && slices.Contains(options, s)
	}}
}

// list is a list of texts, in a variable with commas between them.
var list = form[[]string]{want: `a list of texts, such as ["one", "two"]`, read: func(v any) ([]string, bool) {
	switch v := v.(type) {
	case words:
		return strings.Split(string(v), ","), true
	case []any:
		texts := []string{}
		for _, each := range v {
			s, ok := each.(string)
			if !ok {
				return nil, false
			}
			texts = append(texts, s)
		}
		return texts, true
	}
	return nil, false
}}

// choices is a list of texts out of a few.
func choices(options ...string) form[[]string] {
	return form[[]string]{want: "a list of " + strings.Join(options, ", "), read: func(v any) ([]string, bool) {
		texts, ok := list.read(v)
		for _, s := range texts {
			ok = ok && slices.Contains(options, s)
		}
		return texts, ok
	}}
}

// An Amount is a part of a window, in tokens or as a share of it. The zero
// value is none.
type Amount struct {
	Tokens int
	Share  float64 // above 0, at most 1
}

// Of returns the amount of a window, in tokens.
func (a Amount) Of(window int) int {
	if a.Share > 0 {
		return int(a.Share * float64(window))
	}
	return a.Tokens
}

// MarshalJSON writes a number of tokens, or a share as "80%".
func (a Amount) MarshalJSON() ([]byte, error) { return json.Marshal(a.value()) }

func (a Amount) String() string {
	if a.Share > 0 {
		return strconv.FormatFloat(a.Share*100, 'f', -1, 64) + "%"
	}
	return strconv.Itoa(a.Tokens)
}

func (a Amount) value() any {
	if a.Share > 0 {
		return a.String()
	}
	return a.Tokens
}

// leastTokens tells tokens from shares: nobody means a window of less.
const leastTokens = 1000

var amount = form[Amount]{
	want: `tokens, from 1000 up, or a share of the window, such as 0.8 or "80%"`,
	read: readAmount,
	show: func(a Amount) any { return a },
}

func readAmount(v any) (Amount, bool) {
	switch v := v.(type) {
	case int64:
		return Amount{Tokens: int(v)}, v >= leastTokens && v <= math.MaxInt32
	case float64:
		return Amount{Share: v}, v > 0 && v <= 1
	case string:
		percent, found := strings.CutSuffix(v, "%")
		share, err := strconv.ParseFloat(percent, 64)
		if !found || err != nil {
			return Amount{}, false
		}
		// Shortest decimals: 0.8 comes out of 80%, not what dividing leaves.
		share = math.Round(share*1e6) / 1e8
		return Amount{Share: share}, share > 0 && share <= 1
	case words:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return readAmount(n)
		}
		if f, err := strconv.ParseFloat(string(v), 64); err == nil {
			return readAmount(f)
		}
		return readAmount(string(v))
	}
	return Amount{}, false
}

// size is a number of bytes.
var size = form[int64]{want: `a number of bytes, such as 256_000_000 or "256 MB"`, read: func(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, v >= 0
	case string:
		return parseSize(v)
	case words:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return n, n >= 0
		}
		return parseSize(string(v))
	}
	return 0, false
}}

// sizeUnits are those of the SI: a MB is a million bytes.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}}

func parseSize(s string) (int64, bool) {
	for _, unit := range sizeUnits {
		number, found := strings.CutSuffix(s, unit.name)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		n *= float64(unit.bytes)
		return int64(n), err == nil && n >= 0 && n < math.MaxInt64
	}
	return 0, false
}
