package export

import (
	"fmt"
	"strings"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
)

// speaker is whose an entry is.
type speaker struct {
	Class string // in HTML
	Name  string // for people
}

// speakerOf says whose an entry is; m is nil for compactions.
func speakerOf(m *message.Message) speaker {
	switch {
	case m == nil:
		return speaker{"compaction", "Compaction"}
	case m.Silent():
		return speaker{"record", "Record"}
	case m.Author == message.ByDigest:
		return speaker{"digest", "Digest"}
	case m.Role == message.Tool:
		return speaker{"tool", "Tool"}
	case m.Role == message.Assistant:
		return speaker{"model", "Model"}
	case m.Author == message.ByPerson:
		return speaker{"person", "Person"}
	}
	return speaker{"harness", "Harness"}
}

// nodeClass is [speaker.Class] of an entry that is known by its node only.
func nodeClass(n *history.Node) string {
	if n.Kind == history.KindCompaction {
		return "compaction"
	}
	return speakerOf(&message.Message{Role: n.Role, Author: n.Author}).Class
}

// stamp writes a time for people, to the second.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// target is what a call works on, as far as one line can say it: the first
// text among its arguments.
func target(c message.ToolCall) string {
	found := ""
	_ = rawjson.Members(c.Arguments, func(_ string, value []byte) error {
		if found = strings.TrimSpace(rawjson.Text(value)); found != "" {
			return rawjson.ErrStop
		}
		return nil
	})
	return line(found, 80)
}

// about describes a medium in a few words.
func about(kind string, m message.Media, widthPx, heightPx int) string {
	words := []string{kind}
	if m.Name != "" {
		words = append(words, line(m.Name, 80))
	}
	words = append(words, line(m.Type, 40))
	if widthPx > 0 && heightPx > 0 {
		words = append(words, fmt.Sprintf("%d×%d", widthPx, heightPx))
	}
	if m.Size > 0 {
		words = append(words, size(m.Size))
	}
	return strings.Join(words, ", ")
}

// billed writes what a request took.
func billed(u *history.Usage) string {
	if u == nil || u.Prompt() == 0 && u.Output == 0 {
		return ""
	}
	s := thousands(u.Prompt()) + " tokens in"
	if u.CacheRead > 0 {
		s += " (" + thousands(u.CacheRead) + " cached)"
	}
	s += ", " + thousands(u.Output) + " out"
	if u.CostUSD > 0 {
		s += fmt.Sprintf(", $%.4f", u.CostUSD)
	}
	return s
}

// ended says how an answer ended where that is worth a word.
func ended(stop message.Stop) string {
	switch stop {
	case "", message.StopEnd, message.StopTools:
		return ""
	case message.StopLength:
		return "cut off by the output limit"
	case message.StopRefusal:
		return "declined"
	case message.StopError:
		return "the request failed on the way"
	case message.StopAborted:
		return "interrupted"
	}
	return "ended: " + line(string(stop), 40)
}

// outcome says how a call ended where it did not simply succeed.
func outcome(o message.Outcome) string {
	switch o {
	case message.OK:
		return ""
	case message.Failed:
		return "error"
	case message.Unknown:
		return "interrupted, outcome unknown"
	}
	return line(string(o), 40)
}

// shownRange says how a compaction shows part of the path from there on.
type shownRange struct {
	Range string // handles
	As    string
	Text  string // what stands for the range, if anything
}

// shownRanges lists what a compaction does. Lines that stand for single results
// are put together: there may be hundreds.
func shownRanges(c *history.Compaction) []shownRange {
	var ranges []shownRange
	var lines []string
	for i := range c.Treatments {
		t := &c.Treatments[i]
		r := shownRange{Range: t.From.String(), As: shownAs(t), Text: strings.TrimSpace(visible(t.Text))}
		if t.From != t.To {
			r.Range += "–" + t.To.String()
		}
		if t.As == history.AsStub {
			lines = append(lines, r.Range+": "+line(t.Text, 400))
			continue
		}
		ranges = append(ranges, r)
	}
	if len(lines) == 0 {
		return ranges
	}
	stubs := shownRange{Range: count(len(lines), "place", "places"), As: "a line instead", Text: strings.Join(lines, "\n")}
	return append([]shownRange{stubs}, ranges...)
}

func shownAs(t *history.Treatment) string {
	switch t.As {
	case history.AsPages:
		return count(len(t.Pages.Pages), "page", "pages") + " of a snapshot"
	case history.AsOutline:
		return "an outline"
	case history.AsSummary:
		return "a summary"
	case history.AsTrimmed:
		return "trimmed to a line"
	}
	return "whole again"
}

// why says why a compaction was made.
func why(r *history.Reason) string {
	s := map[history.Trigger]string{
		history.ByThreshold: "the view grew over the threshold",
		history.ByRefusal:   "the provider refused the request as too large",
		history.ByCommand:   "someone asked for it",
		history.BySwitch:    "the model was changed",
		history.ByColdCache: "the provider's cache had expired",
		history.ByResume:    "a resumed run was held to its newest messages",
		history.ByImport:    "it was made by the tool that the conversation comes from",
	}[r.Trigger]
	if s == "" {
		s = "of a reason not known to this version: " + line(string(r.Trigger), 40)
	}
	if r.Used > 0 || r.Limit > 0 {
		s += fmt.Sprintf(" (%s tokens, limit %s)", thousands(r.Used), thousands(r.Limit))
	}
	if r.Before > 0 {
		s += fmt.Sprintf("; about %s → %s tokens", thousands(r.Before), thousands(r.After))
	}
	return s
}
