package wires

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// day is a conversation of about 4 MB: a hundred turns with a result of source
// code each, and five screenshots.
func day(w Wire) wire.Request {
	code := strings.Repeat("func (s *shaker) take(c *call, why string) {\n\tif s.fold.At(c.result) != nil {\n\t\treturn // \"é\"\n\t}\n", 250)
	noise := image.NewGray(image.Rect(0, 0, 400, 400))
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(noise.Pix)
	var shot bytes.Buffer
	_ = png.Encode(&shot, noise)
	path := []message.Message{message.Prompt("Go on.")}
	for i := range 100 {
		id := fmt.Sprintf("call_%d", i)
		r := message.ToolResult{CallID: id, Content: []message.Content{message.Text{Text: code}}}
		if i%20 == 0 {
			r.Content = append(r.Content, message.NewImage("image/png", shot.Bytes()))
		}
		path = append(path, message.Message{Role: message.Assistant, Author: message.ByModel, Wire: w.Name, Model: model(w), Parts: []message.Part{
			message.Text{Text: "Looking."}, message.ToolCall{ID: id, Name: "bash", Arguments: []byte(`{"cmd":"cat reclaim/shake.go"}`)},
		}}, message.Results(r))
	}
	r := request(w, path)
	r.Limits = nil
	return r
}

func BenchmarkCheck(b *testing.B) {
	for _, w := range All() {
		body, err := w.Encode(day(w))
		if err != nil {
			b.Fatal(err)
		}
		limits := *strict(w)
		b.Run(w.Name, func(b *testing.B) {
			b.SetBytes(int64(len(body.JSON)))
			b.ReportAllocs()
			for b.Loop() {
				if r := w.Check(body.JSON, limits); r != nil {
					b.Fatal(r)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, w := range All() {
		r := day(w)
		body, err := w.Encode(r)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(w.Name, func(b *testing.B) {
			b.SetBytes(int64(len(body.JSON)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.Encode(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
