package message

import "testing"

func TestDataURLsHoldTheirBytes(t *testing.T) {
	for _, c := range []struct {
		link, mediaType, data string
		ok                    bool
	}{
		{"data:image/png;base64,AAEC", "image/png", "\x00\x01\x02", true},
		{"data:image/png;name=a.png;base64,_-8=", "image/png", "\xff\xef", true},
		{"data:image/png;base64,/+8", "image/png", "\xff\xef", true},
		{"data:image/png;base64,AAEC\r\nAw==\n", "image/png", "\x00\x01\x02\x03", true},
		{"data:text/plain;charset=utf-8,a%20b", "text/plain", "a b", true},
		{"data:,x", "", "x", true},
		{"data:image/png;base64,", "", "", false},
		{"data:image/png;base64,*", "", "", false},
		{"data:text/plain,%zz", "", "", false},
		{"data:image/png", "", "", false},
		{"https://example.org/a,b", "", "", false},
	} {
		mediaType, data, ok := DataURL(c.link)
		if ok != c.ok || ok && (mediaType != c.mediaType || string(data) != c.data) {
			t.Errorf("%q: got %q, %q, %v", c.link, mediaType, data, ok)
		}
	}
}
