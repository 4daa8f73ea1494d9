package agent

import (
	"context"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/wire"
)

// summarise asks the model for a piece of a summary. The request holds the text
// alone: none of the conversation's persona, tools or images.
func (r *Run) summarise(ctx context.Context, q reclaim.SummaryQuestion) (reclaim.SummaryAnswer, error) {
	prompt := message.Message{Role: message.User, Author: message.ByHarness, Parts: []message.Part{message.Text{Text: q.Text}}}
	request := wire.Request{
		Frame:     wire.Frame{System: []string{q.System}, Model: r.frame.Model, Wire: r.frame.Wire},
		View:      wire.View{Messages: []wire.Message{{Message: prompt, At: history.Handle{Depth: 1}}}},
		MaxOutput: q.MaxOutput + thinkingRoom,
	}
	body, err := r.Model.Provider.Wire().Encode(request)
	if err != nil {
		return reclaim.SummaryAnswer{}, err
	}
	answer, err := r.provider().Send(ctx, provider.Request{Model: r.frame.Model, Body: body, Effort: r.Model.Effort, ThinkingOff: true}, nil)
	if err != nil {
		return reclaim.SummaryAnswer{}, err
	}
	return reclaim.SummaryAnswer{Text: answer.Message.PlainText(), Stop: answer.Message.Stop}, nil
}

// thinkingRoom is what an answer may take besides its text, in tokens: some
// models cannot be asked not to think.
const thinkingRoom = 4096
