package agent_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/agent/tool"
	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/provider/providertest"
)

// kills is how many processes the test kills.
func kills() int {
	switch {
	case soak:
		return 10_000
	case raceEnabled: // a process takes ten times as long to start
		return 25
	}
	return 200
}

// Environment variables of the process that is killed.
const (
	fakeVar  = "STEMMA_TEST_FAKE"  // address of the strict server
	storeVar = "STEMMA_TEST_STORE" // directory of the store and of what the tools did
	convVar  = "STEMMA_TEST_CONVERSATION"
)

// tasks answers each prompt "Task N" with two rounds of calls and a word. What
// is written has a number of its own for each task and step, so that work which
// is done twice shows.
func tasks(a providertest.Ask) providertest.Answer {
	var task, answers int
	_, _ = fmt.Sscanf(a.Prompt(), "Task %d", &task)
	messages := a.Messages()
	for i := len(messages) - 1; i >= 0 && !strings.HasPrefix(messages[i].PlainText(), "Task "); i-- {
		if messages[i].Role == message.Assistant {
			answers++
		}
	}
	write := func(step int) string { return fmt.Sprintf(`{"n":%d}`, 10*task+step) }
	switch answers {
	case 0:
		return providertest.Answer{}.Think("Two at once.").Say("I begin.").Call("write", write(1)).Call("read", `{}`).Call("write", write(2))
	case 1:
		return providertest.Answer{}.Think("One more.").Call("write", write(3))
	}
	return providertest.Say("Done.")
}

// worker is a run on a store in a directory. Its tool write appends a line to a
// file there: its effect.
func worker(t testing.TB, dir, url string, id history.ID) (*agent.Run, agent.Resumed, *sqlite.Store) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "store.db"), sqlite.Options{Durability: sqlite.Normal}) // processes die here, not machines
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Create(t.Context(), history.Conversation{ID: id}); err != nil && !errors.Is(err, history.ErrExists) {
		t.Fatal(err)
	}
	write := &probe{name: "write", do: func(_ context.Context, c tool.Call) tool.Result {
		f, err := os.OpenFile(filepath.Join(dir, "effects"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return tool.Fail(err.Error())
		}
		defer f.Close()
		fmt.Fprintf(f, "%s\n", c.Arguments)
		return tool.Text("wrote " + string(c.Arguments))
	}}
	known, _, _ := catalog.Default().Find(models[0])
	c := agent.Config{
		Store: store, Conversation: id, Lease: 20 * time.Millisecond,
		Model: agent.Model{Provider: newProvider(t, known.Wire, url), Name: models[0], Known: known, Window: 12_000},
	}
	with(write, &probe{name: "read", readOnly: true})(&c)
	run, found, err := agent.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return run, found, store
}

// TestAProcessToBeKilled is no test: it is what the one below starts and kills.
// It goes on where the last process was killed, and says on its output what is
// saved.
func TestAProcessToBeKilled(t *testing.T) {
	dir := os.Getenv(storeVar)
	if dir == "" {
		t.Skip("for another test")
	}
	var id history.ID
	if err := id.UnmarshalText([]byte(os.Getenv(convVar))); err != nil {
		t.Fatal(err)
	}
	run, _, _ := worker(t, dir, os.Getenv(fakeVar), id)
	say := func(events agent.Events) {
		for e, err := range events {
			if err != nil && !errors.Is(err, agent.ErrNothingToRetry) {
				fmt.Println("error", err)
				os.Exit(1)
			}
			if saved, ok := e.(agent.Saved); ok {
				fmt.Println("saved", saved.Entries[len(saved.Entries)-1].ID)
			}
		}
	}
	fmt.Println("ready")
	say(run.Retry(t.Context(), agent.Retry{}))
	for {
		prompts := 0
		for _, e := range run.Path() {
			if e.Message != nil && e.Message.IsPrompt() {
				prompts++
			}
		}
		say(run.Prompt(t.Context(), message.Text{Text: fmt.Sprintf("Task %d", prompts+1)}))
	}
}

// P5: a run with many calls is killed at any instant, again and again. Each time
// the store opens at a boundary with everything that was said to be saved, the
// next request is accepted, and nothing that has effects was done twice: what may
// have been done is said to the model.
func TestP5ARunThatIsKilledGoesOn(t *testing.T) {
	dir, id := t.TempDir(), history.NewID()
	fake := providertest.New(providertest.Config{Script: tasks, Factor: 1.5})
	server := httptest.NewServer(fake)
	defer server.Close()
	random := rand.New(rand.NewPCG(1, 2))
	longest := 60 * time.Millisecond
	if raceEnabled {
		longest *= 5
	}
	acknowledged := 0
	for round := range kills() {
		for _, saved := range killed(t, dir, server.URL, id, time.Duration(random.Int64N(int64(longest)))) {
			acknowledged++
			verifySaved(t, dir, id, saved)
		}
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	run, _, store := worker(t, dir, server.URL, id)
	defer store.Close()
	if _, err := all(run.Retry(t.Context(), agent.Retry{})); err != nil && !errors.Is(err, agent.ErrNothingToRetry) {
		t.Fatal(err)
	}
	for _, r := range fake.Journal().Refused() {
		t.Errorf("request %d was refused: %s", r.Number, r.Refused)
	}
	unknown := verifyEffects(t, dir, run.Path())
	t.Logf("%d kills, %d acknowledged saves, %d entries, %d calls of unknown outcome", kills(), acknowledged, len(run.Path()), unknown)
	// A few kills may all fall between two calls.
	if acknowledged == 0 || unknown == 0 && kills() >= 200 {
		t.Error("no process was killed at work: the test shows nothing")
	}
	if problems, err := history.Collect(store.Check(t.Context(), false)); len(problems) > 0 || err != nil {
		t.Errorf("the store: %v, %v", problems, err)
	}
}

// killed runs a process for a while, kills it, and returns the entries that it
// said were saved, as far as the lines are whole.
func killed(t *testing.T, dir, url string, id history.ID, after time.Duration) (saved []history.ID) {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAProcessToBeKilled$")
	process.Env = append(os.Environ(), fakeVar+"="+url, storeVar+"="+dir, convVar+"="+id.String())
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "ready":
			time.AfterFunc(after, func() { _ = process.Process.Kill() })
		case "saved":
			var entry history.ID
			if err := entry.UnmarshalText([]byte(rest)); err != nil {
				t.Errorf("%q: %v", line, err)
			}
			saved = append(saved, entry)
		case "error":
			t.Error(line)
		}
	}
	_ = process.Wait()
	return saved
}

// verifySaved looks for an entry that was said to be saved: on the path, which
// ends at a boundary.
func verifySaved(t *testing.T, dir string, id, saved history.ID) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(dir, "store.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	conversation, err := store.Conversation(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := history.BoundaryAt(t.Context(), store, id, conversation.Tip); err != nil {
		t.Errorf("the tip: %v", err)
	}
	e, err := store.Entry(t.Context(), id, saved)
	if err != nil {
		t.Fatalf("an acknowledged entry: %v", err)
	}
	if on, err := history.EntryAt(t.Context(), store, id, conversation.Tip, e.Handle()); err != nil || on.ID != saved {
		t.Errorf("entry %v was acknowledged and is not on the path: %v", e.Handle(), err)
	}
}

// verifyEffects compares what was done with what the path says of it, and
// returns of how many calls it says that nobody knows.
func verifyEffects(t *testing.T, dir string, path []history.Entry) (unknown int) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "effects"))
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]int{}
	for line := range strings.Lines(string(data)) {
		done[strings.TrimSpace(line)]++
	}
	said := map[string]message.Outcome{}
	calls := map[string]string{}
	for _, e := range path {
		if e.Message == nil {
			continue
		}
		for _, c := range e.Message.Calls {
			calls[c.ID] = string(json.RawMessage(c.Arguments))
		}
		for _, r := range e.Message.Results {
			if r.Outcome == message.Unknown {
				unknown++
			}
			said[calls[r.CallID]] = r.Outcome
		}
	}
	for effect, times := range done {
		outcome, ok := said[effect]
		switch {
		case times > 1:
			t.Errorf("%s was done %d times", effect, times)
		case !ok:
			t.Errorf("%s was done, and the path does not know of it", effect)
		case outcome != message.OK && outcome != message.Unknown:
			t.Errorf("%s was done, and the path says %q", effect, outcome)
		}
	}
	for effect, outcome := range said {
		if outcome == message.OK && effect != "{}" && done[effect] == 0 {
			t.Errorf("%s was not done, and the path says that it was", effect)
		}
	}
	return unknown
}
