package providertest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stemma-history/stemma/wire/anthropic"
	"github.com/stemma-history/stemma/wire/gemini"
	"github.com/stemma-history/stemma/wire/openai"
)

// streamed returns a short request for a stream of each wire.
func streamed(wireName string) (path, body string) {
	path, body = paths[wireName], strings.Replace(hello[wireName], `"stream":false,`, "", 1)
	if wireName == gemini.Wire {
		return strings.Replace(path, ":generateContent", ":streamGenerateContent?alt=sse", 1), body
	}
	return path, strings.Replace(body, "{", `{"stream":true,`, 1)
}

// deltas returns the pieces of text, of thinking and of arguments in a stream.
func deltas(wireName, stream string) (text, arguments string) {
	for line := range strings.Lines(stream) {
		data := []byte(strings.TrimSpace(strings.TrimPrefix(line, "data: ")))
		switch wireName {
		case anthropic.Wire:
			text += textAt(data, "delta", "text")
			arguments += textAt(data, "delta", "partial_json")
		case openai.WireResponses:
			switch textAt(data, "type") {
			case "response.output_text.delta":
				text += textAt(data, "delta")
			case "response.function_call_arguments.delta":
				arguments += textAt(data, "delta")
			}
		case wireOllama:
			text += textAt(data, "message", "content")
			elements(get(data, "message", "tool_calls"), func(v []byte) { arguments += string(get(v, "function", "arguments")) })
		case openai.WireChat:
			elements(get(data, "choices"), func(v []byte) {
				text += textAt(v, "delta", "content")
				elements(get(v, "delta", "tool_calls"), func(v []byte) { arguments += textAt(v, "function", "arguments") })
			})
		case gemini.Wire:
			elements(get(data, "candidates"), func(v []byte) {
				elements(get(v, "content", "parts"), func(v []byte) {
					text += textAt(v, "text")
					arguments += string(get(v, "functionCall", "args"))
				})
			})
		}
	}
	return text, arguments
}

func TestPiecesOfAStreamMakeTheAnswer(t *testing.T) {
	const said, arguments = "名前は stemma です – 🌳 ok", `{"path":"größe.txt","lines":[1,2]}`
	for wireName := range paths {
		for _, chunks := range []Chunks{{}, {Runes: 1}, {Runes: 3, Bytes: 5}} {
			c := serve(t, Config{Chunks: chunks, Script: In(Say(said).Call("read", arguments))})
			path, body := streamed(wireName)
			text, args := deltas(wireName, c.must(path, body))
			if text != said || args != arguments {
				t.Errorf("%s, %+v: %q, %q", wireName, chunks, text, args)
			}
		}
	}
}

// TestWritesMayCutCharacters looks at what single reads of the connection give.
func TestWritesMayCutCharacters(t *testing.T) {
	c := serve(t, Config{Chunks: Chunks{Bytes: 7}, Script: In(Say(strings.Repeat("名", 300)))})
	path, body := streamed(anthropic.Wire)
	response, err := c.http.Client().Do(c.request(path, body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	cut, buffer := 0, make([]byte, 7)
	reader := bufio.NewReaderSize(response.Body, 16)
	for err == nil {
		var n int
		n, err = reader.Read(buffer)
		if !utf8.Valid(buffer[:n]) {
			cut++
		}
	}
	if !errors.Is(err, io.EOF) || cut == 0 {
		t.Errorf("%d reads ended inside a character, %v", cut, err)
	}
}

func TestAStreamCanBeCut(t *testing.T) {
	for wireName := range paths {
		c := serve(t, Config{Script: In(Say(Words(500)).But(Cut{After: 1000}), Say("whole"))})
		path, body := streamed(wireName)
		status, answer, err := c.post(path, body)
		if status != 200 || err == nil || len(answer) != 1000 {
			t.Errorf("%s: %d, %d bytes, %v", wireName, status, len(answer), err)
		}
		if text, _ := deltas(wireName, c.must(path, body)); text != "whole" {
			t.Errorf("%s: %q afterwards", wireName, text)
		}
	}
}

func TestAStreamCanFailInsideA200(t *testing.T) {
	for wireName, words := range map[string]string{
		anthropic.Wire:       "event: error\ndata: {\"error\":{\"message\":\"Overloaded\",\"type\":\"overloaded_error\"},\"type\":\"error\"}\n\n",
		openai.WireChat:      `data: {"error":{"code":null,"message":"The server is currently overloaded`,
		openai.WireResponses: `event: response.failed`,
		gemini.Wire:          `data: {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`,
		wireOllama:           `{"error":"The server is currently overloaded`,
	} {
		c := serve(t, Config{Script: In(Say(Words(500)).But(Fail{After: 5}))})
		answer := c.must(streamed(wireName))
		at := strings.Index(answer, words)
		if at < 0 || strings.Count(answer[:at], "\n") < 5 || strings.Contains(answer, Words(500)[2000:]) {
			t.Errorf("%s: %s", wireName, answer)
		}
	}
}

func TestAStreamCanHangUntilTheClientGoes(t *testing.T) {
	c := serve(t, Config{Script: In(Say(Words(500)).But(Hang{After: 300}))})
	ctx, cancel := context.WithCancel(t.Context())
	path, body := streamed(anthropic.Wire)
	response, err := c.http.Client().Do(c.request(path, body).WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.ReadFull(response.Body, make([]byte, 300)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if n, err := response.Body.Read(make([]byte, 1)); n > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d more bytes, %v", n, err)
	}
	// Closing the server waits for its handlers: the cleanup fails if one stays.
}

func TestAnAnswerInOnePieceCanHangToo(t *testing.T) {
	c := serve(t, Config{Script: In(Say("x").But(Hang{}))})
	ctx, cancel := context.WithCancel(t.Context())
	response, err := c.http.Client().Do(c.request(paths[anthropic.Wire], hello[anthropic.Wire]).WithContext(ctx))
	cancel()
	if err == nil {
		_, err = io.ReadAll(response.Body)
		response.Body.Close()
	}
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestArgumentsEndWhereTheAnswerDoes(t *testing.T) {
	arguments := `{"text":"` + Words(200) + `"}`
	c := serve(t, Config{MaxOutput: 100, Script: In(Call("write", arguments))})
	path, body := streamed(openai.WireChat)
	_, got := deltas(openai.WireChat, c.must(path, body))
	if !strings.HasPrefix(arguments, got) || len(got) < 50 || len(got) > 400 {
		t.Errorf("%q", got)
	}
	answer := c.must(paths[anthropic.Wire], strings.Replace(hello[anthropic.Wire], "9000", "90", 1))
	if !strings.Contains(answer, `"input":{}`) || textAt([]byte(answer), "stop_reason") != "max_tokens" {
		t.Error(answer)
	}
}

func TestUsageCanBeWrong(t *testing.T) {
	c := serve(t, Config{Script: In(Say("x").But(Misbill{Factor: 10}))})
	answer := []byte(c.must(paths[openai.WireChat], hello[openai.WireChat]))
	if n := integer(get(answer, "usage", "prompt_tokens")); n != int64(10*c.Journal()[0].Tokens) {
		t.Errorf("%d tokens", n)
	}
}

var _ http.Handler = (*Server)(nil)
