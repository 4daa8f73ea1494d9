package providertest

import (
	"cmp"
	"time"

	"github.com/stemma-history/stemma/catalog"
)

// A Config says what a server is like. The zero Config is all four vendors with
// the models of the catalogue, strict, answering by [Echo].
type Config struct {
	// Catalog has the models that are served. Default: [catalog.Default].
	Catalog *catalog.Catalog
	// Models are served beside those of the catalogue. Default: none.
	Models []catalog.Model
	// Window replaces the window of every model, in tokens. Default: the model's
	// own.
	Window int
	// MaxOutput replaces the longest answer of every model, in tokens. Default:
	// the model's own.
	MaxOutput int
	// Factor is how many tokens are billed for one of o200k. It should be another
	// than the tested program assumes: no estimate is exact. Default: 1.35.
	Factor float64
	// Dialect is the server that is played. Default: the vendors' own APIs.
	Dialect Dialect
	// Loose takes members that the APIs do not know. Default: they are refused,
	// as Anthropic, OpenAI and Google do.
	Loose bool
	// Key is the only one that is taken. Default: any, but there must be one.
	Key string
	// Script answers. Default: [Echo].
	Script Script
	// RepeatIDs gives calls the ids call_0, call_1, … in every answer, as some
	// servers do. Default: ids are unique.
	RepeatIDs bool
	// Chunks says in which pieces an answer is streamed.
	Chunks Chunks
	// Now is the clock of the prompt cache and of the journal. Default: [time.Now].
	Now func() time.Time
	// Secret is what thinking is signed with. Servers with the same secret take
	// each other's. Default: a constant.
	Secret []byte
	// Observe is told what became of each request, before its answer is sent, by
	// several at a time. Default: nobody is.
	Observe func(Record)
	// LogDir is a directory that gets a file for each request, with the body and
	// what became of it. Default: none.
	LogDir string
}

// Chunks says in which pieces an answer is streamed.
type Chunks struct {
	// Runes is how many characters a delta has. Default: 24.
	Runes int
	// Bytes is how many bytes are written at once, wherever that cuts an event or
	// a character. Default: an event.
	Bytes int
}

// A model of which nothing is known has this window, and takes an image for so
// many tokens (what Ollama does, 2026-08).
const (
	genericWindow = 32_768
	genericImage  = 768
)

// model returns what is served under a name, and whether anything is. Servers
// of open models serve any.
func (c *Config) model(name string, serves Dialect) (catalog.Model, bool) {
	m, ok := c.listed(name)
	if !ok && serves.AnyModel {
		image := catalog.ImagePrice{By: "flat", Tokens: genericImage}
		m, ok = catalog.Model{ID: name, Window: genericWindow, Images: catalog.Images{Price: image}}, true
	}
	m.Window = cmp.Or(c.Window, m.Window)
	m.MaxOutput = cmp.Or(c.MaxOutput, m.MaxOutput)
	return m, ok
}

func (c *Config) listed(name string) (catalog.Model, bool) {
	for _, m := range c.Models {
		if m.ID == name {
			return m, true
		}
	}
	m, exact, ok := c.Catalog.Find(name)
	return m, ok && exact
}

// served returns the models, those of the configuration first.
func (c *Config) served() []catalog.Model {
	var models []catalog.Model
	for _, m := range append(c.Models[:len(c.Models):len(c.Models)], c.Catalog.Models()...) {
		m.Window = cmp.Or(c.Window, m.Window)
		m.MaxOutput = cmp.Or(c.MaxOutput, m.MaxOutput)
		models = append(models, m)
	}
	return models
}

func (c Config) withDefaults() Config {
	if c.Catalog == nil {
		c.Catalog = catalog.Default()
	}
	if c.Factor == 0 {
		c.Factor = 1.35
	}
	if c.Script == nil {
		c.Script = Echo
	}
	if c.Observe == nil {
		c.Observe = func(Record) {}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Secret == nil {
		c.Secret = []byte("providertest")
	}
	if c.Chunks.Runes <= 0 {
		c.Chunks.Runes = 24
	}
	return c
}
