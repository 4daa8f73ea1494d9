package providertest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire/anthropic"
)

func TestScriptsSeeTheSameOverEveryWire(t *testing.T) {
	for wireName, model := range checking {
		t.Run(wireName, func(t *testing.T) {
			var asked []Ask
			c := serve(t, Config{Script: func(a Ask) Answer {
				asked = append(asked, a)
				return reads(a)
			}})
			d := c.dialogue(wireName, model)
			d.exchange("What is in a and b?", "package a")
			first, second := asked[0], asked[1]
			if first.System() != "Be brief." || !slices.Equal(first.Tools(), []string{"read"}) || first.Prompt() != "What is in a and b?" || first.Results() != nil {
				t.Errorf("first: %q %q %q %v", first.System(), first.Tools(), first.Prompt(), first.Results())
			}
			if r := second.Results(); len(r) != 2 || r[0].PlainText() != "package a" || r[0].CallID == r[1].CallID {
				t.Errorf("second: %+v", r)
			}
			if second.Prompt() != first.Prompt() || second.Number != 2 || second.Tokens <= first.Tokens || second.MaxOutput != 1000 || second.Window < 1_000_000 {
				t.Errorf("second: %+v", second)
			}
			var roles []message.Role
			for _, m := range second.Messages() {
				roles = append(roles, m.Role)
			}
			if want := []message.Role{message.User, message.Assistant, message.Tool}; !slices.Equal(slices.Compact(roles), want) {
				t.Errorf("messages of %v", roles)
			}
		})
	}
}

func TestEchoDoesWhatItIsTold(t *testing.T) {
	ask := func(prompt string) Ask {
		return Ask{prompt: readAnthropic(encode(object{"messages": list{object{"role": "user", "content": prompt}}}))}
	}
	for prompt, want := range map[string]Answer{
		"hello":   Say("You said: “hello”"),
		"long 3":  Say("a every adding"),
		"tool ls": Call("ls", "{}"),
		`tool a {"x":1}` + "\n" + `tool b {"y":2}`: Call("a", `{"x":1}`).Call("b", `{"y":2}`),
		"think twice": Answer{}.Think("twice").Say("I have thought: “twice”"),
		"fail 503":    {Fault: Refuse{Status: 503}},
		"cut 7":       Say(Words(2000)).But(Cut{After: 7}),
		"hang 9":      Say(Words(2000)).But(Hang{After: 9}),
		"fail badly":  Say("You said: “fail badly”"),
		"Condense it, with lines beginning with \"## \": Goal, Next step. Be short.": Say("## Goal\nnothing of note\n## Next step\nnothing of note"),
	} {
		got := Echo(ask(prompt))
		if want.Fault != got.Fault || string(encode(parts(got))) != string(encode(parts(want))) {
			t.Errorf("%q: %s %+v", prompt, encode(parts(got)), got.Fault)
		}
	}
}

func parts(a Answer) list {
	all := list{}
	for _, p := range a.Parts {
		all = append(all, blockAnthropic(p))
	}
	return all
}

func TestScriptsCanBePutTogether(t *testing.T) {
	s := Say("usual")
	script := In(s).When(func(a Ask) bool { return a.Prompt() == "odd" }, In(Say("special"))).Failing(map[int]Fault{2: Overloaded()})
	c := serve(t, Config{Script: script})
	ask := func(prompt string) string {
		_, answer, _ := c.post(paths[anthropic.Wire], strings.Replace(hello[anthropic.Wire], "hello", prompt, 1))
		return answer
	}
	for i, step := range []struct{ prompt, want string }{{"odd", "special"}, {"odd", "Overloaded"}, {"even", "usual"}, {"odd", "special"}} {
		if got := ask(step.prompt); !strings.Contains(got, step.want) {
			t.Errorf("request %d: %s", i+1, got)
		}
	}
}

func TestAnAdversaryFailsSummariesOnly(t *testing.T) {
	summary := `{"model":"claude-opus-5-5","max_tokens":9000,"system":"You condense records.","messages":[{"role":"user","content":"` + Words(300) + `"}]}`
	for how, check := range map[SummaryTrick]func(status int, answer string, err error) bool{
		SummaryOverflows: func(status int, answer string, _ error) bool {
			return status == 400 && strings.Contains(answer, "prompt is too long: ")
		},
		SummaryTooLong: func(_ int, answer string, err error) bool { return err == nil && len(answer) > len(Words(300)) },
		SummaryCut:     func(status int, _ string, err error) bool { return status == 200 && err != nil },
		SummaryOffTopic: func(status int, answer string, _ error) bool {
			return status == 200 && strings.Contains(answer, "forty-two")
		},
	} {
		c := serve(t, Config{Script: Script(Echo).Adversary(how)})
		if status, answer, err := c.post(paths[anthropic.Wire], summary); !check(status, answer, err) {
			t.Errorf("%d: %d %v %s", how, status, err, answer)
		}
		c.must(paths[anthropic.Wire], hello[anthropic.Wire])
	}
}

func TestIdsAreUniqueUnlessTheyAreNotToBe(t *testing.T) {
	for _, repeat := range []bool{false, true} {
		seen := map[string]int{}
		for range 2 { // servers that are started anew
			c := serve(t, Config{RepeatIDs: repeat, Script: In(Call("a", "{}").Call("b", "{}"))})
			for _, prompt := range []string{"hello", "again"} {
				answer := c.must(paths[anthropic.Wire], strings.Replace(hello[anthropic.Wire], "hello", prompt, 1))
				elements(get([]byte(answer), "content"), func(v []byte) { seen[textAt(v, "id")]++ })
			}
		}
		if repeat && (len(seen) != 2 || seen["call_0"] != 4) || !repeat && len(seen) != 4 {
			t.Errorf("repeated: %v, ids: %v", repeat, seen)
		}
	}
}

func TestTheSameRequestsGetTheSameBytes(t *testing.T) {
	run := func() (all string) {
		clock := newClock()
		c := serve(t, Config{Script: reads, Now: clock.now})
		for _, wireName := range slices.Sorted(maps.Keys(paths)) {
			all += c.must(streamed(wireName))
		}
		return all
	}
	if first, second := run(), run(); first != second {
		t.Error("they differ")
	}
}

func TestTheJournalAnswersForRecoveries(t *testing.T) {
	c := serve(t, Config{Window: 1000})
	for _, words := range []int{10, 3000, 2000, 2000, 20, 10, 3000} {
		path, body := prompts(anthropic.Wire, Words(words))
		_, _, _ = c.post(path, body)
	}
	j := c.Journal()
	if got := j.Recoveries(); !slices.Equal(got, []int{3, 0}) {
		t.Errorf("recoveries of %v requests", got)
	}
	if got := j.Alike(); !slices.Equal(got, [][2]int{{3, 4}, {1, 6}, {2, 7}}) {
		t.Errorf("alike: %v", got)
	}
	if got := len(j.Refused()); got != 4 {
		t.Errorf("%d refused", got)
	}
	if got := j[:1].Usage(); got.Input != int64(j[0].Tokens) {
		t.Errorf("%+v", got)
	}
}

func TestRequestsAreLoggedWhereThatIsAskedFor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	c := serve(t, Config{LogDir: dir})
	c.must(paths[anthropic.Wire], hello[anthropic.Wire])
	data, err := os.ReadFile(filepath.Join(dir, "000001.json"))
	if err != nil {
		t.Fatal(err)
	}
	if string(get(data, "request")) != hello[anthropic.Wire] || integer(get(data, "record", "status")) != 200 || !strings.Contains(textAt(data, "response"), "hello") {
		t.Errorf("%s", data)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := serve(t, Config{LogDir: filepath.Join(dir, "file")}).post(paths[anthropic.Wire], hello[anthropic.Wire]); status != 500 {
		t.Errorf("a log that cannot be written: %d", status)
	}
}
