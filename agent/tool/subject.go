package tool

import (
	"net/netip"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A located tool says where on the file system a call goes. Other tools are
// known by what their arguments say.
type located interface {
	place(Call) (place, *Workspace, error)
}

// A careful tool only reads, and says of which calls a person is asked even so.
type careful interface{ asks(Call) bool }

// matches reports whether a rule is about a call. What cannot be read of a call
// is never allowed by a prefix, and always denied by one.
func (r Rule) matches(t Tool, c Call) bool {
	if ok, err := path.Match(r.Tool, t.Definition().Name); err != nil || !ok {
		return false
	}
	if r.Prefix == "" {
		return true
	}
	if _, err := decode[map[string]any](c.Arguments); err != nil {
		return r.Permission == Deny
	}
	switch t := t.(type) {
	case located:
		return r.matchesPlace(t, c)
	case fetchTool:
		return matchesAddress(r.Prefix, About(t, c))
	case bashTool:
		return r.matchesCommand(About(t, c))
	}
	return r.matchesAny(subjects(c, declared(t)))
}

func (r Rule) matchesCommand(line string) bool {
	if r.Permission == Allow {
		return allows(r.Prefix, line)
	}
	return touches(r.Prefix, line)
}

// matchesAny is about a tool of which nothing is known. It may look at any of the
// subjects, and take one for a path: a call with several is not allowed by one of
// them, nor one that may lead up.
func (r Rule) matchesAny(subjects []string) bool {
	if r.Permission == Allow {
		return len(subjects) == 1 && !strings.Contains(subjects[0], "..") && allows(r.Prefix, subjects[0])
	}
	return slices.ContainsFunc(subjects, func(s string) bool {
		return touches(r.Prefix, s) || touches(r.Prefix, path.Clean(s))
	})
}

// matchesPlace compares the place itself: the way that it is written may lead
// elsewhere. A path that is asked about or denied by the name it was given is
// that too.
func (r Rule) matchesPlace(t located, c Call) bool {
	p, w, err := t.place(c)
	if err != nil {
		return r.Permission == Deny
	}
	names := []string{p.String(w), filepath.ToSlash(filepath.Join(p.root.Name(), p.name))}
	if r.Permission != Allow {
		a, _ := decode[struct{ Path string }](c.Arguments) // was read already
		names = append(names, path.Clean(filepath.ToSlash(a.Path)))
	}
	prefix := strings.TrimPrefix(filepath.ToSlash(r.Prefix), "./")
	_, searches := t.(grepTool)
	for _, name := range names {
		if r.Permission != Allow {
			name, prefix = strings.ToLower(name), strings.ToLower(prefix)
			if searches && isAbove(name, prefix) {
				return true
			}
		}
		// A directory is meant by its name with and without a slash.
		rest, ok := strings.CutPrefix(name+"/", prefix)
		if ok && !inWord(prefix, rest) {
			return true
		}
	}
	return false
}

// isAbove reports whether what a prefix is about may be below a directory.
func isAbove(dir, prefix string) bool {
	return dir == "." && filepath.IsLocal(prefix) || strings.HasPrefix(prefix, strings.TrimSuffix(dir, "/")+"/")
}

// matchesAddress compares addresses as servers read them: with the whole host,
// and the path without its dots. A prefix without a scheme is about both.
func matchesAddress(prefix, address string) bool {
	a, ok := canonical(address)
	if !ok {
		return false
	}
	if !strings.Contains(prefix, "://") {
		prefix = a.scheme + "://" + prefix
	}
	p, ok := canonical(prefix)
	if !ok || p.scheme != a.scheme || p.host != a.host {
		return false
	}
	rest, ok := strings.CutPrefix(a.path, p.path)
	return ok && !inWord(p.path, rest)
}

// A webAddress is one of all ways to write an address. Its path has the query.
type webAddress struct{ scheme, host, path string }

func canonical(address string) (a webAddress, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return a, false
	}
	a.scheme = strings.ToLower(u.Scheme)
	a.host = strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if port := u.Port(); port != "" && a.scheme+port != "http80" && a.scheme+port != "https443" {
		a.host += ":" + port
	}
	a.path = path.Clean("/" + u.Path)
	if strings.HasSuffix(u.Path, "/") && a.path != "/" {
		a.path += "/"
	}
	if u.RawQuery != "" {
		a.path += "?" + u.RawQuery
	}
	return a, true
}

// allows reports whether a command is what a prefix says, with more arguments
// at most. A prefix that ends in a word ends there for the shell too: ls is
// neither lsof nor ls""of, and ls=x no command at all.
func allows(prefix, command string) bool {
	rest, ok := strings.CutPrefix(command, prefix)
	if !ok || joins(rest) {
		return false
	}
	glued, _, _ := strings.Cut(strings.ReplaceAll(rest, "\t", " "), " ")
	last, _ := utf8.DecodeLastRuneInString(prefix)
	if unicode.IsSpace(last) {
		return true
	}
	if isWord(last) {
		return glued == ""
	}
	return !strings.Contains(glued, "..") && !strings.ContainsAny(glued, `'"\*?[{~`)
}

// joins reports whether the rest of a command could run another one.
func joins(rest string) bool { return strings.ContainsAny(rest, ";&|`$<>()\n\r") }

// touches reports whether one of the commands of a line begins with a prefix,
// as the shell reads it: without quotes, assignments and more than one space.
func touches(prefix, line string) bool {
	line = strings.NewReplacer("\\\n", "", `'`, "", `"`, "", `\`, "").Replace(line)
	prefix = strings.Join(strings.Fields(prefix), " ")
	for command := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(";&|`$<>(){}!\n\r", r) }) {
		words := strings.Fields(command)
		for len(words) > 0 && (isAssignment(words[0]) || slices.Contains(leading(), words[0])) {
			words = words[1:]
		}
		if rest, ok := strings.CutPrefix(strings.Join(words, " "), prefix); ok && !inWord(prefix, rest) {
			return true
		}
	}
	return joins(prefix) && strings.HasPrefix(line, prefix)
}

// leading are the words that may stand before a command: of the shell, and
// programs that run another one.
func leading() []string {
	return []string{"if", "then", "elif", "else", "while", "until", "do", "time", "exec", "command", "builtin", "env", "nohup", "sudo"}
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.IndexFunc(name, func(r rune) bool { return !isWord(r) || r == '-' }) < 0
}

// inWord reports whether a prefix ends inside of a word: doc is no prefix of
// docs.
func inWord(prefix, rest string) bool {
	last, _ := utf8.DecodeLastRuneInString(prefix)
	next, _ := utf8.DecodeRuneInString(rest)
	return isWord(last) && isWord(next)
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-')
}

// isPrivate reports whether a host is this machine or in a network that not
// everybody reaches, as far as its name says.
func isPrivate(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		return !isPublic(addr)
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// shared is what providers use between their customers and the net (RFC 6598).
var shared = netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64}), 10)

func isPublic(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsGlobalUnicast() && !a.IsPrivate() && !shared.Contains(a)
}
