package native

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/stemma-history/stemma/message"
)

// Revision names one state of a record that its tool may still write again: the
// same id with other content is another record. So an answer that was imported
// half done stays as it was, and the finished one stands beside it.
func Revision(id string, m *message.Message) string {
	body, _ := message.Encode(*m)
	sum := sha256.Sum256(body)
	return id + "~" + hex.EncodeToString(sum[:6])
}
