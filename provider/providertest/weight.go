package providertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"image"
	_ "image/gif"  // the sizes of GIF, JPEG, PNG and WebP images
	_ "image/jpeg" //
	_ "image/png"  //
	"slices"
	"strings"
	"sync"

	_ "golang.org/x/image/webp"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider/providertest/internal/o200k"
)

// A weight is what one block is, whatever the model.
type weight struct {
	// hash is of what reaches the model: not of cache marks, nor of the order of
	// members, nor of whether a text stands in a string or in a list.
	hash   message.Hash
	text   int // o200k tokens
	images []size
	bytes  int // of documents
}

type size struct{ widthPx, heightPx int }

// scales weigh blocks, and remember what each has weighed: of a long
// conversation only the newest blocks are counted. They are safe for concurrent
// use; what they remember is never dropped, about 100 bytes a block.
type scales struct {
	mu    sync.Mutex
	known map[message.Hash]*weight
}

func newScales() *scales { return &scales{known: map[message.Hash]*weight{}} }

func (s *scales) weigh(block []byte) *weight {
	key := message.HashOf(block)
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.known[key]
	if !ok {
		w = read(block)
		s.known[key] = w
	}
	return w
}

func read(block []byte) *weight {
	r := reading{hash: sha256.New(), counting: true}
	key := ""
	if block[0] == '"' {
		key = "text"
	}
	r.value(key, block)
	r.weight.hash = message.Hash(r.hash.Sum(nil))
	return &r.weight
}

// A reading walks through the JSON of a block.
type reading struct {
	hash     hash.Hash
	weight   weight
	counting bool // strings are texts; not inside JSON that was counted as one
}

func (r *reading) value(key string, v []byte) {
	switch v[0] {
	case '{':
		r.object(v)
	case '[':
		elements(v, func(v []byte) { r.value(key, v) })
	case '"':
		r.text(key, v)
	default:
		r.write(key, v)
	}
}

// unread are members that no model sees.
func unread() []string {
	return []string{"type", "status", "annotations", "logprobs", "cache_control", "prompt_cache_breakpoint", "detail", "phase", "caller", "strict", "media_type", "mimeType", "mime_type"}
}

// structured are members whose JSON the model reads as text.
func structured() []string {
	return []string{"input", "args", "response", "input_schema", "parameters", "parametersJsonSchema"}
}

func (r *reading) object(v []byte) {
	type member struct {
		key   string
		value []byte
	}
	var members []member
	itsOwnID := false // an item's, beside the id of the call in it
	_ = rawjson.Members(v, func(key string, v []byte) error {
		members = append(members, member{key, v})
		itsOwnID = itsOwnID || key == "call_id" || key == "summary"
		return nil
	})
	slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
	for _, m := range members {
		switch {
		case slices.Contains(unread(), m.key), m.key == "id" && itsOwnID, rawjson.IsNull(m.value):
		case r.counting && slices.Contains(structured(), m.key) && m.value[0] != '"':
			r.weight.text += o200k.Count(string(m.value))
			r.counting = false
			r.value(m.key, m.value)
			r.counting = true
		default:
			r.value(m.key, m.value)
		}
	}
}

func (r *reading) text(key string, v []byte) {
	text := rawjson.Text(v)
	if key == "content" || key == "output" {
		key = "text" // a string is short for a list of one text
	}
	r.write(key, []byte(text))
	if !r.counting {
		return
	}
	switch key {
	case "id", "call_id", "tool_use_id", "tool_call_id", "signature", "encrypted_content", "thoughtSignature", "thought_signature":
	case "data", "images":
		r.medium(text)
	case "url", "image_url", "file_data":
		if _, data, ok := strings.Cut(text, ";base64,"); ok && strings.HasPrefix(text, "data:") {
			r.medium(data)
			return
		}
		r.weight.images = append(r.weight.images, size{1024, 1024}) // it is not fetched
	default:
		r.weight.text += o200k.Count(text)
	}
}

// medium takes an image or a document in base64. What is neither, such as
// thinking that is hidden, weighs as a document: little.
func (r *reading) medium(encoded string) {
	config, _, err := image.DecodeConfig(base64.NewDecoder(base64.StdEncoding, strings.NewReader(encoded)))
	if err != nil {
		r.weight.bytes += base64.StdEncoding.DecodedLen(len(encoded))
		return
	}
	r.weight.images = append(r.weight.images, size{config.Width, config.Height})
}

func (r *reading) write(key string, v []byte) {
	r.hash.Write([]byte(key))
	r.hash.Write([]byte{0})
	r.hash.Write(bytes.TrimSpace(v))
	r.hash.Write([]byte{0})
}
