package cli

import (
	"io"
	"os"
	"strings"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/muesli/cancelreader"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/stemma-history/stemma/internal/graphics"
)

// graphicsTimeout is how long a terminal may take to answer, over a slow line
// too.
const graphicsTimeout = time.Second

// imagesFlagOf lets a command be told how images are shown.
func (a *app) imagesFlagOf(c *cobra.Command) {
	c.Flags().StringVar(&a.imagesFlag, "images", "", "show images by `WAY`: "+strings.Join(graphics.Choices(), ", ")+" (default: as the settings say, else as the terminal can)")
	_ = c.RegisterFlagCompletionFunc("images", cobra.FixedCompletions(graphics.Choices(), cobra.ShellCompDirectiveNoFileComp)) // it exists
}

// graphics returns how this terminal shows images: as the person says, or as it
// answers itself.
func (a *app) graphics() (graphics.Terminal, error) {
	settings, err := a.settings()
	if err != nil {
		return graphics.Terminal{}, err
	}
	screen := graphics.Of(settings.Images, os.Getenv)
	if query := screen.Query(); query != "" && settings.Images == graphics.Auto {
		a.askTerminal(query, &screen)
	}
	return screen, nil
}

// askTerminal takes what the terminal answers. Where it does not, what its
// environment says stands.
func (a *app) askTerminal(query string, screen *graphics.Terminal) {
	keyboard, ok := a.in.(*os.File)
	if !ok || !isTerminal(keyboard) { // the text comes from there
		tty, err := os.Open("/dev/tty")
		if err != nil {
			return
		}
		defer func() { _ = tty.Close() }()
		keyboard = tty
	}
	before, err := term.MakeRaw(int(keyboard.Fd()))
	if err != nil {
		return
	}
	defer func() { _ = term.Restore(int(keyboard.Fd()), before) }()
	replies, err := cancelreader.NewReader(keyboard)
	if err != nil {
		return
	}
	defer func() { _ = replies.Close() }()
	timer := time.AfterFunc(graphicsTimeout, func() { replies.Cancel() })
	defer timer.Stop()
	a.out.print(query)
	if a.out.Flush() == nil {
		hear(replies, screen)
	}
}

// hear takes answers until the last of them, or the end of what is heard.
func hear(replies io.Reader, screen *graphics.Terminal) {
	var decoder uv.EventDecoder
	var heard []byte
	for buffer := make([]byte, 256); ; {
		n, err := replies.Read(buffer)
		heard = append(heard, buffer[:n]...)
		// An answer that is cut looks like keys: all is read anew.
		for rest := heard; len(rest) > 0; {
			length, answer := decoder.Decode(rest)
			if screen.Take(answer) {
				return
			}
			rest = rest[max(length, 1):]
		}
		if err != nil {
			return
		}
	}
}

// show writes an image, as wide as the screen.
func (o *output) show(screen *graphics.Terminal, data []byte) error {
	img, err := graphics.Decode(data)
	if err != nil {
		return err
	}
	drawn, err := screen.Draw(img, graphics.Place{Columns: max(o.width, 1)})
	if err != nil {
		return err
	}
	o.print(strings.TrimSuffix(drawn, "\n") + "\n")
	return nil
}
