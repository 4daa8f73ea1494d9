package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// roundTrip encodes and decodes m, with the blobs at hand.
func roundTrip(t interface{ Fatalf(string, ...any) }, m Message) Message {
	body, blobs := Encode(m)
	if !json.Valid(body) {
		t.Fatalf("body is no JSON: %s", body)
	}
	got, err := Decode(body, func(h Hash) ([]byte, error) {
		for _, b := range blobs {
			if b.Hash == h {
				return b.Data, nil
			}
		}
		return nil, fmt.Errorf("no blob %v", h)
	})
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return got
}

func TestBytesThatProvidersCheckSurvive(t *testing.T) {
	for _, raw := range []string{
		`{"z":1,"a":12345678901234567890.10, "path":"a\u002fb\u00e9<&>"}`,
		`{"lone":"\ud800","pair":"\ud83d\ude00","nul":"\u0000"}`,
		"{\n  \"a\": [ ]\n}",
		`{"a":1} `, ` `, `{"a":`, `not json`, "\xff\xfe", `"just a string"`, `null`, `{"a":1}{"b":2}`,
		"{\"a\":\"\xff\"}",
	} {
		m := Message{Role: Assistant, Author: ByModel, Parts: []Part{
			ToolCall{ID: "call_0", Name: "write", Arguments: []byte(raw)},
			Thinking{Text: "hm \u00e9", Signature: "EqQB+/==", Raw: []byte(raw)},
			Opaque{Format: "anthropic", Raw: []byte(raw)},
		}}
		got := roundTrip(t, m)
		for i, bytesOf := range []func(Part) []byte{
			func(p Part) []byte { return p.(ToolCall).Arguments },
			func(p Part) []byte { return p.(Thinking).Raw },
			func(p Part) []byte { return p.(Opaque).Raw },
		} {
			if b := bytesOf(got.Parts[i]); string(b) != raw {
				t.Errorf("%T: %q became %q", m.Parts[i], raw, b)
			}
		}
	}
}

func TestNestingIsReadAsDeeplyAsItIsWritten(t *testing.T) {
	for depth := 9_970; depth <= 10_010; depth++ {
		raw := []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		m := Message{Role: Assistant, Author: ByModel, Parts: []Part{
			ToolCall{ID: "call_0", Name: "write", Arguments: raw},
			ToolResult{CallID: "call_0", Content: []Content{Opaque{Format: "anthropic", Raw: raw}}},
		}}
		got := roundTrip(t, m)
		if !reflect.DeepEqual(got, m) {
			t.Errorf("%d levels do not come back", depth)
		}
	}
}

func TestImagesAndLargeResultsBecomeBlobs(t *testing.T) {
	png := bytes.Repeat([]byte{0x89, 'P', 'N', 'G'}, 1000)
	large := strings.Repeat("line\n", LargeText/5+1)
	m := Results(ToolResult{CallID: "1", Content: []Content{
		Image{Media: Media{Type: "image/png", Data: png}, WidthPx: 3, HeightPx: 4},
		Text{Text: large},
		Text{Text: "small"},
	}})
	body, blobs := Encode(m)
	if len(blobs) != 2 || len(body) > 500 {
		t.Fatalf("%d blobs, body of %d bytes", len(blobs), len(body))
	}
	got := roundTrip(t, m).Parts[0].(ToolResult)
	if text := got.PlainText(); text != large+"\nsmall" {
		t.Errorf("text of %d bytes came back", len(text))
	}
	img := got.Content[0].(Image)
	if img.Data != nil || img.Blob != HashOf(png) || img.Size != int64(len(png)) || img.WidthPx != 3 {
		t.Errorf("image came back as %+v", img)
	}
	again, _ := Encode(roundTrip(t, m))
	if !bytes.Equal(again, body) {
		t.Errorf("a second encoding differs:\n%s\n%s", body, again)
	}
}

func TestDecodeNamesWhatIsWrong(t *testing.T) {
	for body, want := range map[string]string{
		`{"role":"narrator","parts":[]}`:                                                    `role is "narrator"`,
		`{"role":"user","parts":[{"type":"text"},{"type":"hologram"}]}`:                     `part 2: type "hologram"`,
		`{"role":"user","parts":[{"type":"image","blob":"12"}]}`:                            `64 hexadecimal digits`,
		`{"role":"tool","parts":[{"type":"tool_result","content":[{"type":"tool_call"}]}]}`: `cannot stand in a tool result`,
		`{"role":"user"`: `invalid JSON at byte 14`,
		`{"role":"tool","parts":[{"type":"text","blob":"` + strings.Repeat("ab", 32) + `"}]}`: `no way to fetch`,
	} {
		if _, err := Decode([]byte(body), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", body, err, want)
		}
	}
}

func TestHugeTextsAreSeveralBlobs(t *testing.T) {
	for _, size := range []int{pieceLen, pieceLen + 1, 2*pieceLen + 5} {
		text := strings.Repeat("日本語 and more\n", size/18+1)[:size]
		said := Text{Text: text, Signature: "s"}
		m := Message{Role: Tool, Author: ByTool, Parts: []Part{ToolResult{CallID: "c", Content: []Content{said}}}}
		if prompt := (Message{Role: User, Author: ByPerson, Parts: []Part{said}}); size > pieceLen && !reflect.DeepEqual(roundTrip(t, prompt), prompt) {
			t.Errorf("a prompt of %d bytes does not come back", size)
		}
		body, blobs := Encode(m)
		if want := (size + pieceLen - 1) / pieceLen; len(blobs) != want || len(body) > 1000 {
			t.Errorf("%d bytes: %d blobs and a body of %d bytes, want %d blobs", size, len(blobs), len(body), want)
		}
		if got := roundTrip(t, m); !reflect.DeepEqual(got, m) {
			t.Errorf("%d bytes do not come back", size)
		}
		if _, err := Decode(body, func(Hash) ([]byte, error) { return nil, errors.New("gone") }); err == nil || !strings.Contains(err.Error(), "gone") {
			t.Errorf("%d bytes: a missing blob gives %v", size, err)
		}
	}
}

func TestMessagesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMessage().Draw(t, "message")
		if got := roundTrip(t, m); !reflect.DeepEqual(got, m) {
			t.Fatalf("came back as\n%#v, was\n%#v", got, m)
		}
	})
}

func drawMessage() *rapid.Generator[Message] {
	str := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	bytesOf := rapid.Map(rapid.StringN(1, -1, -1), func(s string) []byte { return []byte(s) })
	content := rapid.OneOf(
		rapid.Map(str, func(s string) Content { return Text{Text: s, Signature: s, Extra: s} }),
		rapid.Map(bytesOf, func(b []byte) Content { return Opaque{Format: "gemini", Raw: b} }),
		rapid.Map(str, func(s string) Content {
			return Image{Media: Media{Type: "image/png", Blob: HashOf([]byte(s)), Size: int64(len(s)), Name: s}, WidthPx: len(s)}
		}),
	)
	part := rapid.OneOf(
		rapid.Map(content, func(c Content) Part { return c }),
		rapid.Custom(func(t *rapid.T) Part {
			return Thinking{Text: str.Draw(t, "text"), Signature: str.Draw(t, "signature"), Raw: bytesOf.Draw(t, "raw")}
		}),
		rapid.Map(str, func(s string) Part { return RedactedThinking{Data: s} }),
		rapid.Custom(func(t *rapid.T) Part {
			return ToolCall{ID: str.Draw(t, "id"), Name: str.Draw(t, "name"), Arguments: bytesOf.Draw(t, "arguments"), Signature: str.Draw(t, "signature"), Extra: str.Draw(t, "extra")}
		}),
		rapid.Custom(func(t *rapid.T) Part {
			return ToolResult{CallID: str.Draw(t, "id"), Outcome: rapid.SampledFrom([]Outcome{OK, Failed, Denied, Aborted, Unknown}).Draw(t, "outcome"), Uneventful: rapid.Bool().Draw(t, "uneventful"),
				Content: rapid.Custom(func(t *rapid.T) []Content {
					var parts []Content
					return append(parts, rapid.SliceOfN(content, 0, 3).Draw(t, "parts")...)
				}).Draw(t, "content")}
		}),
		rapid.Map(str, func(s string) Part { return Document{Media: Media{Type: "application/pdf", URL: s}} }),
	)
	return rapid.Custom(func(t *rapid.T) Message {
		return Message{
			Role:   rapid.SampledFrom([]Role{User, Assistant, Tool}).Draw(t, "role"),
			Author: rapid.SampledFrom([]Author{ByPerson, ByModel, ByTool, ByHarness, ByDigest}).Draw(t, "author"),
			Wire:   "anthropic", Model: str.Draw(t, "model"), Stop: StopEnd, Settled: rapid.Bool().Draw(t, "settled"),
			Parts: rapid.SliceOfN(part, 1, 5).Draw(t, "parts"),
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"role":"tool","author":"tool","parts":[{"type":"tool_result","call":"c","content":[{"type":"text","text":"x"}]}]}`))
	f.Add([]byte(`{"role":"assistant","parts":[{"type":"tool_call","arguments_text":"{","id_base64":"/w=="}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := Decode(body, nil)
		if err != nil {
			return
		}
		first, blobs := Encode(m)
		if len(blobs) > 0 {
			return
		}
		again, err := Decode(first, nil)
		if err != nil {
			t.Fatalf("%v in %s", err, first)
		}
		if second, _ := Encode(again); !bytes.Equal(first, second) {
			t.Fatalf("unstable:\n%s\n%s", first, second)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	body, _ := Encode(Message{Role: Assistant, Author: ByModel, Parts: []Part{
		Text{Text: strings.Repeat("some words of an answer ", 40)},
		ToolCall{ID: "toolu_01", Name: "bash", Arguments: []byte(`{"command":"go test ./..."}`)},
	}})
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(body, nil); err != nil {
			b.Fatal(err)
		}
	}
}
