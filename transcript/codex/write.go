package codex

import (
	"bufio"
	"fmt"
	"io"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// Write writes a rollout that Codex can resume: the input items of a body of
// the Responses API behind a new session's head. The file is to be named
// rollout-TIME-ID.jsonl.
func Write(w io.Writer, s transcript.Session, body []byte) error {
	out := bufio.NewWriter(w)
	meta, turn := headOf(s)
	write := func(kind string, payload []byte) error {
		line := transcript.MemberWriter{JSON: []byte{'{'}}
		line.Text("timestamp", transcript.Stamp(s.Now))
		line.Text("type", kind)
		line.Raw("payload", payload)
		_, err := out.Write(append(line.JSON, '}', '\n'))
		return err
	}
	err := write("session_meta", meta)
	if err == nil && turn != nil {
		err = write("turn_context", turn)
	}
	if err == nil {
		err = rawjson.Elements(rawjson.Get(body, "input"), func(item []byte) error {
			return write("response_item", item)
		})
	}
	if err != nil {
		return fmt.Errorf("writing a Codex rollout: %w", err)
	}
	return out.Flush()
}

// headOf returns the head of a new session: that of the old one under the new
// id, and its last settings.
func headOf(s transcript.Session) (meta, turn []byte) {
	w := transcript.MemberWriter{JSON: []byte{'{'}}
	w.Text("id", s.ID)
	w.Text("timestamp", transcript.Stamp(s.Now))
	for line, err := range transcript.Lines(s.Like.Reader()) {
		if err != nil {
			break
		}
		payload := transcript.PeekMember(line.Data, "payload")
		switch rawjson.Text(transcript.PeekMember(line.Data, "type")) {
		case "session_meta":
			_ = rawjson.Members(payload, func(key string, v []byte) error {
				if key != "id" && key != "timestamp" && key != "forked_from_id" {
					w.Raw(key, v)
				}
				return nil
			})
		case "turn_context":
			turn = append([]byte(nil), payload...)
		}
	}
	return append(w.JSON, '}'), turn
}
