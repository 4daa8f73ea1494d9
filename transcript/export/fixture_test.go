package export

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"testing"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/memory"
	"github.com/stemma-history/stemma/message"
)

// builder makes conversations whose ids and times are the same in every run.
type builder struct {
	*memory.Store
	testing.TB
	conversation history.ID
	n            uint64
}

func build(t testing.TB, title string) *builder {
	b := &builder{TB: t}
	b.Store = memory.New(memory.Options{
		NewID: b.id,
		Now: func() time.Time {
			b.n++
			return time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC).Add(time.Duration(b.n) * 7 * time.Second)
		},
	})
	b.conversation = b.id()
	b.must(b.Create(t.Context(), history.Conversation{
		ID: b.conversation, Title: title, Directory: "/home/ann/src/shop", Model: "claude-sonnet-4-5",
	}))
	return b
}

func (b *builder) id() history.ID {
	b.n++
	var id history.ID
	binary.BigEndian.PutUint64(id[8:], b.n)
	copy(id[:], "\x01\x9c\xa7\x51\x20\x00\x70")
	id[8] = 0x80
	return id
}

func (b *builder) must(err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}

func (b *builder) tip() history.ID {
	c, err := b.Conversation(b.Context(), b.conversation)
	b.must(err)
	return c.Tip
}

// add appends messages below the tip, and returns the id of the last.
func (b *builder) add(messages ...message.Message) history.ID {
	b.Helper()
	entries := make([]history.Entry, len(messages))
	for i := range messages {
		entries[i].Message = &messages[i]
		if messages[i].Role == message.Assistant {
			entries[i].Usage = &history.Usage{Input: 212, CacheRead: 18_400, Output: 341}
		}
	}
	return b.append(b.tip(), entries...)
}

// append stores entries under parent. They take the tip along only if it is
// there.
func (b *builder) append(parent history.ID, entries ...history.Entry) history.ID {
	b.Helper()
	stored, err := b.Append(b.Context(), history.AppendRequest{Conversation: b.conversation, Parent: parent, ExpectedTip: parent, Entries: entries})
	if !errors.Is(err, history.ErrTipMoved) {
		b.must(err)
	}
	return stored[len(stored)-1].ID
}

func (b *builder) boundary(entry history.ID) history.Boundary {
	b.Helper()
	at, err := history.BoundaryAt(b.Context(), b.Store, b.conversation, entry)
	b.must(err)
	return at
}

func (b *builder) mark(entry history.ID, name string, by message.Author) history.Checkpoint {
	b.Helper()
	m, err := b.Mark(b.Context(), b.boundary(entry), history.Checkpoint{Name: name, SetBy: by})
	b.must(err)
	return m
}

func answer(parts ...message.Part) message.Message {
	return message.Message{Role: message.Assistant, Author: message.ByModel, Wire: "anthropic", Model: "claude-sonnet-4-5", Stop: message.StopEnd, Parts: parts}
}

func call(id, name, arguments string) message.ToolCall {
	return message.ToolCall{ID: id, Name: name, Arguments: []byte(arguments)}
}

func result(id, text string) message.Message {
	return message.Results(message.ToolResult{CallID: id, Content: []message.Content{message.Text{Text: text}}})
}

// picture returns a small PNG with a slope of colours.
func picture(width, height int) message.Image {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.Set(x, y, color.RGBA{uint8(x * 255 / width), uint8(y * 255 / height), 160, 255})
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		panic(err)
	}
	return message.NewImage("image/png", file.Bytes())
}

// shop is a conversation with everything in it: calls, thinking, an image, a
// branch, a rewind with its digest, a checkpoint, a pin, a compaction.
func shop(t testing.TB) *builder {
	b := build(t, "Fix the *total* of the <cart>")
	look := message.Prompt("The total of the cart is wrong when a discount applies.\n\n# Steps\n> add two items\n> apply SAVE10\n\nSee the screenshot.")
	shot := picture(160, 60)
	shot.Name = "cart.png"
	look.Parts = append(look.Parts, shot)
	b.must(b.Pin(t.Context(), b.conversation, b.add(look)))
	b.add(
		answer(
			message.Thinking{Text: "The discount may be applied before tax.\nI should look at the code first.", Signature: "c2ln"},
			message.Text{Text: "I'll read the code that adds things up."},
			call("t1", "read_file", `{"path":"cart/total.go"}`),
			call("t2", "bash", `{"command":"go test ./cart\ngo vet ./cart","timeout":30}`),
		),
		message.Results(
			message.ToolResult{CallID: "t1", Content: []message.Content{message.Text{Text: "package cart\n\n// Total adds up.\nfunc Total(items []Item) Cents {\n\tvar sum Cents\n\tfor _, i := range items {\n\t\tsum += i.Price\n\t}\n\treturn sum\n}\n"}}},
			message.ToolResult{CallID: "t2", Outcome: message.Failed, Content: []message.Content{message.Text{Text: "\x1b[31m--- FAIL: TestDiscount\x1b[0m\n    total_test.go:14: got 1800, want 1620\nFAIL\n"}}},
		),
	)
	mark := b.mark(b.tip(), "before the fix", message.ByModel)
	b.add(answer(
		message.Text{Text: "Two ways to fix it:\n\n1. apply the discount in `Total`\n2. or keep it **outside**\n\n| way | lines |\n|:----|------:|\n| 1 | 4 |\n| 2 | 30 |\n\n```go\nreturn sum * (100 - d) / 100 // <- rounds down\n```\n\nI try the second."},
		call("t3", "write_file", `{"path":"cart/discount.go","content":"package cart\n\n# not a heading\n"}`),
	), result("t3", "wrote 3 lines"))
	c, err := b.Conversation(t.Context(), b.conversation)
	b.must(err)
	_, err = history.Rewind(t.Context(), b.Store, c, mark, "A type of its own for discounts needs **30 lines** and changes the API. Not worth it.")
	b.must(err)
	b.add(answer(message.Text{Text: "Then the first way. <script>alert(1)</script> is only text, and so is\n\n## 3 · Person\n\n> quoted\n\n```\nan open fence"}))
	asked := b.add(message.Prompt("Does it round?"))
	b.add(answer(message.Text{Text: "Down, to whole cents."}))
	b.append(b.tip(), history.Entry{Compaction: &history.Compaction{
		Treatments: []history.Treatment{
			{From: history.Handle{Depth: 3, Part: 1}, To: history.Handle{Depth: 3, Part: 1}, As: history.AsStub, Text: "[read_file cart/total.go, 132 bytes, 3.1]"},
			{From: history.Handle{Depth: 2}, To: history.Handle{Depth: 5}, As: history.AsSummary, Text: "## State\nThe first way was taken."},
		},
		Reason: history.Reason{Trigger: history.ByThreshold, Before: 160_000, After: 42_000},
	}})
	b.add(message.Prompt("Thanks. Commit it."))
	b.append(asked, history.Entry{Message: ptr(answer(message.Text{Text: "Half up."}))})
	return b
}

func ptr[T any](v T) *T { return &v }

// long is a conversation of about n entries: exchanges of a prompt and five
// turns with calls, and now and then a branch.
func long(t testing.TB, n int) *builder {
	b := build(t, fmt.Sprintf("A conversation of %d entries", n))
	source := bytes.Repeat([]byte("func handle(w http.ResponseWriter, r *http.Request) {\n\tlog.Print(r.URL) // <&>\n}\n"), 18)
	for entries := 0; entries < n; {
		asked := b.add(message.Prompt(fmt.Sprintf("Step %d: make the handler of /orders/%d faster, and keep the tests green.", entries, entries)))
		entries++
		for turn := range 5 {
			b.add(
				answer(message.Text{Text: "I look at **the handler** first; it reads the rows one by one:\n\n- one query per row\n- no index\n\nThen `EXPLAIN`."}, call("c", "read_file", fmt.Sprintf(`{"path":"orders/handler_%d.go"}`, turn))),
				result("c", string(source)),
			)
			entries += 2
		}
		if entries%110 < 11 {
			b.append(asked, history.Entry{Message: ptr(answer(message.Text{Text: "Another way: cache the rows."}))})
			entries++
		}
	}
	return b
}
