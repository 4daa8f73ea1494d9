package reclaim_test

import (
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// wordsAreTheirOwn (P13): what people wrote stands in the view as they wrote it,
// or in a place that says that it is cut; an outline repeats their prompts; and
// the newest prompt stays.
func wordsAreTheirOwn(s *sent) error {
	shown := map[int]message.Message{}
	for _, m := range s.view.Messages {
		shown[m.At.Depth] = m.Message
	}
	fold := foldOf(s.path)
	newest := 0
	for i := range s.path {
		e := &s.path[i]
		if e.Message == nil || e.Message.Author != message.ByPerson {
			continue
		}
		if e.Message.IsPrompt() {
			newest = e.Depth
		}
		var err error
		if behind := fold.At(e.Handle()); behind == nil {
			err = s.areVerbatim(e, shown[e.Depth], fold)
		} else if behind.As == history.AsOutline && e.Message.IsPrompt() {
			err = areRepeated(e, behind.Text)
		}
		if err != nil {
			return err
		}
	}
	if newest > 0 && shown[newest].Author != message.ByPerson {
		return fmt.Errorf("the newest prompt, entry %d, is not in the view", newest)
	}
	return nil
}

// areVerbatim compares the texts of an entry with what is shown of it: the same,
// or an excerpt that says how to get the rest.
func (s *sent) areVerbatim(e *history.Entry, shown message.Message, fold *history.Fold) error {
	for i, p := range e.Message.Parts {
		text, ok := p.(message.Text)
		if !ok {
			continue
		}
		at := history.Handle{Depth: e.Depth, Part: i + 1}
		if fold.At(at) == nil {
			if got, ok := shown.Parts[i].(message.Text); !ok || got != text {
				return fmt.Errorf("%v: %q became %+v", at, text.Text, shown.Parts[i])
			}
			s.prompts++
			continue
		}
		got := shown.Parts[i].(message.Text).Text
		if !strings.Contains(got, "recall "+at.String()) {
			return fmt.Errorf("%v: %.200q became %.200q", at, text.Text, got)
		}
		s.excerpts++
	}
	return nil
}

// areRepeated looks for a prompt in the outline that stands for it: whole, or its
// beginning where the outline had no more room, or at least that there was one. A
// narrative that stood for the prompt before still does.
func areRepeated(e *history.Entry, outline string) error {
	prompt := e.Message.PlainText()
	if strings.Contains(outline, " person: "+beginning(prompt)) || strings.Contains(outline, " prompts") || strings.Contains(outline, narrative) || !strings.Contains(outline, "a line an exchange") {
		return nil
	}
	return fmt.Errorf("entry %d: the prompt %.200q is not in its outline:\n%s", e.Depth, prompt, outline)
}

// beginning returns what the shortest excerpt shows of a text: its first
// characters, 9 bytes of them.
func beginning(text string) string {
	end := 0
	for i := range text {
		if i > 9 {
			break
		}
		end = i
	}
	if len(text) <= 9 {
		return text
	}
	return text[:end]
}
