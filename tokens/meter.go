package tokens

import (
	"math"

	"github.com/stemma-history/stemma/message"
)

// Overheads of requests, in tokens. (OpenAI documents 3 a message for its chat
// format; a role, an id and the braces of a call cost about as much elsewhere.)
const (
	PerMessage = 3
	perCall    = 12 // id, type and name around the arguments
	perResult  = 10 // id and type around the content
)

// unknownImage is the price of an image whose size is not known: a screenshot
// of 1024 by 1024 on a model that bills 28-pixel patches (Anthropic, 2026).
const unknownImage = 1369

// bytesPerPDFToken is about what a page of a PDF costs as text and image
// together, per byte of the file.
const bytesPerPDFToken = 30

// A Cost is what something adds to a request: text in o200k tokens, before
// calibration, and media in the model's own.
type Cost struct {
	Text, Media int
}

// Add returns the sum of two costs.
func (c Cost) Add(d Cost) Cost { return Cost{c.Text + d.Text, c.Media + d.Media} }

// Sub returns the difference of two costs.
func (c Cost) Sub(d Cost) Cost { return Cost{c.Text - d.Text, c.Media - d.Media} }

// A Meter estimates what a request costs on one model. The zero Meter counts
// o200k tokens.
type Meter struct {
	// Factor is how many tokens the model bills for a token of o200k; see
	// [Calibrate]. Default: 1.
	Factor float64
	// Image prices an image by its size in pixels, in the model's tokens.
	Image func(widthPx, heightPx int) int
}

// Tokens returns a cost in the model's tokens.
func (m Meter) Tokens(c Cost) int {
	if m.Factor == 0 {
		return c.Text + c.Media
	}
	return int(math.Ceil(float64(c.Text)*m.Factor)) + c.Media
}

// Text is the cost of a text.
func (m Meter) Text(s string) Cost { return Cost{Text: Text(s)} }

// Message is the cost of a message with all its parts.
func (m Meter) Message(msg *message.Message) Cost {
	c := Cost{Text: PerMessage}
	for _, p := range msg.Parts {
		c = c.Add(m.Part(p))
	}
	return c
}

// Part is the cost of one part.
func (m Meter) Part(p message.Part) Cost {
	switch p := p.(type) {
	case message.Text:
		return m.Text(p.Text)
	case message.Thinking:
		if p.Raw != nil {
			return Cost{Text: bytesOf(p.Raw)}
		}
		return m.Text(p.Text).Add(m.Text(p.Signature))
	case message.RedactedThinking:
		return m.Text(p.Data)
	case message.ToolCall:
		return m.Text(p.Name).Add(Cost{Text: perCall + bytesOf(p.Arguments)})
	case message.ToolResult:
		c := Cost{Text: perResult}
		for _, content := range p.Content {
			c = c.Add(m.Part(content))
		}
		return c
	case message.Image:
		if m.Image == nil || p.WidthPx == 0 || p.HeightPx == 0 {
			return Cost{Media: unknownImage}
		}
		return Cost{Media: m.Image(p.WidthPx, p.HeightPx)}
	case message.Document:
		size := max(p.Size, int64(len(p.Data)))
		if p.Type == "text/plain" {
			return Cost{Text: int(size / 4)}
		}
		return Cost{Media: int(size / bytesPerPDFToken)}
	case message.Opaque:
		return Cost{Text: bytesOf(p.Raw)}
	}
	return Cost{}
}

func bytesOf(data []byte) int {
	return int((raw(data) + perToken - 1) / perToken)
}
