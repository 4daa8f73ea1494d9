package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/formats"
	"github.com/stemma-history/stemma/transcript/rescue"
)

type rescueOptions struct {
	*app
	windowOptions
	file   string
	output string
	json   bool
}

func newRescue(a *app) *cobra.Command {
	o := &rescueOptions{app: a}
	c := &cobra.Command{
		Use:   "rescue FILE",
		Short: "Make a stuck session of another tool fit again",
		Long: `Read a session that has outgrown its model's window and write it in the same format as a new session that fits and can be resumed: of Claude Code, Codex or pi, or the JSON body of a request to Anthropic, OpenAI or Gemini. No model, key or network is needed. FILE is never written to.

The new session stands beside FILE, under the name that its tool wants; --output puts it elsewhere, - prints it.`,
		Example: `  stemma rescue ~/.claude/projects/-home-me-app/5f0c….jsonl
  stemma rescue session.jsonl --window 200000 -o smaller.jsonl
  stemma rescue body.json --model claude-opus-4-5 -o - | jq .messages`,
		RunE: func(c *cobra.Command, args []string) error {
			o.file = args[0]
			return o.run(c.Context())
		},
	}
	o.windowOptions.flags(a, c)
	c.Flags().StringVarP(&o.output, "output", "o", "", "write to `FILE`; - is standard output")
	jsonFlag(c, &o.json)
	return c
}

func (o *rescueOptions) run(ctx context.Context) error {
	if err := o.check(); err != nil {
		return err
	}
	f, closer, err := transcript.Open(o.file)
	if err != nil {
		return err
	}
	defer closer.Close()
	models, err := o.catalog()
	if err != nil {
		return err
	}
	r, err := rescue.Rescue(ctx, formats.All(), f, rescue.Options{Model: o.model, Window: o.window, Models: models})
	if err != nil {
		return err
	}
	if o.output == "-" {
		o.out.print(string(r.Data))
		return nil
	}
	output := o.outputName(r)
	if _, err := os.Stat(output); err == nil {
		return fmt.Errorf("%s is there already; name another file with --output", output)
	}
	if err := writeBytes(output, r.Data); err != nil {
		return err
	}
	if o.json {
		return o.printJSON(rescueJSON{output, r.Format, r.ID, r.Model, r.Window, r.Before, r.After, r.Plan != nil})
	}
	o.print(r, output)
	return nil
}

type rescueJSON struct {
	File         string `json:"file"`
	Format       string `json:"format"`
	Session      string `json:"session"` // the new id; empty for the body of a request
	Model        string `json:"model"`
	Window       int    `json:"window"`
	TokensBefore int    `json:"tokens_before"` // estimated
	TokensAfter  int    `json:"tokens_after"`
	Compacted    bool   `json:"compacted"`
}

func (o *rescueOptions) outputName(r rescue.Result) string {
	switch {
	case o.output != "":
		return o.output
	case r.Name != "":
		return filepath.Join(filepath.Dir(o.file), r.Name)
	}
	extension := filepath.Ext(o.file)
	return strings.TrimSuffix(o.file, extension) + ".rescued" + extension
}

func (o *rescueOptions) print(r rescue.Result, output string) {
	if !o.out.terminal {
		o.out.printf("%s\t%s\t%s\t%d\t%d\n", output, r.Format, r.ID, r.Before, r.After)
		return
	}
	for _, p := range r.Problems {
		o.err.printf("stemma: %s: line %d: %s\n", o.file, p.Line, words.OneLine(p.What))
	}
	if r.Plan != nil {
		for _, s := range r.Plan.Steps {
			if s.Applied {
				o.out.printf("%-9s %s → %s tokens: %s\n", s.Rung, words.Thousands(s.Before), words.Thousands(s.After), s.Why)
			}
		}
	}
	o.out.printf("%s → %s tokens (estimated) in a window of %s\n%s\n", words.Thousands(r.Before), words.Thousands(r.After), words.Thousands(r.Window), output)
	if hint := resumeHint(r); hint != "" {
		o.out.printf("to go on: %s\n", hint)
	}
	o.out.printf("to have originals back: stemma import %s, then stemma recall\n", o.file)
}

// resumeHint is how the tool goes on with the new session.
func resumeHint(r rescue.Result) string {
	switch r.Format {
	case "claude-code":
		return "claude --resume " + r.ID
	case "codex":
		return "codex resume " + r.ID
	case "pi":
		return "pi --session " + r.Name
	}
	return ""
}
