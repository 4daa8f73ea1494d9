package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/transcript/export"
)

type exportOptions struct {
	*app
	conversation string
	format       string
	branch       string
	to           string
	all          bool
}

func newExport(a *app) *cobra.Command {
	o := &exportOptions{app: a}
	c := &cobra.Command{
		Use:   "export CONV",
		Short: "Write a conversation to read or to keep elsewhere",
		Long: `Write a conversation as Markdown or as a web page that needs nothing else, or without loss as lines of JSON, which stemma import reads. What is written is what is stored, whatever compactions hide from the model: the path to the tip, or with --all the whole tree. JSONL always has the whole tree.

The format is named, or follows from the name of the file.`,
		Example: `  stemma export @ -o session.html
  stemma export @ --format markdown --all | less
  stemma export 019ac3f2 -o backup.jsonl`,
		RunE: func(c *cobra.Command, args []string) error {
			o.conversation = args[0]
			return o.run(c.Context())
		},
	}
	names := []string{"html", "markdown", "jsonl"}
	c.Flags().StringVarP(&o.format, "format", "f", "", "`FORMAT` is html, markdown or jsonl (default: that of the file, else markdown)")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)) // it exists
	c.Flags().StringVarP(&o.branch, "branch", "b", "", "the path to `ENTRY` instead of the tip")
	_ = c.RegisterFlagCompletionFunc("branch", a.completions("ENTRY")) // it exists
	c.Flags().StringVarP(&o.to, "output", "o", "", "write to `FILE`")
	c.Flags().BoolVarP(&o.all, "all", "a", false, "the whole tree, not one path")
	c.MarkFlagsMutuallyExclusive("branch", "all")
	return c
}

// formatOf returns the format that is named, or that the file's name says.
func (o *exportOptions) formatOf() string {
	if o.format != "" {
		return o.format
	}
	switch strings.ToLower(filepath.Ext(o.to)) {
	case ".html", ".htm":
		return "html"
	case ".jsonl":
		return "jsonl"
	}
	return "markdown"
}

func (o *exportOptions) run(ctx context.Context) error {
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		options := export.Options{All: o.all}
		if o.branch != "" {
			tip, err := findEntry(ctx, s, c, o.branch)
			if err != nil {
				return err
			}
			options.Tip = tip
		}
		var write func(io.Writer) error
		switch format := o.formatOf(); format {
		case "html":
			write = func(w io.Writer) error { return export.HTML(ctx, s, c.ID, w, options) }
		case "markdown":
			write = func(w io.Writer) error { return export.Markdown(ctx, s, c.ID, w, options) }
		case "jsonl":
			write = func(w io.Writer) error { return export.JSONL(ctx, s, c.ID, w) }
		default:
			return usagef("format %q: expected html, markdown or jsonl", format)
		}
		if o.to == "" {
			return write(o.out)
		}
		var incomplete *export.IncompleteError
		err := writeFile(o.to, func(w io.Writer) error {
			err := write(w)
			if errors.As(err, &incomplete) {
				return nil // all that can be read is worth keeping
			}
			return err
		})
		if err == nil && incomplete != nil {
			return incomplete
		}
		return err
	})
}
