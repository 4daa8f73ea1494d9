package config

import (
	"maps"
	"slices"
	"strings"
)

// Values returns every setting with what holds and where it comes from, in the
// order of the example; of those with names, the ones that are set. What may be
// a secret is not in it.
func (c *Config) Values() []Value {
	var all []Value
	for _, s := range settings() {
		pattern := strings.Split(s.key, ".")
		if !strings.Contains(s.key, "*") {
			v, set := c.values[s.key]
			if !set {
				v = Value{Key: s.key, About: s.without, Origin: Origin{Kind: ByDefault}}
			}
			all = append(all, v)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(c.values)) {
			if v := c.values[name]; matchesPattern(v.path, pattern) {
				all = append(all, v)
			}
		}
	}
	return append(all, c.keys()...)
}

func matchesPattern(key, pattern []string) bool {
	return len(key) == len(pattern) && isBeginning(key, pattern)
}

// keys returns where the keys come from: of the providers that are set, and of
// those known ones that have one.
func (c *Config) keys() []Value {
	names := slices.Collect(maps.Keys(c.Providers))
	for _, name := range knownNames() {
		if c.keySource(&Provider{Name: name}).variable != "" && c.Providers[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var all []Value
	for _, name := range names {
		p := c.Providers[name]
		if p == nil {
			p = &Provider{Name: name}
		}
		v := Value{Key: keyText([]string{"providers", name, "key"}), Origin: Origin{Kind: ByDefault}}
		from := c.keySource(p)
		switch v.About = from.String(); {
		case from.variable != "":
			v.Origin = Origin{Kind: ByEnvironment, Name: from.variable}
		case from.command:
			v.Origin = c.Origin(keyText([]string{"providers", name, "key_command"}))
		}
		all = append(all, v)
	}
	return all
}
