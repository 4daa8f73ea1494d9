package tool

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

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
// be reached, and for how long.
func Fetch(client *http.Client) Tool { return fetchTool{client} }

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
	return readPage(response, address)
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
	case media == "application/pdf" && cut == "":
		content = message.Document{Media: message.Media{Type: media, Data: data, Size: int64(len(data)), URL: address.String()}}
	case strings.HasPrefix(media, "image/") && media != "image/svg+xml" && cut == "":
		content = message.NewImage(media, data)
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
