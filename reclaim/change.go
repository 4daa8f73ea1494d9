package reclaim

import "github.com/stemma-history/stemma/message"

// ChangedFile returns the file that a call changes, or "" where it changes none
// or its tool is not known.
func ChangedFile(c message.ToolCall) string {
	if kindOf(c.Name, c.Arguments) != changeTool {
		return ""
	}
	target, _ := fileOf(c.Arguments)
	return target
}
