package cline

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stemma-history/stemma/internal/jsonstream"
	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
)

// A session is what is known of one before its messages are read.
type session struct {
	about    transcript.Conversation
	messages *transcript.File
	opened   io.Closer // of messages, where it is not the file that was asked for
	system   []byte
	compacts []sidecar
}

// A sidecar is what a session was compacted to.
type sidecar struct {
	path    string
	updated time.Time
	covers  int // how many of the session's messages it stands for; 0 is all
}

func (s *session) close() {
	if s.opened != nil {
		s.opened.Close()
	}
}

// header is what stands around the messages of a file.
type header struct {
	id, agent string
	updated   time.Time
	system    []byte
	covers    int
	first     []byte    // the first message
	start     time.Time // of the first message that has a time
}

func readHeader(ctx context.Context, f *transcript.File) (header, error) {
	var h header
	for v, err := range jsonstream.Read(f.Reader(), "messages") {
		if err == nil {
			err = ctx.Err()
		}
		if ctx.Err() != nil {
			return h, err
		}
		if err != nil {
			break // the messages before the damage are there
		}
		switch v.Key {
		case "sessionId":
			h.id = rawjson.Text(v.Data)
		case "agent":
			h.agent = rawjson.Text(v.Data)
		case "updated_at":
			h.updated = transcript.Time(v.Data)
		case "system_prompt":
			h.system = v.Data
		case "source_message_count":
			h.covers = int(rawjson.Int(v.Data))
		case "messages", "":
			if h.first == nil {
				h.first = v.Data
			}
			if h.start.IsZero() {
				h.start = transcript.Time(rawjson.Get(v.Data, "ts"))
			}
		}
	}
	return h, nil
}

// survey finds the files of a session by any one of them.
func survey(ctx context.Context, f *transcript.File) (*session, error) {
	h, err := readHeader(ctx, f)
	if err != nil {
		return nil, err
	}
	s := &session{messages: f, system: h.system}
	s.about.ID = h.id
	if h.id == "" {
		s.aboutTask(h)
		return s, nil
	}
	if err := s.findSiblings(ctx, f, h); err != nil {
		return nil, err
	}
	s.aboutSession()
	s.about.Created = cmp.Or(s.about.Created, startOf(h.id), h.start)
	return s, nil
}

const (
	messagesEnd = ".messages.json"
	compactEnd  = ".compaction.json"
)

// findSiblings looks for the session's other files in its folder.
func (s *session) findSiblings(ctx context.Context, f *transcript.File, asked header) error {
	dir := filepath.Dir(f.Path)
	entries, err := os.ReadDir(dir)
	if f.Path == "" || err != nil {
		return nil //nolint:nilerr // a file whose folder cannot be listed stands alone
	}
	alone := strings.HasSuffix(f.Path, compactEnd)
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, messagesEnd) && !strings.HasSuffix(name, compactEnd) {
			continue
		}
		path := filepath.Join(dir, name)
		sibling, closer, err := transcript.Open(path)
		if err != nil {
			continue
		}
		h, err := readHeader(ctx, sibling)
		switch {
		case err != nil:
			closer.Close()
			return err
		case h.id != asked.id || h.agent != asked.agent:
		case strings.HasSuffix(name, compactEnd):
			s.compacts = append(s.compacts, sidecar{path: path, updated: h.updated, covers: h.covers})
		case alone:
			s.messages, s.opened, s.system, alone = sibling, closer, h.system, false
			continue
		}
		closer.Close()
	}
	if alone { // what it stands for is gone
		s.about.ID += "/compaction"
		s.compacts = nil
	}
	slices.SortStableFunc(s.compacts, func(a, b sidecar) int { return a.updated.Compare(b.updated) })
	return nil
}

// aboutSession reads the note beside the messages.
func (s *session) aboutSession() {
	dir, base := filepath.Split(strings.TrimSuffix(s.messages.Path, messagesEnd))
	for _, name := range []string{"session.json", base + ".json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || rawjson.Text(rawjson.Get(data, "session_id")) != s.about.ID {
			continue
		}
		meta := rawjson.Get(data, "metadata")
		s.about.Title = rawjson.Text(rawjson.Get(meta, "title"))
		s.about.Directory = rawjson.Text(rawjson.Get(data, "cwd"))
		s.about.Model = rawjson.Text(rawjson.Get(data, "model"))
		s.about.ForkedFrom.Conversation = rawjson.Text(rawjson.Get(rawjson.Get(meta, "fork"), "forkedFromSessionId"))
		return
	}
}

// aboutTask names a task of the extension by its folder, which is the time of
// its beginning.
func (s *session) aboutTask(h header) {
	folder := filepath.Base(filepath.Dir(s.messages.Path))
	if s.about.Created = startOf(folder); s.about.Created.IsZero() {
		var names transcript.Chain
		folder = names.Next(h.first)
	}
	s.about.ID = folder
	s.about.Directory = directoryOf(h.first)
	s.about.Created = cmp.Or(s.about.Created, h.start)
}

// startOf returns the time in milliseconds that an id begins with.
func startOf(id string) time.Time {
	digits, _, _ := strings.Cut(id, "_")
	if _, err := strconv.ParseUint(digits, 10, 64); err != nil || len(digits) != 13 {
		return time.Time{}
	}
	return transcript.Time([]byte(digits))
}

// directoryOf finds the working directory in what the extension tells its model
// of the environment.
func directoryOf(message []byte) string {
	const before = "Current Working Directory ("
	dir := ""
	_ = rawjson.Elements(rawjson.Get(message, "content"), func(block []byte) error {
		if _, after, found := strings.Cut(rawjson.Text(rawjson.Get(block, "text")), before); found {
			dir, _, _ = strings.Cut(after, ")")
			return rawjson.ErrStop
		}
		return nil
	})
	return dir
}
