// Package agent runs a model on a conversation: it sends what the path shows,
// runs the tools that the model calls, and saves each turn at its boundary, for
// days if need be.
//
// A Run keeps the promises of package history while it works: the prompt is
// saved before the request that answers it, a turn in one transaction when all
// of its results are there (P5), a run whose tip was moved goes on as a branch
// (P6), checkpoints are offered only where their entry is whole in the view
// (P8), and retry knows from the stored path alone what there is to retry
// (P14). When the conversation outgrows the window, the ladder of package
// reclaim makes room, before the wall and at it (P11).
//
// The package prints nothing and reads no environment; clock, ids and
// permissions come as values.
package agent
