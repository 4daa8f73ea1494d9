package provider

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/stemma-history/stemma/catalog"
)

// Settings say how a provider is reached. The zero value is its own address,
// without a key.
type Settings struct {
	// Name is what people call it. Default: the provider's own.
	Name string
	// BaseURL is where its API is, with or without the version at the end.
	// Default: the provider's own.
	BaseURL string
	// Key returns the secret; it is called for each request, so that a short
	// one can be fetched anew. It is in no error and in no log. Default: none is
	// sent.
	Key func(context.Context) (string, error)
	// Header is sent with each request, and wins over what is sent otherwise.
	Header http.Header
	// HTTP makes the requests. It must have no Timeout: answers take as long as
	// they take. Redirects are not followed, so that a key goes nowhere else.
	// Default: [NewHTTP] without a proxy.
	HTTP *http.Client
	// Idle is the longest silence, of the whole answer or in it, that is taken
	// for thinking; then the connection counts as lost. Default: 10 minutes,
	// for models that think that long without a sign.
	Idle time.Duration
	// Catalog says what models can do. Default: [catalog.Default].
	Catalog *catalog.Catalog
	// TooLong also says, of the text of a refusal, that the prompt is too long,
	// for a server whose words are not known here. Groups named used and limit
	// are numbers of tokens. Default: none.
	TooLong *regexp.Regexp
}

// NewHTTP returns a client for answers that take long: with connections that are
// kept, and no limit but the caller's. proxy is such as
// [http.ProxyFromEnvironment]; nil uses none.
func NewHTTP(proxy func(*http.Request) (*url.URL, error)) *http.Client {
	t := &http.Transport{
		Proxy:               proxy,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        100,
		MaxIdleConnsPerHost: 8, // runs at the same time
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
		DialContext:         (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
	}
	return &http.Client{Transport: t}
}
