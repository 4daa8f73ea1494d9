package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/formats"
	"github.com/stemma-history/stemma/transcript/stemmajsonl"
)

type importOptions struct {
	*app
	paths   []string
	all     bool
	noIndex bool
	json    bool
}

func newImport(a *app) *cobra.Command {
	o := &importOptions{app: a}
	c := &cobra.Command{
		Use:   "import [FILE|DIR...]",
		Short: "Bring in sessions of other tools",
		Long: `Read the sessions of other tools into the store, with all their branches. Files are recognised by their content; of a directory, every file that is a session is read. Nothing is ever written to them. Importing again adds only what is new, and can be stopped at any time.

Without arguments, look where the known tools keep their sessions on this machine, show what is there, and ask.

Off a terminal each line has, separated by tabs: conversation, title, tool, number of entries, number of new ones, file.`,
		Example: `  stemma import                        # what is on this machine?
  stemma import --all                  # bring it in without asking
  stemma import ~/.claude/projects/-home-me-project
  stemma import session.jsonl --json`,
		RunE: func(c *cobra.Command, args []string) error {
			o.paths = args
			return o.run(c.Context())
		},
	}
	c.Flags().BoolVarP(&o.all, "all", "a", false, "without arguments: bring in everything that is found")
	c.Flags().BoolVar(&o.noIndex, "no-index", false, "leave the full-text index to the next search")
	jsonFlag(c, &o.json)
	return c
}

func (o *importOptions) run(ctx context.Context) error {
	files, err := o.files(ctx)
	if err != nil || files == nil {
		return err
	}
	return o.withNewStore(ctx, func(s history.Store) error {
		run := importRun{importOptions: o, store: s, formats: formats.All(), start: o.now(), progress: progress{app: o.app}}
		for _, f := range files {
			run.total += f.size
		}
		err := run.importAll(ctx, files)
		run.report(context.WithoutCancel(ctx)) // also of what was stopped
		if err != nil {
			return err
		}
		if !o.noIndex {
			if _, err := o.index(ctx, s, 0); err != nil {
				return err
			}
		}
		return run.failed
	})
}

// files returns what to import: what the arguments name, or what is found on
// this machine if the person wants it. Nil is nothing, not even a report.
func (o *importOptions) files(ctx context.Context) ([]sourceFile, error) {
	if len(o.paths) > 0 {
		return o.expand(o.paths)
	}
	found, err := findSessions(formats.All())
	if err != nil {
		return nil, err
	}
	if o.all {
		return found, nil
	}
	if o.json {
		return nil, printArray(o.app, mapped(values(found), newFoundJSON))
	}
	if len(found) == 0 {
		o.err.printf("no sessions of the known tools are in their places on this machine; name a file or a directory\n")
		return nil, nil
	}
	o.listFound(found)
	yes, err := o.ask(ctx, "Import all of these?")
	if err != nil || yes {
		return found, err
	}
	o.err.printf("nothing was imported: name files or directories, or pass --all\n")
	return nil, nil
}

// importRun is an import under way.
type importRun struct {
	*importOptions
	store    history.Store
	formats  []transcript.Format
	progress progress
	start    time.Time

	total, done int64 // bytes
	reports     []fileReport
	skipped     int   // files of directories that are no sessions
	failed      error // that the command fails with although it went on
}

// fileReport is what became of a file.
type fileReport struct {
	sourceFile
	transcript.Report
	err error
}

func (r *importRun) importAll(ctx context.Context, files []sourceFile) error {
	defer r.progress.clear()
	for i, f := range files {
		report, err := r.importFile(ctx, f, i, len(files))
		switch {
		case errors.Is(err, transcript.ErrUnknownFormat) && !f.named:
			r.skipped++
		case err != nil:
			r.failed = errSilent
			report.err = err
			fallthrough
		default:
			r.reports = append(r.reports, report)
		}
		if ctx.Err() != nil || errors.Is(err, history.ErrFull) {
			return err
		}
		r.done += f.size
	}
	return nil
}

func (r *importRun) importFile(ctx context.Context, f sourceFile, i, n int) (fileReport, error) {
	report := fileReport{sourceFile: f}
	file, closer, err := transcript.Open(f.path)
	if err != nil {
		return report, err
	}
	defer func() { _ = closer.Close() }() // it was only read
	options := transcript.Options{
		Progress: func(bytes int64) { r.showProgress(f.path, i, n, bytes) },
	}
	if stemmajsonl.Detect(file) {
		report.Report, err = stemmajsonl.Read(ctx, file.Reader(), r.store, options)
		return report, err
	}
	format, err := transcript.Detect(r.formats, file)
	if err != nil {
		return report, err
	}
	report.Report, err = transcript.Import(ctx, r.store, format, file, options)
	return report, err
}

func (r *importRun) showProgress(path string, i, n int, bytes int64) {
	r.progress.show(func() string {
		done := r.done + bytes
		text := "importing "
		if n > 1 {
			text += words.Thousands(i+1) + " of " + words.Count(n, "file") + ", "
		}
		text += words.ByteSize(done) + " of " + words.ByteSize(r.total)
		if took := r.now().Sub(r.start); took > time.Second {
			text += ", " + words.ByteSize(int64(float64(done)/took.Seconds())) + "/s"
		}
		return text + "  " + path
	})
}
