package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/adrg/xdg"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/catalog"
)

// A Config is every setting as it holds. It is not changed after [Load], and
// safe for concurrent use.
type Config struct {
	File  string // that was read, or would be
	Store string // path or postgres:// address

	Model    string // of new conversations; may have a provider before it: openrouter/…
	Provider string // that models are at; Default: that of the model
	Wire     string // Default: that of the model
	BaseURL  string // of the provider in use; Default: its own

	// ModelFile is a catalogue that is merged into the built-in one. See Catalog.
	ModelFile string

	Compaction Compaction

	// Rules are the permissions of tools in the order of the file, where the
	// last that matches a call counts.
	Rules []tool.Rule
	// Directories may be read and written besides the working directory.
	Directories []string

	Providers map[string]*Provider
	MCP       map[string]*MCPServer

	PageCache int64  // bytes of drawn pages to keep; 0 keeps none
	Plain     bool   // print for programs on a terminal too
	Colour    string // auto, always or never
	Images    string // how a terminal shows images: auto, a protocol's name, or off

	// Strangers are the variables that begin as ours and are none.
	Strangers []string

	environment map[string]string
	values      map[string]Value
	catalog     func() (*catalog.Catalog, error)
}

// An MCPServer is a server of tools: a command, or an address.
type MCPServer struct {
	Name    string
	Command string
	Args    []string
	Env     map[string]string // besides the program's own
	URL     string
	Headers map[string]string
}

// Sources is what a Config is read from.
type Sources struct {
	// File is the TOML file; where it is not there, nothing is read. Default:
	// that of STEMMA_CONFIG, which must be there, else [DefaultFile].
	File string
	// Environment is a list of NAME=value, such as [os.Environ].
	Environment []string
	// Flags has the values of the flags that were given, by key.
	Flags map[string]string
}

// DefaultFile is where the file is: stemma/config.toml in the directory for
// settings of this system (XDG_CONFIG_HOME).
func DefaultFile() string { return filepath.Join(xdg.ConfigHome, "stemma", "config.toml") }

// fileVariable names another file.
const fileVariable = "STEMMA_CONFIG"

// otherVariables begin as ours, and are not of the settings.
var otherVariables = []string{fileVariable, "STEMMA_COLUMNS", "STEMMA_PAGER", "STEMMA_SOAK"}

// FileOf returns the file that an environment chooses.
func FileOf(environment []string) string {
	return cmp.Or(variables(environment)[fileVariable], DefaultFile())
}

// Load reads all sources. The error joins everything that is wrong; the Config
// has what could be read all the same.
func Load(s Sources) (*Config, error) {
	c := &Config{
		environment: variables(s.Environment),
		Providers:   map[string]*Provider{},
		MCP:         map[string]*MCPServer{},
		values:      map[string]Value{},
	}
	c.File = cmp.Or(s.File, FileOf(s.Environment))
	c.catalog = sync.OnceValues(c.readCatalog)
	c.setDefaults()
	data, err := os.ReadFile(c.File)
	switch {
	case errors.Is(err, fs.ErrNotExist) && (s.File != "" || c.environment[fileVariable] == ""):
		err = nil
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%s=%s: %w", fileVariable, c.File, fs.ErrNotExist)
	case err == nil:
		err = c.readFile(data)
	}
	if err = errors.Join(err, c.readEnvironment(), c.readFlags(s.Flags)); err == nil {
		err = c.check()
	}
	return c, err
}

// check looks at what belongs together.
func (c *Config) check() error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		if _, known := knownProvider(name); !known && c.Providers[name].Kind == "" && c.Providers[name].Dialect == "" {
			problems = append(problems, fmt.Errorf("%s: providers.%s is none of the known ones: expected its kind, %s", c.File, name, strings.Join(kinds, ", ")))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.MCP)) {
		if s := c.MCP[name]; (s.Command == "") == (s.URL == "") {
			problems = append(problems, fmt.Errorf("%s: mcp.%s: expected a command or a url", c.File, name))
		}
	}
	if c.Provider != "" && !c.knows(c.Provider) {
		problems = append(problems, fmt.Errorf("%v: provider %q is neither known nor set under providers: the known ones are %s", c.Origin("provider"), c.Provider, strings.Join(knownNames(), ", ")))
	}
	return errors.Join(problems...)
}

// variables returns an environment by name. One that is empty is not set.
func variables(environment []string) map[string]string {
	all := map[string]string{}
	for _, each := range environment {
		if name, value, _ := strings.Cut(each, "="); value != "" {
			all[name] = value
		}
	}
	return all
}

// setDefaults sets what has to have a value.
func (c *Config) setDefaults() {
	c.Store = filepath.Join(xdg.DataHome, "stemma", "stemma.db")
	c.ModelFile = filepath.Join(xdg.ConfigHome, "stemma", "models.toml")
	c.PageCache = defaultPageCache
	c.Colour, c.Images = "auto", "auto"
	for key, value := range map[string]any{"store": c.Store, "models": c.ModelFile, "page_cache": c.PageCache, "plain": false, "colour": c.Colour, "images": c.Images} {
		c.values[key] = Value{Key: key, Value: value, Origin: Origin{Kind: ByDefault}}
	}
}

// defaultPageCache holds some 4,000 pages, in bytes.
const defaultPageCache = 256_000_000

func (c *Config) readFile(data []byte) error {
	all, err := leaves(c.File, data)
	if err != nil {
		return err
	}
	var problems []error
	for _, l := range all {
		origin := Origin{ByFile, c.File, l.line}
		if err := c.readLeaf(l, origin); err != nil {
			problems = append(problems, fmt.Errorf("%s: line %d: %w", c.File, l.line, err))
		}
	}
	return errors.Join(problems...)
}

func (c *Config) readLeaf(l leaf, origin Origin) error {
	s := settingOf(l.key)
	switch _, isTable := l.value.(table); {
	case isTable && s == nil && isHead(l.key):
		return nil
	case s == nil && isHead(l.key):
		return fmt.Errorf("%s: expected a table, as in [%[1]s]", keyText(l.key))
	case s == nil:
		return unknownKey(l.key)
	}
	return s.assign(c, l.key, l.value, origin)
}

func (c *Config) readEnvironment() error {
	ours := slices.Clone(otherVariables)
	var problems []error
	all := settings()
	for i := range all {
		s := &all[i]
		name := s.variable()
		if name == "" {
			continue
		}
		ours = append(ours, name)
		if value, ok := c.environment[name]; ok {
			if err := s.assign(c, strings.Split(s.key, "."), words(value), Origin{Kind: ByEnvironment, Name: name}); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.environment)) {
		if strings.HasPrefix(name, variablePrefix) && !slices.Contains(ours, name) {
			c.Strangers = append(c.Strangers, name)
		}
	}
	return errors.Join(problems...)
}

func (c *Config) readFlags(flags map[string]string) error {
	var problems []error
	for _, key := range slices.Sorted(maps.Keys(flags)) {
		path := strings.Split(key, ".")
		s := settingOf(path)
		if s == nil {
			return unknownKey(path)
		}
		if err := s.assign(c, path, words(flags[key]), Origin{Kind: ByFlag, Name: key}); err != nil {
			problems = append(problems, fmt.Errorf("--%s: %w", key, err))
		}
	}
	return errors.Join(problems...)
}

// Origin returns where the value of a key comes from.
func (c *Config) Origin(key string) Origin {
	if v, ok := c.values[key]; ok {
		return v.Origin
	}
	return Origin{Kind: ByDefault}
}

// Catalog returns the models: those built in, with those of ModelFile, where it
// is there. It is read at the first call.
func (c *Config) Catalog() (*catalog.Catalog, error) { return c.catalog() }

func (c *Config) readCatalog() (*catalog.Catalog, error) {
	data, err := os.ReadFile(c.ModelFile)
	switch origin := c.Origin("models"); {
	case errors.Is(err, fs.ErrNotExist) && origin.Kind == ByDefault:
		return catalog.Default(), nil
	case err != nil:
		return nil, fmt.Errorf("%v: models: %w", origin, err)
	}
	return catalog.Default().Merge(c.ModelFile, data)
}
