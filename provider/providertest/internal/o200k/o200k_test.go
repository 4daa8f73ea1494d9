package o200k

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"
)

// TestTheVocabularyIsThatOfOpenAI compares it with the hash that tiktoken expects
// of o200k_base.tiktoken (openai_public.py): lines of a token in base64 and its
// rank.
func TestTheVocabularyIsThatOfOpenAI(t *testing.T) {
	all, err := decode(compressed)
	if err != nil {
		t.Fatal(err)
	}
	byRank := make([]string, len(all))
	for token, rank := range all {
		byRank[rank] = token
	}
	file := sha256.New()
	for rank, token := range byRank {
		fmt.Fprintf(file, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(token)), rank)
	}
	if got := fmt.Sprintf("%x", file.Sum(nil)); got != "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d" {
		t.Errorf("hash of the vocabulary: %s", got)
	}
}

func TestADamagedVocabularyIsAnError(t *testing.T) {
	if _, err := decode(compressed[:1000]); err == nil {
		t.Error("no error")
	}
}

// TestTextsCountAsInTiktoken has the counts of tiktoken 1.0.22, OpenAI's own code
// as npm has it.
func TestTextsCountAsInTiktoken(t *testing.T) {
	for text, want := range map[string]int{
		"":                                       0,
		"a":                                      1,
		"Hello, world!":                          4,
		"It's what I'll do, they've said, DON'T": 9,
		"A'ſ":                                    3,
		"\x7f":                                   1,
		"a\x7fB":                                 3,
		"\n \n":                                  1,
		"a\n \nb\r\n  \n\n":                      5,
		"12345678.90 ½ Ⅷ ٣":                      12,
		"camelCaseHTTPServer":                    4,
		"ǅ ʰ ª e\u0301\u0301 \u20e3":             13,
		"\u00a0a\u2028\u2029 \u0085b\v":          10,
		"保持对话的历史记录。":                             7,
		"Zażółć gęślą jaźń, Straße, naïve":                             16,
		"Привет, как дела?":                                            6,
		"한국어 문장과 日本語の文章です。":                                            11,
		"👩\u200d👧 🙂🙂":                                                  7,
		"<|endoftext|>":                                                7,
		"\ufffd\x00":                                                   2,
		"\xff\x00":                                                     2, // as the line before
		"https://example.com/a/b?c=d&e=%20f//":                         14,
		"func (s *Store) Append(ctx context.Context) error":            12,
		"    if err != nil {\n\t\treturn err\n\t}\n":                   12,
		`{"path":"a.go","n":[1,2,3]}`:                                  14,
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk": 29,
	} {
		if got := Count(text); got != want {
			t.Errorf("%q: %d tokens, want %d", text, got, want)
		}
	}
}

// mergedSlowly merges the first pair of the lowest rank, as long as there is one.
func mergedSlowly(piece string, ranks map[string]uint32) int {
	var tokens []string
	for i := range len(piece) {
		tokens = append(tokens, piece[i:i+1])
	}
	for {
		best, at := uint32(unmergeable), -1
		for i := range len(tokens) - 1 {
			if r, ok := ranks[tokens[i]+tokens[i+1]]; ok && r < best {
				best, at = r, i
			}
		}
		if at < 0 {
			return len(tokens)
		}
		tokens[at] += tokens[at+1]
		tokens = slices.Delete(tokens, at+1, at+2)
	}
}

func TestPiecesAreMergedInTheOrderOfRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(
			rapid.StringMatching(`[a-zA-Z]{1,120}`),
			rapid.StringMatching(`[ab]{1,60}`),
			rapid.StringMatching(`[=/_.-]{1,60}`),
			rapid.StringOfN(rapid.RuneFrom(nil, unicode.L, unicode.M), 1, 30, -1),
		).Draw(t, "piece")
		if got, want := merged(piece, ranks()), mergedSlowly(piece, ranks()); got != want {
			t.Fatalf("%q: %d tokens, want %d", piece, got, want)
		}
	})
}

// TestALongPieceIsCountedInTime: one word of half a megabyte took a minute if each
// of its merges looked at all of it.
func TestALongPieceIsCountedInTime(t *testing.T) {
	start := time.Now()
	if n := Count(strings.Repeat("ab", 1<<18)); n < 1<<15 {
		t.Errorf("%d tokens", n)
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}

func BenchmarkCount(b *testing.B) {
	data, err := os.ReadFile("../../../../docs/architecture.md")
	if err != nil {
		b.Fatal(err)
	}
	text := string(data)
	Count(text)
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Count(text)
	}
}

func BenchmarkDecodeTheVocabulary(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(compressed); err != nil {
			b.Fatal(err)
		}
	}
}
