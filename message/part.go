package message

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// A Part is one piece of a message. The set is closed: [Text], [Thinking],
// [RedactedThinking], [ToolCall], [ToolResult], [Image], [Document], [Opaque].
type Part interface{ part() }

// Content is a part that may also stand inside a tool result: [Text], [Image],
// [Document] or [Opaque].
type Content interface {
	Part
	content()
}

// Text is what a person, a model or the harness said.
type Text struct {
	Text string
	// Signature is a thought signature that belongs to the text (Gemini).
	Signature string
	// Extra is a JSON object of what else the provider said of the text, byte
	// for byte: only its own wire gets it back (OpenAI: phase).
	Extra string
}

// Thinking is a model's reasoning as its provider shows it.
type Thinking struct {
	Text string
	// Signature is what the provider wants back with the text: a signature
	// (Anthropic), encrypted content (OpenAI), a thought signature (Gemini).
	Signature string
	// Raw is the provider's whole block as it came, kept only where Text and
	// Signature cannot rebuild it byte for byte.
	Raw []byte
}

// RedactedThinking is reasoning that the provider hides, and wants back.
type RedactedThinking struct {
	Data string
}

// ToolCall is a model's request to run a tool.
type ToolCall struct {
	// ID is the provider's own; it need not be unique beyond its message.
	ID   string
	Name string
	// Arguments is what the model wrote, byte for byte. It is a JSON object,
	// except where the model wrote something broken or the answer was cut.
	Arguments []byte
	// Signature is a thought signature that belongs to the call (Gemini).
	Signature string
	// Extra is a JSON object of what else the provider said of the call, byte
	// for byte: only its own wire gets it back (Anthropic: caller).
	Extra string
}

// ToolResult answers a [ToolCall].
type ToolResult struct {
	CallID string
	// Name is the tool's name, where the source gives it with the result.
	Name    string
	Content []Content
	Outcome Outcome
	// Uneventful is the tool's own word that it changed and decided nothing:
	// when the result is old, nobody would reread it.
	Uneventful bool
}

// IsError is the error flag that providers know.
func (r ToolResult) IsError() bool { return r.Outcome != OK }

// Outcome is how a tool call ended. Every end has a result, so that no call is
// left open by a refusal or an interrupt.
type Outcome string

const (
	OK      Outcome = ""
	Failed  Outcome = "error"   // the tool reported an error
	Denied  Outcome = "denied"  // a person or a rule did not let it run
	Aborted Outcome = "aborted" // stopped before it ran, or cleanly
	Unknown Outcome = "unknown" // interrupted: it may have had its effect
)

// Media is the bytes of an image or a document: here, in a store's blobs, or
// elsewhere. At least one of Data, Blob and URL is set.
type Media struct {
	Type string // media type, such as image/png
	Data []byte // nil where only Blob or URL is known
	Blob Hash   // SHA-256 of the bytes; zero where they were never here
	Size int64  // bytes; 0 where unknown
	URL  string
	Name string // file name, where there was one
}

// Image is a picture.
type Image struct {
	Media
	WidthPx, HeightPx int // 0 where unknown
}

// Document is a file given to the model whole, such as a PDF.
type Document struct {
	Media
}

// Opaque is a block this program does not interpret, kept byte for byte.
type Opaque struct {
	// Format names what wrote the block: a wire ("anthropic"), which gets it
	// back unchanged, or another tool's file format, which no model gets.
	Format string
	Raw    []byte
}

func (Text) part()             {}
func (Thinking) part()         {}
func (RedactedThinking) part() {}
func (ToolCall) part()         {}
func (ToolResult) part()       {}
func (Image) part()            {}
func (Document) part()         {}
func (Opaque) part()           {}

func (Text) content()     {}
func (Image) content()    {}
func (Document) content() {}
func (Opaque) content()   {}

// Hash is the SHA-256 of some bytes. The zero Hash stands for none.
type Hash [sha256.Size]byte

// HashOf returns the hash of data.
func HashOf(data []byte) Hash { return sha256.Sum256(data) }

// IsZero reports whether h stands for no bytes at all.
func (h Hash) IsZero() bool { return h == Hash{} }

// String returns the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (h *Hash) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(h)) {
		return fmt.Errorf("hash %q: expected %d hexadecimal digits", text, hex.EncodedLen(len(h)))
	}
	if _, err := hex.Decode(h[:], text); err != nil {
		return fmt.Errorf("hash %q: %w", text, err)
	}
	return nil
}
