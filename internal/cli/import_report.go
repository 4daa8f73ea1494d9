package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/transcript"
)

// fileReportJSON is what became of a file, as --json prints it.
type fileReportJSON struct {
	File          string              `json:"file"`
	Format        string              `json:"format,omitempty"`
	Conversations []importedJSON      `json:"conversations"`
	Problems      []sourceProblemJSON `json:"problems"`      // the first of them
	ProblemCount  int                 `json:"problem_count"` // of all
	Error         string              `json:"error,omitempty"`
}

type importedJSON struct {
	ID       history.ID `json:"id"`
	Title    string     `json:"title"`
	Created  bool       `json:"created"` // it is new
	Entries  int        `json:"entries"` // that the file has
	Added    int        `json:"added"`   // of them that were new
	Tip      history.ID `json:"tip,omitzero"`
	TipMoved bool       `json:"tip_moved"` // the conversation stands at Tip
}

type sourceProblemJSON struct {
	Line   int64  `json:"line,omitempty"`
	Record string `json:"record,omitempty"`
	What   string `json:"what"`
}

func newFileReportJSON(r fileReport) fileReportJSON {
	j := fileReportJSON{File: r.path, Format: r.Format, Conversations: []importedJSON{}, Problems: []sourceProblemJSON{}, ProblemCount: r.ProblemCount}
	for _, c := range r.Conversations {
		j.Conversations = append(j.Conversations, importedJSON{c.Conversation, c.Title, c.Created, c.Records, c.Added, c.Tip, c.TipMoved})
	}
	for _, p := range r.Problems {
		j.Problems = append(j.Problems, sourceProblemJSON(p))
	}
	if r.err != nil {
		j.Error = r.err.Error()
	}
	return j
}

// report prints what was imported so far, also where the import was stopped.
func (r *importRun) report(ctx context.Context) {
	for i := range r.reports {
		r.reportProblems(&r.reports[i])
	}
	if r.json {
		_ = printArray(r.app, mapped(values(r.reports), newFileReportJSON)) // a failed write shows at the end
		return
	}
	r.printTable(ctx)
	if r.app.err.terminal {
		_ = r.out.Flush() // the summary stands below
		r.app.err.printf("%s\n", r.summary())
	}
}

// maxProblemLines is how many problems of a file are printed.
const maxProblemLines = 5

func (r *importRun) reportProblems(f *fileReport) {
	if f.err != nil && !errors.Is(f.err, context.Canceled) { // that is said at the end
		r.app.err.printf("stemma: %v\n", f.err)
	}
	for i, p := range f.Problems {
		if i == maxProblemLines {
			r.app.err.printf("stemma: %s: and %s; --json has more of them\n", f.path, words.Count(f.ProblemCount-i, "more problem"))
			break
		}
		r.app.err.printf("stemma: %s: %s\n", where(f.path, p), words.OneLine(p.What))
	}
}

func where(path string, p transcript.Problem) string {
	if p.Line > 0 {
		path += ":" + strconv.FormatInt(p.Line, 10)
	}
	if p.Record != "" {
		path += " (" + words.OneLine(p.Record) + ")"
	}
	return path
}

// printTable prints the conversations: on a terminal those with something new,
// off it all of them.
func (r *importRun) printTable(ctx context.Context) {
	t := r.table(column{title: "ID"}, column{title: "TITLE", flexible: true}, column{title: "TOOL"}, column{title: "ENTRIES", right: true}, column{title: "NEW", right: true}, column{title: "FILE", flexible: true})
	short := shortConversationIDs(ctx, r.store)
	for i := range r.reports {
		f := &r.reports[i]
		for _, c := range f.Conversations {
			if !c.TipMoved && c.Added > 0 && !c.Created {
				r.app.err.printf("stemma: %s: the tip of %v was moved since the last import and stays; what is new is a branch that ends at %v\n", f.path, c.Conversation, c.Tip)
			}
			if r.out.terminal && c.Added == 0 {
				continue
			}
			t.row(
				cell{value: c.Conversation.String(), shown: short[c.Conversation], style: yellow},
				titleCell(ctx, r.store, c.Conversation, c.Title, r.out),
				cell{value: f.Format},
				number(c.Records),
				cell{value: strconv.Itoa(c.Added), shown: words.Thousands(c.Added), style: green},
				cell{value: f.path, shown: filepath.Base(f.path), style: faint},
			)
		}
	}
	t.print()
}

// summary is the line about all files, for people.
func (r *importRun) summary() string {
	conversations, added, problems := 0, 0, 0
	for i := range r.reports {
		problems += r.reports[i].ProblemCount
		conversations += len(r.reports[i].Conversations)
		for _, c := range r.reports[i].Conversations {
			added += c.Added
		}
	}
	took := r.now().Sub(r.start).Round(10 * time.Millisecond)
	text := fmt.Sprintf("%s, %s in %v: %s, %s new", words.Count(len(r.reports), "file"), words.ByteSize(r.done), took, words.Count(conversations, "conversation"), words.Count(added, "entry"))
	if r.skipped > 0 {
		text += ", " + words.Count(r.skipped, "other file") + " left out"
	}
	if problems > 0 {
		text += ", " + words.Count(problems, "problem")
	}
	return text
}
