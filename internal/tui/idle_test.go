package tui

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// An app that nothing happens in draws nothing and asks for nothing: no clock
// ticks in it. The renderer of Bubble Tea looks 60 times a second whether there is
// something to draw, and there is not.
func TestNothingIsDrawnWhileNothingHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStory(t)
		s.tell()
		options := s.openWithoutModel().app.Options
		screen, program := onPaper(t, "a")
		var messages atomic.Int64
		program = append(program, tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
			messages.Add(1)
			return msg
		}))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, err := Run(ctx, options, program...)
			ended <- err
		}()
		time.Sleep(5 * time.Second) // of the bubble, until all is there
		drawn, taken := len(screen.String()), messages.Load()
		if drawn == 0 || taken == 0 {
			t.Error("nothing was drawn")
		}
		time.Sleep(10 * time.Minute)
		if more := len(screen.String()) - drawn; more > 0 {
			t.Errorf("%d bytes are drawn in ten minutes without a key", more)
		}
		if more := messages.Load() - taken; more > 0 {
			t.Errorf("%d messages come in ten minutes without a key", more)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
