package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

func collectLines(tb testing.TB, r io.Reader, maxLine int64) []Line {
	tb.Helper()
	var all []Line
	for line, err := range lines(r, maxLine) {
		if err != nil {
			tb.Fatal(err)
		}
		line.Data = line.Keep()
		all = append(all, line)
	}
	return all
}

func TestLinesKeepNumberOffsetAndEnd(t *testing.T) {
	var got []string
	for _, l := range collectLines(t, strings.NewReader("one\r\n\ntwo\nthr"), MaxLine) {
		got = append(got, fmt.Sprintf("%d@%d %s torn=%v", l.Number, l.Offset, l.Data, l.Torn))
	}
	want := []string{"1@0 one torn=false", "2@5  torn=false", "3@6 two torn=false", "4@10 thr torn=true"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestLongLinesAreReadWhole(t *testing.T) {
	long := strings.Repeat("日本x", lineBuffer/3) // runes lie across the ends of the buffer
	content := "a\n" + long + "\nb\n" + long
	for name, r := range map[string]io.Reader{
		"seekable": io.NewSectionReader(strings.NewReader(content), 0, int64(len(content))),
		"stream":   strings.NewReader(content),
		"halting":  iotest.HalfReader(strings.NewReader(content)),
	} {
		lines := collectLines(t, r, MaxLine)
		if len(lines) != 4 || string(lines[1].Data) != long || string(lines[3].Data) != long || string(lines[2].Data) != "b" {
			t.Errorf("%s: %d lines", name, len(lines))
		}
	}
}

func TestALineOverTheLimitIsSkippedAndTheNextIsRead(t *testing.T) {
	content := strings.Repeat("x", 2*lineBuffer) + "\nnext\n"
	for name, r := range map[string]io.Reader{
		"seekable": io.NewSectionReader(strings.NewReader(content), 0, int64(len(content))),
		"stream":   strings.NewReader(content),
	} {
		lines := collectLines(t, r, lineBuffer)
		if len(lines) != 2 || lines[0].Skipped != 2*lineBuffer+1 || lines[0].Data != nil || string(lines[1].Data) != "next" {
			t.Errorf("%s: %d lines, skipped %d", name, len(lines), lines[0].Skipped)
		}
	}
}

func TestLinesReportWhereReadingFailed(t *testing.T) {
	boom := errors.New("boom")
	var last error
	for _, err := range Lines(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(boom))) {
		last = err
	}
	if !errors.Is(last, boom) || !strings.Contains(last.Error(), "line 2") {
		t.Errorf("err = %v", last)
	}
}

func TestLinesSplitLikeTheContent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.SliceOf(rapid.SampledFrom([]byte("ab\n\r\"é"))).Draw(t, "content")
		var joined []byte
		for line, err := range Lines(iotest.OneByteReader(bytes.NewReader(content))) {
			if err != nil {
				t.Fatal(err)
			}
			if int(line.Offset) != len(joined) {
				t.Fatalf("line %d is at %d, want %d", line.Number, line.Offset, len(joined))
			}
			end := content[len(joined)+len(line.Data):]
			joined = append(joined, line.Data...)
			for _, ending := range []string{"\r\n", "\n", "\r"} {
				if bytes.HasPrefix(end, []byte(ending)) && (ending != "\r" || len(end) == 1) {
					joined = append(joined, ending...)
					break
				}
			}
		}
		if !bytes.Equal(joined, content) {
			t.Fatalf("got %q, want %q", joined, content)
		}
	})
}
