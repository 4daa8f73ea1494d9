package config

import "strconv"

// An Origin is where a value comes from.
type Origin struct {
	Kind OriginKind `json:"kind"`
	// Name is that of the file, the variable or the flag.
	Name string `json:"name,omitempty"`
	Line int    `json:"line,omitempty"` // of the file, from 1
}

// OriginKind orders origins: a later one wins.
type OriginKind string

// The kinds of origins, the weakest first.
const (
	ByDefault     OriginKind = "default"
	ByFile        OriginKind = "file"
	ByEnvironment OriginKind = "environment"
	ByFlag        OriginKind = "flag"
)

// String returns an origin as people read it: config.toml:12, STEMMA_STORE,
// --store or default.
func (o Origin) String() string {
	switch o.Kind {
	case ByFile:
		return o.Name + ":" + strconv.Itoa(o.Line)
	case ByEnvironment:
		return o.Name
	case ByFlag:
		return "--" + o.Name
	}
	return string(ByDefault)
}

// A Value is a setting as it holds.
type Value struct {
	Key string `json:"key"`
	// Value is a string, a number, a bool or a list of strings; nil where
	// nothing is set.
	Value any `json:"value"`
	// About stands in place of a value that is not set or not shown: what holds
	// instead, or that it is hidden.
	About  string `json:"about,omitempty"`
	Origin Origin `json:"origin"`

	path []string // the parts of Key
}
