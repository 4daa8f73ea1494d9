package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
)

// Prompt says something and lets the model work until it is done. What is said
// is saved before the first request. Where the conversation was moved since the
// last exchange, the run goes on from where it stands now.
//
// Cancelling ctx, or breaking out of the iteration, interrupts the run: results
// that are there are kept, other calls are answered as aborted or unknown, and
// the turn is saved.
func (r *Run) Prompt(ctx context.Context, parts ...message.Part) Events {
	return r.work(ctx, func(ctx context.Context) error {
		if len(parts) == 0 {
			return errors.New("the prompt is empty")
		}
		if err := r.catchUp(ctx); err != nil {
			return err
		}
		if err := r.closeDrafts(ctx); err != nil {
			return err
		}
		if err := r.savePrompt(ctx, message.Message{Role: message.User, Author: message.ByPerson, Parts: parts}); err != nil {
			return err
		}
		return r.exchange(ctx)
	})
}

// Continue takes the prompts that wait in the queue, and lets the model work.
// Where none waits, it does nothing.
func (r *Run) Continue(ctx context.Context) Events {
	return r.work(ctx, func(ctx context.Context) error {
		if err := r.catchUp(ctx); err != nil {
			return err
		}
		if taken, err := r.takeQueue(ctx); taken == 0 || err != nil {
			return err
		}
		return r.exchange(ctx)
	})
}

// catchUp loads the conversation anew where it stands elsewhere than the run.
func (r *Run) catchUp(ctx context.Context) error {
	c, err := r.Store.Conversation(ctx, r.Conversation)
	if err != nil {
		return &LoadError{err}
	}
	if c.Tip == r.Position() {
		r.tip, r.branched = c.Tip, false
		return nil
	}
	left := r.Position()
	if _, err := r.resume(ctx); err != nil {
		return err
	}
	if left != (history.ID{}) {
		r.tell(Notice{fmt.Sprintf("The run goes on from where the conversation stands now. It stood at %v, which is still there.", short(left))})
	}
	return nil
}

// exchange asks the model and runs what it calls until it is done.
func (r *Run) exchange(ctx context.Context) error {
	var total history.Usage
	r.aside = history.Usage{}
	for turns := 1; ; turns++ {
		turn, err := r.turn(ctx)
		if turn != nil {
			total.Add(turn.answer.Usage)
		}
		if err != nil {
			return err
		}
		if err := r.atBoundary(ctx); err != nil {
			return err
		}
		taken, err := r.takeTyped(ctx, turn)
		if err != nil {
			return err
		}
		if taken == 0 && !turn.goesOn() {
			total.Add(r.aside)
			r.tell(Done{Stop: turn.answer.Message.Stop, Usage: total})
			return nil
		}
		if r.MaxTurns > 0 && turns >= r.MaxTurns {
			return fmt.Errorf("the exchange has taken %d answers, the most that are allowed; prompt again to go on", turns)
		}
	}
}

// takeTyped takes, behind a turn, the prompts that were typed meanwhile. They
// belong to the conversation: on a branch of its own, which a person does not
// look at, the run leaves them alone until its exchange is done. Then it goes to
// where the conversation stands, and takes them there, unless another run works
// on it, which will.
func (r *Run) takeTyped(ctx context.Context, t *turn) (taken int, err error) {
	if !r.branched {
		return r.takeQueue(ctx)
	}
	if t.goesOn() {
		return 0, nil
	}
	queue, err := r.Store.Queue(ctx, r.Conversation)
	if err != nil || len(queue) == 0 {
		return 0, err
	}
	drafts, err := r.Store.Drafts(ctx, r.Conversation)
	if err != nil {
		return 0, err
	}
	if slices.ContainsFunc(drafts, func(d history.Draft) bool { return d.Run != r.id && r.Now().Sub(d.Updated) < r.Lease }) {
		r.tell(Notice{"What was typed meanwhile waits for the run that is at work where the conversation stands."})
		return 0, nil
	}
	if err := r.catchUp(ctx); err != nil {
		return 0, err
	}
	return r.takeQueue(ctx)
}

// A turn is an answer and what came of its calls.
type turn struct {
	sent   *sent
	answer provider.Answer
	calls  []*call
}

// goesOn reports whether the model expects to go on by itself.
func (t *turn) goesOn() bool {
	return len(t.calls) > 0 || t.answer.Message.Stop == pauseTurn
}

// pauseTurn is the stop of an answer that goes on when it is sent back: a
// server tool takes long. (Anthropic, 2026-11.)
const pauseTurn = message.Stop("pause_turn")

// turn asks the model, runs its calls, and saves both. An error leaves the path
// as it was, except that an interrupted turn is closed and saved.
func (r *Run) turn(ctx context.Context) (*turn, error) {
	answer, sent, err := r.ask(ctx)
	if ctx.Err() != nil {
		return nil, r.closeInterrupted(ctx, sent, answer)
	}
	if err != nil {
		return nil, err
	}
	t := &turn{sent: sent, answer: answer, calls: callsOf(&answer.Message)}
	if len(t.calls) > 0 {
		if err := r.runCalls(ctx, t); err != nil {
			return nil, err
		}
	}
	if err := r.saveTurn(ctx, t); err != nil {
		return t, err
	}
	r.answered = r.Now()
	return t, ctx.Err()
}

// closeInterrupted saves what had come of an answer when it was interrupted.
// Its calls have not run.
func (r *Run) closeInterrupted(ctx context.Context, s *sent, answer provider.Answer) error {
	if s != nil && saysSomething(&answer.Message) {
		answer.Message.Stop = message.StopAborted
		t := &turn{sent: s, answer: answer, calls: callsOf(&answer.Message)}
		for _, c := range t.calls {
			c.close(message.Aborted, notRun)
		}
		if err := r.saveTurn(ctx, t); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func saysSomething(m *message.Message) bool {
	for _, p := range m.Parts {
		if text, ok := p.(message.Text); !ok || strings.TrimSpace(text.Text) != "" {
			return true
		}
	}
	return false
}

// saveTurn saves an answer with the results of its calls, and shows long
// results by their beginning and end from the first request on.
func (r *Run) saveTurn(ctx context.Context, t *turn) error {
	frame, blobs, err := r.frameBlob()
	if err != nil {
		return err
	}
	seals, err := r.session.Seals(t.sent.request, t.answer.Message)
	if err != nil {
		return err
	}
	answer := history.Entry{Message: &t.answer.Message, Frame: frame, Seals: seals, Usage: &t.answer.Usage}
	entries := []history.Entry{answer}
	if len(t.calls) > 0 {
		results := message.Results(resultsOf(t.calls)...)
		entries = append(entries, history.Entry{Message: &results})
	}
	if c := r.capResults(entries); c != nil {
		entries = append(entries, history.Entry{Compaction: c})
	}
	if _, err := r.save(ctx, history.AppendRequest{Entries: entries, Blobs: blobs, Run: r.id}); err != nil {
		return err
	}
	r.frameAt = frame
	return nil
}
