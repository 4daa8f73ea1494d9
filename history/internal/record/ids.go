package record

import (
	"encoding/hex"
	"strings"

	"github.com/stemma-history/stemma/history"
)

// zeroText is an id in text form: where the digits and the dashes stand.
const zeroText = "00000000-0000-0000-0000-000000000000"

// IDRange returns the first and the last id whose text begins with prefix. ok
// is false where no id does.
func IDRange(prefix string) (first, last history.ID, ok bool) {
	if len(prefix) > len(zeroText) {
		return first, last, false
	}
	var digits strings.Builder
	for i := range len(prefix) {
		c := prefix[i]
		switch {
		case (c == '-') != (zeroText[i] == '-'):
			return first, last, false
		case c != '-':
			digits.WriteByte(c)
		}
	}
	if strings.ToLower(prefix) != prefix {
		return first, last, false
	}
	for id, fill := range map[*history.ID]string{&first: "0", &last: "f"} {
		text := digits.String() + strings.Repeat(fill, 2*len(id)-digits.Len())
		if _, err := hex.Decode(id[:], []byte(text)); err != nil {
			return first, last, false
		}
	}
	return first, last, true
}
