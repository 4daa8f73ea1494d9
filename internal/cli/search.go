package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
)

type searchOptions struct {
	*app
	words []string
	in    string
	limit int
	json  bool
}

func newSearch(a *app) *cobra.Command {
	o := &searchOptions{app: a}
	c := &cobra.Command{
		Use:   "search WORDS...",
		Short: "Find entries by their words",
		Long: `Find entries that have all of the words, on all branches, the best match first. Words in double quotes are a phrase; the last word may be a beginning.

What was stored since the last search is indexed first, up to a bound; if something is left, it is said.

Off a terminal each line has, separated by tabs: conversation, entry, handle, role, time, excerpt.`,
		Example: `  stemma search tip moved
  stemma search '"exit status 1"' --in @
  stemma search refus --limit 5        # refuse, refusal, ...
  stemma search parser --json | jq -r '.[].conversation' | sort -u`,
		RunE: func(c *cobra.Command, args []string) error {
			o.words = args
			return o.run(c.Context())
		},
	}
	c.Flags().StringVar(&o.in, "in", "", "only in `CONV`")
	_ = c.RegisterFlagCompletionFunc("in", a.completions("CONV")) // it exists
	c.Flags().IntVarP(&o.limit, "limit", "n", 20, "at most `N` entries")
	jsonFlag(c, &o.json)
	return c
}

// indexBound is how many entries a search indexes before it answers: about two
// seconds of work (45,000 a second, on two cores of a server, November 2026).
const indexBound = 100_000

// hitJSON is a found entry as --json prints it.
type hitJSON struct {
	Conversation history.ID   `json:"conversation"`
	ID           history.ID   `json:"id"`
	Depth        int          `json:"depth"`
	Role         message.Role `json:"role"`
	Created      time.Time    `json:"created,omitzero"`
	Excerpt      string       `json:"excerpt"`
	Match        [2]int       `json:"match"` // bytes of the excerpt
}

func (o *searchOptions) run(ctx context.Context) error {
	query := history.SearchQuery{Text: strings.Join(o.words, " "), Limit: o.limit}
	return o.withStore(ctx, func(s history.Store) error {
		if o.in != "" {
			c, err := findConversation(ctx, s, o.in)
			if err != nil {
				return err
			}
			query.Conversation = c.ID
		}
		if _, err := o.index(ctx, s, indexBound); err != nil {
			return err
		}
		found, err := s.Search(ctx, query)
		if err != nil {
			return err
		}
		if found.Unindexed > 0 {
			o.err.printf("stemma: %s not searched, since they are not indexed yet; search again to go on indexing\n", words.Count(found.Unindexed, "entry"))
		}
		if o.json {
			return printArray(o.app, mapped(values(found.Hits), func(h history.Hit) hitJSON {
				return hitJSON{h.Conversation, h.Entry, h.Handle.Depth, h.Role, h.Created, h.Excerpt, h.Match}
			}))
		}
		o.nothing(len(found.Hits), "nothing found")
		o.print(found.Hits, shortConversationIDs(ctx, s))
		return nil
	})
}

func (o *searchOptions) print(hits []history.Hit, short map[history.ID]string) {
	t := o.table(
		column{title: "CONV"},
		column{title: "ENTRY"},
		column{title: "ROLE"},
		column{title: "WHEN"},
		column{title: "EXCERPT", flexible: true},
	)
	for _, h := range hits {
		row := []cell{{value: h.Conversation.String(), shown: short[h.Conversation], style: yellow}}
		if !o.out.terminal {
			row = append(row, cell{value: h.Entry.String()})
		}
		t.row(append(row,
			cell{value: h.Handle.String()},
			cell{value: string(h.Role), style: speakerStyle(h.Role, "")},
			cell{value: words.Stamp(h.Created), shown: words.Ago(h.Created, o.now()), style: faint},
			cell{value: h.Excerpt, lit: h.Match},
		)...)
	}
	t.print()
}
