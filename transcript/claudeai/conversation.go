package claudeai

import (
	"errors"
	"fmt"
	"time"

	"github.com/stemma-history/stemma/transcript"
	"github.com/stemma-history/stemma/transcript/internal/native"
)

// conversation is one conversation of an export.
type conversation struct {
	transcript.Conversation
	current  string // the message that the person saw last
	isTree   bool
	messages []*chatMessage
}

// chatMessage is one message of it.
type chatMessage struct {
	native.Object
	created time.Time
	last    string // the latest record on the path to here, once told
}

func (m *chatMessage) id() string { return m.Text("uuid") }

// noParent is what a root names as its parent.
const noParent = "00000000-0000-4000-8000-000000000000"

var errNoID = errors.New("expected its uuid")

func parse(data []byte) (*conversation, error) {
	o, err := native.ReadObject(data)
	if err != nil {
		return nil, err
	}
	c := &conversation{current: o.Text("current_leaf_message_uuid")}
	if c.ID = o.Text("uuid"); c.ID == "" {
		return nil, errNoID
	}
	c.Title, c.Model = o.Text("name"), o.Text("model")
	c.Created = transcript.Time(o.Raw("created_at"))
	messages, err := o.Elements("chat_messages")
	if err != nil {
		return nil, fmt.Errorf("chat_messages: %w", err)
	}
	for _, raw := range messages {
		m := &chatMessage{}
		if m.Object, err = native.ReadObject(raw); err != nil {
			m.Object = nil // without an id, it is reported and skipped
		}
		m.created = transcript.Time(m.Raw("created_at"))
		parent := m.Text("parent_message_uuid")
		c.isTree = c.isTree || parent != "" && parent != noParent
		c.messages = append(c.messages, m)
	}
	return c, nil
}

// forest links the messages. An export without parents is a list in the order
// of time.
func (c *conversation) forest() native.Forest {
	if c.isTree {
		return native.NewForest(len(c.messages), func(i int) string { return c.messages[i].id() },
			func(i int) string { return c.messages[i].Text("parent_message_uuid") })
	}
	f := make(native.Forest, len(c.messages))
	for i := range f {
		f[i] = i - 1
	}
	return f
}

// tell tells the sink the conversation.
func (c *conversation) tell(sink transcript.Sink) error {
	forest := c.forest()
	order, circles := forest.ParentsFirst()
	for _, i := range circles {
		sink.Problem(transcript.Problem{Record: c.messages[i].id(), What: fmt.Sprintf("conversation %s: it continues from itself, in a circle; it is taken for a beginning", c.ID)})
	}
	begun := false
	for _, i := range order {
		m := c.messages[i]
		if p := forest[i]; p >= 0 {
			m.last = c.messages[p].last
		}
		if m.id() == "" {
			sink.Problem(transcript.Problem{What: fmt.Sprintf("conversation %s: message %d has no uuid; it is skipped", c.ID, i+1)})
			continue
		}
		item := m.item(func(what string) { sink.Problem(transcript.Problem{Record: m.id(), What: what}) })
		for _, r := range item.Records() {
			if !begun {
				begun = true
				if err := sink.Conversation(c.Conversation); err != nil {
					return err
				}
			}
			if err := sink.Record(r); err != nil {
				return err
			}
			m.last = r.ID
		}
	}
	if tip := c.tip(forest); tip != "" {
		return sink.Tip(tip)
	}
	return nil
}

// tip returns the record of the current message; where that is not known, of
// the newest leaf, or of the end of a list.
func (c *conversation) tip(forest native.Forest) string {
	for _, m := range c.messages {
		if m.id() == c.current && c.current != "" {
			return m.last
		}
	}
	if !c.isTree {
		return ""
	}
	newest := forest.NewestLeaf(func(i int) time.Time { return c.messages[i].created }, func(i int) bool { return c.messages[i].last != "" })
	if newest < 0 {
		return ""
	}
	return c.messages[newest].last
}
