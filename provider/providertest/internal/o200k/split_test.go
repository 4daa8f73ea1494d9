package o200k

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/dlclark/regexp2"
	"pgregory.net/rapid"
)

// expression is that of o200k_base in tiktoken (openai_public.py).
const expression = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
	`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?` +
	`|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// byExpression splits a text with the expression itself.
func byExpression(tb testing.TB) func(text string) []string {
	re := regexp2.MustCompile(expression, regexp2.None)
	return func(text string) (pieces []string) {
		m, err := re.FindStringMatch(text)
		for ; m != nil; m, err = re.FindNextMatch(m) {
			pieces = append(pieces, m.String())
		}
		if err != nil {
			tb.Fatal(err)
		}
		return pieces
	}
}

func split(text string) (pieces []string) {
	for text != "" {
		end := pieceEnd(text)
		pieces = append(pieces, text[:end])
		text = text[end:]
	}
	return pieces
}

// texts are made of what the alternatives of the expression meet at, but for the
// long s of "'ſ": this engine does not know it for an s, as that of tiktoken does.
func texts() *rapid.Generator[string] {
	part := rapid.OneOf(
		rapid.SampledFrom([]string{
			" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u0085", "\v", "\u2028", "/", "'", "'s", "'S", "'re", "'LL", "'x", "\"", "}", "...",
			"a", "Z", "word", "Word", "WORD", "ǅ", "ʰ", "中文", "ª", "\u0301", "\u20e3", "7", "12345", "½", "Ⅷ", "٣", "🙂", "👩‍👧", "\x00", "\x7f", "\ufffd", "<|endoftext|>",
		}),
		rapid.StringN(0, 8, -1),
		rapid.StringOfN(rapid.RuneFrom(nil, unicode.L, unicode.M, unicode.N, unicode.Z, unicode.S), 0, 6, -1),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.ReplaceAll(strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "parts"), ""), "ſ", "s")
	})
}

func TestTextsAreSplitAsByTheExpression(t *testing.T) {
	want := byExpression(t)
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		if got, want := split(text), want(text); !slices.Equal(got, want) {
			t.Fatalf("%q:\n got %q\nwant %q", text, got, want)
		}
	})
}
