package snapshot

// A burst is a stretch of text with many characters that the face cannot draw.
// It is found by a score that rises with each of them, falls with each other
// character, and reaches its mark after 16 in a row, or where for long more
// than one in 32 is missing.
type burst struct {
	watched bool
	found   bool
	start   int // offset in the joined text where the score last began to rise
	score   int
}

const (
	missingScore = 32
	burstScore   = 16 * missingScore
)

func (b *burst) missing(at int) {
	if b.score == 0 {
		b.start = at
	}
	b.score += missingScore
	b.found = b.watched && b.score >= burstScore
}

func (b *burst) drawn(n int) { b.score = max(b.score-n, 0) }
