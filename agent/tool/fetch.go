package tool

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html/charset"

	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
)

// fetchBytes is the most that is read of a page.
const fetchBytes = 10 << 20

// Fetch returns the tool that reads pages of the web. Client decides what can
// be reached, and for how long: see [PublicClient]. Its CheckRedirect is
// replaced: a redirect to another host is not followed but shown, so that rules
// decide about that host too.
func Fetch(client *http.Client) Tool {
	if client == nil {
		client = PublicClient(nil)
	}
	own := *client
	own.CheckRedirect = followOnHost
	return fetchTool{&own}
}

// asks says that a person decides about this machine and its networks, where
// to read can be to learn a secret or to set something off.
func (t fetchTool) asks(c Call) bool {
	u, err := url.Parse(About(t, c))
	return err == nil && isPrivate(u.Hostname())
}

// followOnHost follows a redirect on the same host, or from http to https.
func followOnHost(next *http.Request, before []*http.Request) error {
	first := before[0].URL
	if len(before) >= 10 || next.URL.Hostname() != first.Hostname() ||
		next.URL.Port() != first.Port() && next.URL.Scheme == first.Scheme ||
		first.Scheme == "https" && next.URL.Scheme != "https" {
		return http.ErrUseLastResponse
	}
	return nil
}

// PublicClient returns a client for [Fetch] that waits a minute at most. Of
// private networks it reaches only what the address names openly, as localhost
// or by number, since only that can a person decide on: a name of the net that
// leads there is refused. Proxy is as in [http.Transport]; behind one, names are
// the proxy's to resolve.
func PublicClient(proxy func(*http.Request) (*url.URL, error)) *http.Client {
	proxied := http.DefaultTransport.(*http.Transport).Clone()
	proxied.Proxy = proxy
	direct := proxied.Clone()
	direct.Proxy = nil
	open := &net.Dialer{Timeout: 30 * time.Second}
	guarded := &net.Dialer{Timeout: 30 * time.Second, Control: refusePrivate}
	direct.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, _, err := net.SplitHostPort(address); err == nil && isPrivate(host) {
			return open.DialContext(ctx, network, address)
		}
		return guarded.DialContext(ctx, network, address)
	}
	return &http.Client{Timeout: time.Minute, Transport: choice(func(r *http.Request) http.RoundTripper {
		if proxy != nil {
			if at, err := proxy(r); err != nil || at != nil {
				return proxied
			}
		}
		return direct
	})}
}

// A choice sends each request by what it chooses.
type choice func(*http.Request) http.RoundTripper

func (c choice) RoundTrip(r *http.Request) (*http.Response, error) { return c(r).RoundTrip(r) }

// refusePrivate refuses to connect to what a name resolved to.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err == nil && !isPublic(at.Addr()) {
		err = fmt.Errorf("the name leads to %s in a private network: ask the person to fetch it with a command", at.Addr())
	}
	return err
}

type fetchTool struct{ client *http.Client }

func (fetchTool) ReadOnly() bool { return true }

func (fetchTool) Definition() wire.Tool {
	return wire.Tool{
		Name:        "fetch",
		Description: "Reads a page of the web. HTML comes as Markdown, images and PDFs as such, everything else as text.",
		Schema:      schema(`"url":{"type":"string"}`, "url"),
	}
}

func (t fetchTool) Run(ctx context.Context, c Call) Result {
	a, err := decode[struct {
		URL string `json:"url"`
	}](c.Arguments)
	if err == nil {
		err = required("url", a.URL)
	}
	if err != nil {
		return Fail(err.Error())
	}
	address, err := url.Parse(a.URL)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return Fail(fmt.Sprintf("%q is no address of the web: expected http:// or https://", a.URL))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return Fail(err.Error())
	}
	request.Header.Set("Accept", "text/markdown, text/html;q=0.9, */*;q=0.5")
	response, err := t.client.Do(request)
	if err != nil {
		return Fail(err.Error())
	}
	defer response.Body.Close()
	if to, err := response.Location(); err == nil && response.StatusCode/100 == 3 {
		return found(fmt.Sprintf("%s leads to %s, on another host: fetch that if it is wanted.", address, to))
	}
	return readPage(response, response.Request.URL)
}

// readPage turns what a server answered into what a model can take.
func readPage(response *http.Response, address *url.URL) Result {
	data, err := io.ReadAll(io.LimitReader(response.Body, fetchBytes+1))
	if err != nil {
		return Fail(err.Error())
	}
	cut := ""
	if len(data) > fetchBytes {
		data, cut = data[:fetchBytes], fmt.Sprintf("\n(The page is longer: only its first %d bytes were read.)", fetchBytes)
	}
	kind := response.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(kind)
	if err != nil {
		kind = http.DetectContentType(data)
		media, _, _ = mime.ParseMediaType(kind)
	}
	var content message.Content
	switch {
	case media == "application/pdf" && len(data) <= mediaBytes:
		content = message.Document{Media: message.Media{Type: media, Data: data, Size: int64(len(data)), URL: address.String()}}
	case isImage(http.DetectContentType(data)) && len(data) <= mediaBytes: // whatever the server calls it
		content = message.NewImage(http.DetectContentType(data), data)
	case isText(media):
		content = message.Text{Text: pageText(data, kind, media, address) + cut}
	default:
		return Fail(fmt.Sprintf("%s is %s, %d bytes: nothing that can be shown", address, media, len(data)))
	}
	r := Result{Content: []message.Content{content}, Uneventful: true}
	if response.StatusCode >= 400 {
		r.Outcome, r.Uneventful = message.Failed, false
		r.Content = append([]message.Content{message.Text{Text: "HTTP " + response.Status}}, r.Content...)
	}
	return r
}

func isText(media string) bool {
	for _, kind := range []string{"text/", "application/json", "application/xml", "application/javascript", "image/svg+xml"} {
		if strings.HasPrefix(media, kind) {
			return true
		}
	}
	return strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml")
}

// pageText returns a text in UTF-8, and HTML as Markdown.
func pageText(data []byte, kind, media string, address *url.URL) string {
	if r, err := charset.NewReader(strings.NewReader(string(data)), kind); err == nil {
		if decoded, err := io.ReadAll(r); err == nil {
			data = decoded
		}
	}
	if media == "text/html" || media == "application/xhtml+xml" {
		markdown := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
		if text, err := markdown.ConvertString(string(data), converter.WithDomain(address.Scheme+"://"+address.Host)); err == nil {
			return text
		}
	}
	return strings.ToValidUTF8(string(data), "\uFFFD")
}
