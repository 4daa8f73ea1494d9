package config

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stemma-history/stemma/provider/providers"
)

// A NoKeyError says what to do where no key is set for a provider that wants one.
type NoKeyError struct {
	Provider  string
	Variables []string // that are looked at
}

func (e *NoKeyError) Error() string {
	return fmt.Sprintf("set %s, or providers.%s.key_command in the settings", strings.Join(e.Variables, " or "), e.Provider)
}

// A keySource is where the key of a provider comes from.
type keySource struct {
	variable string   // that has it
	command  bool     // it is printed by the command
	missing  []string // the variables that could have it, where one is wanted
}

// String says it as people read it, without the key.
func (k keySource) String() string {
	switch {
	case k.variable != "":
		return "set by " + k.variable
	case k.command:
		return "from key_command"
	case k.missing != nil:
		return "not set: " + strings.Join(k.missing, " or ") + " would"
	}
	return "none is needed"
}

// keySource looks for the key of a provider. At an address of one's own it may
// be missing: servers there mostly want none, and others say so themselves.
func (c *Config) keySource(p *Provider) keySource {
	known, _ := knownProvider(p.Name)
	variables := known.KeyVars
	if p.KeyEnv != "" {
		variables = []string{p.KeyEnv}
	}
	for _, name := range variables {
		if c.environment[name] != "" {
			return keySource{variable: name}
		}
	}
	switch {
	case p.KeyCommand != "":
		return keySource{command: true}
	case p.KeyEnv == "" && (p.Name == kindOllama || c.baseURL(p) != ""):
		return keySource{}
	}
	return keySource{missing: variables}
}

// CheckKey returns a [*NoKeyError] where no key is set for a provider that wants
// one. Keys that a command prints are not looked for.
func (c *Config) CheckKey(name string) error {
	p := &Provider{Name: name}
	if set := c.Providers[name]; set != nil {
		p = set
	}
	if from := c.keySource(p); from.missing != nil {
		return &NoKeyError{name, from.missing}
	}
	return nil
}

// KeyVariables are the variables that may hold a key of any provider: commands
// that a model runs have no use for them.
func (c *Config) KeyVariables() []string {
	var names []string
	for _, e := range providers.All() {
		names = append(names, e.KeyVars...)
	}
	for _, p := range c.Providers {
		if p.KeyEnv != "" {
			names = append(names, p.KeyEnv)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// keyOf returns what fetches the key of a provider, or nil where it needs none.
func (c *Config) keyOf(p *Provider) func(context.Context) (string, error) {
	switch from := c.keySource(p); {
	case from.variable != "":
		key := c.environment[from.variable]
		return func(context.Context) (string, error) { return key, nil }
	case from.command:
		return (&keyCommand{provider: p.Name, line: p.KeyCommand}).key
	case from.missing != nil:
		return func(context.Context) (string, error) { return "", &NoKeyError{p.Name, from.missing} }
	}
	return nil
}

// keyLife is how long a key that a command printed is used: shorter than the
// tokens that such commands make (an hour, gcloud), and longer than the turns of
// a run are apart, so that none asks a person each time.
const keyLife = 5 * time.Minute

// A keyCommand prints a key. It is safe for concurrent use.
type keyCommand struct {
	provider, line string

	mu      sync.Mutex
	printed string
	at      time.Time
}

// key runs the command, unless its key is still fresh. Nothing that it prints is
// in an error.
func (k *keyCommand) key(ctx context.Context) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.printed != "" && time.Since(k.at) < keyLife {
		return k.printed, nil
	}
	shell := []string{"sh", "-c"}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C"}
	}
	out, err := exec.CommandContext(ctx, shell[0], shell[1], k.line).Output()
	key := strings.TrimSpace(string(out))
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &exit):
		return "", fmt.Errorf("providers.%s.key_command: %v", k.provider, exit.ProcessState)
	case err != nil:
		return "", fmt.Errorf("providers.%s.key_command: %w", k.provider, err)
	case key == "" || strings.ContainsAny(key, "\r\n"):
		return "", fmt.Errorf("providers.%s.key_command: expected it to print the key, on one line", k.provider)
	}
	k.printed, k.at = key, time.Now()
	return key, nil
}
