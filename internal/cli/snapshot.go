package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/graphics"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/snapshot"
)

type snapshotOptions struct {
	*app
	shapeFlags
	files   []string
	to      string
	read    bool
	plan    bool
	preview bool
	force   bool
	json    bool
}

func newSnapshot(a *app) *cobra.Command {
	o := &snapshotOptions{app: a}
	c := &cobra.Command{
		Use:   "snapshot FILE...",
		Short: "Draw any text as pages for a model to read, and read pages back",
		Long: `Draw a text as pages: images in small print that cost a model fewer tokens than the text. FILE is any text, - is standard input. Beside each page stands its index, the text that goes before it: what is on it, and its exact strings. guide.txt says how to read pages.

Pages are made for a model that is named, or for any: then in cells of 8x16 pixels, which every reader that was measured can read. Nothing is drawn, and the exit code is 3, where the model could not take the pages.

With --read, FILE is pages or a directory of them, and their text is printed. What is lost on a page for good are terminal control sequences, and how a letter with an accent is put together.

stemma snapshot eval measures how exactly a model reads pages.`,
		Example: `  stemma snapshot notes.txt                          # into notes-pages/
  stemma snapshot notes.txt --model claude-opus-5 --plan
  git log -p | stemma snapshot - -o pages --shape 6x13
  stemma snapshot --read notes-pages > notes.txt
  stemma snapshot notes.txt --preview                # in the terminal`,
		RunE: func(c *cobra.Command, args []string) error {
			o.files = args
			return o.run(c.Context())
		},
	}
	o.shapeFlags.register(a, c)
	c.Flags().StringVarP(&o.to, "output", "o", "", "write to `PATH`: a directory for pages (default: FILE-pages), a file with --read")
	c.Flags().BoolVar(&o.plan, "plan", false, "say what pages there would be and what they would cost; draw nothing")
	c.Flags().BoolVar(&o.preview, "preview", false, "show the pages in the terminal instead of writing them")
	c.Flags().BoolVar(&o.read, "read", false, "print the text of pages")
	c.Flags().BoolVarP(&o.force, "force", "f", false, "replace the pages that are in the directory")
	jsonFlag(c, &o.json)
	o.imagesFlagOf(c)
	c.MarkFlagsMutuallyExclusive("read", "plan", "preview")
	c.AddCommand(a.begin(newSnapshotEval(a)))
	return c
}

func (o *snapshotOptions) run(ctx context.Context) error {
	if o.read {
		return o.readPages(ctx)
	}
	if len(o.files) != 1 {
		return usagef("expected one FILE, got %d; only --read takes several", len(o.files))
	}
	text, err := o.readText(ctx, o.files[0])
	if err != nil {
		return err
	}
	models, err := o.catalog()
	if err != nil {
		return err
	}
	reader, err := o.reader(models)
	if err != nil {
		return err
	}
	source := []snapshot.Segment{{Text: text}}
	p, err := planPages(ctx, source, reader)
	if err != nil {
		return err
	}
	o.note(p.changes)
	p.legibility = snapshot.Legible(text)
	if p.legibility.StaysText() {
		o.err.printf("stemma: %.0f %% of the characters are %s, which models misread on pages: better kept as text\n", 100*p.legibility.Share(), strings.Join(p.legibility.Scripts, ", "))
	}
	switch {
	case o.plan:
		return o.printPlan(p)
	case p.refusal != "":
		return &pagesError{p.refusal}
	case o.preview:
		return o.showPages(ctx, source, reader.shape)
	}
	return o.writePages(ctx, source, p)
}

// readText reads a file, or standard input.
func (a *app) readText(ctx context.Context, file string) (string, error) {
	if file == "-" {
		return a.readAll(ctx)
	}
	text, err := os.ReadFile(file)
	return string(text), err
}

// pagesError says why a model cannot take the pages of a text.
type pagesError struct{ reason string }

func (e *pagesError) Error() string { return e.reason }

// shapeFlags choose how pages are drawn, and for whom.
type shapeFlags struct{ shape, shapes, model string }

func (f *shapeFlags) register(a *app, c *cobra.Command) {
	c.Flags().StringVarP(&f.shape, "shape", "s", "", "draw in `SHAPE`: "+strings.Join(shapeNames(), ", ")+" (default: that of the model)")
	c.Flags().StringVar(&f.shapes, "shapes", "", "take shapes from the TOML `FILE` too: those in it stand in place of the built-in ones of their names")
	c.Flags().StringVarP(&f.model, "model", "m", "", "draw for `MODEL`: the pages as large as it sees them")
	_ = c.RegisterFlagCompletionFunc("model", a.completeModel) // both exist
	_ = c.RegisterFlagCompletionFunc("shape", cobra.FixedCompletions(shapeNames(), cobra.ShellCompDirectiveNoFileComp))
}

func shapeNames() []string {
	var names []string
	for _, s := range snapshot.Shapes() {
		names = append(names, s.Name)
	}
	return names
}

// A pageReader is who pages are drawn for.
type pageReader struct {
	models *catalog.Catalog // that could be
	shape  snapshot.Shape
	model  *catalog.Model // nil where none is named
	limits reclaim.Reader // of the model
}

// reader returns whom the flags name. A shape that is named wins over that of
// the model, but not its page size: a larger page would be scaled down.
func (f *shapeFlags) reader(models *catalog.Catalog) (pageReader, error) {
	r := pageReader{models: models}
	if f.model != "" {
		model, _, ok := models.Find(f.model)
		if !ok {
			return r, fmt.Errorf("model %s: %w; stemma models lists those that are known", f.model, history.ErrNotFound)
		}
		r.model, r.limits = &model, reclaim.ReaderOf(model)
		r.shape = r.limits.Shape
	}
	if r.shape.Font != "" && f.shape == "" {
		return r, nil
	}
	shape, err := f.named(cmp.Or(f.shape, snapshot.DefaultShape))
	if err != nil {
		return r, err
	}
	if r.shape.Font != "" {
		shape = shape.WithPage(r.shape.PageWidth, r.shape.PageHeight)
	}
	r.shape = shape
	return r, nil
}

// named returns the shape with a name, of those that are built in and those of
// the file.
func (f *shapeFlags) named(name string) (snapshot.Shape, error) {
	shapes := snapshot.Shapes()
	if f.shapes != "" {
		data, err := os.ReadFile(f.shapes)
		if err == nil {
			shapes, err = snapshot.ParseShapes(f.shapes, data)
		}
		if err != nil {
			return snapshot.Shape{}, err
		}
	}
	var names []string
	for _, s := range shapes {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return snapshot.Shape{}, usagef("shape %q: expected %s", name, strings.Join(names, ", "))
}

// showPages shows pages in the terminal.
func (o *snapshotOptions) showPages(ctx context.Context, source []snapshot.Segment, shape snapshot.Shape) error {
	if !o.out.terminal {
		return usagef("--preview needs a terminal; -o writes pages to a directory")
	}
	screen, err := o.graphics()
	switch {
	case err != nil:
		return err
	case screen.Protocol == graphics.Off:
		return usagef("images are switched off (images = \"off\", or a terminal that shows text only); -o writes pages to a directory")
	}
	for page, err := range snapshot.Render(ctx, source, shape, snapshot.Options{}) {
		if err != nil {
			return err
		}
		if err := o.out.show(&screen, page.PNG); err != nil {
			return err
		}
		if err := o.out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// writePages draws pages into a directory.
func (o *snapshotOptions) writePages(ctx context.Context, source []snapshot.Segment, p pagePlan) error {
	directory := o.to
	if directory == "" {
		directory = directoryFor(o.files[0])
	}
	if err := o.prepare(directory); err != nil {
		return err
	}
	progress := progress{app: o.app}
	defer progress.clear()
	written := []pageJSON{}
	for page, err := range snapshot.Render(ctx, source, p.reader.shape, snapshot.Options{}) {
		if err != nil {
			return err
		}
		index := p.indexes[len(written)]
		name := filepath.Join(directory, pageName(page.Number))
		if err := os.WriteFile(name, page.PNG, 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(strings.TrimSuffix(name, ".png")+".txt", []byte(index+"\n"), 0o644); err != nil {
			return err
		}
		written = append(written, newPageJSON(&page, name, index))
		progress.show(func() string { return fmt.Sprintf("drawing: page %d of %d", page.Number, len(p.pages)) })
	}
	if err := os.WriteFile(filepath.Join(directory, guideName), []byte(snapshot.FileGuide), 0o644); err != nil {
		return err
	}
	progress.clear()
	if o.json {
		return o.printJSON(p.json(written))
	}
	o.printWritten(written, p)
	return nil
}

const guideName = "guide.txt"

func pageName(number int) string { return fmt.Sprintf("page-%04d.png", number) }

// pagesIn lists the pages in a directory by name.
func pagesIn(directory string) ([]string, error) {
	return filepath.Glob(filepath.Join(quoteGlob(directory), "page-[0-9]*.png"))
}

// quoteGlob makes a path that matches only itself.
func quoteGlob(path string) string {
	if filepath.Separator == '\\' { // there is no escape: take it as it is
		return path
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// directoryFor returns where the pages of a file go: notes-pages for notes.txt.
func directoryFor(file string) string {
	if file == "-" {
		return "pages"
	}
	return strings.TrimSuffix(file, filepath.Ext(file)) + "-pages"
}

// prepare makes a directory for pages, and sees to it that no old one stays
// among the new.
func (o *snapshotOptions) prepare(directory string) error {
	old, err := pagesIn(directory)
	if err != nil {
		return err
	}
	if len(old) > 0 && !o.force {
		return fmt.Errorf("%s has %s already; name another directory with -o, or replace them with --force", directory, words.Count(len(old), "page"))
	}
	for _, page := range old {
		index := strings.TrimSuffix(page, ".png") + ".txt"
		if err := errors.Join(os.Remove(page), removeIfThere(index)); err != nil {
			return err
		}
	}
	return os.MkdirAll(directory, 0o755)
}

func removeIfThere(file string) error {
	if err := os.Remove(file); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// pageJSON is a page as it is printed.
type pageJSON struct {
	File   string `json:"file,omitempty"`
	Number int    `json:"number"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Cells  int    `json:"cells"`
	Bytes  int    `json:"bytes,omitempty"`
	CRC    string `json:"crc"`
	Index  string `json:"index"`
}

func newPageJSON(p *snapshot.Page, file, index string) pageJSON {
	return pageJSON{File: file, Number: p.Number, Width: p.Width, Height: p.Height, Cells: p.Cells, Bytes: len(p.PNG), CRC: fmt.Sprintf("%08x", p.CRC), Index: index}
}

// printWritten lists the pages that were written, and what did not come along.
func (o *snapshotOptions) printWritten(written []pageJSON, p pagePlan) {
	table := o.table(column{title: "PAGE", flexible: true}, column{title: "PIXELS", right: true}, column{title: "CELLS", right: true}, column{title: "SIZE", right: true})
	total := 0
	for _, page := range written {
		total += page.Bytes
		table.row(
			cell{value: page.File, style: bold},
			cell{value: fmt.Sprintf("%dx%d", page.Width, page.Height)},
			cell{value: fmt.Sprint(page.Cells), shown: words.Thousands(page.Cells)},
			cell{value: fmt.Sprint(page.Bytes), shown: words.ByteSize(int64(page.Bytes))},
		)
	}
	table.print()
	if o.out.terminal {
		o.out.printf("%s\n", o.out.paint(faint, fmt.Sprintf("%s in %s, %s", words.Count(len(written), "page"), p.reader.shape.Name, words.ByteSize(int64(total)))))
	}
}

// note says what of a text pages do not keep.
func (a *app) note(c snapshot.Changes) {
	if c.ANSI > 0 {
		a.err.printf("stemma: %s left out\n", words.Count(c.ANSI, "terminal control sequence"))
	}
	if c.Composed > 0 {
		a.err.printf("stemma: %s in Unicode's normalisation form C\n", words.Count(c.Composed, "place"))
	}
}
