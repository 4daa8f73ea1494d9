package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/message"
)

type recallOptions struct {
	*app
	conversation, handle string
	to                   string
	json                 bool
}

func newRecall(a *app) *cobra.Command {
	o := &recallOptions{app: a}
	c := &cobra.Command{
		Use:   "recall CONV HANDLE",
		Short: "Get an original back, byte for byte",
		Long: `Print the original of an entry or of one of its parts, as stored: a text, the arguments of a call, the text of a result, the bytes of an image. 412 is an entry of the current path, 412.2 its second part; stubs and pages name handles so.

Of a whole entry, the texts are printed with blank lines between; with --json, the entry.`,
		Example: `  stemma recall @ 412.2
  stemma recall @ 412.2 -o screenshot.png
  stemma recall @ 412 --json`,
		RunE: func(c *cobra.Command, args []string) error {
			o.conversation, o.handle = args[0], args[1]
			return o.run(c.Context())
		},
	}
	c.Flags().StringVarP(&o.to, "output", "o", "", "write to `FILE`")
	jsonFlag(c, &o.json)
	return c
}

func (o *recallOptions) run(ctx context.Context) error {
	at, err := history.ParseHandle(o.handle)
	if err != nil {
		return usageError{err}
	}
	return o.withConversation(ctx, o.conversation, func(s history.Store, c history.Conversation) error {
		e, err := history.EntryAt(ctx, s, c.ID, c.Tip, at)
		if err != nil {
			return err
		}
		if o.json {
			return o.printJSON(newEntryJSON(e))
		}
		originals, err := history.Recall(ctx, s, e, at.Part)
		if err != nil {
			return err
		}
		return o.write(originals)
	})
}

// write writes the originals: one alone as it is, of several the texts with
// blank lines between, and media to files of their own.
func (o *recallOptions) write(originals []message.Blob) error {
	if len(originals) == 1 {
		return o.writeOne(originals[0])
	}
	var text []byte
	media := 0
	for _, b := range originals {
		if !isText(b) {
			media++
			if o.to == "" {
				o.err.printf("stemma: left out: %s, %s; name a file with -o to get it\n", b.Type, words.ByteSize(int64(len(b.Data))))
				continue
			}
			if err := writeBytes(mediaName(o.to, media, b.Type), b.Data); err != nil {
				return err
			}
			continue
		}
		if len(text) > 0 {
			text = append(text, "\n\n"...)
		}
		text = append(text, b.Data...)
	}
	return o.writeOne(message.Blob{Type: "text/plain", Data: text})
}

func (o *recallOptions) writeOne(b message.Blob) error {
	switch {
	case o.to != "":
		return writeBytes(o.to, b.Data)
	case !o.out.terminal:
		o.out.print(string(b.Data))
	case isText(b):
		o.out.printf("%s\n", strings.TrimSuffix(words.Printable(string(b.Data)), "\n"))
	default:
		return usagef("%s is %s, %s: name a file with -o", o.handle, b.Type, words.ByteSize(int64(len(b.Data))))
	}
	return nil
}

func isText(b message.Blob) bool { return b.Type == "text/plain" || b.Type == "application/json" }

// mediaName returns the name of the n-th medium beside a file: notes-1.png
// beside notes.txt.
func mediaName(file string, n int, mediaType string) string {
	_, kind, _ := strings.Cut(mediaType, "/")
	if strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz0123456789") != "" { // it would become part of a path
		kind = "bin"
	}
	return fmt.Sprintf("%s-%d.%s", strings.TrimSuffix(file, filepath.Ext(file)), n, kind)
}
