//go:build unix

// Command snapshot-peers draws one text as pages with Stemma and with
// snapcompact (npm @oh-my-pi/snapcompact, run under npm's bun), and prints how
// many times as many characters a second Stemma draws. It fails below 30.
//
//	go run ./bench/snapshot-peers [FILE]
//
// FILE is any text. Without one it is Go's own sources of net/http. Both draw
// in the same cells on pages of the same size, and both on all processors; the
// best of several runs counts. run.sh installs snapcompact first.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/stemma-history/stemma/snapshot"
)

// leastRatio is what Stemma has promised to keep.
const leastRatio = 30

// runs of each, of which the best counts.
const runs = 5

// pageSide is the side of snapcompact's square pages, in pixels.
const pageSide = 1568

// pairs are shapes with the same cells, the default first.
var pairs = []struct{ ours, theirs string }{
	{"8x16", "8on16-bw"},
	{"8x22", "8on22-bw"},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "snapshot-peers:", err)
		os.Exit(1)
	}
}

func run() error {
	text, err := corpus(os.Args[1:])
	if err != nil {
		return err
	}
	peers, err := drawTheirs(text)
	if err != nil {
		return err
	}
	characters := float64(utf8.RuneCountInString(text))
	fmt.Printf("%.2f million characters, %d processors, best of %d\n\n", characters/1e6, runtime.GOMAXPROCS(0), runs)
	fmt.Println("                        pages       PNG     Mchar/s   of processor time")
	var ratios []float64
	for i, pair := range pairs {
		shape, _ := snapshot.ShapeNamed(pair.ours)
		ours, err := drawOurs(text, shape.WithPage(pageSide, pageSide))
		if err != nil {
			return err
		}
		ours.print("stemma "+pair.ours, characters)
		peers[i].print("snapcompact "+pair.theirs, characters)
		ratio := peers[i].WallMs / ours.WallMs
		fmt.Printf("%-42s %8.0f× %8.0f×\n\n", "ratio", ratio, peers[i].CPUMs/ours.CPUMs)
		ratios = append(ratios, ratio)
	}
	if ratios[0] < leastRatio {
		return fmt.Errorf("%.0f times as fast, want %d", ratios[0], leastRatio)
	}
	return nil
}

// corpus reads the text to draw.
func corpus(args []string) (string, error) {
	files := args
	if len(files) == 0 {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return "", fmt.Errorf("go env GOROOT: %w", err)
		}
		files, _ = filepath.Glob(filepath.Join(string(bytes.TrimSpace(root)), "src/net/http/*.go"))
	}
	var text []byte
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		text = append(text, data...)
	}
	return string(bytes.ToValidUTF8(text, nil)), nil
}

// A result is what drawing the text took. The JSON is what render.mjs prints.
type result struct {
	Pages  int     `json:"pages"`
	Bytes  float64 `json:"bytes"`
	WallMs float64 `json:"wall_ms"`
	CPUMs  float64 `json:"cpu_ms"`
}

func (r result) print(name string, characters float64) {
	fmt.Printf("%-24s %4d %6.2f MB %11.2f %11.2f\n", name, r.Pages, r.Bytes/1e6, characters/r.WallMs/1e3, characters/r.CPUMs/1e3)
}

func drawOurs(text string, shape snapshot.Shape) (result, error) {
	best := result{}
	for range runs {
		r := result{}
		before, start := processorTime(), time.Now()
		for page, err := range snapshot.Render(context.Background(), []snapshot.Segment{{Text: text}}, shape, snapshot.Options{}) {
			if err != nil {
				return r, err
			}
			r.Pages++
			r.Bytes += float64(len(page.PNG))
		}
		r.WallMs, r.CPUMs = milliseconds(time.Since(start)), milliseconds(processorTime()-before)
		if best.Pages == 0 {
			best = r
		}
		best.WallMs, best.CPUMs = min(best.WallMs, r.WallMs), min(best.CPUMs, r.CPUMs)
	}
	return best, nil
}

// drawTheirs runs render.mjs on the text, in the order of pairs.
func drawTheirs(text string) ([]result, error) {
	directory, err := ownDirectory()
	if err != nil {
		return nil, err
	}
	buns, _ := filepath.Glob(filepath.Join(directory, "node_modules/@oven/bun-*/bin/bun"))
	if len(buns) == 0 {
		return nil, errors.New("snapcompact is not installed: run bench/snapshot-peers/run.sh")
	}
	file, err := os.CreateTemp("", "corpus-*.txt")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if _, err := file.WriteString(text); err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	args := []string{"render.mjs", file.Name(), fmt.Sprint(runs)}
	for _, p := range pairs {
		args = append(args, p.theirs)
	}
	cmd := exec.Command(buns[0], args...)
	cmd.Dir, cmd.Stderr = directory, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	var results []result
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var r result
		if err := d.Decode(&r); err != nil {
			return nil, fmt.Errorf("what render.mjs printed: %w", err)
		}
		results = append(results, r)
	}
	if len(results) != len(pairs) {
		return nil, fmt.Errorf("render.mjs drew %d of %d shapes", len(results), len(pairs))
	}
	return results, nil
}

// ownDirectory is where this file and render.mjs are.
func ownDirectory() (string, error) {
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		return "", errors.New("the place of the sources is not known: build without -trimpath")
	}
	return filepath.Dir(file), nil
}

// processorTime is what all threads of this process have used.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
