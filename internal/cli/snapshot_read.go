package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/snapshot"
)

// A readPage is a page of a file.
type readPage struct {
	file string
	snapshot.Reading
}

// readPages prints the text of pages, or writes it to a file. Of a
// page whose checksum is wrong it takes what could be read, and fails behind it;
// nothing is written where another could not be read at all.
func (o *snapshotOptions) readPages(ctx context.Context) error {
	files, err := pageFiles(o.files)
	if err != nil {
		return err
	}
	progress := progress{app: o.app}
	defer progress.clear()
	var pages []readPage
	var damaged error
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := o.readText(ctx, file)
		if err != nil {
			return err
		}
		reading, err := snapshot.Read([]byte(data))
		var checksum *snapshot.ChecksumError
		switch {
		case errors.As(err, &checksum):
			damaged = errors.Join(damaged, fmt.Errorf("%s: %w; what could be read of it is printed", file, err))
		case err != nil:
			return fmt.Errorf("%s: %w", file, err)
		}
		pages = append(pages, readPage{file, reading})
		progress.show(func() string { return fmt.Sprintf("reading: page %d of %d", len(pages), len(files)) })
	}
	slices.SortStableFunc(pages, func(a, b readPage) int { return cmp.Compare(a.Number, b.Number) })
	for i := 1; i < len(pages); i++ {
		if before, this := &pages[i-1], &pages[i]; this.Number != before.Number+1 {
			o.err.printf("stemma: page %d (%s) does not follow on page %d (%s)\n", this.Number, this.file, before.Number, before.file)
		}
	}
	progress.clear()
	return errors.Join(o.printText(pages), damaged)
}

// printText prints the text of pages, or writes it to a file.
func (o *snapshotOptions) printText(pages []readPage) error {
	if o.json {
		return o.printReadings(pages)
	}
	var text strings.Builder
	for i := range pages {
		text.WriteString(pages[i].Text)
	}
	switch {
	case o.to != "":
		return os.WriteFile(o.to, []byte(text.String()), 0o600)
	case o.out.terminal:
		o.out.print(words.Printable(text.String()))
	default:
		o.out.print(text.String())
	}
	return nil
}

// pageFiles replaces directories by the pages in them.
func pageFiles(arguments []string) ([]string, error) {
	var files []string
	for _, name := range arguments {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			files = append(files, name) // reading it says what is wrong
			continue
		}
		pages, err := pagesIn(name)
		if err != nil {
			return nil, err
		}
		if len(pages) == 0 {
			return nil, fmt.Errorf("%s has no pages: expected files named page-0001.png and so on", name)
		}
		files = append(files, pages...)
	}
	return files, nil
}

// readingJSON is what a page says.
type readingJSON struct {
	File   string `json:"file"`
	Number int    `json:"number"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	CRC    string `json:"crc"`
	Font   string `json:"font"`
	Cell   string `json:"cell"`
	Text   string `json:"text"`
}

func (o *snapshotOptions) printReadings(pages []readPage) error {
	all := make([]readingJSON, len(pages))
	for i, p := range pages {
		all[i] = readingJSON{p.file, p.Number, p.From, p.To, fmt.Sprintf("%08x", p.CRC), p.Font, fmt.Sprintf("%dx%d", p.CellWidth, p.CellHeight), p.Text}
	}
	return printArray(o.app, values(all))
}
