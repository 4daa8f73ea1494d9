package cli

import (
	"context"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/reclaim"
)

// summarise takes the last rung, as a run would: it asks a model, and stores
// nothing where that does not answer as it should.
func (o *compactOptions) summarise(ctx context.Context, s history.Store, c history.Conversation) error {
	if err := o.windowOptions.check(); err != nil {
		return err
	}
	about := agentOptions{app: o.app, windowOptions: o.windowOptions}
	nobody := func(context.Context, tool.Tool, tool.Call) bool { return false }
	run, _, closeRun, err := about.openRun(ctx, s, c, nobody)
	if err != nil {
		return err
	}
	defer closeRun()
	request := agent.CompactRequest{Rungs: []reclaim.Rung{reclaim.Summary}}
	p := run.Problem()
	if o.target != nil {
		p.Budget.Target = *o.target
		if request.Target = *o.target; request.Target == 0 {
			request.Target = -1 // as small as it gets
		}
	}
	var done agent.Compacted
	for e, err := range run.Compact(ctx, request) {
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case agent.Compacted:
			done = e
		case agent.Notice:
			o.err.printf("stemma: %s\n", words.OneLine(e.Text))
		}
	}
	if done.Plan.Compaction == nil {
		return errSilent
	}
	return o.report(c, &p, &done.Plan, done.Entry)
}
