package transport

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/stemma-history/stemma/provider"
)

// A Member is put behind a body: what belongs to the transport of a request, not
// to the conversation. There it leaves the bytes before it as they are, and
// with them the provider's cache.
type Member struct {
	// JSON is the member, such as "stream":true.
	JSON string
	// Header is sent with it. Default: none.
	Header http.Header
	// Words are what a refusal names the member by. The request is then sent
	// without it, and from then on for this model, if that helps; lower case.
	// Default: it cannot be left out.
	Words []string
	// Else takes the place of the member where that is left out. Default: nothing.
	Else *Member
}

// instead returns what is sent of members where those are left out that refused
// names.
func instead(members []Member, refused func(Member) bool) []Member {
	var sent []Member
	for _, m := range members {
		at := &m
		for at != nil && refused(*at) {
			at = at.Else
		}
		if at != nil {
			sent = append(sent, *at)
		}
	}
	return sent
}

// refusedBy returns the members that a refusal is about and that can be left
// out.
func refusedBy(refusal []byte, err error, members []Member) []Member {
	var e *provider.Error
	if !errors.As(err, &e) || e.Kind != provider.Invalid {
		return nil
	}
	var refused []Member
	refusal = bytes.ToLower(refusal)
	for _, m := range members {
		for _, w := range m.Words {
			if bytes.Contains(refusal, []byte(w)) {
				refused = append(refused, m)
				break
			}
		}
	}
	return refused
}

// setBody makes a request's body of an object without its closing brace, and the
// members behind it.
func setBody(req *http.Request, head []byte, members []Member) {
	var tail strings.Builder
	for _, m := range members {
		if m.JSON != "" {
			tail.WriteByte(',')
			tail.WriteString(m.JSON)
		}
	}
	tail.WriteByte('}')
	req.ContentLength = int64(len(head) + tail.Len())
	req.GetBody = func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(bytes.NewReader(head), strings.NewReader(tail.String()))), nil
	}
	req.Body, _ = req.GetBody() // has no error
}
