package stemmajsonl

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
)

// Format and Version stand in the header of every file.
const (
	Format  = "stemma"
	Version = 1
)

// Types of lines.
const (
	typeConversation = "conversation"
	typeBlob         = "blob"
	typeEntry        = "entry"
	typeDamaged      = "damaged"
	typeCheckpoint   = "checkpoint"
	typePin          = "pin"
	typeQueued       = "queued"
	typeEnd          = "end"
)

// conversationLine is the header.
type conversationLine struct {
	Type        string     `json:"type"`
	Format      string     `json:"format"`
	Version     int        `json:"version"`
	ID          history.ID `json:"id"`
	Title       exact      `json:"title,omitempty"`
	Tip         history.ID `json:"tip,omitzero"`
	ForkedFrom  link       `json:"forked_from,omitzero"`
	SpawnedBy   link       `json:"spawned_by,omitzero"`
	Source      source     `json:"source,omitzero"`
	ImportedTip history.ID `json:"imported_tip,omitzero"`
	Model       exact      `json:"model,omitempty"`
	Directory   exact      `json:"directory,omitempty"`
	Owner       exact      `json:"owner,omitempty"`
	Created     time.Time  `json:"created,omitzero"`
	Updated     time.Time  `json:"updated,omitzero"`
}

type link struct {
	Conversation history.ID `json:"conversation,omitzero"`
	Entry        history.ID `json:"entry,omitzero"`
}

type source struct {
	Tool exact `json:"tool,omitempty"`
	ID   exact `json:"id,omitempty"`
}

// entryLine is an entry without its body. The members that place it in the
// tree stand first, so that they survive a line that is cut.
type entryLine struct {
	Type    string         `json:"type"` // entry, or damaged
	ID      history.ID     `json:"id"`
	Parent  history.ID     `json:"parent,omitzero"`
	Depth   int            `json:"depth"`
	Created time.Time      `json:"created,omitzero"`
	Source  exact          `json:"source,omitempty"`
	Left    history.ID     `json:"left,omitzero"`
	Usage   *history.Usage `json:"usage,omitempty"`
	Frame   message.Hash   `json:"frame,omitzero"`
	Seals   []message.Hash `json:"seals,omitempty"`
	What    exact          `json:"what,omitempty"` // of a damaged one
}

type blobLine struct {
	Type      string       `json:"type"`
	Hash      message.Hash `json:"hash"`
	MediaType exact        `json:"media_type,omitempty"`
	Base64    []byte       `json:"base64,omitempty"`
}

type checkpointLine struct {
	Type    string     `json:"type"`
	ID      history.ID `json:"id"`
	Name    exact      `json:"name"`
	Entry   history.ID `json:"entry"`
	SetBy   exact      `json:"set_by,omitempty"`
	Created time.Time  `json:"created,omitzero"`
}

type pinLine struct {
	Type  string     `json:"type"`
	Entry history.ID `json:"entry"`
}

type queuedLine struct {
	Type    string     `json:"type"`
	ID      history.ID `json:"id"`
	Created time.Time  `json:"created,omitzero"`
}

type endLine struct {
	Type    string `json:"type"`
	Entries int    `json:"entries"`
}

// body is the part of a line that holds a message or a compaction.
type body struct {
	Message     json.RawMessage `json:"message"`
	MessageText exact           `json:"message_text"`
	Compaction  json.RawMessage `json:"compaction"`
}

// message returns the body of the message, or nil.
func (b *body) message() []byte {
	if b.MessageText != "" {
		return []byte(b.MessageText)
	}
	return b.Message
}

// appendMember adds a member with a JSON value to a line, byte for byte. A
// value with a line break in it goes under name_text, as a string.
func appendMember(line []byte, name string, value []byte) []byte {
	line = append(line[:len(line)-len("}")], `,"`...)
	line = append(line, name...)
	if bytes.ContainsAny(value, "\r\n") {
		line = append(line, `_text":`...)
		line = rawjson.AppendString(line, string(value))
	} else {
		line = append(line, `":`...)
		line = append(line, value...)
	}
	return append(line, '}')
}

// exact is a string that keeps its bytes, whatever they are.
type exact string

// MarshalJSON implements [json.Marshaler].
func (s exact) MarshalJSON() ([]byte, error) {
	if quoted := rawjson.AppendString(nil, string(s)); rawjson.Text(quoted) == string(s) {
		return quoted, nil
	}
	return []byte(`{"base64":"` + base64.StdEncoding.EncodeToString([]byte(s)) + `"}`), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *exact) UnmarshalJSON(value []byte) error {
	if value[0] == '{' {
		data, err := base64.StdEncoding.DecodeString(rawjson.Text(rawjson.Get(value, "base64")))
		if err != nil {
			return fmt.Errorf("base64: %w", err)
		}
		*s = exact(data)
		return nil
	}
	text, err := rawjson.String(value)
	*s = exact(text)
	return err
}
