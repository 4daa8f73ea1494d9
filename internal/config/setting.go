package config

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/internal/graphics"
	"github.com/stemma-history/stemma/provider/openai"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/wire/wires"
)

// A setting is one key of the file.
type setting struct {
	key     string // a part of it that is * is a name that a person gives
	without string // what holds where it is not set; empty where it has a default
	assign  func(c *Config, key []string, v any, from Origin) error
}

// variablePrefix begins the names of our variables.
const variablePrefix = "STEMMA_"

// variable returns the variable that sets s, or "" where a name is missing.
func (s *setting) variable() string {
	if strings.Contains(s.key, "*") {
		return ""
	}
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(s.key, ".", "_"))
}

// of makes a setting of a form. set stores a value; its key is as it was written.
func of[T any](key string, f form[T], without string, set func(c *Config, key []string, v T) error) setting {
	return setting{key, without, func(c *Config, path []string, v any, from Origin) error {
		name := keyText(path)
		value, ok := f.read(v)
		if !ok {
			return fmt.Errorf("%s: expected %s", name, f.want)
		}
		if f.settle != nil {
			value = f.settle(value, from)
		}
		if err := set(c, path, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		shown := Value{Key: name, Value: value, Origin: from, path: path}
		if f.show != nil {
			shown.Value = f.show(value)
		}
		if shown.Value == nil {
			shown.About = "set, not shown"
		}
		c.values[name] = shown
		return nil
	}}
}

// field makes a setting that is kept in one field.
func field[T any](key string, f form[T], without string, in func(*Config) *T) setting {
	return of(key, f, without, func(c *Config, _ []string, v T) error {
		*in(c) = v
		return nil
	})
}

// settings returns all of them, in the order of the example.
var settings = sync.OnceValue(func() []setting {
	all := []setting{
		field("store", place, "", func(c *Config) *string { return &c.Store }),
		field("model", text, "that of the conversation", func(c *Config) *string { return &c.Model }),
		field("provider", text, "that of the model", func(c *Config) *string { return &c.Provider }),
		field("wire", choice(wireNames()...), "that of the model", func(c *Config) *string { return &c.Wire }),
		field("base_url", address, "that of the provider", func(c *Config) *string { return &c.BaseURL }),
		field("models", place, "", func(c *Config) *string { return &c.ModelFile }),
		field("directories", places, "only the working directory", func(c *Config) *[]string { return &c.Directories }),
		field("page_cache", size, "", func(c *Config) *int64 { return &c.PageCache }),
		field("plain", truth, "", func(c *Config) *bool { return &c.Plain }),
		field("colour", choice("auto", "always", "never"), "", func(c *Config) *string { return &c.Colour }),
		field("images", choice(graphics.Choices()...), "", func(c *Config) *string { return &c.Images }),

		field("compaction.threshold", amount, "nine tenths of what the reserve leaves", func(c *Config) *Amount { return &c.Compaction.Threshold }),
		field("compaction.target", amount, "half of what the reserve leaves", func(c *Config) *Amount { return &c.Compaction.Target }),
		field("compaction.reserve", amount, "16384, at most a fifth of the window", func(c *Config) *Amount { return &c.Compaction.Reserve }),
		of("compaction.rungs", choices(rungNames()...), "those that need no model", func(c *Config, _ []string, v []string) error {
			c.Compaction.Rungs = nil
			for _, name := range v {
				c.Compaction.Rungs = append(c.Compaction.Rungs, reclaim.Rung(name))
			}
			return nil
		}),
		field("compaction.summary", truth, "no model is asked for a summary", func(c *Config) *bool { return &c.Compaction.Summary }),
		field("compaction.summary_model", text, "that of the conversation", func(c *Config) *string { return &c.Compaction.SummaryModel }),

		of("permissions.*", choice(string(tool.Ask), string(tool.Allow), string(tool.Deny)), "", func(c *Config, key []string, v string) error {
			rule, err := tool.ParseRule(key[1], tool.Permission(v))
			c.Rules = append(c.Rules, rule)
			return err
		}),
	}
	return slices.Concat(all, providerSettings(), mcpSettings())
})

func wireNames() []string {
	var names []string
	for _, w := range wires.All() {
		names = append(names, w.Name)
	}
	return names
}

func rungNames() []string {
	var names []string
	for _, r := range append(slices.Clone(reclaim.FreeRungs), reclaim.Summary) {
		names = append(names, string(r))
	}
	return names
}

func providerSettings() []setting {
	var dialects []string
	for _, s := range openai.Servers() {
		dialects = append(dialects, s.Name)
	}
	provider := func(c *Config, name string) *Provider {
		return named(c.Providers, name, func(name string) *Provider { return &Provider{Name: name} })
	}
	plain := func(key string, f form[string], in func(*Provider) *string) setting {
		return of("providers.*."+key, f, "", func(c *Config, path []string, v string) error {
			*in(provider(c, path[1])) = v
			return nil
		})
	}
	return []setting{
		plain("kind", choice(kinds...), func(p *Provider) *string { return &p.Kind }),
		plain("base_url", address, func(p *Provider) *string { return &p.BaseURL }),
		plain("key_env", text, func(p *Provider) *string { return &p.KeyEnv }),
		plain("key_command", text, func(p *Provider) *string { return &p.KeyCommand }),
		plain("dialect", choice(dialects...), func(p *Provider) *string { return &p.Dialect }),
		of("providers.*.headers.*", secret, "", func(c *Config, path []string, v string) error {
			put(&provider(c, path[1]).Headers, path[3], v)
			return nil
		}),
	}
}

func mcpSettings() []setting {
	server := func(c *Config, name string) *MCPServer {
		return named(c.MCP, name, func(name string) *MCPServer { return &MCPServer{Name: name} })
	}
	return []setting{
		of("mcp.*.command", text, "", func(c *Config, path []string, v string) error {
			server(c, path[1]).Command = v
			return nil
		}),
		of("mcp.*.args", list, "", func(c *Config, path []string, v []string) error {
			server(c, path[1]).Args = v
			return nil
		}),
		of("mcp.*.env.*", secret, "", func(c *Config, path []string, v string) error {
			put(&server(c, path[1]).Env, path[3], v)
			return nil
		}),
		of("mcp.*.url", address, "", func(c *Config, path []string, v string) error {
			server(c, path[1]).URL = v
			return nil
		}),
		of("mcp.*.headers.*", secret, "", func(c *Config, path []string, v string) error {
			put(&server(c, path[1]).Headers, path[3], v)
			return nil
		}),
	}
}

// named returns the value of a map with a name, which is made where it is not
// there.
func named[T any](all map[string]*T, name string, make func(string) *T) *T {
	if all[name] == nil {
		all[name] = make(name)
	}
	return all[name]
}

func put(all *map[string]string, name, value string) {
	if *all == nil {
		*all = map[string]string{}
	}
	(*all)[name] = value
}
