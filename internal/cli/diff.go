package cli

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/reclaim"
)

type diffOptions struct {
	*app
	conversation, a, b string
	json               bool
}

func newDiff(a *app) *cobra.Command {
	o := &diffOptions{app: a}
	c := &cobra.Command{
		Use:   "diff CONV A B",
		Short: "Compare two branches",
		Long:  `Show where the paths to two entries part, and what each did since: prompts, calls by tool, files changed, and tokens: those that were billed, or else an estimate of a token for four bytes of text.`,
		Example: `  stemma diff @ @ 0197a3c1-4f52        # the tip, and the end of another branch
  stemma diff @ before-refactor @      # what was done since a checkpoint`,
		RunE: func(c *cobra.Command, args []string) error {
			o.conversation, o.a, o.b = args[0], args[1], args[2]
			return o.run(c.Context())
		},
	}
	jsonFlag(c, &o.json)
	return c
}

func (o *diffOptions) run(ctx context.Context) error {
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		a, err := findEntry(ctx, s, c, o.a)
		if err != nil {
			return err
		}
		b, err := findEntry(ctx, s, c, o.b)
		if err != nil {
			return err
		}
		d, err := history.Diff(ctx, s, c.ID, a, b, reclaim.ChangedFile)
		if err != nil {
			return err
		}
		if o.json {
			return o.printJSON(newDiffJSON(c, &d))
		}
		return o.paged(func() error { o.print(c, &d); return nil })
	})
}

type diffJSON struct {
	Conversation history.ID  `json:"conversation"`
	Parting      *placeJSON  `json:"parting"` // null where the paths share nothing
	Branches     [2]workJSON `json:"branches"`
}

type placeJSON struct {
	ID    history.ID `json:"id"`
	Depth int        `json:"depth"`
}

type workJSON struct {
	Tip     history.ID  `json:"tip"`
	Depth   int         `json:"depth"`
	Entries int         `json:"entries"`
	Prompts []quoteJSON `json:"prompts"`
	Calls   []tallyJSON `json:"calls"`
	Files   []tallyJSON `json:"files"`
	Answers int         `json:"answers"`
	// Usage is what was billed; null where nothing is known of it.
	Usage *history.Usage `json:"usage"`
	// EstimatedTokens is the size of the texts, a token for four bytes.
	EstimatedTokens int64 `json:"estimated_tokens"`
}

type quoteJSON struct {
	Depth int    `json:"depth"`
	Text  string `json:"text"`
}

type tallyJSON struct {
	Name   string `json:"name"`
	Count  int    `json:"count"`
	Failed int    `json:"failed"`
}

func newDiffJSON(c history.Conversation, d *history.Difference) diffJSON {
	j := diffJSON{Conversation: c.ID, Branches: [2]workJSON{newWorkJSON(&d.A, d.ADepth), newWorkJSON(&d.B, d.BDepth)}}
	if d.Depth > 0 {
		j.Parting = &placeJSON{d.Last, d.Depth}
	}
	return j
}

func newWorkJSON(w *history.Work, depth int) workJSON {
	j := workJSON{
		Tip: w.Tip, Depth: depth, Entries: w.Entries, Answers: w.Answers, EstimatedTokens: estimatedTokens(w.Bytes),
		Prompts: []quoteJSON{}, Calls: talliesJSON(w.Calls), Files: talliesJSON(w.Files),
	}
	for _, p := range w.Prompts {
		j.Prompts = append(j.Prompts, quoteJSON{p.At.Depth, p.Text})
	}
	if w.Billed > 0 {
		j.Usage = &w.Usage
	}
	return j
}

func talliesJSON(tallies []history.Tally) []tallyJSON {
	j := []tallyJSON{}
	for _, t := range tallies {
		j = append(j, tallyJSON(t))
	}
	return j
}

// estimatedTokens is the usual rule of thumb for English text and code.
func estimatedTokens(bytes int64) int64 { return (bytes + 3) / 4 }

func (o *diffOptions) print(c history.Conversation, d *history.Difference) {
	out := o.out
	if d.Depth == 0 {
		out.printf("The two paths share no entry.\n")
	} else {
		out.printf("The two paths share %s, up to %s (%v).\n", words.Count(d.Depth, "entry"), out.paint(bold, history.Handle{Depth: d.Depth}.String()), d.Last)
	}
	for _, side := range []struct {
		name  string
		work  *history.Work
		depth int
	}{{"A", &d.A, d.ADepth}, {"B", &d.B, d.BDepth}} {
		out.printf("\n%s  %s to %d (%v)\n", out.paint(bold, side.name), words.Count(side.work.Entries, "entry"), side.depth, side.work.Tip)
		if side.work.Entries > 0 {
			o.printWork(side.work, path.Clean(c.Directory))
		}
	}
}

// maxListed is how many prompts and files of a branch are listed.
const maxListed = 12

func (o *diffOptions) printWork(w *history.Work, directory string) {
	var prompts, files []string
	for _, p := range w.Prompts {
		prompts = append(prompts, fmt.Sprintf("%s %s", o.out.paint(faint, p.At.String()), o.clip(strings.Join(strings.Fields(words.Printable(p.Text)), " "))))
	}
	for _, f := range w.Files {
		name := strings.TrimPrefix(f.Name, directory+"/")
		files = append(files, fmt.Sprintf("%3s× %s", words.Thousands(f.Count), o.clip(words.OneLine(name))))
	}
	o.printList("prompts", prompts)
	var calls []string
	for _, t := range w.Calls {
		text := words.OneLine(t.Name) + " " + words.Thousands(t.Count)
		if t.Failed > 0 {
			text += o.out.paint(red, fmt.Sprintf(" (%d failed)", t.Failed))
		}
		calls = append(calls, text)
	}
	if len(calls) > 0 {
		o.out.printf("   calls    %s\n", strings.Join(calls, ", "))
	}
	o.printList("changed", files)
	o.out.printf("   tokens   %s\n", spent(w))
}

func (o *diffOptions) printList(title string, lines []string) {
	for i, line := range lines {
		if i == maxListed {
			o.out.printf("   %-8s %s\n", "", o.out.paint(faint, "… and "+words.Thousands(len(lines)-maxListed)+" more"))
			return
		}
		o.out.printf("   %-8s %s\n", title, line)
		title = ""
	}
}

// clip cuts a line of a list to the terminal.
func (o *diffOptions) clip(text string) string {
	if o.out.width == 0 {
		return text
	}
	return ansi.Truncate(text, max(o.out.width-24, 20), "…")
}

// spent says what a branch has cost.
func spent(w *history.Work) string {
	if w.Billed == 0 {
		return "about " + words.Thousands(estimatedTokens(w.Bytes)) + " (estimated: nothing is known of what was billed)"
	}
	u := w.Usage
	text := words.Thousands(u.Prompt()) + " in, " + words.Thousands(u.Output) + " out"
	if u.CacheRead > 0 {
		text += fmt.Sprintf(", %d%% of the input from the cache", u.CacheRead*100/u.Prompt())
	}
	if u.CostUSD > 0 {
		text += fmt.Sprintf(", $%.2f", u.CostUSD)
	}
	if w.Billed < w.Answers {
		text += fmt.Sprintf(" (known of %d of %s)", w.Billed, words.Count(w.Answers, "answer"))
	}
	return text
}
