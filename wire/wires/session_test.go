package wires

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/openai"
	"github.com/stemma-history/stemma/wire/wiretest"
)

// speakers are all wires, and dialects that take ways of their own.
func speakers() []Wire {
	deepseek := openai.Dialect{Provider: "deepseek", IDs: openai.OpenAI().IDs, Reasoning: "reasoning_content"}
	mistral := openai.Dialect{Provider: "mistral", IDs: wire.IDRule{MinLen: 9, MaxLen: 9}, AnswerAfterResults: true}
	openrouter := openai.Dialect{Provider: "openrouter", IDs: openai.OpenAI().IDs, Reasoning: "reasoning", Details: true}
	return append(All(), Chat(deepseek), Chat(mistral), Chat(openrouter))
}

// A talk is a run as a session sees it: a request whose view mostly grows.
type talk struct {
	*rapid.T
	wire    Wire
	request wire.Request
	depth   int
}

func (k *talk) append(m message.Message, seals []message.Hash) {
	k.depth++
	if m.Model == wiretest.Model {
		m.Model = k.request.Frame.Model
	}
	k.request.View.Messages = append(k.request.View.Messages, wire.Message{Message: m, At: history.Handle{Depth: k.depth}, Seals: seals})
}

// change does to a request what happens between two of a run.
func (k *talk) change() {
	messages := k.request.View.Messages
	switch rapid.IntRange(0, 12).Draw(k.T, "change") {
	case 0: // a compaction: what was first is no longer there
		n := rapid.IntRange(0, len(messages)).Draw(k.T, "compacted")
		k.request.View.Messages = append([]wire.Message{{Message: message.Prompt("Summary."), At: history.Handle{Depth: 1}}}, messages[n:]...)
	case 1: // the tip moves back
		k.request.View.Messages = slices.Clone(messages[:rapid.IntRange(0, len(messages)).Draw(k.T, "tip")])
	case 2:
		k.request.View.Head = rapid.IntRange(0, len(messages)+1).Draw(k.T, "head")
	case 3:
		k.request.Frame.Model = rapid.SampledFrom([]string{model(k.wire), "another-model"}).Draw(k.T, "model")
	case 4:
		k.request.Frame.System = []string{rapid.SampledFrom([]string{"Be brief.", "Be kind."}).Draw(k.T, "system")}
	case 5:
		k.request.MaxOutput = rapid.IntRange(0, 5000).Draw(k.T, "output")
	case 6:
		limits := *strict(k.wire)
		limits.BodyBytes = rapid.SampledFrom([]int{0, 3000, 8000}).Draw(k.T, "bytes")
		limits.Media = rapid.IntRange(0, 4).Draw(k.T, "media")
		k.request.Limits = &limits
	case 7:
		k.request.ChecksThinking = !k.request.ChecksThinking
	}
}

// TestASessionWritesWhatAnEncoderWrites: body, seal, notes and refusals are
// those of the whole request, however it came to be.
func TestASessionWritesWhatAnEncoderWrites(t *testing.T) {
	for _, w := range speakers() {
		t.Run(w.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				session := w.NewSession()
				k := talk{T: t, wire: w, request: request(w, nil)}
				for range rapid.IntRange(2, 8).Draw(t, "requests") {
					for _, m := range wiretest.Path(w.Name).Draw(t, "more") {
						k.append(m, nil)
					}
					k.change()
					got, err := session.Encode(k.request)
					want, wantErr := w.Encode(k.request)
					if !bytes.Equal(got.JSON, want.JSON) || got.Seal != want.Seal || !slices.Equal(got.Notes, want.Notes) || !sameError(err, wantErr) {
						t.Fatalf("got  %s %v\nwant %s %v", got.JSON, err, want.JSON, wantErr)
					}
					if err != nil {
						continue
					}
					answer := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: w.Name, Model: k.request.Frame.Model, Parts: []message.Part{
						message.Thinking{Text: "hm", Signature: "c2ln"}, message.Text{Text: "Done."}, message.ToolCall{ID: "x", Name: "bash"},
					}}
					seals, err := session.Seals(k.request, answer)
					wantSeals, wantErr := w.Seals(k.request, answer)
					if !slices.Equal(seals, wantSeals) || err != nil || wantErr != nil {
						t.Fatalf("seals %v, want %v (%v, %v)", seals, wantSeals, err, wantErr)
					}
					k.append(answer, seals)
				}
			})
		})
	}
}

func sameError(a, b error) bool {
	var x, y *wire.Refusal
	if errors.As(a, &x) && errors.As(b, &y) {
		return *x == *y
	}
	return (a == nil) == (b == nil)
}

// TestASessionWritesWhatIsNewOnly: what stood before the answer before is not
// even looked at, and what was only appended to is.
func TestASessionWritesWhatIsNewOnly(t *testing.T) {
	pixel := message.NewBlob("image/png", wiretest.PNG(1, 1))
	shot := message.Message{Role: message.User, Author: message.ByPerson, Parts: []message.Part{message.Image{Media: message.Media{Type: "image/png", Blob: pixel.Hash}}}}
	answer := message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{message.Text{Text: "Seen."}}}
	for _, w := range speakers() {
		t.Run(w.Name, func(t *testing.T) {
			r := request(w, []message.Message{shot})
			looks := 0
			r.Blob = func(message.Hash) (message.Blob, error) { looks++; return pixel, nil }
			session := w.NewSession()
			for n, want := range []int{1, 2, 2, 2, 2} { // the first answer is there with the second request only
				looks = 0
				if _, err := session.Encode(r); err != nil {
					t.Fatal(err)
				}
				if looks != want {
					t.Errorf("request %d looks at %d images, want %d", n+1, looks, want)
				}
				for _, m := range []message.Message{answer, shot} {
					r.View.Messages = append(r.View.Messages, wire.Message{Message: m, At: history.Handle{Depth: len(r.View.Messages) + 1}})
				}
			}
		})
	}
}

// TestTwoHundredTurnsKeepTheirPrefix (P9): through calls, interruptions,
// thinking, images and blocks of all kinds, the frame and the conversation of
// each request begin that of the next, cache marks aside. What differs from
// request to request, such as the length of the answer, comes behind them.
func TestTwoHundredTurnsKeepTheirPrefix(t *testing.T) {
	const turns = 200
	rest := regexp.MustCompile(`^[\]}]*(,"(max_tokens|max_completion_tokens|max_output_tokens|generationConfig)":[^,]*)?}$`)
	for number, w := range All() {
		t.Run(w.Name, func(t *testing.T) {
			session, path := w.NewSession(), wiretest.Path(w.Name)
			k := talk{wire: w, request: request(w, nil)}
			k.request.ChecksThinking = true
			k.request.Limits.Media, k.request.Limits.BodyBytes, k.request.Limits.ManyImages = 0, 0, 0
			var before string
			for turn := range turns {
				for _, m := range path.Example(number*turns + turn) {
					k.append(m, nil)
				}
				k.request.MaxOutput = 1000 + turn*7919%5000
				body, err := session.Encode(k.request)
				if err != nil {
					t.Fatalf("turn %d: %v", turn, err)
				}
				now := withoutMarks(string(body.JSON))
				if same := commonPrefix(before, now); turn > 0 && !rest.MatchString(before[same:]) {
					t.Fatalf("turn %d: behind\n%s\nstood\n%.500s\nand now\n%.500s", turn, now[max(same-500, 0):same], before[same:], now[same:])
				}
				before = now
				answer := message.Message{Role: message.Assistant, Author: message.ByModel, Wire: w.Name, Model: k.request.Frame.Model, Parts: []message.Part{
					message.Thinking{Text: "a thought of this run", Signature: "c2ln"}, message.Text{Text: "Done."},
				}}
				seals, err := session.Seals(k.request, answer)
				if err != nil {
					t.Fatal(err)
				}
				k.append(answer, seals)
			}
			if sent := strings.Count(before, "a thought of this run"); w.Name != "openai-chat" && sent != turns-1 {
				t.Errorf("%d of %d thoughts are sent back", sent, turns-1)
			}
		})
	}
}

func withoutMarks(body string) string {
	body = strings.ReplaceAll(body, `,"cache_control":{"type":"ephemeral"}`, "")
	return strings.ReplaceAll(body, `,"prompt_cache_breakpoint":{"mode":"explicit"}`, "")
}

// commonPrefix returns how many bytes two texts begin with alike.
func commonPrefix(a, b string) int {
	return sort.Search(min(len(a), len(b)), func(n int) bool { return a[:n+1] != b[:n+1] })
}
