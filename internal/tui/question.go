package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stemma-history/stemma/agent/tool"
)

// asked is a question of a run.
type asked struct {
	tool  tool.Tool
	call  tool.Call
	reply chan<- bool
}

// permit asks the person about a call. It is called by the run.
func (a *app) permit(ctx context.Context, t tool.Tool, c tool.Call) bool {
	a.lock.Lock()
	always := a.always[t.Definition().Name]
	a.lock.Unlock()
	if always {
		return true
	}
	reply := make(chan bool, 1)
	a.send(asked{t, c, reply})
	select {
	case yes := <-reply:
		return yes
	case <-ctx.Done():
		return false
	}
}

// questionTime is how long a question stands, and nothing is typed, before letters
// answer it. Who types presses a key every 0.1 to 0.3 s, and sees what comes up
// after as long: a letter that comes earlier was not meant for the question.
const questionTime = 600 * time.Millisecond

// answersTaken says that letters may answer the question now.
type answersTaken struct{}

// takeAsked puts a question to the person.
func (a *app) takeAsked(q asked) tea.Cmd {
	a.asking = append(a.asking, q)
	if len(a.asking) > 1 {
		return nil // it comes up when the others are answered
	}
	return tea.Batch(a.layOut(), a.hush())
}

// hush begins the time without keys that a question needs.
func (a *app) hush() tea.Cmd {
	if len(a.asking) == 0 {
		return nil
	}
	a.quiet = a.Now()
	return a.after(questionTime, answersTaken{})
}

// takesAnswers reports whether letters answer the question.
func (a *app) takesAnswers() bool {
	return a.composer.area.Value() == "" && a.Now().Sub(a.quiet) >= questionTime
}

// answerAsked answers a question, and reports whether a key did.
func (a *app) answerAsked(key string) bool {
	q := a.asking[0]
	if key == "esc" || key == "ctrl+c" {
		a.interrupt()
		return true
	}
	if !a.takesAnswers() {
		return false
	}
	switch key {
	case "y":
		q.reply <- true
	case "a":
		a.lock.Lock()
		a.always[q.tool.Definition().Name] = true
		a.lock.Unlock()
		q.reply <- true
	case "n":
		q.reply <- false
	default:
		return false
	}
	a.asking = a.asking[1:]
	return true
}
