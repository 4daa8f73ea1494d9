package wire

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

// A View is what a model is shown of a path.
type View struct {
	Messages []Message
	// Head is how many messages, from the first, are the head: the task and
	// what is pinned to it. A cache mark may stand at its end.
	Head int
}

// A Message of a view, and the entry it shows.
type Message struct {
	message.Message
	At history.Handle // of the entry, or of the first of a range
	// Seals are those of the entry's thinking parts, in order, as far as known.
	Seals []message.Hash
}

// A Frame is what stands around the messages of a request. It is stored as a
// blob, named by its hash, beside the answer.
type Frame struct {
	System []string `json:"system,omitempty"` // texts, in order
	Tools  []Tool   `json:"tools,omitempty"`
	Model  string   `json:"model"`
	Wire   string   `json:"wire"`
}

// Equal reports whether two frames send the same.
func (f *Frame) Equal(g *Frame) bool {
	return f.Model == g.Model && f.Wire == g.Wire && slices.Equal(f.System, g.System) &&
		slices.EqualFunc(f.Tools, g.Tools, func(a, b Tool) bool {
			return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema)
		})
}

// A Tool that the model may call.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"` // JSON Schema of the arguments
}

// A Request is a view in its frame, on the way to a wire.
type Request struct {
	Frame Frame
	View  View
	// MaxOutput is the most tokens the answer may have.
	MaxOutput int
	// ChecksThinking says that the model refuses thinking whose prefix is not
	// the one it was made with. Where it does not, a model's own thinking is
	// sent without a seal too.
	ChecksThinking bool
	// CacheKey is the same for the requests of a conversation and its forks. A
	// provider that spreads its cache over machines finds it by this key.
	CacheKey string
	// Limits are what the body is checked against before it leaves. Default:
	// those that hold for every model of the wire.
	Limits *Limits
	// Blob returns the bytes of an image or a document.
	Blob func(message.Hash) (message.Blob, error)
}

// A Body is a request as it is sent.
type Body struct {
	JSON []byte
	// Seal is the hash of everything sent: what the next thinking is bound to.
	Seal message.Hash
	// Notes say, for people, what could not be sent as it stands in the view.
	Notes []Note
}

// A Note is one thing that was left out or replaced.
type Note struct {
	At   history.Handle
	What string
}
