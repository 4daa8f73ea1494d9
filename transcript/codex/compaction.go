package codex

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// keptWords is how many bytes of prompts Codex puts before a summary where it
// does not list what stands for the history: 20,000 tokens, at the four bytes
// that it takes for one (2025).
const keptWords = 80_000

// compaction turns what stands for the history into treatments of the path: the
// messages that it repeats stay whole, the rest is what summarises. It is nil
// where nothing readable stands for the history (the provider can keep the
// summary to itself, encrypted): then the originals are what there is.
func (s *session) compaction(n int, payload []byte) *transcript.Compaction {
	var path []int
	for p := s.records[n].up; p >= 0; p = s.records[p].up {
		path = append(path, p)
	}
	slices.Reverse(path)
	var whole map[int]bool
	var text string
	if replacement := rawjson.Get(payload, "replacement_history"); len(replacement) > 0 && replacement[0] == '[' {
		whole, text = s.replaced(path, replacement)
	} else {
		whole, text = s.summarised(path), rawjson.Text(rawjson.Get(payload, "message"))
	}
	if text == "" || len(path) == 0 {
		return nil
	}
	treatments := []transcript.Treatment{{As: history.AsSummary, Text: text}}
	return &transcript.Compaction{
		Treatments: append(treatments, s.ranges(path, whole)...),
		Reason:     history.Reason{Note: Name},
	}
}

// replaced finds the messages of a replacement that stand on the path, and
// returns the words of the others.
func (s *session) replaced(path []int, replacement []byte) (whole map[int]bool, text string) {
	known := map[uint64][]int{}
	for _, n := range path {
		if r := &s.records[n]; r.kind == prompt || r.kind == injected {
			known[r.text] = append(known[r.text], n)
		}
	}
	whole = map[int]bool{}
	var rest []string
	_ = rawjson.Elements(replacement, func(item []byte) error {
		words := wordsOf(rawjson.Get(item, "content"))
		sum := maphash.String(s.seed, words)
		if same := known[sum]; len(same) > 0 && kindOf(item) != answer {
			whole[same[len(same)-1]] = true // the latest first
			known[sum] = same[:len(same)-1]
		} else if words != "" {
			rest = append(rest, words)
		}
		return nil
	})
	return whole, strings.Join(rest, "\n\n")
}

// summarised returns what stays without a replacement: what the program put in
// before the first prompt, and the newest prompts.
func (s *session) summarised(path []int) map[int]bool {
	whole := map[int]bool{}
	for _, n := range path {
		if s.records[n].kind == prompt {
			break
		}
		whole[n] = s.records[n].kind == injected
	}
	room := keptWords
	for _, n := range slices.Backward(path) {
		if r := &s.records[n]; r.kind == prompt {
			if room -= r.size; room < 0 {
				break
			}
			whole[n] = true
		}
	}
	return whole
}

// ranges writes the records that stay as treatments.
func (s *session) ranges(path []int, whole map[int]bool) []transcript.Treatment {
	var ranges []transcript.Treatment
	open := false
	for _, n := range path {
		if !whole[n] {
			open = false
			continue
		}
		id := s.records[n].id
		if !open {
			ranges = append(ranges, transcript.Treatment{From: id, As: history.AsWhole})
		}
		ranges[len(ranges)-1].To, open = id, true
	}
	return ranges
}
