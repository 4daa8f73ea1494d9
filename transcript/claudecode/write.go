package claudecode

import (
	"bufio"
	"fmt"
	"io"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// Write writes a session that Claude Code can resume: the messages of a request
// body of the Messages API, one after the other, as the lines of one chain. The
// file is to be named for the session, ID.jsonl.
func Write(w io.Writer, s transcript.Session, body []byte) error {
	out := bufio.NewWriter(w)
	around := aroundOf(s.Like)
	parent := []byte("null")
	err := rawjson.Elements(rawjson.Get(body, "messages"), func(m []byte) error {
		id := rawjson.AppendString(nil, s.NewID())
		role := rawjson.Text(rawjson.Get(m, "role"))
		line := transcript.MemberWriter{JSON: []byte{'{'}}
		line.Raw("parentUuid", parent)
		line.Raw("isSidechain", []byte("false"))
		line.Raw("userType", around["userType"])
		line.Raw("cwd", around["cwd"])
		line.Text("sessionId", s.ID)
		line.Raw("version", around["version"])
		line.Raw("gitBranch", around["gitBranch"])
		line.Text("type", role)
		content, err := unmarked(rawjson.Get(m, "content"))
		if err != nil {
			return err
		}
		line.Object("message", func() {
			if role == "assistant" {
				line.Text("id", "msg_"+s.NewID())
				line.Text("type", "message")
				line.Text("model", s.Model)
			}
			line.Text("role", role)
			line.Raw("content", content)
			if role == "assistant" {
				line.Raw("stop_reason", []byte("null"))
				line.Raw("usage", []byte(`{"input_tokens":0,"output_tokens":0}`))
			}
		})
		line.Raw("uuid", id)
		line.Text("timestamp", transcript.Stamp(s.Now))
		parent = id
		_, err = out.Write(append(line.JSON, '}', '\n'))
		return err
	})
	if err != nil {
		return fmt.Errorf("writing a Claude Code session: %w", err)
	}
	return out.Flush()
}

// aroundOf returns what stands around the messages of a session's last line
// that has it.
func aroundOf(f *transcript.File) map[string][]byte {
	around := map[string][]byte{"userType": []byte(`"external"`)}
	for line, err := range transcript.Lines(f.Reader()) {
		if err != nil {
			break
		}
		for _, key := range []string{"userType", "cwd", "version", "gitBranch"} {
			if v := transcript.PeekMember(line.Data, key); v != nil {
				around[key] = append([]byte(nil), v...)
			}
		}
	}
	return around
}

// unmarked returns content without cache marks, which belong to a request.
func unmarked(content []byte) ([]byte, error) {
	list := []byte{'['}
	err := rawjson.Elements(content, func(block []byte) error {
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(list, transcript.Without(block, "cache_control")...)
		return nil
	})
	return append(list, ']'), err
}
