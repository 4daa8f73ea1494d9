// Command history measures the SQLite store against physical limits of the
// machine it runs on, in one run, and prints the ratios:
//
//	go run ./bench/history [-dir DIR] [-only append]
//
// Disks and shared machines change their pace from minute to minute. Each
// figure is therefore the best of several rounds, and where two are compared
// their rounds take turns.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"
)

func main() {
	dir := flag.String("dir", "", "where to write (Default: a new temporary directory); the disk of that directory is measured")
	only := flag.String("only", "", "measure only this: append, read, branch, fork, import or size")
	flag.Parse()
	if err := run(context.Background(), *dir, *only); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, only string) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "stemma-bench-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "what\tmeasured\taim\t")
	for _, m := range []struct {
		name    string
		measure func(context.Context, string) ([]figure, error)
	}{
		{"append", measureAppend}, {"read", measureRead}, {"branch", measureBranch},
		{"fork", measureFork}, {"import", measureImport}, {"size", measureSize},
	} {
		if only != "" && only != m.name {
			continue
		}
		path := filepath.Join(dir, m.name)
		if err := os.MkdirAll(path, 0o700); err != nil {
			return err
		}
		figures, err := m.measure(ctx, path)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		for _, f := range figures {
			fmt.Fprintf(table, "%s\t%.3g %s\t%s\t%s\n", f.what, f.value, f.unit, f.aim(), f.verdict())
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return table.Flush()
}

// figure is one measured number, and how large it may be.
type figure struct {
	what  string
	value float64
	unit  string
	most  float64 // 0: nothing is aimed at
}

func (f figure) aim() string {
	if f.most == 0 {
		return ""
	}
	return fmt.Sprintf("≤ %.3g", f.most)
}

func (f figure) verdict() string {
	if f.most > 0 && f.value > f.most {
		return "missed"
	}
	return ""
}
