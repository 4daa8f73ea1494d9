package qwen

import (
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/wire/gemini"
)

// compression returns what a compressed history comes to, or nil where it hides
// nothing. The new history is a summary and, behind it, a tail of what was
// there, which the original records are kept for.
func (t *teller) compression(r record, parent *place) *transcript.Compaction {
	var contents [][]byte
	payload := rawjson.Get(r.Raw("systemPayload"), "compressedHistory")
	if err := rawjson.Elements(payload, func(v []byte) error { contents = append(contents, v); return nil }); err != nil || parent.record == "" {
		return nil
	}
	cut, kept := keptTail(contents, parent)
	if cut.record == "" {
		return nil
	}
	treatment := transcript.Treatment{As: history.AsSummary, Text: textOf(contents[:len(contents)-kept])}
	if cut != parent {
		treatment.To = cut.record
	}
	if treatment.Text == "" {
		treatment.As, treatment.Text = history.AsTrimmed, "[qwen-code dropped this part of the conversation; the original is kept]"
	}
	return &transcript.Compaction{Treatments: []transcript.Treatment{treatment}, Reason: history.Reason{
		Note:   tool,
		Before: r.Int("systemPayload", "info", "originalTokenCount"),
		After:  r.Int("systemPayload", "info", "newTokenCount"),
	}}
}

// keptTail returns the last place that the contents do not hold any more, and
// how many contents, from the end, are the records behind it. A prompt that has
// just been typed is behind it too: it is sent after the new history.
func keptTail(contents [][]byte, last *place) (cut *place, kept int) {
	cut = last
	if cut.prompt && (len(contents) == 0 || !endsWith(hashes(contents[len(contents)-1:]), cut.parts)) {
		cut = cut.above()
	}
	parts := hashes(contents)
	left := len(parts)
	for at := cut; at.record != "" && endsWith(parts[:left], at.parts); at = at.above() {
		if len(at.parts) > 0 { // else it was never sent
			left -= len(at.parts)
			cut = at.above()
		}
	}
	// Only whole contents are kept: a record may be a piece of one.
	for n := len(contents); n > 0 && len(hashes(contents[n-1:])) <= len(parts)-left; n-- {
		kept++
	}
	return cut, kept
}

// above returns the place that this one's record continues from.
func (p *place) above() *place {
	if p.parent == nil {
		return &place{}
	}
	return p.parent
}

func endsWith(all, end []uint64) bool {
	if len(end) > len(all) {
		return false
	}
	for i, h := range end {
		if all[len(all)-len(end)+i] != h {
			return false
		}
	}
	return true
}

// hashes returns those of all parts of contents.
func hashes(contents [][]byte) []uint64 {
	var all []uint64
	for _, c := range contents {
		_ = rawjson.Elements(rawjson.Get(c, "parts"), func(part []byte) error { // checked as part of the line
			all = append(all, hash(part))
			return nil
		})
	}
	return all
}

func partsOf(r record) []uint64 { return hashes([][]byte{r.Raw("message")}) }

// textOf returns the words of contents: the user's, in whose name the summary
// is sent, or else all.
func textOf(contents [][]byte) string {
	var user, all []string
	for _, c := range contents {
		parts, err := gemini.DecodeParts(rawjson.Get(c, "parts"))
		if err != nil {
			continue
		}
		m := message.Message{Parts: parts}
		if text := m.PlainText(); text != "" {
			all = append(all, text)
			if rawjson.Text(rawjson.Get(c, "role")) == "user" {
				user = append(user, text)
			}
		}
	}
	if len(user) > 0 {
		all = user
	}
	return strings.Join(all, "\n\n")
}
