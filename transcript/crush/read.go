package crush

import (
	"context"
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/sqlitefile"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// reader tells a sink one session.
type reader struct {
	db      *sqlitefile.DB
	sink    transcript.Sink
	session session
	last    string // the latest record
}

var messageColumns = []string{"id", "role", "parts", "model", "provider", "created_at", "is_summary_message"}

// read tells the sink all messages of the session. A session without messages
// is none: Crush makes one before the first prompt is typed.
func (r *reader) read(ctx context.Context) error {
	err := r.findModel(ctx)
	if err == nil {
		err = r.messages(ctx)
	}
	if damage := (*sqlitefile.ReadError)(nil); errors.As(err, &damage) {
		r.sink.Problem(transcript.Problem{Record: r.session.ID, What: fmt.Sprintf("the rest of the session is not read: %v", err)})
		return nil
	}
	return err
}

// findModel sets the model that the session used last.
func (r *reader) findModel(ctx context.Context) error {
	if !r.db.Schema().Has("messages", "model") {
		return nil
	}
	for row, err := range r.db.Select(ctx, sqlitefile.Query{
		Table:   "messages",
		Columns: []string{"model"},
		Where:   "session_id = ? AND model <> ''",
		OrderBy: "created_at DESC, rowid DESC LIMIT 1",
		Args:    []any{r.session.ID},
	}) {
		if err != nil {
			return err
		}
		r.session.Model = row.Text("model")
	}
	return nil
}

func (r *reader) messages(ctx context.Context) error {
	for row, err := range r.db.Select(ctx, sqlitefile.Query{
		Table:   "messages",
		Columns: messageColumns,
		Where:   "session_id = ?",
		// Times are in seconds: what was written in the same one keeps its order.
		OrderBy: "created_at, rowid",
		Args:    []any{r.session.ID},
	}) {
		if err != nil {
			return err
		}
		if err := r.message(row); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) message(row sqlitefile.Row) error {
	id, model := row.Text("id"), row.Text("model")
	if id == "" {
		r.sink.Problem(transcript.Problem{Record: r.session.ID, What: "a message has no id; it is skipped"})
		return nil
	}
	d, err := decode(row.Text("role"), []byte(row.Text("parts")))
	if err != nil {
		r.sink.Problem(transcript.Problem{Record: id, What: fmt.Sprintf("not all of the message is understood, it is kept as it stands: %v", err)})
	}
	item := d.item
	if len(item.Messages) == 0 {
		return nil
	}
	item.ID, item.Parent, item.Created = id, r.last, native.Time(row.Int("created_at"))
	if first := &item.Messages[0]; first.Role == message.Assistant {
		item.Open = !d.finished
		d.answer(first, row.Text("provider"), model)
	}
	// A summary that was cut off is marked as one too, but Crush never used it.
	used := id == r.session.summary || row.Int("is_summary_message") != 0 && d.stop == message.StopEnd
	if text := item.Messages[0].PlainText(); used && text != "" && r.last != "" {
		return r.tell(transcript.Record{ID: id, Parent: r.last, Created: item.Created, Compaction: &transcript.Compaction{
			// What Crush sends from here on begins with the summary.
			Treatments: []transcript.Treatment{{As: history.AsSummary, Text: text}},
			Reason:     history.Reason{Model: model, Note: tool},
		}})
	}
	return r.tell(item.Records()...)
}

// tell gives records to the sink, and before the first one the conversation.
func (r *reader) tell(records ...transcript.Record) error {
	if r.last == "" {
		if err := r.sink.Conversation(r.session.Conversation); err != nil {
			return err
		}
	}
	for _, record := range records {
		if err := r.sink.Record(record); err != nil {
			return err
		}
		r.last = record.ID
	}
	return nil
}
