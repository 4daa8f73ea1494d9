package wire

import (
	"strconv"
	"strings"

	"github.com/stemma-history/stemma/history"
)

// An IDRule says which ids of tool calls a server takes. Letters and digits are
// always taken; the zero rule takes nothing else.
type IDRule struct {
	// MinLen and MaxLen limit the length in bytes; MaxLen 0 does not.
	MinLen, MaxLen int
	Punctuation    string // what is taken besides letters and digits
	Prefix         string // of the ids made here
	// Optional says that a call may go without an id: those that came without
	// one stay so.
	Optional bool
}

// AnyPunctuation is all of it that ASCII has.
const AnyPunctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// Valid reports whether the rule allows an id.
func (r IDRule) Valid(id string) bool {
	for _, c := range []byte(id) {
		if !isAlphanumeric(c) && strings.IndexByte(r.Punctuation, c) < 0 {
			return false
		}
	}
	return id != "" && len(id) >= r.MinLen && (r.MaxLen == 0 || len(id) <= r.MaxLen)
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// Make returns an id for the call at a handle, the same every time. Where the
// rule fixes the length, depth and part are written in base 36.
func (r IDRule) Make(at history.Handle) string {
	if r.MaxLen > 0 && r.MinLen == r.MaxLen {
		const partDigits = 3 // 46,655 calls in one message
		return pad(strconv.FormatInt(int64(at.Depth), 36), r.MaxLen-partDigits) + pad(strconv.FormatInt(int64(at.Part), 36), partDigits)
	}
	between := "_"
	if strings.IndexByte(r.Punctuation, '_') < 0 {
		between = "x"
	}
	place := strconv.Itoa(at.Depth) + between + strconv.Itoa(at.Part)
	return r.Prefix + pad(place, r.MinLen-len(r.Prefix))
}

func pad(digits string, width int) string {
	return strings.Repeat("0", max(width-len(digits), 0)) + digits
}
