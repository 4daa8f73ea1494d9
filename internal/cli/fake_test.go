package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFakeServesUntilItIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	dir := filepath.Join(t.TempDir(), "log")
	in, out := io.Pipe()
	var told bytes.Buffer
	a := newApp(strings.NewReader(""), out, &told)
	ended := make(chan int, 1)
	go func() {
		ended <- a.execute(ctx, []string{"fake", "--json", "--wire", "openai-chat", "--model", "mine", "--window", "100", "--log", dir})
	}()

	var start struct {
		URL string
		Env []setting
	}
	if err := json.NewDecoder(in).Decode(&start); err != nil {
		t.Fatal(err)
	}
	if len(start.Env) != 2 || start.Env[0] != (setting{"openai-chat", "OPENAI_BASE_URL", start.URL + "/v1"}) {
		t.Errorf("settings: %+v", start.Env)
	}
	for prompt, want := range map[string]string{"hello": "You said: “hello”", strings.Repeat("too long ", 200): "maximum context length is 100 tokens"} {
		r, err := http.NewRequest(http.MethodPost, start.Env[0].Value+"/chat/completions", strings.NewReader(`{"model":"mine","messages":[{"role":"user","content":"`+prompt+`"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+start.Env[1].Value)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !strings.Contains(string(answer), want) {
			t.Errorf("%.20q: %v %s", prompt, err, answer)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	go io.Copy(io.Discard, in)
	interrupt()
	if code := <-ended; code != exitDone {
		t.Errorf("exit code %d: %s", code, &told)
	}
	for _, want := range []string{"generate openai-chat mine: ", "refused: {\"error\"", "2 requests, 1 refused, $"} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, &told)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Errorf("%d files, %v", len(files), err)
	}
}
