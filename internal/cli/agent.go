package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/agent/tool/mcp"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/config"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/reclaim"
)

// agentOptions choose the model, and what it may do.
type agentOptions struct {
	*app
	windowOptions
	effort      string
	system, dir string
	allow, deny []string
	limit       int
	maxTurns    int
	summary     bool

	// missing is told of a server of tools that cannot be reached. Default: it is
	// printed.
	missing func(error)
}

func (o *agentOptions) flags(c *cobra.Command) {
	o.windowOptions.flags(o.app, c)
	f := c.Flags()
	f.StringVar(&o.effort, "effort", "", "how hard the model thinks: low, medium, high, or its provider's own `WORD`")
	f.StringVar(&o.system, "system", "", "system prompt from `FILE` (default: that of the conversation, else a short one)")
	f.StringVarP(&o.dir, "dir", "C", "", "work in `DIR` (default: that of the conversation, else the current one)")
	f.StringArrayVar(&o.allow, "allow", nil, "let calls of `TOOL` run without asking; TOOL(PREFIX) only those that begin so, such as 'bash(git status)'")
	f.StringArrayVar(&o.deny, "deny", nil, "let no call of `TOOL`, or TOOL(PREFIX), run")
	f.IntVar(&o.limit, "limit", 0, "hold the run to the newest `N` entries of the path")
	f.IntVar(&o.maxTurns, "max-turns", 0, "end after `N` answers")
	f.BoolVar(&o.summary, "summary", false, "allow model calls that summarise, where the free rungs do not free enough")
	_ = c.MarkFlagDirname("dir") // they exist
	_ = c.MarkFlagFilename("system")
}

// withRun runs f with the conversation opened for a run. What is opened for it
// is closed again.
func (o *agentOptions) withRun(ctx context.Context, s history.Store, c history.Conversation, f func(*agent.Run, agent.Resumed) error) error {
	run, resumed, closeRun, err := o.openRun(ctx, s, c, o.askPermission)
	if err != nil {
		return err
	}
	defer closeRun()
	return f(run, resumed)
}

// openRun opens a conversation for a run, with its tools.
func (o *agentOptions) openRun(ctx context.Context, s history.Store, c history.Conversation, permit func(context.Context, tool.Tool, tool.Call) bool) (*agent.Run, agent.Resumed, func(), error) {
	settings, err := o.settings()
	if err != nil {
		return nil, agent.Resumed{}, nil, err
	}
	directory, err := o.directory(c)
	if err != nil {
		return nil, agent.Resumed{}, nil, err
	}
	workspace, err := tool.OpenWorkspace(directory, settings.Directories...)
	if err != nil {
		return nil, agent.Resumed{}, nil, err
	}
	made, err := o.agentConfig(ctx, settings, s, c, workspace)
	if err != nil {
		_ = workspace.Close()
		return nil, agent.Resumed{}, nil, err
	}
	made.Permit = permit
	servers, closeServers := o.connect(ctx, settings)
	made.Tools = append(made.Tools, servers...)
	closeAll := func() {
		closeServers()
		_ = workspace.Close()
	}
	run, resumed, err := agent.Open(ctx, made)
	if err != nil {
		closeAll()
		return nil, resumed, nil, err
	}
	return run, resumed, closeAll, nil
}

// directory is where the tools work.
func (o *agentOptions) directory(c history.Conversation) (string, error) {
	if o.dir != "" {
		return filepath.Abs(o.dir)
	}
	if info, err := os.Stat(c.Directory); err == nil && info.IsDir() {
		return c.Directory, nil
	}
	return os.Getwd()
}

// agentConfig makes the configuration of a run from flags and settings.
func (o *agentOptions) agentConfig(ctx context.Context, settings *config.Config, s history.Store, c history.Conversation, w *tool.Workspace) (agent.Config, error) {
	path, err := history.Collect(s.Path(ctx, history.PathQuery{Conversation: c.ID, Newest: 50}))
	if err != nil {
		return agent.Config{}, &agent.LoadError{Err: err}
	}
	frame, err := frameOf(ctx, s, path)
	if err != nil {
		return agent.Config{}, err
	}
	model, err := o.reach(settings, cmp.Or(o.model, frame.Model, c.Model, settings.Model))
	if err != nil {
		return agent.Config{}, err
	}
	system := frame.System
	if o.system != "" {
		text, err := os.ReadFile(o.system)
		if err != nil {
			return agent.Config{}, err
		}
		system = []string{string(text)}
	} else if len(system) == 0 {
		system = systemPrompt(w.Dir())
	}
	rules, err := o.rules(settings)
	if err != nil {
		return agent.Config{}, err
	}
	draw, err := o.draw()
	if err != nil {
		return agent.Config{}, err
	}
	compaction, err := o.compaction(settings)
	if err != nil {
		return agent.Config{}, err
	}
	return agent.Config{
		Store: s, Conversation: c.ID, Model: model, System: system, Rules: rules, MaxTurns: o.maxTurns,
		Tools: []tool.Tool{
			tool.Read(w), tool.Write(w), tool.Edit(w), tool.Grep(w), tool.Glob(w),
			tool.Bash(w, tool.Shell{Env: withoutKeys(os.Environ(), settings.KeyVariables())}), tool.Fetch(tool.PublicClient(http.ProxyFromEnvironment)),
		},
		Compaction: compaction,
		Limit:      history.Limit{Entries: o.limit},
		Draw:       draw,
	}, nil
}

// compaction says when and how a run makes room. Rungs that name the summary
// allow it.
func (o *agentOptions) compaction(settings *config.Config) (agent.Compaction, error) {
	set := &settings.Compaction
	made := agent.Compaction{
		Budget: set.Budget, Rungs: freeRungs(set.Rungs),
		Summary: o.summary || set.Summary || slices.Contains(set.Rungs, reclaim.Summary),
	}
	if set.SummaryModel != "" {
		model, err := o.reach(settings, set.SummaryModel)
		if err != nil {
			return made, fmt.Errorf("compaction.summary_model (%v): %w", settings.Origin("compaction.summary_model"), err)
		}
		model.Window, model.Effort = 0, "" // the flags are about the model of the conversation
		made.SummaryModel = model
	}
	return made, nil
}

// reach finds where a model is.
func (o *agentOptions) reach(settings *config.Config, name string) (agent.Model, error) {
	if name == "" {
		return agent.Model{}, usagef("no model is chosen: name one with --model, STEMMA_MODEL or the setting model; stemma models lists those that are known, and stemma fake plays them without a key")
	}
	reached, err := settings.Reach(name)
	if err != nil {
		return agent.Model{}, err
	}
	p, err := settings.Open(reached.Provider, provider.NewHTTP(http.ProxyFromEnvironment))
	if err != nil {
		return agent.Model{}, err
	}
	return agent.Model{Provider: p, Name: reached.Model, Known: reached.Known, Window: o.window, Effort: o.effort}, nil
}

// checkModel says whether a new conversation has a model that can be reached.
func (o *agentOptions) checkModel() error {
	settings, err := o.settings()
	if err != nil {
		return err
	}
	_, err = o.reach(settings, cmp.Or(o.model, settings.Model))
	return err
}

// rules are those of the settings, and those of the flags after them.
func (o *agentOptions) rules(settings *config.Config) ([]tool.Rule, error) {
	rules := slices.Clone(settings.Rules)
	for _, flag := range []struct {
		words      []string
		permission tool.Permission
	}{{o.allow, tool.Allow}, {o.deny, tool.Deny}} {
		for _, word := range flag.words {
			r, err := tool.ParseRule(word, flag.permission)
			if err != nil {
				return nil, usageError{err}
			}
			rules = append(rules, r)
		}
	}
	return rules, nil
}

// systemPrompt is that of a new conversation. It must stay the same for the
// conversation's whole life, and so names no date.
func systemPrompt(dir string) []string {
	prompt := []string{"You are an agent that works for a person in the directory " + dir + ". Use the tools to look before you change anything, and to check what you have done. Say shortly what you did. Where something was left out of this conversation, its handle stands there: recall gets it back."}
	if text, err := os.ReadFile(filepath.Join(dir, "AGENTS.md")); err == nil && len(text) > 0 {
		prompt = append(prompt, "The person's instructions for this directory (AGENTS.md):\n\n"+string(text))
	}
	return prompt
}

// withoutKeys leaves the keys of providers out of an environment: commands that
// a model runs, and servers of tools, have no use for them.
func withoutKeys(environment, keys []string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(keys, name)
	})
}

// connectTime is how long a server of tools may take to answer.
const connectTime = 30 * time.Second

// connect connects to the servers of tools, at the same time. One that cannot
// be reached is named, and left out.
func (o *agentOptions) connect(ctx context.Context, settings *config.Config) (tools []tool.Tool, closeAll func()) {
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range settings.MCP {
			if !yield(name) {
				return
			}
		}
	})
	connected := make([]*mcp.Connection, len(names))
	failed := make([]error, len(names))
	done := make(chan int)
	for i, name := range names {
		go func() {
			limited, cancel := context.WithTimeout(ctx, connectTime)
			defer cancel()
			connected[i], failed[i] = mcp.Connect(limited, mcpServer(settings.MCP[name], settings.KeyVariables()))
			done <- i
		}()
	}
	for range names {
		<-done
	}
	for i := range names {
		if failed[i] != nil {
			if o.missing != nil {
				o.missing(failed[i])
			} else {
				o.err.printf("stemma: %v\n", failed[i])
			}
			continue
		}
		tools = append(tools, connected[i].Tools()...)
	}
	return tools, func() {
		for _, c := range connected {
			if c != nil {
				_ = c.Close() // the conversation does not depend on it
			}
		}
	}
}

func mcpServer(s *config.MCPServer, keys []string) mcp.Server {
	made := mcp.Server{Name: s.Name, URL: s.URL}
	if s.Command != "" {
		made.Command = append([]string{s.Command}, s.Args...)
		made.Env = withoutKeys(os.Environ(), keys)
		for name, value := range s.Env {
			made.Env = append(made.Env, name+"="+value)
		}
	}
	if len(s.Headers) > 0 {
		made.Client = &http.Client{Transport: withHeaders{s.Headers}}
	}
	return made
}

// withHeaders sends headers with each request.
type withHeaders struct{ headers map[string]string }

func (h withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h.headers {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// newConversation stores a conversation for a run.
func (o *agentOptions) newConversation(ctx context.Context, s history.Store, prompt string) (history.Conversation, error) {
	directory, err := o.directory(history.Conversation{})
	if err != nil {
		return history.Conversation{}, err
	}
	c := history.Conversation{ID: history.NewID(), Title: titleOf(prompt), Directory: directory, Created: o.now()}
	if err := s.Create(ctx, c); err != nil {
		return c, err
	}
	return c, nil
}

// askPermission asks the person on the terminal; off it, the answer is no.
func (o *agentOptions) askPermission(ctx context.Context, t tool.Tool, c tool.Call) bool {
	name := t.Definition().Name
	ok, err := o.ask(ctx, fmt.Sprintf("Let the model use %s: %s?", name, words.OneLine(cmp.Or(tool.About(t, c), string(c.Arguments)))))
	if err == nil && !ok && !o.err.terminal {
		o.err.printf("stemma: %s was not allowed to run; --allow %s allows it\n", name, name)
	}
	return err == nil && ok
}
