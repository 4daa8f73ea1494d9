package cli

import (
	"context"
	"iter"
	"time"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
)

type checkpointOptions struct {
	*app
	conversation, name, entry string
	json                      bool
}

func newCheckpoint(a *app) *cobra.Command {
	o := &checkpointOptions{app: a, entry: latest}
	c := &cobra.Command{
		Use:   "checkpoint CONV [NAME] [ENTRY]",
		Short: "Name an entry to come back to, or list the names",
		Long: `Set a named mark on the tip, or on another entry at the end of a turn. Without a name, list the checkpoints of a conversation, the newest first.

A name may be set again: rewind and branch take the latest on the current path. A name that reads as a handle or as the beginning of an id is refused, since it could not be told from one.

Off a terminal each line of the list has, separated by tabs: name, entry, handle, who set it, time.`,
		Example: `  stemma checkpoint @ before-refactor
  stemma checkpoint @ good-state 41
  stemma checkpoint @`,
		RunE: func(c *cobra.Command, args []string) error {
			o.conversation = args[0]
			if len(args) == 1 {
				return o.list(c.Context())
			}
			if o.name = args[1]; len(args) > 2 {
				o.entry = args[2]
			}
			return o.set(c.Context())
		},
	}
	jsonFlag(c, &o.json)
	return c
}

type checkpointJSON struct {
	ID           history.ID     `json:"id"`
	Conversation history.ID     `json:"conversation"`
	Name         string         `json:"name"`
	Entry        history.ID     `json:"entry"`
	Depth        int            `json:"depth"`
	SetBy        message.Author `json:"set_by"`
	Created      time.Time      `json:"created"`
}

func newCheckpointJSON(m history.Checkpoint, depth int) checkpointJSON {
	return checkpointJSON{m.ID, m.Conversation, m.Name, m.Entry, depth, m.SetBy, m.Created}
}

func (o *checkpointOptions) set(ctx context.Context) error {
	if looksLikeEntry(o.name) {
		return usagef("checkpoint %s: expected a name that is no handle and no beginning of an id", o.name)
	}
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		at, err := findBoundary(ctx, s, c, o.entry)
		if err != nil {
			return err
		}
		mark, err := s.Mark(ctx, at, history.Checkpoint{Conversation: c.ID, Entry: at.Entry(), Name: o.name, SetBy: message.ByPerson})
		if err != nil {
			return err
		}
		if o.json {
			return o.printJSON(newCheckpointJSON(mark, at.Depth()))
		}
		o.out.printf("%s is set at %d\n", o.out.paint(yellow, "◆ "+words.OneLine(mark.Name)), at.Depth())
		return nil
	})
}

func (o *checkpointOptions) list(ctx context.Context) error {
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		marks, err := s.Checkpoints(ctx, c.ID)
		if err != nil {
			return err
		}
		listed := mapped(values(marks), func(m history.Checkpoint) checkpointJSON {
			e, _ := s.Entry(ctx, c.ID, m.Entry) // a damaged entry has no depth; the mark is listed all the same
			return newCheckpointJSON(m, e.Depth)
		})
		if o.json {
			return printArray(o.app, listed)
		}
		short, err := shortEntryIDs(ctx, s, c.ID)
		if err != nil {
			return err
		}
		o.nothing(len(marks), "no checkpoint is set")
		return o.print(listed, short)
	})
}

func (o *checkpointOptions) print(marks iter.Seq2[checkpointJSON, error], short map[history.ID]string) error {
	t := o.table(column{title: "NAME", flexible: true}, column{title: "ENTRY"}, column{title: "HANDLE", right: true}, column{title: "SET BY"}, column{title: "WHEN"})
	err := each(o.app, marks, func(m checkpointJSON) error {
		t.row(
			cell{value: m.Name, shown: "◆ " + m.Name, style: yellow},
			cell{value: m.Entry.String(), shown: short[m.Entry]},
			cell{value: history.Handle{Depth: m.Depth}.String()},
			cell{value: string(m.SetBy)},
			cell{value: words.Stamp(m.Created), shown: words.Ago(m.Created, o.now()), style: faint},
		)
		return nil
	})
	t.print()
	return err
}
