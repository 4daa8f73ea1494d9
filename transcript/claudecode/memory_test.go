//go:build linux && !race

package claudecode

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history/sqlite"
	"github.com/stemma-history/stemma/transcript"
)

// bigSession names the file that the test binary imports where the test below
// starts it: the most memory that was in use is known of a process only.
const bigSession = "STEMMA_BIG_SESSION"

// TestMemoryOfAnImportIsThatOfItsLongestLine imports and indexes lines of 100 MB. A text may
// be in memory once, an image three times, since SQLite has it twice while it
// stores it, and of all else there may be 65 MB.
func TestMemoryOfAnImportIsThatOfItsLongestLine(t *testing.T) {
	if path := os.Getenv(bigSession); path != "" {
		importBig(t, path)
		return
	}
	const size = 100_000_000
	noise := make([]byte, size*3/4)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	for name, c := range map[string]struct {
		block string
		most  int
	}{
		"text":  {`{"type":"text","text":"` + hex.EncodeToString(noise[:size/2]) + `"}`, size},
		"image": {`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + base64.StdEncoding.EncodeToString(noise) + `"}}`, 3 * len(noise)},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session.jsonl")
			line := `{"parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","content":[` + c.block + `]},"uuid":"00000001-0000-4000-8000-000000000001","timestamp":"2026-02-12T14:00:00Z"}` + "\n"
			if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
				t.Fatal(err)
			}
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+strings.Split(t.Name(), "/")[0]+"$")
			child.Env = append(os.Environ(), bigSession+"="+path)
			out, err := child.CombinedOutput()
			_, status, _ := strings.Cut(string(out), "VmHWM:")
			var most int
			if _, scanning := fmt.Sscan(status, &most); err != nil || scanning != nil {
				t.Fatalf("%v, %v\n%s", err, scanning, out)
			}
			most <<= 10 // they are KiB
			t.Logf("%d MB of memory for a line of %d MB", most/1e6, len(line)/1e6)
			if most > c.most+65e6 {
				t.Errorf("%d MB of memory, want at most %d", most/1e6, c.most/1e6+65)
			}
		})
	}
}

func importBig(t *testing.T, path string) {
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	f, closer, err := transcript.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	report, err := transcript.Import(t.Context(), store, Format{}, f, transcript.Options{})
	if err == nil {
		_, err = store.Index(t.Context(), 10)
	}
	if err == nil && (report.ProblemCount > 0 || len(report.Conversations) != 1 || report.Conversations[0].Added != 1) {
		err = fmt.Errorf("reported %+v", report)
	}
	if err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile("/proc/self/status") // the rusage of a process begins with what its parent had
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(string(status))
}
