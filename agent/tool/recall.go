package tool

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// Originals returns the originals of a place on the current path: see
// [history.Recall].
type Originals func(ctx context.Context, at history.Handle) ([]message.Blob, error)

// Recall returns the tool that gets back what the view no longer shows.
func Recall(originals Originals) Tool { return recallTool{originals} }

type recallTool struct{ originals Originals }

func (recallTool) ReadOnly() bool { return true }

func (recallTool) Definition() wire.Tool {
	return wire.Tool{
		Name: "recall",
		Description: "Gets back, exactly as it was, something of this conversation that is no longer shown in full. " +
			"Where something was left out, its handle stands there: 412 for a message, 412.2 for a part of it.",
		Schema: schema(`"handle":{"type":"string"},`+
			`"offset":{"type":"integer","minimum":0,"description":"byte of the text to begin at"},`+
			`"limit":{"type":"integer","minimum":1,"description":"how many bytes; default 100000"}`, "handle"),
	}
}

// recallBytes is how much of a text one recall gives back that asks for no
// length: a long result comes back in pieces, so that it cannot fill the
// window that it was taken out of.
const recallBytes = 100_000

type recallArguments struct {
	Handle        string `json:"handle"`
	Offset, Limit int
}

func (t recallTool) Run(ctx context.Context, c Call) Result {
	a, err := decode[recallArguments](c.Arguments)
	if err != nil {
		return Fail(err.Error())
	}
	at, err := history.ParseHandle(a.Handle)
	if err != nil {
		return Fail(err.Error())
	}
	blobs, err := t.originals(ctx, at)
	if err != nil {
		return Fail(err.Error())
	}
	r := Result{Uneventful: true}
	for _, b := range blobs {
		r.Content = append(r.Content, a.content(b))
	}
	return r
}

// content is one original as a model can take it.
func (a *recallArguments) content(b message.Blob) message.Content {
	switch {
	case strings.HasPrefix(b.Type, "image/"):
		return message.NewImage(b.Type, b.Data)
	case strings.HasPrefix(b.Type, "text/"), b.Type == "application/json":
		return message.Text{Text: a.piece(string(b.Data))}
	}
	return message.Document{Media: message.Media{Type: b.Type, Data: b.Data, Size: int64(len(b.Data))}}
}

func (a *recallArguments) piece(text string) string {
	limit := a.Limit
	if limit <= 0 {
		limit = recallBytes
	}
	from := min(max(a.Offset, 0), len(text))
	end := wholeRunes(text, from, from+min(limit, len(text)-from))
	piece := strings.ToValidUTF8(text[from:end], "\uFFFD")
	switch {
	case len(text) == 0:
		return "(This was empty.)"
	case end < len(text):
		return piece + fmt.Sprintf("\n(Bytes %d to %d of %d: go on with offset %d.)", from, end, len(text), end)
	case from > 0 && piece == "":
		return fmt.Sprintf("(The text has %d bytes: offset %d is behind its end.)", len(text), a.Offset)
	}
	return piece
}

// wholeRunes moves the end of a piece to where no character is cut: back, or on
// where the piece would be empty otherwise.
func wholeRunes(text string, from, end int) int {
	for back := end; back > from && back > end-utf8.UTFMax; back-- {
		if back == len(text) || utf8.RuneStart(text[back]) {
			return back
		}
	}
	for end < len(text) && end > from && !utf8.RuneStart(text[end]) {
		end++
	}
	return end
}
