package transport

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Join returns the address of an endpoint, such as /v1/messages, below a base
// URL. The base may end in the endpoint's first segment, in a version of its
// own, which then takes the place of that, or be the whole address already; its
// query is kept.
func Join(base, endpoint string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err // without the address, which may hold a password
		}
		return "", fmt.Errorf("base URL: %w", err)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return "", fmt.Errorf("base URL %q: expected http:// or https:// and a host", u.Redacted())
	}
	version, rest, _ := strings.Cut(strings.TrimPrefix(endpoint, "/"), "/")
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	last := path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case strings.HasSuffix(path, "/"+rest):
	case last == version || isVersion(last):
		path += "/" + rest
	default:
		path += "/" + version + "/" + rest
	}
	path, query, _ := strings.Cut(path, "?")
	if u.Path, err = url.PathUnescape(path); err != nil {
		return "", fmt.Errorf("base URL %q: %w", u.Redacted(), err)
	}
	u.RawPath = path
	if query != "" {
		u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+query, "&")
	}
	return u.String(), nil
}

// isVersion reports whether a segment of a path is a version: v1, v1beta, v4.
func isVersion(segment string) bool {
	return len(segment) >= 2 && segment[0] == 'v' && '0' <= segment[1] && segment[1] <= '9'
}
