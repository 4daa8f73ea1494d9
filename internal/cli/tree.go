package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
)

type treeOptions struct {
	*app
	conversation string
	prompts      bool
	all          bool
	json         bool
}

func newTree(a *app) *cobra.Command {
	o := &treeOptions{app: a}
	c := &cobra.Command{
		Use:   "tree CONV",
		Short: "Draw the tree of a conversation",
		Long: `Draw the tree of a conversation. The path to the tip runs straight down; what branches off stands to the side, with the beginning of its id, since a handle names an entry of the current path. Runs without branches, checkpoints (◆), pins and compactions are folded to one line.

With --json the array has every entry.`,
		Example: `  stemma tree @
  stemma tree @ --prompts              # every prompt on a line of its own
  stemma tree 019ac3f2 --all           # every entry
  stemma tree @ --json | jq '[.[] | select(.role == "user")] | length'`,
		RunE: func(c *cobra.Command, args []string) error {
			o.conversation = args[0]
			return o.run(c.Context())
		},
	}
	c.Flags().BoolVarP(&o.prompts, "prompts", "p", false, "show every prompt")
	c.Flags().BoolVarP(&o.all, "all", "a", false, "show every entry")
	c.MarkFlagsMutuallyExclusive("prompts", "all")
	jsonFlag(c, &o.json)
	return c
}

func (o *treeOptions) run(ctx context.Context) error {
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		marks, err := marksOf(ctx, s, c)
		if err != nil {
			return err
		}
		if o.json {
			return printArray(o.app, mapped(s.Nodes(ctx, c.ID), func(n history.Node) treeNodeJSON { return newTreeNodeJSON(&n, &marks) }))
		}
		var nodes []history.Node
		unread := each(o.app, s.Nodes(ctx, c.ID), func(n history.Node) error {
			nodes = append(nodes, n)
			return nil
		})
		if unread != nil && !errors.Is(unread, errSilent) {
			return unread
		}
		d := drawing{out: o.out, marks: marks, short: words.ShortIDs(idsOf(nodes))}
		err = o.paged(func() error {
			d.heading(nameOf(ctx, s, c), c, nodes)
			d.lines(history.ArrangeTree(nodes, c.Tip, o.keep(&marks)))
			return nil
		})
		return errors.Join(err, unread)
	})
}

// keep returns which entries stay lines of their own besides the shape of the
// tree; nil is all of them.
func (o *treeOptions) keep(m *marks) func(*history.Node) bool {
	if o.all {
		return nil
	}
	return func(n *history.Node) bool {
		isPrompt := n.Role == message.User && n.Author == message.ByPerson
		return n.Kind == history.KindCompaction || o.prompts && isPrompt || m.has(n.ID)
	}
}

func idsOf(nodes []history.Node) []history.ID {
	ids := make([]history.ID, len(nodes))
	for i := range nodes {
		ids[i] = nodes[i].ID
	}
	return ids
}

// treeNodeJSON is an entry of a tree as --json prints it.
type treeNodeJSON struct {
	nodeJSON
	Preview     string   `json:"preview"`
	Bytes       int64    `json:"bytes"`
	Tip         bool     `json:"tip"`
	Pinned      bool     `json:"pinned"`
	Checkpoints []string `json:"checkpoints"`
}

func newTreeNodeJSON(n *history.Node, m *marks) treeNodeJSON {
	return treeNodeJSON{
		nodeJSON:    newNodeJSON(n),
		Preview:     n.Preview,
		Bytes:       n.Bytes,
		Tip:         n.ID == m.tip,
		Pinned:      m.pinned[n.ID],
		Checkpoints: append([]string{}, m.checkpoints[n.ID]...),
	}
}
