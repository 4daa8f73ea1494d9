// Package claudecode reads the session files of Claude Code.
//
// A session is a file of JSON lines that name the line they continue from.
// Answers are spread over a line per content block, with the results of early
// tool calls between them; progress reports and hooks sit in the chain; a
// compaction starts a new chain. The package reads the small facts of all lines
// first, joins what belongs together, and then reads the lines again in the
// order of the tree, so that memory does not grow with what the lines hold.
//
// What the tool never sent to its model (slash commands, notices) comes as
// silent records with the line as it stands in the file. Sub-agents are
// conversations of their own. Facts on the format are from its documentation,
// public reports and real files of versions 1.0 to 2.1 (2025 to 2026).
package claudecode
