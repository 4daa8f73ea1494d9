package tool_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
)

func TestFetch(t *testing.T) {
	b := newBench(t, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
			fmt.Fprint(w, "<html><head><title>T</title><script>evil()</script></head><body><h1>Caf\xe9</h1><a href=/x>link</a></body></html>")
		case "/json":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"a":1}`)
		case "/zip":
			w.Header().Set("Content-Type", "application/zip")
			fmt.Fprint(w, "PK")
		case "/long":
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, strings.Repeat("x", 11<<20))
		default:
			http.Error(w, "nothing here", http.StatusNotFound)
		}
	}))
	defer server.Close()
	fetch := tool.Fetch(server.Client())
	get := func(path string) tool.Result { return call(fetch, fmt.Sprintf(`{"url":%q}`, server.URL+path)) }

	page := get("/page")
	b.wants(page, message.OK, "# Café", "[link]("+server.URL+"/x)")
	if strings.Contains(text(page), "evil") {
		t.Error("a script is in the page's text")
	}
	b.wants(get("/json"), message.OK, `{"a":1}`)
	b.wants(get("/zip"), message.Failed, "nothing that can be shown")
	b.wants(get("/none"), message.Failed, "404", "nothing here")
	b.wants(get("/long"), message.OK, "The page is longer")
	b.wants(call(fetch, `{"url":"file:///etc/passwd"}`), message.Failed, "no address of the web")
}

func TestRecallGivesBackTheOriginal(t *testing.T) {
	b := newBench(t, nil)
	long := strings.Repeat("0123456789", 15_000)
	recall := tool.Recall(func(_ context.Context, at history.Handle) ([]message.Blob, error) {
		switch at.String() {
		case "4.2":
			return []message.Blob{message.NewBlob("text/plain", []byte(long)), message.NewBlob("application/json", []byte(`{"a":1}`))}, nil
		case "5":
			return []message.Blob{message.NewBlob("image/png", []byte("\x89PNG\r\n\x1a\n"))}, nil
		}
		return nil, history.ErrNotFound
	})
	b.wants(call(recall, `{"handle":"4.2"}`), message.OK, "Bytes 0 to 100000 of 150000: go on with offset 100000", `{"a":1}`)
	if got := text(call(recall, `{"handle":"4.2","offset":149995}`)); !strings.HasPrefix(got, "56789") {
		t.Errorf("%q", got[:20])
	}
	if _, ok := call(recall, `{"handle":"5"}`).Content[0].(message.Image); !ok {
		t.Error("an image comes back as something else")
	}
	b.wants(call(recall, `{"handle":"4.2","offset":149995,"limit":9223372036854775807}`), message.OK, "56789")
	b.wants(call(recall, `{"handle":"9"}`), message.Failed, "not found")
	b.wants(call(recall, `{"handle":"nine"}`), message.Failed, "nine")
}

// TestRecallGivesEveryByteOfALongTextBack, in pieces of any length.
func TestRecallGivesEveryByteOfALongTextBack(t *testing.T) {
	long := strings.Repeat("aé世😀", 50)
	recall := tool.Recall(func(context.Context, history.Handle) ([]message.Blob, error) {
		return []message.Blob{message.NewBlob("text/plain", []byte(long))}, nil
	})
	for limit := 1; limit < 20; limit++ {
		var got strings.Builder
		for offset := 0; offset < len(long); {
			piece := text(call(recall, fmt.Sprintf(`{"handle":"1","offset":%d,"limit":%d}`, offset, limit)))
			piece, more, _ := strings.Cut(piece, "\n(Bytes")
			got.WriteString(piece)
			offset = len(long)
			if _, next, ok := strings.Cut(more, "offset "); ok {
				if _, err := fmt.Sscanf(next, "%d", &offset); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got.String() != long {
			t.Fatalf("in pieces of %d bytes: %q", limit, got.String())
		}
	}
}

func TestRules(t *testing.T) {
	b := newBench(t, nil)
	bash, read := tool.Bash(b.w, tool.Shell{}), tool.Read(b.w)
	rule := func(s string, p tool.Permission) tool.Rule {
		r, err := tool.ParseRule(s, p)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	rules := []tool.Rule{
		rule("bash(git status)", tool.Allow), rule("bash(ls)", tool.Allow), rule("bash(git push)", tool.Deny),
		rule("*", tool.Ask), rule("re*", tool.Allow), rule("read(secret)", tool.Deny),
	}
	rules = append(rules[3:4], append(rules[:3:3], rules[4:]...)...)
	for _, c := range []struct {
		tool      tool.Tool
		arguments string
		want      tool.Permission
	}{
		{bash, `{"command":"git status -s"}`, tool.Allow},
		{bash, `{"command":"ls"}`, tool.Allow},
		{bash, `{"command":"lsof"}`, tool.Ask},
		{bash, `{"command":"git status; rm -r ."}`, tool.Ask},
		{bash, `{"command":"git status $(rm x)"}`, tool.Ask},
		{bash, `{"command":"git push; true"}`, tool.Deny},
		{bash, `broken`, tool.Deny},
		{read, `{"path":"a"}`, tool.Allow},
		{read, `{"path":"secret/key"}`, tool.Deny},
	} {
		if got := tool.Decide(rules, c.tool, tool.Call{Arguments: []byte(c.arguments)}); got != c.want {
			t.Errorf("%s: %s, wanted %s", c.arguments, got, c.want)
		}
	}
	if tool.Decide(nil, read, tool.Call{}) != tool.Allow || tool.Decide(nil, bash, tool.Call{}) != tool.Ask {
		t.Error("without rules, reading is allowed and everything else is asked about")
	}
	for _, s := range []string{"", "(x)", "bash(x", "a[b"} {
		if _, err := tool.ParseRule(s, tool.Allow); err == nil {
			t.Errorf("%q is taken for a rule", s)
		}
	}
}
