package opencode

import (
	"time"

	"github.com/stemma-history/stemma/internal/rawjson"
	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// session is what opencode says of one.
type session struct {
	transcript.Conversation
	// revert names the message, and perhaps the part in it, from which on
	// everything has been taken back. It is deleted with the next prompt.
	revert struct{ message, part string }
}

// sessionOf reads the session's object, as exports and events hold it.
func sessionOf(info native.Object) session {
	var s session
	s.ID, s.Title, s.Directory = info.Text("id"), info.Text("title"), info.Text("directory")
	s.Created = transcript.Time(info.Raw("time", "created"))
	s.SpawnedBy.Conversation = info.Text("parentID")
	s.setRevert(info.Raw("revert"))
	return s
}

func (s *session) setRevert(revert []byte) {
	s.revert.message = rawjson.Text(rawjson.Get(revert, "messageID"))
	s.revert.part = rawjson.Text(rawjson.Get(revert, "partID"))
}

// entry is one of opencode's messages.
type entry struct {
	id    string
	info  native.Object
	parts []part
}

func (e *entry) created() time.Time { return transcript.Time(e.info.Raw("time", "created")) }

// model returns the model that answered.
func (e *entry) model() string { return e.info.Text("modelID") }

// isSummary reports whether an answer is a summary that opencode continues
// from. One that failed is not.
func (e *entry) isSummary() bool {
	finished := e.info.Raw("finish") != nil || e.info.Raw("time", "completed") != nil
	return e.info.Text("role") == "assistant" && e.info.Bool("summary") && finished && e.info.Raw("error") == nil
}

// part is a piece of a message.
type part struct {
	native.Object
	id  string
	raw []byte // the whole object
	// added is text that events appended since the part was last told whole.
	added []byte
}

// newPart reads a part whose id is in a column or, where id is empty, in the
// object. With an error the part is of no kind, and so kept as it stands.
func newPart(id string, raw []byte) (part, error) {
	o, err := native.ReadObject(raw)
	if err != nil {
		o = nil
	}
	if id == "" {
		id = o.Text("id")
	}
	return part{Object: o, id: id, raw: raw}, err
}

func (p *part) kind() string { return p.Text("type") }

// text returns the part's text, as far as it came.
func (p *part) text() string { return p.Text("text") + string(p.added) }
