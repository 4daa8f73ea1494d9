package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
	"github.com/stemma-history/stemma/message"
)

// The test binary is also the program that is killed, started twenty times at
// once, or raced against itself: STEMMA_CHILD names the part it plays.
const (
	childPart = "STEMMA_CHILD"
	childFile = "STEMMA_CHILD_FILE"
	childArg  = "STEMMA_CHILD_ARG"
)

func TestMain(m *testing.M) {
	parts := map[string]func(context.Context, *sqlite.Store) error{
		"create": createOne, "everything": writeEverything, "turns": writeTurns,
	}
	part := parts[os.Getenv(childPart)]
	if part == nil {
		if raceEnabled { // everything takes ten times as long; the command line still wins
			if err := flag.Set("rapid.checks", "25"); err != nil {
				panic(err)
			}
		}
		os.Exit(m.Run())
	}
	if err := play(part); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(part func(context.Context, *sqlite.Store) error) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, os.Getenv(childFile), sqlite.Options{})
	if err != nil {
		return err
	}
	return errors.Join(part(ctx, s), s.Close())
}

// child makes the command that plays a part on a file.
func child(t testing.TB, part, file, arg string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childPart+"="+part, childFile+"="+file, childArg+"="+arg)
	cmd.Stderr = os.Stderr
	return cmd
}

// createOne makes one conversation.
func createOne(ctx context.Context, s *sqlite.Store) error {
	return s.Create(ctx, history.Conversation{ID: history.NewID(), Title: "by a child"})
}

// writeTurns appends as many turns to a conversation as its argument says, from
// wherever its tip is, and names each that was acknowledged.
func writeTurns(ctx context.Context, s *sqlite.Store) error {
	text, count, _ := strings.Cut(os.Getenv(childArg), " ")
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	var id history.ID
	if err := id.UnmarshalText([]byte(text)); err != nil {
		return err
	}
	for range n {
		c, err := s.Conversation(ctx, id)
		if err != nil {
			return err
		}
		stored, err := s.Append(ctx, history.AppendRequest{Conversation: id, Parent: c.Tip, ExpectedTip: c.Tip, Entries: turn("x")})
		word := "won"
		if errors.Is(err, history.ErrTipMoved) {
			word, err = "lost", nil
		}
		if err != nil {
			return err
		}
		fmt.Println(word, stored[1].ID)
	}
	return nil
}

// writeEverything appends, forks and imports until it is killed. It says what
// was acknowledged, after it was.
func writeEverything(ctx context.Context, s *sqlite.Store) error {
	fmt.Println("ready")
	id := history.NewID()
	if err := s.Create(ctx, history.Conversation{ID: id}); err != nil {
		return err
	}
	var tip history.ID
	for i := 0; ; i++ {
		entries := append(prompts(fmt.Sprint("prompt ", i)), turn(strings.Repeat("some words ", 200+i%700))...)
		stored, err := s.Append(ctx, history.AppendRequest{Conversation: id, Parent: tip, ExpectedTip: tip, Entries: entries})
		if err != nil {
			return err
		}
		tip = stored[2].ID
		fmt.Println("path", id, stored[2].Depth, tip)
		switch i % 4 {
		case 1:
			err = forkOnce(ctx, s, id, tip)
		case 2:
			err = importOnce(ctx, s, i)
		case 3:
			_, err = s.Index(ctx, 10)
		}
		if err != nil {
			return err
		}
	}
}

func forkOnce(ctx context.Context, s *sqlite.Store, id, tip history.ID) error {
	at, err := history.BoundaryAt(ctx, s, id, tip)
	if err != nil {
		return err
	}
	fork, err := s.Fork(ctx, history.ForkRequest{At: at})
	if err != nil {
		return err
	}
	fmt.Println("path", fork.ID, fork.Entries, fork.Tip)
	return nil
}

func importOnce(ctx context.Context, s *sqlite.Store, n int) error {
	r := history.ImportRequest{Conversation: history.Conversation{ID: history.NewID(), Source: history.Source{Tool: "pi", ID: "s"}}}
	for i := range 20 + n%50 {
		m := message.Prompt(strings.Repeat("imported ", 1+i*i))
		e := history.Entry{ID: history.NewID(), Parent: r.Tip, Source: fmt.Sprint(i), Message: &m}
		r.Entries, r.Tip = append(r.Entries, e), e.ID
	}
	if _, err := s.Import(ctx, r); err != nil {
		return err
	}
	fmt.Println("path", r.Conversation.ID, len(r.Entries), r.Tip)
	return nil
}

// kill starts a part, kills it a while after it is ready, and returns what it
// had said by then.
func kill(t testing.TB, part, file string, after time.Duration) []string {
	t.Helper()
	cmd := child(t, part, file, "")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if first, err := lines.ReadString('\n'); first != "ready\n" {
		t.Fatalf("the child said %q, error %v", first, err)
	}
	timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
	defer timer.Stop()
	said, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	all := strings.Split(string(said), "\n")
	return all[:len(all)-1] // the last one is not whole
}
