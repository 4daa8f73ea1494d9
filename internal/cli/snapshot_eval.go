package cli

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/snapshot"
	"github.com/stemma-history/stemma/snapshot/eval"
)

type snapshotEvalOptions struct {
	*app
	to         string
	shapes     []string
	shapeFile  string
	model      string
	count      int
	seed       uint64
	transcript string
	directory  string
	json       bool
}

// The files of a measurement, beside its pages.
const (
	truthName    = "truth.tsv"
	questionName = "question.txt"
)

// itemsPerPage leaves enough prose between the strings on the smallest of the
// built-in pages.
const itemsPerPage = 25

func newSnapshotEval(a *app) *cobra.Command {
	o := &snapshotEvalOptions{app: a}
	c := &cobra.Command{
		Use:   "eval [DIR]",
		Short: "Measure how exactly a model reads pages",
		Long: `Measure how exactly a model reads pages. With -o, write pages of dense prose with random strings in it, which nothing helps to guess: hashes, keys, identifiers, places in files, sums. Give the model question.txt and the pages, and keep truth.tsv from it.

With --score, mark its answers (a line each: a number and a string; - is standard input) against DIR: the share of strings that are exact, the share of characters that are wrong, and which characters were taken for which.`,
		Example: `  stemma snapshot eval -o measure --shape 6x13,8x16
  stemma snapshot eval -o measure --model claude-opus-5 --count 100
  stemma snapshot eval -o measure --shapes mine.toml --shape large
  stemma snapshot eval --score answers.txt measure`,
		RunE: func(c *cobra.Command, args []string) error {
			o.directory = strings.Join(args, "")
			if o.transcript != "" {
				return o.score(c.Context())
			}
			return o.write(c.Context())
		},
	}
	c.Flags().StringVarP(&o.to, "output", "o", "", "write pages, question and truth to `DIR`")
	c.Flags().StringSliceVarP(&o.shapes, "shape", "s", nil, "draw in these `SHAPES` (default: that of the model)")
	c.Flags().StringVar(&o.shapeFile, "shapes", "", "take shapes from the TOML `FILE` too, as snapshot does")
	c.Flags().StringVarP(&o.model, "model", "m", "", "draw for `MODEL`: the pages as large as it sees them")
	c.Flags().IntVarP(&o.count, "count", "n", itemsPerPage, "hide `N` strings in each shape")
	c.Flags().Uint64Var(&o.seed, "seed", 1, "draw the strings from `SEED`: the same one gives the same pages")
	c.Flags().StringVar(&o.transcript, "score", "", "mark the answers in `FILE`")
	jsonFlag(c, &o.json)
	_ = c.RegisterFlagCompletionFunc("model", a.completeModel) // both exist
	_ = c.RegisterFlagCompletionFunc("shape", cobra.FixedCompletions(shapeNames(), cobra.ShellCompDirectiveNoFileComp))
	c.MarkFlagsMutuallyExclusive("output", "score")
	return c
}

// write writes the pages of each shape, the question and the truth.
func (o *snapshotEvalOptions) write(ctx context.Context) error {
	switch {
	case o.to == "":
		return usagef("name a directory for the pages with -o, or answers to mark with --score")
	case o.count < 1:
		return usagef("--count %d: expected 1 or more", o.count)
	}
	readers, err := o.readers()
	if err != nil {
		return err
	}
	if old, err := filepath.Glob(filepath.Join(quoteGlob(o.to), "*.png")); err != nil || len(old) > 0 {
		return fmt.Errorf("%s has images already; name another directory", o.to)
	}
	if err := os.MkdirAll(o.to, 0o755); err != nil {
		return err
	}
	var items []eval.Item
	for _, reader := range readers {
		more, err := o.writeShape(ctx, reader.shape, eval.FirstNumber+len(items))
		if err != nil {
			return err
		}
		items = append(items, more...)
	}
	var truth bytes.Buffer
	if err := eval.WriteTruth(&truth, items); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.to, truthName), truth.Bytes(), 0o644); err != nil {
		return err
	}
	question := filepath.Join(o.to, questionName)
	if err := os.WriteFile(question, []byte(eval.Question(items)), 0o644); err != nil {
		return err
	}
	if o.json {
		return o.printJSON(map[string]any{"directory": o.to, "strings": len(items), "seed": o.seed})
	}
	o.out.printf("%s in %s; ask with %s, then: stemma snapshot eval --score ANSWERS %s\n", words.Count(len(items), "string"), o.to, question, o.to)
	return nil
}

// readers returns whom the pages are drawn for: one in each shape.
func (o *snapshotEvalOptions) readers() ([]pageReader, error) {
	models, err := o.catalog()
	if err != nil {
		return nil, err
	}
	names := o.shapes
	if len(names) == 0 {
		names = []string{""}
	}
	var readers []pageReader
	for _, name := range names {
		reader, err := (&shapeFlags{shape: name, shapes: o.shapeFile, model: o.model}).reader(models)
		if err != nil {
			return nil, err
		}
		readers = append(readers, reader)
	}
	return readers, nil
}

// writeShape writes the pages of one shape.
func (o *snapshotEvalOptions) writeShape(ctx context.Context, shape snapshot.Shape, firstNumber int) ([]eval.Item, error) {
	seed := rand.NewPCG(o.seed, uint64(firstNumber))
	length := (shape.PageWidth / shape.CellWidth) * (shape.PageHeight/shape.CellHeight - 1)
	var items []eval.Item
	for number := 1; len(items) < o.count; number++ {
		paper, err := eval.NewPaper(rand.New(seed), firstNumber+len(items), min(itemsPerPage, o.count-len(items)), length)
		if err != nil {
			return nil, fmt.Errorf("shape %s: %w", shape.Name, err)
		}
		for i := range paper.Items {
			paper.Items[i].Shape, paper.Items[i].Page = shape.Name, number
		}
		items = append(items, paper.Items...)
		for page, err := range snapshot.Render(ctx, []snapshot.Segment{{Text: paper.Text}}, shape, snapshot.Options{First: number}) {
			if err != nil {
				return nil, err
			}
			name := fmt.Sprintf("%s-%04d.png", shape.Name, number)
			if err := os.WriteFile(filepath.Join(o.to, name), page.PNG, 0o644); err != nil {
				return nil, err
			}
		}
	}
	return items, nil
}

// score marks answers.
func (o *snapshotEvalOptions) score(ctx context.Context) error {
	if o.directory == "" {
		return usagef("name the directory that the pages were written to: stemma snapshot eval --score %s DIR", o.transcript)
	}
	truth := filepath.Join(o.directory, truthName)
	data, err := os.ReadFile(truth)
	if err != nil {
		return err
	}
	items, err := eval.ReadTruth(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%s: %w", truth, err)
	}
	answers, err := o.readText(ctx, o.transcript)
	if err != nil {
		return err
	}
	report := eval.Score(items, answers)
	if o.json {
		return o.printJSON(report)
	}
	o.printScore(report)
	return nil
}

func (o *snapshotEvalOptions) printScore(r eval.Report) {
	table := o.table(column{title: "SHAPE"}, column{title: "CLASS"}, column{title: "STRINGS", right: true}, column{title: "EXACT", right: true},
		column{title: "WRONG", right: true}, column{title: "UNSURE", right: true}, column{title: "MISSING", right: true}, column{title: "CHARACTERS WRONG", right: true})
	row := func(shape, class string, t eval.Tally) {
		table.row(cell{value: shape}, cell{value: class}, cell{value: fmt.Sprint(t.Strings)},
			cell{value: evalShare(t.ExactShare())}, cell{value: fmt.Sprint(t.Wrong())}, cell{value: fmt.Sprint(t.Abstained)}, cell{value: fmt.Sprint(t.Missing)},
			cell{value: evalShare(t.ErrorRate())})
	}
	for _, each := range r.Rows {
		row(each.Shape, string(each.Class), each.Tally)
	}
	row("all", "", r.Total)
	table.print()
	for _, c := range r.Confusions[:min(len(r.Confusions), mostConfusions)] {
		o.out.printf("%s\n", describeConfusion(c))
	}
}

// mostConfusions is how many confusions are printed for people.
const mostConfusions = 20

func describeConfusion(c eval.Confusion) string {
	switch {
	case c.Read == "":
		return fmt.Sprintf("%d× %s left out", c.Count, c.Truth)
	case c.Truth == "":
		return fmt.Sprintf("%d× %s put in", c.Count, c.Read)
	}
	return fmt.Sprintf("%d× %s read as %s", c.Count, c.Truth, c.Read)
}

func evalShare(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }
