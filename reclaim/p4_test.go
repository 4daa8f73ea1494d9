package reclaim_test

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// isCovered (P4): each entry of the path is in the view as it is, or a text
// stands for it, once, that says so and how to get it back. One that was pinned
// is there as it is.
func isCovered(s *sent) error {
	fold := foldOf(s.path)
	for _, pinned := range s.whole {
		if behind := fold.At(pinned); behind != nil {
			return fmt.Errorf("entry %v is pinned, and stands behind %.200q", pinned, behind.Text)
		}
		s.kept++
	}
	return covers(s.view, s.path)
}

func covers(view wire.View, path []history.Entry) error {
	fold := foldOf(path)
	rest := view.Messages
	standing := map[*history.Treatment]bool{}
	for i := range path {
		e := &path[i]
		if e.Message == nil {
			continue
		}
		behind := fold.At(e.Handle())
		if behind != nil && standing[behind.Treatment] {
			continue
		}
		if len(rest) == 0 || rest[0].At != e.Handle() {
			return fmt.Errorf("entry %d is not in the view, and nothing stands for it", e.Depth)
		}
		shown := &rest[0]
		rest = rest[1:]
		if behind == nil {
			if err := coversParts(shown, e, fold); err != nil {
				return err
			}
			continue
		}
		standing[behind.Treatment] = true
		text := shown.PlainText()
		if !strings.HasPrefix(text, strings.TrimRight(behind.Text, "\n")) || shown.Author != message.ByHarness {
			return fmt.Errorf("for entry %d stands %.200q, not %.200q", e.Depth, text, behind.Text)
		}
		if !strings.Contains(text, "recall") {
			return fmt.Errorf("%v to %v stand behind %q", behind.From, behind.End, text)
		}
	}
	if len(rest) > 0 {
		return fmt.Errorf("%v is in the view, and not on the path", rest[0].At)
	}
	return nil
}

// coversParts is the same for the parts of an entry that is in the view.
func coversParts(shown *wire.Message, e *history.Entry, fold *history.Fold) error {
	if shown.Role != e.Message.Role || shown.Author != e.Message.Author || shown.Model != e.Message.Model {
		return fmt.Errorf("entry %d is shown as another's: %+v", e.Depth, shown)
	}
	rest := shown.Parts
	for j, part := range e.Message.Parts {
		at := history.Handle{Depth: e.Depth, Part: j + 1}
		behind := fold.At(at)
		if behind != nil {
			if _, ok := behindWords(part, ""); !ok {
				continue // thinking leaves nothing
			}
		}
		if len(rest) == 0 {
			return fmt.Errorf("part %v is not in the view", at)
		}
		now := rest[0]
		rest = rest[1:]
		if behind == nil {
			if !reflect.DeepEqual(now, part) {
				return fmt.Errorf("part %v has become %+v", at, now)
			}
			continue
		}
		if !strings.Contains(behind.Text, "recall "+at.String()) {
			return fmt.Errorf("part %v stands behind %q", at, behind.Text)
		}
		want, _ := behindWords(part, behind.Text)
		if behind.As == history.AsImages {
			want = withoutMedia(part, strings.Split(behind.Text, "\n"))
		}
		if !reflect.DeepEqual(now, want) {
			return fmt.Errorf("for part %v stands %+v, not %+v", at, now, want)
		}
	}
	if len(rest) > 0 {
		return fmt.Errorf("entry %d has parts in the view that it does not have: %+v", e.Depth, rest)
	}
	return nil
}

// behindWords returns what stands in the view for a part of which only words
// are shown: a call stays a call, and a result the answer to it.
func behindWords(part message.Part, words string) (message.Part, bool) {
	switch part := part.(type) {
	case message.Thinking, message.RedactedThinking:
		return nil, false
	case message.ToolCall:
		part.Arguments = append(rawjson.AppendString([]byte(`{"left_out":`), words), '}')
		return part, true
	case message.ToolResult:
		part.Content = []message.Content{message.Text{Text: words}}
		return part, true
	}
	return message.Text{Text: words}, true
}

// withoutMedia returns a part with a line in the place of each image and document.
func withoutMedia(part message.Part, lines []string) message.Part {
	result, ok := part.(message.ToolResult)
	if !ok {
		return message.Text{Text: strings.Join(lines, "\n")}
	}
	var content []message.Content
	for _, c := range result.Content {
		switch c.(type) {
		case message.Image, message.Document:
			c, lines = message.Text{Text: lines[0]}, lines[1:]
		}
		content = append(content, c)
	}
	result.Content = content
	return result
}

// foldOf returns what the compactions of a path come to. Those of another tool
// have its own words, and with each part how to get it back.
func foldOf(path []history.Entry) *history.Fold {
	var compactions []*history.Compaction
	for _, e := range path {
		c := e.Compaction
		if c != nil && c.Reason.Trigger == history.ByImport {
			c = copyOfCompaction(c)
			for i := range c.Treatments {
				if t := &c.Treatments[i]; t.From.Part > 0 {
					t.Text += fmt.Sprintf("\n[To get the original back: recall %v]", t.From)
				}
			}
		}
		if c != nil {
			compactions = append(compactions, c)
		}
	}
	fold := history.FoldTreatments(compactions)
	return &fold
}
