package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

func TestAPrefixIsNotWalkedAround(t *testing.T) {
	b := newBench(t, map[string]string{"docs/a": "", "secret/key": ""})
	if err := os.Symlink("../secret", filepath.Join(b.dir, "docs", "link")); err != nil {
		t.Skip(err)
	}
	bash, read, write, grep, fetch := tool.Bash(b.w, tool.Shell{}), tool.Read(b.w), tool.Write(b.w), tool.Grep(b.w), tool.Fetch(nil)
	foreign := foreignTool{}
	real := b.w.Dir()
	for _, c := range []struct {
		tool      tool.Tool
		rule      string
		says      tool.Permission
		arguments map[string]string
		want      tool.Permission
	}{
		{bash, "bash(ls)", tool.Allow, map[string]string{"command": `ls -l "a b" ../x`}, tool.Allow},
		{bash, "bash(ls)", tool.Allow, map[string]string{"command": `ls\of`}, tool.Ask},
		{bash, "bash(ls)", tool.Allow, map[string]string{"command": `ls""of`}, tool.Ask},
		{bash, "bash(ls)", tool.Allow, map[string]string{"command": `ls=1 rm -r x`}, tool.Ask},
		{bash, "bash(ls)", tool.Allow, map[string]string{"command": `ls/evil`}, tool.Ask},
		{bash, "bash(ls)", tool.Allow, map[string]string{"command": `ls?f`}, tool.Ask},
		{bash, "bash(ls)", tool.Allow, map[string]string{"command": "ls\nrm x"}, tool.Ask},
		{bash, "bash(ls)", tool.Allow, map[string]string{"command": "ls > x"}, tool.Ask},
		{bash, "bash(ls)", tool.Allow, map[string]string{"command": "ls <(rm x)"}, tool.Ask},
		{bash, "bash(ls)", tool.Allow, map[string]string{"command": "X=1 ls"}, tool.Ask},
		{bash, "bash(git status)", tool.Allow, map[string]string{"command": "git -c alias.status=!rm status"}, tool.Ask},
		{bash, "bash(./scripts/)", tool.Allow, map[string]string{"command": "./scripts/../evil"}, tool.Ask},
		{bash, "bash(./scripts/)", tool.Allow, map[string]string{"command": "./scripts/test.sh ../x"}, tool.Allow},
		{bash, "bash(git push)", tool.Deny, map[string]string{"command": "cd . && X=1 git  'push' -f"}, tool.Deny},
		{bash, "bash(git push)", tool.Deny, map[string]string{"command": "echo $(git push)"}, tool.Deny},
		{bash, "bash(git push)", tool.Deny, map[string]string{"command": "git pushy"}, tool.Ask},
		{write, "write(docs/)", tool.Allow, map[string]string{"path": "docs/new"}, tool.Allow},
		{write, "write(./docs)", tool.Allow, map[string]string{"path": "./docs/../docs/new"}, tool.Allow},
		{write, "write(docs/)", tool.Allow, map[string]string{"path": real + "/docs/new"}, tool.Allow},
		{write, "write(" + real + "/docs)", tool.Allow, map[string]string{"path": "docs/new"}, tool.Allow},
		{write, "write(docs/)", tool.Allow, map[string]string{"path": "docs/../secret/key"}, tool.Ask},
		{write, "write(docs/)", tool.Allow, map[string]string{"path": "docs/link/key"}, tool.Ask},
		{write, "write(docs/)", tool.Allow, map[string]string{"path": "secret/key", "command": "docs/"}, tool.Ask},
		{write, "write(docs/)", tool.Allow, map[string]string{"path": "docs/x", "PATH": "secret/key"}, tool.Ask},
		{read, "read(secret)", tool.Deny, map[string]string{"path": "./docs/../secret/key"}, tool.Deny},
		{read, "read(secret)", tool.Deny, map[string]string{"path": real + "/secret/key"}, tool.Deny},
		{read, "read(secret)", tool.Deny, map[string]string{"path": "docs/link/key"}, tool.Deny},
		{read, "read(docs/link)", tool.Deny, map[string]string{"path": "docs/link/key"}, tool.Deny},
		{read, "read(secret/)", tool.Deny, map[string]string{"path": "secret"}, tool.Deny},
		{read, "read(secret)", tool.Deny, map[string]string{"path": "secrets"}, tool.Allow},
		{read, "read(secret)", tool.Deny, map[string]string{"path": "docs/a", "Path": "docs/a"}, tool.Deny},
		{grep, "grep(secret)", tool.Deny, map[string]string{"pattern": "x", "path": "secret/key"}, tool.Deny},
		{read, "read(secret)", tool.Deny, map[string]string{"path": "SECRET/key"}, tool.Deny},
		{write, "write(docs/)", tool.Allow, map[string]string{"path": "DOCS/x"}, tool.Ask},
		{grep, "grep(secret)", tool.Deny, map[string]string{"pattern": "x"}, tool.Deny},
		{grep, "grep(secret/key)", tool.Deny, map[string]string{"pattern": "x", "path": real + "/secret"}, tool.Deny},
		{grep, "grep(" + real + "/secret)", tool.Deny, map[string]string{"pattern": "x", "path": "."}, tool.Deny},
		{grep, "grep(secret)", tool.Deny, map[string]string{"pattern": "x", "path": "docs"}, tool.Allow},
		{grep, "grep(secret)", tool.Allow, map[string]string{"pattern": "x"}, tool.Allow},
		{bash, "bash(git push)", tool.Deny, map[string]string{"command": "if true; then git push; fi"}, tool.Deny},
		{bash, "bash(git push)", tool.Deny, map[string]string{"command": "for r in a b; do X=1 sudo git push $r; done"}, tool.Deny},
		{foreign, "files__move(docs/)", tool.Allow, map[string]string{"path": "docs/a b"}, tool.Allow},
		{foreign, "files__move(docs/)", tool.Allow, map[string]string{"path": "docs/a b/../../secret/key"}, tool.Ask},
		{foreign, "files__move(docs/)", tool.Allow, map[string]string{"path": "secret/key", "pattern": "docs/"}, tool.Ask},
		{foreign, "files__move(docs/)", tool.Allow, map[string]string{"path": "secret/key", "command": "docs/"}, tool.Ask},
		{foreign, "files__move(secret)", tool.Deny, map[string]string{"path": "secret/key", "pattern": "docs/"}, tool.Deny},
		{foreign, "files__move(secret)", tool.Deny, map[string]string{"path": "./docs/../secret/key"}, tool.Deny},
		{fetch, "read", tool.Allow, map[string]string{"url": "http://127.0.0.1/", "command": "https://example.com/"}, tool.Ask},
		{fetch, "fetch(https://example.com)", tool.Allow, map[string]string{"url": "http://10.0.0.1/", "command": "https://example.com/"}, tool.Ask},
		{fetch, "fetch", tool.Allow, map[string]string{"url": "http://127.0.0.1/"}, tool.Allow},
		{fetch, "read", tool.Allow, map[string]string{"url": "http://LOCALHOST.:80/"}, tool.Ask},
		{fetch, "read", tool.Allow, map[string]string{"url": "http://169.254.169.254/latest"}, tool.Ask},
		{fetch, "read", tool.Allow, map[string]string{"url": "http://[::ffff:10.0.0.1]/"}, tool.Ask},
		{fetch, "read", tool.Allow, map[string]string{"url": "https://example.com/"}, tool.Allow},
		{fetch, "fetch(http://localhost:3000)", tool.Allow, map[string]string{"url": "http://localhost:3000/x"}, tool.Allow},
		{fetch, "fetch(http://localhost:3000)", tool.Allow, map[string]string{"url": "http://localhost:30001/x"}, tool.Ask},
		{fetch, "fetch(https://example.com)", tool.Deny, map[string]string{"url": "https://example.com.evil.org/"}, tool.Allow},
		{fetch, "fetch(https://example.com)", tool.Deny, map[string]string{"url": "https://x@EXAMPLE.com:443/a"}, tool.Deny},
		{fetch, "fetch(example.com/private)", tool.Deny, map[string]string{"url": "http://example.com/a/../private/x"}, tool.Deny},
		{fetch, "fetch(example.com/?a=1)", tool.Deny, map[string]string{"url": "http://example.com/"}, tool.Allow},
	} {
		r, err := tool.ParseRule(c.rule, c.says)
		if err != nil {
			t.Fatal(err)
		}
		arguments, _ := json.Marshal(c.arguments)
		if got := tool.Decide([]tool.Rule{r}, c.tool, tool.Call{Arguments: arguments}); got != c.want {
			t.Errorf("%s %s, %s: %s, wanted %s", c.says, c.rule, arguments, got, c.want)
		}
	}
}

// foreignTool is one of a server, of which only its schema is known.
type foreignTool struct{ tool.Tool }

func (foreignTool) ReadOnly() bool { return false }

func (foreignTool) Definition() wire.Tool {
	return wire.Tool{Name: "files__move", Schema: json.RawMessage(`{"type":"object","properties":{"path":{},"pattern":{}}}`)}
}

func TestWhatACallIsAboutIsWhatItsToolReads(t *testing.T) {
	b := newBench(t, nil)
	c := tool.Call{Arguments: json.RawMessage(`{"command":"harmless","path":"secret"}`)}
	if got := tool.About(tool.Write(b.w), c); got != "secret" {
		t.Errorf("%q", got)
	}
	if got := tool.About(tool.Bash(b.w, tool.Shell{}), c); got != "harmless" {
		t.Errorf("%q", got)
	}
}

func TestAnArgumentThatIsGivenTwiceIsRefused(t *testing.T) {
	b := newBench(t, map[string]string{"a": "1", "b": "2"})
	b.wants(call(tool.Read(b.w), `{"path":"a","PATH":"b"}`), message.Failed, `"PATH" is given twice`)
	b.wants(call(tool.Read(b.w), `{"path":"a","x":{"path":"b","path":"c"}}`), message.OK, "1\t1")
}

func TestNumbersThatOverflowAreTakenForLargeOnes(t *testing.T) {
	b := newBench(t, map[string]string{"a": "one\ntwo\n"})
	const most = "9223372036854775807"
	b.wants(call(tool.Read(b.w), `{"path":"a","offset":2,"limit":`+most+`}`), message.OK, "2\ttwo")
	b.wants(call(tool.Bash(b.w, tool.Shell{}), `{"command":"echo done","timeout":`+most+`}`), message.OK, "done")
}

func TestADirectoryOfManyNamesIsShownInOrder(t *testing.T) {
	b := newBench(t, nil)
	for i := range 2500 {
		b.file(fmt.Sprintf("f%04d", i), "")
	}
	got := text(call(tool.Read(b.w), `{"path":"."}`))
	if !strings.HasPrefix(got, "f0000\nf0001\n") || !strings.HasSuffix(got, "f1999\n(And 500 more: glob finds files by a pattern.)\n") {
		t.Errorf("%q … %q", got[:20], got[len(got)-60:])
	}
}

func TestEditTakesLineEndsOfTheFileForTextOfOneLine(t *testing.T) {
	b := newBench(t, map[string]string{"f": "a\r\nb\r\n", "mixed": "a\nb\r\n"})
	b.wants(call(tool.Edit(b.w), `{"path":"f","old":"a","new":"x\ny"}`), message.OK)
	b.wants(call(tool.Edit(b.w), `{"path":"mixed","old":"a","new":"x\ny"}`), message.OK)
	if f, mixed := b.read("f"), b.read("mixed"); f != "x\r\ny\r\nb\r\n" || mixed != "x\ny\nb\r\n" {
		t.Errorf("%q %q", f, mixed)
	}
}

func TestAnIgnoredDirectoryIsSearchedWhereItIsNamed(t *testing.T) {
	b := newBench(t, map[string]string{".gitignore": "out/\n", "out/a.txt": "here\n"})
	if err := exec.Command("git", "-C", b.dir, "init", "-q").Run(); err != nil {
		t.Skip("git is not installed")
	}
	b.wants(call(tool.Grep(b.w), `{"pattern":"here"}`), message.OK, "No line matches.")
	b.wants(call(tool.Grep(b.w), `{"pattern":"here","path":"out"}`), message.OK, "out/a.txt:1:here")
}

func TestALookForFilesRunsNoProgramOfTheRepository(t *testing.T) {
	for name, hostile := range map[string]string{
		"a monitor": `git config core.fsmonitor "$EVIL"`,
		// A directory of a sparse index, whose tree is to be fetched by a program.
		"a remote": `git sparse-checkout init --cone --sparse-index
			tree=$(git rev-parse HEAD:sub)
			rm -f .git/objects/${tree%${tree#??}}/${tree#??}
			git config core.repositoryformatversion 1
			git config extensions.partialClone origin
			git config remote.origin.promisor true
			git config remote.origin.url "ext::$EVIL"
			git config protocol.ext.allow always`,
	} {
		b := newBench(t, map[string]string{"a": "", "sub/b": "", ".git/evil": "#!/bin/sh\ntouch \"$(dirname \"$0\")/ran\"\n"})
		evil := filepath.Join(b.dir, ".git", "evil")
		if err := os.Chmod(evil, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-ec", "git init -q; git add .; git -c user.name=x -c user.email=x commit -qm x; "+hostile)
		cmd.Dir, cmd.Env = b.dir, append(os.Environ(), "EVIL="+evil)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git cannot do this: %v %s", err, out)
		}
		b.wants(call(tool.Glob(b.w), `{"pattern":"*"}`), message.OK, "a\n")
		b.wants(call(tool.Grep(b.w), `{"pattern":"x"}`), message.OK)
		if _, err := os.Stat(filepath.Join(b.dir, ".git", "ran")); err == nil {
			t.Errorf("%s: a program of the repository was run", name)
		}
	}
}

func TestFetchDoesNotFollowToAnotherHost(t *testing.T) {
	b := newBench(t, nil)
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, elsewhere, http.StatusFound)
		case "/port":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/here":
			http.Redirect(w, r, "/end", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/notimage":
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, "<html>no image</html>")
		default:
			fmt.Fprint(w, "the end")
		}
	}))
	defer server.Close()
	get := func(path string) tool.Result {
		return call(tool.Fetch(tool.PublicClient(nil)), fmt.Sprintf(`{"url":%q}`, server.URL+path))
	}
	b.wants(get("/away"), message.OK, "leads to "+elsewhere)
	b.wants(get("/port"), message.OK, "leads to "+other.URL)
	if reached {
		t.Error("the other host was reached")
	}
	b.wants(get("/here"), message.OK, "the end")
	b.wants(get("/round"), message.OK, "leads to")
	b.wants(get("/notimage"), message.Failed, "nothing that can be shown")
}

func TestPagesAreFetchedThroughTheProxy(t *testing.T) {
	b := newBench(t, nil)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "asked for ", r.URL) }))
	defer proxy.Close()
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := tool.PublicClient(http.ProxyURL(at))
	b.wants(call(tool.Fetch(client), `{"url":"http://page.invalid/x"}`), message.OK, "asked for http://page.invalid/x")
}

func TestANameThatLeadsToAPrivateNetworkIsNotReached(t *testing.T) {
	if err := tool.RefusePrivate("127.0.0.1:80"); err == nil || !strings.Contains(err.Error(), "private network") {
		t.Error(err)
	}
	for _, address := range []string{"10.1.2.3:1", "[fe80::1]:1", "[fd00::1]:1", "169.254.169.254:80", "100.64.0.1:1", "0.0.0.0:1", "[::ffff:192.168.0.1]:1", "224.0.0.1:1"} {
		if tool.RefusePrivate(address) == nil {
			t.Errorf("%s is taken for public", address)
		}
	}
	if err := tool.RefusePrivate("93.184.216.34:443"); err != nil {
		t.Error(err)
	}
}

func TestReadEndsWhenInterrupted(t *testing.T) {
	b := newBench(t, map[string]string{"a": "one\ntwo\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tl := range []tool.Tool{tool.Read(b.w), tool.Grep(b.w)} {
		b.wants(tl.Run(ctx, tool.Call{Arguments: []byte(`{"path":"a","pattern":"o"}`)}), message.Failed, "interrupted")
	}
}
