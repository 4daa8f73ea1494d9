package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/reclaim"
)

type shakeOptions struct {
	*app
	conversation string
	dryRun       bool
	json         bool
}

func newShake(a *app) *cobra.Command {
	o := &shakeOptions{app: a}
	c := &cobra.Command{
		Use:   "shake CONV",
		Short: "Free context without losing a word",
		Long: `Take results out of the view that show what is no longer true: files that were read again or changed later. Each leaves a line that says what was there and how to get it back; every message stays. No model is asked. What is stored does not change: moving the tip before the compaction undoes it.

Off a terminal each line has, separated by tabs: handle, tool, file, its size in bytes, tokens freed (estimated), reason.`,
		Example: `  stemma shake @ --dry-run
  stemma shake @
  stemma recall @ 118.1                # an original that a line stands for`,
		RunE: func(c *cobra.Command, args []string) error {
			o.conversation = args[0]
			return o.run(c.Context())
		},
	}
	c.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "say what would be taken, and store nothing")
	jsonFlag(c, &o.json)
	return c
}

func (o *shakeOptions) run(ctx context.Context) error {
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		path, err := history.Collect(s.Path(ctx, history.PathQuery{Conversation: c.ID}))
		if err != nil {
			return err
		}
		pins, err := s.Pins(ctx, c.ID)
		if err != nil {
			return err
		}
		compaction, savings := reclaim.Shake(path, pins)
		var stored history.Entry
		if compaction != nil && !o.dryRun {
			var err error
			if stored, err = appendCompaction(ctx, s, c, compaction); err != nil {
				return err
			}
		}
		if o.json {
			return o.printJSON(newShakeJSON(c, stored, savings))
		}
		o.print(stored, savings)
		return nil
	})
}

type shakeJSON struct {
	Conversation history.ID   `json:"conversation"`
	Compaction   *placeJSON   `json:"compaction"`   // null where nothing was stored
	TokensFreed  int          `json:"tokens_freed"` // estimated
	Savings      []savingJSON `json:"savings"`
}

type savingJSON struct {
	Handle      history.Handle `json:"handle"`
	Tool        string         `json:"tool"`
	Target      string         `json:"target"`
	Why         string         `json:"why"`
	Bytes       int            `json:"bytes"`
	TokensFreed int            `json:"tokens_freed"`
}

func newShakeJSON(c history.Conversation, stored history.Entry, savings []reclaim.Saving) shakeJSON {
	j := shakeJSON{Conversation: c.ID, TokensFreed: tokensFreed(savings), Savings: []savingJSON{}}
	if stored.ID != (history.ID{}) {
		j.Compaction = &placeJSON{stored.ID, stored.Depth}
	}
	for _, v := range savings {
		j.Savings = append(j.Savings, savingJSON{v.At, v.Tool, v.Target, v.Why, v.Bytes, v.Tokens})
	}
	return j
}

func tokensFreed(savings []reclaim.Saving) int {
	n := 0
	for _, v := range savings {
		n += v.Tokens
	}
	return n
}

func (o *shakeOptions) print(stored history.Entry, savings []reclaim.Saving) {
	t := o.table(column{title: "HANDLE", right: true}, column{title: "TOOL"}, column{title: "FILE", flexible: true, tail: true}, column{title: "SIZE", right: true}, column{title: "TOKENS", right: true}, column{title: "WHY", flexible: true})
	for _, v := range savings {
		t.row(
			cell{value: v.At.String()},
			cell{value: v.Tool, style: blue},
			cell{value: v.Target},
			cell{value: strconv.Itoa(v.Bytes), shown: words.ByteSize(int64(v.Bytes))},
			number(v.Tokens),
			cell{value: v.Why, style: faint},
		)
	}
	t.print()
	if !o.out.terminal {
		return
	}
	freed := "about " + words.Count(tokensFreed(savings), "token") + " of " + words.Count(len(savings), "result")
	switch {
	case len(savings) == 0:
		o.out.printf("nothing to take: every result may still matter\n")
	case o.dryRun:
		o.out.printf("would free %s\n", freed)
	default:
		o.out.printf("freed %s, recorded as entry %d; to undo: stemma branch %s %d\n", freed, stored.Depth, o.conversation, stored.Depth-1)
	}
}
