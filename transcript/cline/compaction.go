package cline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/jsonstream"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
)

// compactAt tells the compactions that stand for the first n messages; 0 is
// those that stand for all there are. Cline continues from the latest.
func (r *reader) compactAt(n int) error {
	at := r.parent
	for _, c := range r.compacts {
		if c.covers != n && !(n == 0 && c.covers > len(r.told)) {
			continue
		}
		made, err := r.compaction(c)
		if err != nil {
			return err
		}
		r.parent = at // several are ways beside each other
		if made.Compaction != nil {
			if err := r.record(made); err != nil {
				return err
			}
		}
	}
	return nil
}

// compaction compares what stands for the messages with the messages: those
// that it repeats stay whole; what it says beside them stands for the others
// up to the next that stays.
func (r *reader) compaction(c sidecar) (transcript.Record, error) {
	made := transcript.Record{Created: c.updated}
	f, closer, err := transcript.Open(c.path)
	if err != nil {
		return made, err
	}
	defer closer.Close()
	b := builder{told: r.told}
	var names transcript.Chain
	for v, err := range jsonstream.Read(f.Reader(), "messages") {
		if syntax := (*rawjson.SyntaxError)(nil); errors.As(err, &syntax) {
			r.sink.Problem(transcript.Problem{What: fmt.Sprintf("%s is damaged and does not count: %v", c.path, err)})
			return made, nil
		}
		if err != nil {
			return made, err
		}
		if v.Index < 0 {
			continue
		}
		made.ID = "compaction-" + names.Next(v.Data)
		i, known := r.byID[rawjson.Text(rawjson.Get(v.Data, "id"))]
		if !known {
			i = -1
		}
		b.add(i, textsOf(v.Data))
	}
	b.hideTo(len(r.told))
	if len(b.treatments) == 0 {
		return made, nil
	}
	made.Compaction = &transcript.Compaction{Treatments: b.treatments, Reason: history.Reason{Note: Name}}
	return made, nil
}

func textsOf(data []byte) []string {
	parts, err := decodeContent(rawjson.Get(data, "content"))
	if err != nil {
		return nil
	}
	var texts []string
	for _, p := range parts {
		if t, ok := p.(message.Text); ok {
			texts = append(texts, t.Text)
		}
	}
	return texts
}

// A builder makes treatments of the messages that a compaction consists of.
type builder struct {
	told       []told
	next       int      // the first message that is not covered yet
	words      []string // what stands for the messages from there on
	treatments []transcript.Treatment
}

// add takes a message of the compaction: the session's i-th, or one of its own
// where i is negative.
func (b *builder) add(i int, texts []string) {
	if i < b.next {
		b.words = append(b.words, texts...)
		return
	}
	b.hideTo(i)
	b.next = i + 1
	for _, t := range texts {
		if !b.told[i].texts[t] {
			b.words = append(b.words, t)
		}
	}
}

// hideTo puts the words in the place of the messages before the i-th.
func (b *builder) hideTo(i int) {
	if b.next >= i {
		if n := len(b.treatments); i == len(b.told) && n > 0 && len(b.words) > 0 {
			b.treatments[n-1].Text += "\n\n" + strings.Join(b.words, "\n\n")
		}
		return
	}
	if len(b.words) == 0 {
		b.words = []string{fmt.Sprintf("[%d messages left out by Cline's compaction]", i-b.next)}
	}
	b.treatments = append(b.treatments, transcript.Treatment{
		From: b.told[b.next].first, To: b.told[i-1].last,
		As: history.AsSummary, Text: strings.Join(b.words, "\n\n"),
	})
	b.words = nil
}
