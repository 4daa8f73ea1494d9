package powercut

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
	"github.com/stemma-history/stemma/message"
)

// TestFullLosesNothingInAPowerCut is promise P5 for a store with its default
// options: what was acknowledged is there, whole turns only, nothing is damaged.
func TestFullLosesNothingInAPowerCut(t *testing.T) {
	o := cutOften(t, cuts(200), sqlite.Full, false)
	t.Log(o)
	if o.lost > 0 || o.damaged > 0 || len(o.what) > 0 {
		t.Errorf("%v: %v", o, o.what)
	}
	if o.acknowledged < o.cuts {
		t.Errorf("%v: the power failed before anything was done", o)
	}
}

// TestNormalLosesTheLastTurnsAndNothingElse is what the option Normal warns of.
func TestNormalLosesTheLastTurnsAndNothingElse(t *testing.T) {
	o := cutOften(t, cuts(40), sqlite.Normal, false)
	t.Log(o)
	if o.lost == 0 {
		t.Error("nothing was lost: the disk keeps what was not synced, and the tests with Full show nothing")
	}
	if o.damaged > 0 {
		t.Errorf("%v: %v", o, o.what)
	}
}

// TestNothingHelpsOnADiskThatIgnoresSyncs shows that these tests can fail, and
// what the documentation says of such disks.
func TestNothingHelpsOnADiskThatIgnoresSyncs(t *testing.T) {
	o := cutOften(t, cuts(40), sqlite.Full, true)
	t.Log(o)
	if o.damaged == 0 || o.lost == 0 {
		t.Errorf("%v", o)
	}
}

func cuts(n int) int {
	if os.Getenv("STEMMA_SOAK") != "" {
		return 10 * n
	}
	return n
}

// outcome is what was found after many cuts.
type outcome struct {
	cuts, acknowledged int
	lost               int // writes that were acknowledged and are gone
	damaged            int // times that the store was not whole
	what               []string
}

func (o outcome) String() string {
	return fmt.Sprintf("%d cuts: %d writes acknowledged, %d lost, %d times damaged", o.cuts, o.acknowledged, o.lost, o.damaged)
}

// write is a path that was acknowledged.
type write struct {
	conversation, tip history.ID
	depth             int
}

// cutOften uses a disk, cuts its power, looks at what is left and goes on with
// that. A disk that was damaged or has grown large is replaced.
func cutOften(t *testing.T, cuts int, d sqlite.Durability, lies bool) outcome {
	o := outcome{cuts: cuts}
	chance := rand.New(rand.NewPCG(7, uint64(cuts)))
	disk := NewDisk()
	for cut := range cuts {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(cut))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if lies {
			disk.Lie()
		}
		disk.FailAfter(5 + chance.IntN(300))
		written := use(t.Context(), dir, disk, d, chance)
		o.acknowledged += len(written)
		disk = disk.Restart(chance)
		lost, err := look(t.Context(), dir+"-after", disk, written)
		o.lost += lost
		if err != nil {
			o.damaged++
			o.what = append(o.what, fmt.Sprintf("cut %d: %v", cut, err))
		}
		if err != nil || cut%20 == 19 {
			disk = NewDisk()
		}
	}
	return o
}

// checkpointOften moves the log into the file every 40 pages, so that cuts
// fall into that too.
const checkpointOften = "wal_autocheckpoint(40)"

// use writes until the power fails.
func use(ctx context.Context, dir string, disk *Disk, d sqlite.Durability, chance *rand.Rand) (written []write) {
	s, err := Open(ctx, dir, disk, sqlite.Options{Durability: d}, checkpointOften)
	if err != nil {
		return nil
	}
	defer s.Close()
	id := history.NewID()
	if err := s.Create(ctx, history.Conversation{ID: id}); err != nil {
		return nil
	}
	var tip history.ID
	for i := 0; ; i++ {
		var w write
		switch {
		case i%5 == 3:
			w, err = forkOnce(ctx, s, id, tip)
		case i%5 == 4:
			w, err = importOnce(ctx, s, chance)
		default:
			w, err = appendOnce(ctx, s, id, tip, chance)
			tip = w.tip
		}
		if err != nil {
			return written
		}
		written = append(written, w)
		if i%7 == 6 {
			if _, err := s.Index(ctx, 20); err != nil {
				return written
			}
		}
	}
}

// appendOnce appends a prompt and a turn.
func appendOnce(ctx context.Context, s *sqlite.Store, id, tip history.ID, chance *rand.Rand) (write, error) {
	prompt := message.Prompt(words(chance, 5000))
	call := message.Message{Role: message.Assistant, Author: message.ByModel, Parts: []message.Part{
		message.ToolCall{ID: "call_0", Name: "bash", Arguments: []byte(`{"command":"ls"}`)},
	}}
	result := message.Results(message.ToolResult{CallID: "call_0", Content: []message.Content{message.Text{Text: words(chance, 30000)}}})
	stored, err := s.Append(ctx, history.AppendRequest{
		Conversation: id, Parent: tip, ExpectedTip: tip, Entries: []history.Entry{{Message: &prompt}, {Message: &call}, {Message: &result}},
	})
	if err != nil {
		return write{}, err
	}
	return write{id, stored[2].ID, stored[2].Depth}, nil
}

func forkOnce(ctx context.Context, s *sqlite.Store, id, tip history.ID) (write, error) {
	at, err := history.BoundaryAt(ctx, s, id, tip)
	if err != nil {
		return write{}, err
	}
	fork, err := s.Fork(ctx, history.ForkRequest{At: at})
	return write{fork.ID, fork.Tip, fork.Entries}, err
}

func importOnce(ctx context.Context, s *sqlite.Store, chance *rand.Rand) (write, error) {
	r := history.ImportRequest{Conversation: history.Conversation{ID: history.NewID()}}
	for i := range 1 + chance.IntN(30) {
		m := message.Prompt(words(chance, 3000))
		e := history.Entry{ID: history.NewID(), Parent: r.Tip, Source: fmt.Sprint(i), Message: &m}
		r.Entries, r.Tip = append(r.Entries, e), e.ID
	}
	_, err := s.Import(ctx, r)
	return write{r.Conversation.ID, r.Tip, len(r.Entries)}, err
}

// words makes a text that does not compress away.
func words(chance *rand.Rand, most int) string {
	var b strings.Builder
	for n := chance.IntN(most); b.Len() < n; {
		fmt.Fprintf(&b, "word%x ", chance.Uint32())
	}
	return b.String()
}

// look opens the store after a cut. It returns how many acknowledged writes are
// gone, and what is damaged.
func look(ctx context.Context, dir string, disk *Disk, written []write) (lost int, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return 0, err
	}
	s, err := Open(ctx, dir, disk, sqlite.Options{}, checkpointOften)
	if err != nil {
		return len(written), err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for _, w := range written {
		e, err := s.Entry(ctx, w.conversation, w.tip)
		if err != nil || e.Depth != w.depth {
			lost++
			continue
		}
		path, err := history.Collect(s.Path(ctx, history.PathQuery{Conversation: w.conversation, Tip: w.tip}))
		if err != nil || len(path) != w.depth {
			return lost, fmt.Errorf("a path of %d entries, want %d, error %w", len(path), w.depth, err)
		}
	}
	for p, err := range s.Check(ctx, false) {
		return lost, fmt.Errorf("check: %+v, error %w", p, err)
	}
	return lost, nil
}
