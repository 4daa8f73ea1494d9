package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
)

// completionsOf returns what a shell offers for the arguments that a command's
// Use line names.
func (a *app) completionsOf(use string) cobra.CompletionFunc {
	fields := strings.Fields(use)[1:]
	return func(c *cobra.Command, args []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := len(args)
		if n := len(fields); at >= n && n > 0 && strings.Contains(fields[n-1], "...") {
			at = n - 1
		}
		if at >= len(fields) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.completions(strings.Trim(fields[at], "[]."))(c, args, begin)
	}
}

// completions returns what a shell offers for one kind of word: conversations
// for CONV, places for ENTRY, checkpoints for NAME, and files for FILE.
func (a *app) completions(kind string) cobra.CompletionFunc {
	if strings.HasPrefix(kind, "FILE") {
		return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		}
	}
	return func(c *cobra.Command, args []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var o offer
		// What cannot be read is not offered; the command itself will say why.
		_ = a.withStore(c.Context(), func(s history.Store) error {
			o = offer{store: s, begin: begin}
			return o.fill(c.Context(), kind, args)
		})
		return o.words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// An offer is the words that a shell may complete to.
type offer struct {
	store history.Store
	begin string // what is typed already
	words []cobra.Completion
}

// maxOffered bounds what a shell has to show.
const maxOffered = 100

func (o *offer) add(word, about string) {
	if len(o.words) < maxOffered && strings.HasPrefix(word, o.begin) {
		o.words = append(o.words, cobra.CompletionWithDesc(words.OneLine(word), words.OneLine(about)))
	}
}

func (o *offer) fill(ctx context.Context, kind string, args []string) error {
	if kind == "CONV" {
		return o.conversations(ctx)
	}
	if len(args) == 0 {
		return nil
	}
	c, err := findConversation(ctx, o.store, args[0])
	if err != nil {
		return err
	}
	switch kind {
	case "NAME":
		return o.checkpoints(ctx, c)
	case "ENTRY", "A", "B":
		o.add(latest, "the tip")
		if err := o.checkpoints(ctx, c); err != nil {
			return err
		}
		return o.entries(ctx, c, true)
	case "HANDLE":
		return o.entries(ctx, c, false)
	}
	return nil
}

func (o *offer) conversations(ctx context.Context) error {
	short := shortConversationIDs(ctx, o.store)
	for c, err := range o.store.List(ctx, history.ListQuery{}) {
		if err != nil {
			return err
		}
		if len(o.words) == 0 {
			o.add(latest, "updated last: "+c.Title)
		}
		word := short[c.ID]
		if len(o.begin) > len(word) {
			word = c.ID.String()
		}
		o.add(word, c.Title)
	}
	return nil
}

func (o *offer) checkpoints(ctx context.Context, c history.Conversation) error {
	marks, err := o.store.Checkpoints(ctx, c.ID)
	seen := map[string]bool{}
	for _, m := range marks {
		if !seen[m.Name] {
			seen[m.Name] = true
			o.add(m.Name, "checkpoint")
		}
	}
	return err
}

// entries offers the prompts of the current path, the newest first, and, where
// they are wanted, the ends of other branches.
func (o *offer) entries(ctx context.Context, c history.Conversation, ends bool) error {
	nodes, err := history.Collect(o.store.Nodes(ctx, c.ID))
	if err != nil {
		return err
	}
	short := words.ShortIDs(idsOf(nodes))
	lines := history.ArrangeTree(nodes, c.Tip, nil)
	for i := len(lines) - 1; i >= 0; i-- {
		l := &lines[i]
		switch {
		case l.OnPath && l.Role == message.User && l.Author == message.ByPerson:
			o.add(history.Handle{Depth: l.Depth}.String(), l.Preview)
		case ends && !l.OnPath && l.Branches == 0:
			o.add(short[l.ID], "end of a branch: "+l.Preview)
		}
	}
	return nil
}

// completeModel offers the models of the catalogue.
func (a *app) completeModel(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	all, err := a.catalog()
	if err != nil {
		all = catalog.Default() // the command itself will say why
	}
	var models []cobra.Completion
	for _, m := range all.Models() {
		models = append(models, cobra.CompletionWithDesc(m.ID, m.Provider+", "+words.Thousands(m.Window)+" tokens"))
	}
	return models, cobra.ShellCompDirectiveNoFileComp
}
