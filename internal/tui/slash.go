package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stemma-history/stemma/agent"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/reclaim"
)

// A slashCommand is what a line that begins with / does. What it prints is for
// the person: no model gets it.
type slashCommand struct {
	name  string
	args  string
	about string
	run   func(a *app, args []string) tea.Cmd
}

// slashCommands are in the order in which help shows them.
var slashCommands []slashCommand

func init() { // they show themselves
	slashCommands = []slashCommand{
		{"compact", "[rungs] [focus]", "make room, by these rungs or all free ones", (*app).compact},
		{"shake", "[results|images|thinking]", "take out bulk, keep every word", (*app).shake},
		{"context", "", "what fills the window; what would free it", (*app).context},
		{"tree", "", "the whole conversation, to move in (ctrl+t)", (*app).tree},
		{"branch", "ENTRY", "go on from another entry", (*app).branch},
		{"fork", "[ENTRY]", "copy the path to a new conversation", (*app).fork},
		{"checkpoint", "NAME", "mark where the conversation stands", (*app).checkpoint},
		{"rewind", "NAME DIGEST", "go back to a mark, keeping what was learned", (*app).rewind},
		{"retry", "[again|discard]", "go on where a run failed or broke off", (*app).retry},
		{"edit", "", "change the last prompt, run it as a sibling", (*app).editLast},
		{"diff", "A B", "compare two branches", (*app).diff},
		{"recall", "HANDLE", "show an original", (*app).recall},
		{"images", "", "the images of this part, large (ctrl+g)", (*app).images},
		{"pin", "ENTRY", "keep an entry whole in every view", (*app).pin},
		{"model", "[NAME]", "go on with another model", (*app).model},
		{"export", "[FORMAT] [FILE]", "write it as html, markdown or jsonl", (*app).export},
		{"resume", "", "open another conversation", (*app).pick},
		{"new", "", "begin a conversation", (*app).begin},
		{"tools", "", "what the model can use", (*app).tools},
		{"help", "", "this list", (*app).help},
		{"quit", "", "leave (ctrl+d)", func(a *app, _ []string) tea.Cmd { return a.quit() }},
	}
}

// slash splits a line that is a command.
func slash(text string) (name string, args []string, ok bool) {
	if !strings.HasPrefix(text, "/") || strings.Contains(text, "\n") {
		return "", nil, false
	}
	fields := strings.Fields(text[1:])
	if len(fields) == 0 || strings.Contains(fields[0], "/") { // a path
		return "", nil, false
	}
	return fields[0], fields[1:], true
}

// command runs a slash command. The beginning of a name will do where no other
// begins so.
func (a *app) command(name string, args []string) tea.Cmd {
	var found []slashCommand
	for _, c := range slashCommands {
		if c.name == name {
			found = []slashCommand{c}
			break
		}
		if strings.HasPrefix(c.name, name) {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 1:
		return found[0].run(a, args)
	case 0:
		return a.say(fmt.Sprintf("There is no command /%s; /help lists them.", name))
	}
	var names []string
	for _, c := range found {
		names = append(names, "/"+c.name)
	}
	return a.say(fmt.Sprintf("/%s may be %s.", name, strings.Join(names, ", ")))
}

func (a *app) say(text string) tea.Cmd {
	a.transcript.notify(text)
	return nil
}

// rests reports whether the run is there and does nothing else.
func (a *app) rests() bool {
	switch {
	case a.run == nil:
		a.say(a.whyNot())
		return false
	case a.working():
		a.say("The run is at work: esc interrupts it.")
		return false
	}
	return true
}

func (a *app) compact(args []string) tea.Cmd {
	if !a.rests() {
		return nil
	}
	var c agent.CompactRequest
	if len(args) > 0 {
		rungs, err := rungsIn(args[0])
		if err != nil {
			return a.say(err.Error())
		}
		if rungs != nil {
			c.Rungs, args = rungs, args[1:]
			if rungs[0] != reclaim.Summary { // which has a length to aim at
				c.Target = -1 // what is named is wanted, however small the view is
			}
		}
	}
	c.Focus = strings.Join(args, " ")
	if c.Focus != "" && !slices.Contains(c.Rungs, reclaim.Summary) {
		a.say("A focus is for a summary, which a model writes for its price: /compact summary " + c.Focus)
	}
	return a.work(func(ctx context.Context) agent.Events { return a.run.Compact(ctx, c) })
}

// rungsIn returns the rungs that a word names, with commas between them; none
// where it is another word.
func rungsIn(word string) ([]reclaim.Rung, error) {
	known := append(slices.Clone(reclaim.FreeRungs), reclaim.Summary)
	var rungs []reclaim.Rung
	for name := range strings.SplitSeq(word, ",") {
		switch {
		case slices.Contains(known, reclaim.Rung(name)):
			rungs = append(rungs, reclaim.Rung(name))
		case strings.Contains(word, ","):
			return nil, fmt.Errorf("rung %q: expected some of %v, with commas between them", name, known)
		}
	}
	if len(rungs) > 1 && slices.Contains(rungs, reclaim.Summary) {
		return nil, errors.New("rung summary: it stands for the whole middle, so it is named alone")
	}
	return rungs, nil
}

func (a *app) shake(args []string) tea.Cmd {
	if !a.rests() {
		return nil
	}
	c := agent.CompactRequest{Rungs: []reclaim.Rung{reclaim.Elision, reclaim.Images}, Target: -1}
	switch strings.Join(args, " ") {
	case "":
	case "results", "thinking":
		c.Rungs = []reclaim.Rung{reclaim.Elision}
	case "images":
		c.Rungs = []reclaim.Rung{reclaim.Images}
	default:
		return a.say("/shake takes results, images or thinking.")
	}
	return a.work(func(ctx context.Context) agent.Events { return a.run.Compact(ctx, c) })
}

// print runs a command of the program and shows what it prints.
func (a *app) print(after tea.Cmd, args ...string) tea.Cmd {
	width, id := max(a.width-4, 20), a.id()
	return func() tea.Msg {
		text, err := a.Command(a.ctx, width, args...)
		if err != nil {
			return printed{text: strings.TrimSpace(text + "\n" + err.Error())}
		}
		return printed{text: strings.TrimRight(withSlash(text, id), "\n"), after: after}
	}
}

// withSlash names commands on a conversation as they are typed in the app.
func withSlash(text, conversation string) string {
	for _, c := range slashCommands {
		text = strings.ReplaceAll(text, "stemma "+c.name+" "+conversation+" ", "/"+c.name+" ")
	}
	return text
}

func (a *app) id() string { return a.conversation.ID.String() }

func (a *app) context([]string) tea.Cmd {
	args := []string{"context", a.id()}
	if a.status.model != "" {
		args = append(args, "--model", a.status.model, "--window", fmt.Sprint(a.status.window))
	}
	return a.print(nil, args...)
}

func (a *app) tree([]string) tea.Cmd {
	return a.show(newNavigator(a.ctx, a.Store, a.conversation, a.display, a.Draw))
}

// reload goes to where the conversation stands after a command moved it.
func (a *app) reload() tea.Cmd {
	id := a.conversation.ID
	return func() tea.Msg {
		c, err := a.Store.Conversation(a.ctx, id)
		if err != nil {
			return printed{text: err.Error()}
		}
		return tipMoved{c}
	}
}

func (a *app) branch(args []string) tea.Cmd {
	switch {
	case len(args) != 1:
		return a.say("/branch ENTRY: expected a handle such as 12, the beginning of an id, or a checkpoint; /tree shows them.")
	case a.working():
		return a.say("The run is at work: esc interrupts it.")
	}
	return a.print(a.reload(), "branch", a.id(), args[0])
}

func (a *app) fork(args []string) tea.Cmd {
	copied := func() tea.Msg { return printed{text: "/resume opens the copy."} }
	return a.print(copied, append([]string{"fork", a.id()}, args...)...)
}

func (a *app) checkpoint(args []string) tea.Cmd {
	name := strings.Join(args, " ")
	switch {
	case name == "":
		return a.print(nil, "checkpoint", a.id())
	case a.run == nil:
		return a.print(nil, "checkpoint", a.id(), name)
	case !a.rests():
		return nil
	}
	if _, err := a.run.Checkpoint(a.ctx, name); err != nil { // the run has to know it, to go back there
		return a.say(err.Error())
	}
	return a.say(fmt.Sprintf("Marked: /rewind %s DIGEST comes back here.", name))
}

func (a *app) rewind(args []string) tea.Cmd {
	if len(args) < 2 {
		return a.say("/rewind NAME DIGEST: expected the name of a checkpoint, and what was learned since.")
	}
	if !a.rests() {
		return nil
	}
	a.stale = true
	return a.work(func(ctx context.Context) agent.Events {
		return a.run.Rewind(ctx, args[0], strings.Join(args[1:], " "))
	})
}

func (a *app) retry(args []string) tea.Cmd {
	how := agent.Retry{Again: slices.Contains(args, "again"), Discard: slices.Contains(args, "discard")}
	if !a.rests() {
		return nil
	}
	a.stale = true
	return a.work(func(ctx context.Context) agent.Events { return a.run.Retry(ctx, how) })
}

func (a *app) editLast([]string) tea.Cmd {
	if a.working() {
		return a.say("The run is at work: esc interrupts it.")
	}
	return a.lastPrompt()
}

func (a *app) diff(args []string) tea.Cmd {
	if len(args) != 2 {
		return a.say("/diff A B: expected two entries; in /tree, d compares one with the tip.")
	}
	return a.print(nil, "diff", a.id(), args[0], args[1])
}

func (a *app) recall(args []string) tea.Cmd {
	if len(args) != 1 {
		return a.say("/recall HANDLE: expected a handle such as 12 or 12.2.")
	}
	return a.print(nil, "recall", a.id(), args[0])
}

func (a *app) pin(args []string) tea.Cmd {
	if len(args) != 1 {
		return a.say("/pin ENTRY: expected a handle such as 12.")
	}
	return a.print(nil, "pin", a.id(), args[0])
}

func (a *app) model(args []string) tea.Cmd {
	if len(args) == 0 {
		now := "The model is " + a.status.model + ". /model NAME goes on with another:\n"
		if a.status.model == "" {
			now = "There is no model yet. /model NAME takes one:\n"
		}
		return a.say(now + inColumns(a.Models, a.width-4))
	}
	m, err := a.Model(args[0])
	if err != nil {
		return a.say(err.Error())
	}
	if a.closed != nil {
		a.say("No model was open; " + args[0] + " is tried.")
		return a.open()
	}
	if !a.rests() {
		return nil
	}
	run := a.run
	a.status.billed = false // what it counts is another's
	return a.work(func(context.Context) agent.Events {
		return func(yield func(agent.Event, error) bool) {
			if err := run.Switch(m); err != nil {
				yield(nil, err)
				return
			}
			var view size
			view.measure(run)
			yield(agent.Notice{Text: "The model is " + args[0] + " now." + priceOf(m, view.filled)}, nil)
		}
	})
}

// priceOf says what the first request to another model costs.
func priceOf(m agent.Model, tokens int) string {
	p := m.Known.Price.Input
	if p == 0 {
		return ""
	}
	return fmt.Sprintf(" The next request is not in its cache: about %s tokens, $%.2f.", words.Thousands(tokens), float64(tokens)*p/1e6)
}

// inColumns lays names out in as many columns as fit a width, one below the
// other.
func inColumns(names []string, width int) string {
	column := 1
	for _, name := range names {
		column = max(column, len(name)+2)
	}
	columns := max(width/column, 1)
	rows := (len(names) + columns - 1) / columns
	var b strings.Builder
	for row := range rows {
		var line strings.Builder
		for i := row; i < len(names); i += rows {
			fmt.Fprintf(&line, "%-*s", column, names[i])
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func (a *app) export(args []string) tea.Cmd {
	format, file := "html", ""
	for _, arg := range args {
		if slices.Contains([]string{"html", "markdown", "jsonl"}, arg) {
			format = arg
		} else {
			file = arg
		}
	}
	if file == "" {
		ending := map[string]string{"html": "html", "markdown": "md", "jsonl": "jsonl"}[format]
		file = "conversation-" + a.id()[:8] + "." + ending
	}
	done := func() tea.Msg { return printed{text: "Written to " + file + "."} }
	return a.print(done, "export", a.id(), "--format", format, "-o", file)
}

func (a *app) pick([]string) tea.Cmd { return a.show(newPicker(a.ctx, a.Store, a.Now())) }

func (a *app) begin([]string) tea.Cmd {
	return func() tea.Msg {
		c, err := a.New(a.ctx)
		if err != nil {
			return printed{text: err.Error()}
		}
		return picked{c}
	}
}

func (a *app) tools([]string) tea.Cmd {
	if a.run == nil {
		return a.say(a.whyNot())
	}
	var b strings.Builder
	for _, t := range a.run.Problem().Frame.Tools {
		fmt.Fprintf(&b, "%s\n", ansi.Truncate(fmt.Sprintf("%-12s %s", t.Name, words.OneLine(t.Description)), max(a.width-4, 20), "…"))
	}
	return a.say(strings.TrimRight(b.String(), "\n"))
}

func (a *app) help([]string) tea.Cmd {
	var b strings.Builder
	for _, c := range slashCommands {
		fmt.Fprintf(&b, "%-33s %s\n", "/"+strings.TrimSpace(c.name+" "+c.args), c.about)
	}
	b.WriteString("\nenter sends · shift+enter or ctrl+j new line · ↑ earlier prompts · @ a file\n" +
		"esc interrupts · ctrl+o details of calls and thinking · ctrl+t tree\n" +
		"ctrl+g images · pgup pgdn scroll · ctrl+home ctrl+end to the ends\n" +
		"y, n, a answer a question when it has stood a moment and nothing is typed")
	return a.say(b.String())
}
