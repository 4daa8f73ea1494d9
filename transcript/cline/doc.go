// Package cline reads the sessions of Cline: those of its SDK and command (a
// file of messages, beside it perhaps what they were compacted to), and the API
// history that its extension for VS Code keeps of a task.
//
// Both hold messages in the shape of Anthropic's API, whatever the provider.
// Facts on the formats are from the tool's source (2026).
package cline
