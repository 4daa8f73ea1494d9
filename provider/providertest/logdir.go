package providertest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// log writes what became of a request into the directory for that, as
// 000001.json: the record, the body, and the answer as it is sent.
func (s *Server) log(q *request, record Record, out *output) error {
	if s.config.LogDir == "" {
		return nil
	}
	body := q.body
	if !rawjson.Valid(body) {
		body = encode(string(body))
	}
	entry := fmt.Appendf(nil, "{\"record\":%s,\n\"request\":%s,\n\"response\":%s}\n", encode(record), body, encode(string(bytes.Join(out.frames, nil))))
	if err := os.MkdirAll(s.config.LogDir, 0o700); err != nil {
		return fmt.Errorf("log of requests: %w", err)
	}
	name := filepath.Join(s.config.LogDir, fmt.Sprintf("%06d.json", q.number))
	if err := os.WriteFile(name, entry, 0o600); err != nil {
		return fmt.Errorf("log of requests: %w", err)
	}
	return nil
}
