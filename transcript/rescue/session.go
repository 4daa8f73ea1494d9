package rescue

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/memory"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/claudecode"
	"github.com/stemma-history/stemma/transcript/codex"
	"github.com/stemma-history/stemma/transcript/pi"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/openai"
)

// frames are about how large the system prompts and tools of programs are, in
// bytes: they are not in the files, but they are in the window. (First requests
// of Claude Code 2.1.332, Codex 0.171.0 and pi 0.73.1, November 2026.)
var frames = map[string]int{"claude-code": 49_000, "codex": 38_000, "pi": 5_500}

// sessionOf reads the session that a file is about: its first conversation.
func sessionOf(ctx context.Context, format transcript.Format, f *transcript.File, o Options) (material, error) {
	m := material{format: format.Name()}
	write := writers[format.Name()]
	if write == nil {
		return m, fmt.Errorf("%s: %w; claude-code, codex, pi and request bodies can", format.Name(), ErrNoWriter)
	}
	store := memory.New(memory.Options{})
	report, err := transcript.Import(ctx, store, format, f, transcript.Options{})
	m.problems, m.blobs = report.Problems, store
	if err != nil {
		return m, err
	}
	if len(report.Conversations) == 0 {
		return m, fmt.Errorf("the file has no conversation")
	}
	id := report.Conversations[0].Conversation
	c, err := store.Conversation(ctx, id)
	if err != nil {
		return m, err
	}
	if m.path, err = history.Collect(store.Path(ctx, history.PathQuery{Conversation: id})); err != nil {
		return m, err
	}
	m.model = c.Model
	m.frame = wire.Frame{System: []string{strings.Repeat("word ", frames[m.format]/5)}}
	m.write = func(r *Result, request wire.Request) error {
		session := transcript.Session{ID: o.NewID(), Model: r.Model, Now: o.Now(), NewID: o.NewID, Like: f}
		r.ID = session.ID
		return write(r, request, session)
	}
	return m, nil
}

// writers write the view of a session as a new session of the same tool.
var writers = map[string]func(*Result, wire.Request, transcript.Session) error{
	claudecode.Name: writeClaudeCode,
	codex.Name:      writeCodex,
	pi.Name:         writePi,
}

func writeClaudeCode(r *Result, request wire.Request, s transcript.Session) error {
	request.Frame.Wire = anthropic.Wire
	body, err := anthropic.Encode(request)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	err = claudecode.Write(&out, s, asStored(body.JSON, "messages", request.View))
	r.Data, r.Notes, r.Name = out.Bytes(), body.Notes, s.ID+".jsonl"
	return err
}

func writeCodex(r *Result, request wire.Request, s transcript.Session) error {
	request.Frame.Wire = openai.WireResponses
	body, err := openai.EncodeResponses(request)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	err = codex.Write(&out, s, asStored(body.JSON, "input", request.View))
	r.Data, r.Notes, r.Name = out.Bytes(), body.Notes, "rollout-"+s.Now.UTC().Format("2006-01-02T15-04-05")+"-"+s.ID+".jsonl"
	return err
}

// writePi writes steps, in which pi's own thinking stays only where its model
// does not check it: what stands before it may have changed.
func writePi(r *Result, request wire.Request, s transcript.Session) error {
	rules := wire.Rules{Wire: pi.Name, IDs: wire.IDRule{MaxLen: 200, Punctuation: wire.AnyPunctuation, Prefix: "call_"}}
	steps := wire.Normalise(request.View, rules)
	if endsWithAnswer(request.View) {
		steps = steps[:len(steps)-1]
	}
	for i := range steps {
		kept := steps[i].Parts[:0:0]
		for _, part := range steps[i].Parts {
			switch p := part.Part.(type) {
			case message.Thinking, message.RedactedThinking:
				if request.ChecksThinking {
					continue
				}
			case message.Image:
				part.Part = withBytes(p, request.Blob)
			case message.ToolResult:
				content := make([]message.Content, len(p.Content))
				for j, c := range p.Content {
					if img, ok := c.(message.Image); ok {
						c = withBytes(img, request.Blob)
					}
					content[j] = c
				}
				p.Content = content
				part.Part = p
			}
			kept = append(kept, part)
		}
		steps[i].Parts = kept
	}
	var out bytes.Buffer
	err := pi.Write(&out, s, "anthropic-messages", "anthropic", steps)
	r.Data, r.Name = out.Bytes(), s.Now.UTC().Format("2006-01-02T15-04-05-000Z")+"_"+s.ID+".jsonl"
	return err
}

// withBytes fetches the bytes of an image that has only their hash.
func withBytes(img message.Image, blob func(message.Hash) (message.Blob, error)) message.Image {
	if img.Data == nil && !img.Blob.IsZero() && blob != nil {
		if b, err := blob(img.Blob); err == nil {
			img.Data = b.Data
		}
	}
	return img
}

func blobOf(ctx context.Context, s history.Blobs) func(message.Hash) (message.Blob, error) {
	return func(h message.Hash) (message.Blob, error) { return s.Blob(ctx, h) }
}

// endsWithAnswer reports whether a view ends with an answer that calls nothing.
// A request goes on with words of ours then; a session waits for the person's.
func endsWithAnswer(v wire.View) bool {
	for _, m := range slices.Backward(v.Messages) {
		if m.Silent() {
			continue
		}
		for range m.Calls {
			return false
		}
		return m.Role == message.Assistant
	}
	return false
}

// asStored returns a body without the message that asks the model to go on.
func asStored(body []byte, list string, v wire.View) []byte {
	if !endsWithAnswer(v) {
		return body
	}
	var messages [][]byte
	_ = rawjson.Elements(rawjson.Get(body, list), func(m []byte) error { // written by our encoder
		messages = append(messages, m)
		return nil
	})
	out := transcript.MemberWriter{JSON: []byte{'{'}}
	out.Raw(list, append(append([]byte{'['}, bytes.Join(messages[:len(messages)-1], []byte{','})...), ']'))
	return append(out.JSON, '}')
}
