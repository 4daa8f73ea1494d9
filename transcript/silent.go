package transcript

import "github.com/stemma-history/stemma/message"

// Silent keeps a piece of a tool's file, byte for byte, as a message that no
// model gets (see [message.Message.Silent]): the tool's own records, and what
// cannot be read.
func Silent(tool string, raw []byte) *message.Message {
	return &message.Message{
		Role: message.User, Author: message.ByHarness,
		Parts: []message.Part{message.Opaque{Format: tool, Raw: raw}},
	}
}
