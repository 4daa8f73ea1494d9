package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/wire"
)

// frameOptions replace parts of the frame of a request.
type frameOptions struct{ system, tools string }

func (o *frameOptions) flags(c *cobra.Command) {
	c.Flags().StringVar(&o.system, "system", "", "with the text of `FILE` as system prompt (default: that of the newest answer)")
	c.Flags().StringVar(&o.tools, "tools", "", "with the tools of a JSON `FILE`, as any of the APIs takes them (default: those of the newest answer)")
}

// named reports whether any part is replaced.
func (o *frameOptions) named() bool { return o.system != "" || o.tools != "" }

// apply puts what the flags name into a frame. An empty file is none: no system
// prompt.
func (o *frameOptions) apply(ctx context.Context, a *app, frame *wire.Frame) error {
	if o.system != "" {
		text, err := a.readText(ctx, o.system)
		if err != nil {
			return fmt.Errorf("--system: %w", err)
		}
		frame.System = nil
		if text != "" {
			frame.System = []string{text}
		}
	}
	if o.tools != "" {
		data, err := os.ReadFile(o.tools)
		if err != nil {
			return fmt.Errorf("--tools: %w", err)
		}
		if frame.Tools, err = parseTools(data); err != nil {
			return fmt.Errorf("--tools: %s: %w", o.tools, err)
		}
	}
	return nil
}
