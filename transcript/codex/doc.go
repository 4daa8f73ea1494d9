// Package codex reads the rollout files of Codex.
//
// A rollout is a file of JSON lines that is only ever appended to: items of the
// Responses API as the model got and gave them, and events. Rolling back does
// not remove lines but says how many turns no longer count; compacting writes
// the items that stand for the history from then on. The package reads the
// small facts of all lines first, makes the tree of them, and then reads the
// lines again.
//
// What people and the model say stands in items and in events; the items are
// taken, the events only in files that have no items. Facts on the format are
// from the tool's source and real files (2025 and 2026).
package codex
