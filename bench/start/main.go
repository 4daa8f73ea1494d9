// Command start measures the terminal app on a long conversation, as a person
// meets it: the built program in a terminal of its own. It prints when the first
// screen stands there, when all of the status line does, how long keys take,
// and how much memory is held.
//
//	go run ./bench/start [-entries 100000] [-store FILE] [-program FILE]
//
// Each figure of a start is the best of several, since the machine is shared.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"text/tabwriter"
	"time"
)

func main() {
	entries := flag.Int("entries", 100_000, "of the long conversation")
	store := flag.String("store", "", "keep the store there, and use it again (Default: a new temporary one)")
	program := flag.String("program", "", "measure this build (Default: one of the sources)")
	rounds := flag.Int("rounds", 5, "how often the program is started")
	flag.Parse()
	if err := run(context.Background(), *entries, *store, *program, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, entries int, store, program string, rounds int) error {
	dir, err := os.MkdirTemp("", "stemma-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if program == "" {
		program = filepath.Join(dir, "stemma")
		if out, err := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", program, "./cmd/stemma").CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	if program, err = filepath.Abs(program); err != nil {
		return err
	}
	if store == "" {
		store = filepath.Join(dir, "stemma.db")
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "entries\tfirst screen\tprocessor\tall of it\tkey, middle\tkey, longest\tmemory\tscrolled up\t")
	for _, n := range []int{min(1000, entries), entries} {
		conversation, err := tell(ctx, store, n)
		if err != nil {
			return err
		}
		m, err := measure(program, dir, store, conversation, rounds)
		if err != nil {
			return fmt.Errorf("%d entries: %w", n, err)
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\t%d MB\t%d MB\t\n", n, ms(m.first), ms(m.processor), ms(m.whole), ms(m.middleKey), ms(m.longestKey), m.memory>>20, m.scrolled>>20)
	}
	return table.Flush()
}

func ms(d time.Duration) string {
	return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
}
