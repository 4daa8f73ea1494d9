package record

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// A Draft is the bodies that a store keeps of a [history.Draft].
type Draft struct {
	Message []byte
	Calls   []byte // JSON: the states in order
	Results []byte // one message with the results of the calls that are done
	Blobs   []message.Blob
}

// OfDraft returns the bodies of a draft.
func OfDraft(d *history.Draft) (Draft, error) {
	if d.Run == (history.ID{}) {
		return Draft{}, errors.New("draft: the run has no id")
	}
	if err := checkMessage(&d.Message); err != nil {
		return Draft{}, fmt.Errorf("draft: %w", err)
	}
	var results []message.ToolResult
	for i, c := range d.Calls {
		if (c.State == history.CallDone) != (c.Result != nil) {
			return Draft{}, fmt.Errorf("draft: call %d is %q: expected a result exactly where a call is done", i+1, c.State)
		}
		if c.Result != nil {
			results = append(results, *c.Result)
		}
	}
	r := message.Results(results...)
	if err := checkMessage(&r); err != nil {
		return Draft{}, fmt.Errorf("draft: results: %w", err)
	}
	calls, err := json.Marshal(d.Calls)
	if err != nil {
		return Draft{}, fmt.Errorf("draft: calls: %w", err)
	}
	body, blobs := message.Encode(d.Message)
	answers, more := message.Encode(r)
	return Draft{Message: body, Calls: calls, Results: answers, Blobs: append(blobs, more...)}, nil
}

// Decode sets the message and the calls of a draft from its bodies.
func (r Draft) Decode(d *history.Draft, fetch func(message.Hash) ([]byte, error)) error {
	var err error
	if d.Message, err = message.Decode(r.Message, fetch); err != nil {
		return err
	}
	if err := json.Unmarshal(r.Calls, &d.Calls); err != nil {
		return fmt.Errorf("calls: %w", err)
	}
	results, err := message.Decode(r.Results, fetch)
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	next := 0
	for i := range d.Calls {
		if d.Calls[i].State != history.CallDone {
			continue
		}
		if next == len(results.Parts) {
			return errors.New("a call is done, but its result is missing")
		}
		result, ok := results.Parts[next].(message.ToolResult)
		if !ok {
			return fmt.Errorf("results: part %d is no tool result", next+1)
		}
		d.Calls[i].Result = &result
		next++
	}
	return nil
}
