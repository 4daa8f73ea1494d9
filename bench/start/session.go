package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/creack/pty"
)

// measured is what a person waits for, and what the machine holds meanwhile.
type measured struct {
	first      time.Duration // from the start of the process to the newest answer on the screen
	processor  time.Duration // the time of processors that it took until then
	whole      time.Duration // to the size of the window in the status line
	middleKey  time.Duration // from a key to what it draws, up to a frame (17 ms) of which is waiting
	longestKey time.Duration
	memory     int // bytes that the process holds at the end of the conversation
	scrolled   int // bytes that it holds far above it
}

const (
	waitsAtMost = 30 * time.Second
	pageUp      = "\x1b[5~"
)

func measure(program, dir, store string, conversation fmt.Stringer, rounds int) (m measured, err error) {
	for range rounds {
		s, err := start(program, dir, store, conversation.String())
		if err != nil {
			return m, err
		}
		first, err := s.until(lastWords)
		if err == nil {
			m.first = shorter(m.first, first)
			m.processor = shorter(m.processor, s.processor())
			var whole time.Duration
			whole, err = s.until(" of 1.0M")
			m.whole = shorter(m.whole, whole)
		}
		if err == nil && m.memory == 0 {
			err = s.scroll(&m)
		}
		if err = errors.Join(err, s.end()); err != nil {
			return m, err
		}
	}
	return m, nil
}

func shorter(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// A session is the program in a terminal.
type session struct {
	process *exec.Cmd
	begun   time.Time
	tty     *os.File
	drawn   chan []byte
	shown   []byte // all that was drawn
}

func start(program, dir, store, conversation string) (*session, error) {
	c := exec.Command(program, "chat", conversation)
	c.Dir = dir
	c.Env = []string{
		"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LC_ALL=C.UTF-8",
		"STEMMA_STORE=" + store, "STEMMA_MODEL=" + model, "ANTHROPIC_API_KEY=none",
	}
	s := &session{process: c, begun: time.Now(), drawn: make(chan []byte, 10_000)}
	tty, err := pty.StartWithSize(c, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		return nil, err
	}
	s.tty = tty
	go func() {
		defer close(s.drawn)
		for {
			chunk := make([]byte, 64<<10)
			n, err := tty.Read(chunk)
			if n > 0 {
				s.drawn <- chunk[:n]
			}
			if err != nil {
				return // the program has ended
			}
		}
	}()
	return s, nil
}

// until waits until words were drawn, and returns the time since the start.
func (s *session) until(words string) (time.Duration, error) {
	end := time.After(waitsAtMost)
	for !bytes.Contains(s.shown, []byte(words)) {
		select {
		case chunk, open := <-s.drawn:
			if s.shown = append(s.shown, chunk...); !open {
				return 0, fmt.Errorf("the program ended before it showed %q: %q", words, s.shown)
			}
		case <-end:
			return 0, fmt.Errorf("%q does not come up: %q", words, s.shown)
		}
	}
	return time.Since(s.begun), nil
}

// key presses a key and returns how long it takes until something is drawn.
func (s *session) key(code string) (time.Duration, error) {
	s.rest()
	pressed := time.Now()
	if _, err := io.WriteString(s.tty, code); err != nil {
		return 0, err
	}
	select {
	case _, open := <-s.drawn:
		if !open {
			return 0, errors.New("the program ended")
		}
		return time.Since(pressed), nil
	case <-time.After(waitsAtMost):
		return 0, fmt.Errorf("nothing comes of the key %q", code)
	}
}

// rest waits until nothing more is drawn.
func (s *session) rest() {
	const still = 50 * time.Millisecond
	for {
		select {
		case _, open := <-s.drawn:
			if !open {
				return
			}
		case <-time.After(still):
			return
		}
	}
}

// scroll goes up page by page, and then as fast as the keyboard repeats.
func (s *session) scroll(m *measured) error {
	s.rest()
	m.memory = s.memory()
	var took []time.Duration
	for range 100 {
		d, err := s.key(pageUp)
		if err != nil {
			return err
		}
		took = append(took, d)
	}
	m.middleKey, m.longestKey = middleOf(took)
	for range 1000 {
		if _, err := io.WriteString(s.tty, pageUp); err != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
	s.rest()
	m.scrolled = s.memory()
	return nil
}

// memory is what the process holds; 0 where the system does not say.
func (s *session) memory() int {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.process.Process.Pid), "status"))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.Atoi(fields[0])
	return kb << 10
}

// processor is the time of processors that the threads of the process have had;
// 0 where the system does not say.
func (s *session) processor() time.Duration {
	threads, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(s.process.Process.Pid), "task", "*", "schedstat"))
	var sum time.Duration
	for _, thread := range threads {
		stat, err := os.ReadFile(thread)
		if err != nil {
			continue // it has ended
		}
		ns, _ := strconv.Atoi(string(bytes.Fields(stat)[0]))
		sum += time.Duration(ns)
	}
	return sum
}

// end leaves the program, which nothing was typed into.
func (s *session) end() error {
	defer s.tty.Close()
	if _, err := io.WriteString(s.tty, "\x03"); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.process.Wait() }()
	for {
		select {
		case err := <-ended:
			return err
		case <-s.drawn:
		case <-time.After(waitsAtMost):
			return errors.Join(errors.New("the program does not end"), s.process.Process.Kill())
		}
	}
}

func middleOf(took []time.Duration) (middle, longest time.Duration) {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[len(sorted)/2], sorted[len(sorted)-1]
}
