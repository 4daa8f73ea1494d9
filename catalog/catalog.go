package catalog

import (
	_ "embed" // models.toml
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/stemma-history/stemma/internal/tomlfile"
)

// A Catalog is a list of models. It is immutable, and safe for concurrent use.
type Catalog struct {
	models []Model // sorted by ID
	images map[string]Images
}

//go:embed models.toml
var builtin []byte

// Default returns the catalogue that comes with the program. It is read at the
// first call.
var Default = sync.OnceValue(func() *Catalog {
	c, err := (&Catalog{}).Merge("models.toml", builtin)
	if err != nil {
		panic(err) // a test reads the file
	}
	return c
})

// file is the form of models.toml.
type file struct {
	Images map[string]Images `toml:"images"`
	Models []entry           `toml:"model"`
}

// entry is a model that names its images instead of holding them.
type entry struct {
	Model
	Images string `toml:"images"`
}

// Merge returns a catalogue with the models of a TOML file added; where an ID
// stands in both, the file's wins as a whole. The error names file, line and
// key.
func (c *Catalog) Merge(name string, data []byte) (*Catalog, error) {
	var f file
	if err := tomlfile.Decode(name, data, &f); err != nil {
		return nil, err
	}
	merged := &Catalog{models: slices.Clone(c.models), images: map[string]Images{}}
	for _, from := range []map[string]Images{c.images, f.Images} {
		for name, images := range from {
			merged.images[name] = images
		}
	}
	for _, e := range f.Models {
		m := e.Model
		if m.ID == "" || m.Window <= 0 {
			return nil, fmt.Errorf("%s: model %q: expected an id and a window in tokens", name, m.ID)
		}
		if e.Images != "" {
			images, ok := merged.images[e.Images]
			if !ok {
				return nil, fmt.Errorf("%s: model %q: images %q: expected the name of one of the tables [images.NAME]", name, m.ID, e.Images)
			}
			m.Images = images
		}
		if m.Factor == 0 {
			m.Factor = 1
		}
		at, found := slices.BinarySearchFunc(merged.models, m.ID, func(m Model, id string) int { return strings.Compare(m.ID, id) })
		if found {
			merged.models[at] = m
		} else {
			merged.models = slices.Insert(merged.models, at, m)
		}
	}
	return merged, nil
}

// Models returns all models, by ID.
func (c *Catalog) Models() []Model { return slices.Clone(c.models) }

// Find returns what is known of a model by any of its names: with the prefix
// of a gateway, with a date or a variant behind it. Where it is not listed, the
// model with the longest ID that begins its name is meant, and exact is false.
func (c *Catalog) Find(name string) (m Model, exact, ok bool) {
	plain := plainName(name)
	for at := len(c.models) - 1; at >= 0; at-- {
		id := c.models[at].ID
		if plain == id {
			return c.models[at], true, true
		}
		if strings.HasPrefix(plain, id) && !isLetterOrDigit(plain[len(id)]) {
			rest := plain[len(id)+1:]
			if !ok || len(id) > len(m.ID) {
				m, exact, ok = c.models[at], isDate(rest) || rest == "latest", true
			}
		}
	}
	return m, exact, ok
}

// plainName takes off what gateways and clouds put around a model's name:
// anthropic/claude-opus-5, us.anthropic.claude-opus-5-v1:0, models/gemini-4.
func plainName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	if i := strings.LastIndex(name, "anthropic."); i >= 0 {
		name = name[i+len("anthropic."):]
	}
	if i := strings.IndexAny(name, ":@["); i >= 0 {
		name = name[:i]
	}
	return strings.TrimSuffix(name, "-v1")
}

func isLetterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
}

// isDate reports whether s is a date like 20251101 or 2025-11-01.
func isDate(s string) bool {
	digits := strings.ReplaceAll(s, "-", "")
	return len(digits) == 8 && strings.Trim(digits, "0123456789") == ""
}
