package aider

import (
	"fmt"
	"strings"
	"time"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
)

// reader reads one chat at a time.
type reader struct {
	sink      transcript.Sink
	directory string
	empty     int // chats in which nothing was typed

	started time.Time // zero in what stands before the first chat's beginning
	typed   []line    // of the prompt that is being read
	said    []line    // since the prompt, or the beginning
	asked   bool      // there was a prompt
	blocks  []block
}

type line struct {
	number int64
	text   string
}

// block is what one speaker said without a break.
type block struct {
	by    speaker
	line  int64
	lines []string
}

type speaker int

const (
	person speaker = iota
	harness
	model
)

func (r *reader) begin(at time.Time) {
	r.started, r.typed, r.said, r.asked, r.blocks = at, nil, nil, false, nil
}

func (r *reader) line(l transcript.Line) error {
	if l.Skipped > 0 {
		r.sink.Problem(transcript.Problem{Line: l.Number, What: fmt.Sprintf("the line has %d bytes, more than the %d that are read; it is skipped", l.Skipped, int64(transcript.MaxLine))})
		return nil
	}
	text := strings.ToValidUTF8(string(l.Data), "\uFFFD")
	if at, ok := chatBegins(text); ok {
		if err := r.end(); err != nil {
			return err
		}
		r.begin(at)
		return nil
	}
	if typed, ok := unmark(text, "####"); ok {
		r.endSaid()
		r.typed = append(r.typed, line{l.Number, typed})
		return nil
	}
	r.endTyped()
	r.said = append(r.said, line{l.Number, text})
	return nil
}

// unmark returns a line without the mark before it and the two blanks behind
// it, which make a line break in Markdown.
func unmark(text, mark string) (string, bool) {
	inside, ok := strings.CutPrefix(text, mark)
	if !ok || inside != "" && inside[0] != ' ' {
		return "", false
	}
	return strings.TrimSuffix(strings.TrimPrefix(inside, " "), "  "), true
}

// endTyped closes a prompt.
func (r *reader) endTyped() {
	if len(r.typed) == 0 {
		return
	}
	r.asked = true
	r.blocks = append(r.blocks, block{by: person, line: r.typed[0].number}) // a prompt may follow a prompt
	for _, l := range r.typed {
		r.add(person, l)
	}
	r.typed = nil
}

// endSaid closes what was said since the last prompt. Where nothing was typed
// yet, it was aider's own: it prints without marks too. What stands before the
// first beginning of a chat may be the end of an answer.
func (r *reader) endSaid() {
	unmarked := model
	if !r.asked && !r.started.IsZero() {
		unmarked = harness
	}
	fenced := fences(r.said)
	for i, l := range r.said {
		notice, ok := unmark(l.text, ">")
		switch {
		case ok && !fenced[i]:
			r.add(harness, line{l.number, notice})
		case l.text == "" && len(r.blocks) > 0: // whoever speaks, it is a break
			r.add(r.blocks[len(r.blocks)-1].by, l)
		default:
			r.add(unmarked, l)
		}
	}
	r.said = nil
}

func (r *reader) add(by speaker, l line) {
	if n := len(r.blocks); n == 0 || r.blocks[n-1].by != by {
		r.blocks = append(r.blocks, block{by: by, line: l.number})
	}
	b := &r.blocks[len(r.blocks)-1]
	b.lines = append(b.lines, l.text)
}

// fences tells which lines stand in code between two lines of ```. A fence that
// is never closed is none: the answer was cut.
func fences(lines []line) []bool {
	in := make([]bool, len(lines))
	closing := make([]int, len(lines)+1) // the first line from here on that closes a fence
	closing[len(lines)] = -1
	for i := len(lines) - 1; i >= 0; i-- {
		if closing[i] = closing[i+1]; strings.TrimRight(lines[i].text, " ") == "```" {
			closing[i] = i
		}
	}
	for i := 0; i < len(lines); i++ {
		if end := closing[i+1]; end > 0 && strings.HasPrefix(lines[i].text, "```") {
			for ; i < end; i++ {
				in[i] = true
			}
			in[i] = true
		}
	}
	return in
}

// end tells the sink the chat.
func (r *reader) end() error {
	r.endTyped()
	r.endSaid()
	blocks := joined(r.blocks)
	if len(blocks) == 0 {
		return nil
	}
	if !r.asked && !r.started.IsZero() {
		r.empty++
		return nil
	}
	c := transcript.Conversation{ID: r.name(blocks), Created: r.started, Directory: r.directory, Model: modelOf(blocks)}
	if err := r.sink.Conversation(c); err != nil {
		return err
	}
	var chain transcript.Chain
	parent := ""
	for _, b := range blocks {
		m := message.Message{Role: message.User, Author: message.ByPerson, Parts: []message.Part{message.Text{Text: b.text()}}}
		switch b.by {
		case harness:
			m.Author = message.ByHarness
		case model:
			m.Role, m.Author, m.Model = message.Assistant, message.ByModel, c.Model
		}
		record := transcript.Record{ID: b.name(&chain), Parent: parent, Created: r.started, Message: &m, Line: b.line}
		if err := r.sink.Record(record); err != nil {
			return err
		}
		parent = record.ID
	}
	return nil
}

// name returns the id of a chat: when it began and, as several may in one
// second, what stands in it up to the first prompt.
func (r *reader) name(blocks []block) string {
	var chain transcript.Chain
	name := ""
	for _, b := range blocks {
		if name = b.name(&chain); b.by == person {
			break
		}
	}
	if r.started.IsZero() {
		return "cut~" + name
	}
	return r.started.Format(time.DateTime) + "~" + name
}

func (b *block) name(chain *transcript.Chain) string {
	return chain.Next(append([]byte{byte('0' + b.by)}, b.text()...))
}

func (b *block) text() string { return strings.Trim(strings.Join(b.lines, "\n"), "\n") }

// joined leaves out blocks without words, and joins those of the same speaker
// that then follow each other, except prompts.
func joined(blocks []block) []block {
	var all []block
	for _, b := range blocks {
		switch n := len(all); {
		case strings.TrimSpace(b.text()) == "":
		case n > 0 && all[n-1].by == b.by && b.by != person:
			all[n-1].lines = append(all[n-1].lines, b.lines...)
		default:
			all = append(all, b)
		}
	}
	return all
}

// modelOf returns the model that aider names at the beginning of a chat, as
// "Model: NAME with …", "Models: NAME with …" or "Main model: NAME with …".
func modelOf(blocks []block) string {
	for _, b := range blocks {
		if b.by == person {
			break
		}
		for _, l := range b.lines {
			for _, label := range []string{"Model: ", "Models: ", "Main model: "} {
				if rest, ok := strings.CutPrefix(l, label); ok {
					name, _, _ := strings.Cut(rest, " ")
					return name
				}
			}
		}
	}
	return ""
}
