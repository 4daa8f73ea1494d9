package export

import (
	"bytes"
	"fmt"
	"html/template"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// prose returns the HTML of text that may be Markdown. Text that is too long
// for that is shown as it stands. HTML in the text is shown, not obeyed;
// images are links, for the page loads nothing.
func prose(markdown string) template.HTML {
	markdown = visible(markdown)
	harmless, ok := inert(markdown)
	if !ok {
		return plain(markdown)
	}
	var out bytes.Buffer
	if err := markdownRenderer().Convert([]byte(harmless), &out); err != nil {
		return plain(markdown)
	}
	// The renderer writes nothing dangerous; the sanitizer does not rely on it.
	return template.HTML(`<div class="prose">` + sanitizer().Sanitize(out.String()) + `</div>`)
}

func plain(text string) template.HTML {
	return template.HTML(`<div class="plain">` + template.HTMLEscapeString(text) + `</div>`)
}

var markdownRenderer = sync.OnceValue(func() goldmark.Markdown {
	// goldmark's own renderers have priority 1000 and yield to lower ones.
	own := renderer.WithNodeRenderers(util.Prioritized(unhidden{}, 100))
	return newMarkdown(goldmark.WithRendererOptions(own))
})

// unhidden shows what would not be seen otherwise: images, which the page does
// not load, and the definitions of links.
type unhidden struct{}

// RegisterFuncs implements [renderer.NodeRenderer].
func (unhidden) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindImage, imageLink)
	r.Register(ast.KindLinkReferenceDefinition, definition)
}

func definition(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.LinkReferenceDefinition)
	text := fmt.Sprintf("[%s]: %s %s", n.Label, n.Destination, n.Title)
	_, err := w.WriteString("<p><code>" + template.HTMLEscapeString(strings.TrimSpace(text)) + "</code></p>\n")
	return ast.WalkContinue, err
}

// imageLink puts the text for an image, as a link to it, in its place.
func imageLink(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Image)
	if !entering {
		_, err := w.WriteString("]</a>")
		return ast.WalkContinue, err
	}
	href := ""
	if u, err := url.Parse(string(n.Destination)); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		href = u.String()
	}
	_, err := w.WriteString(`<a href="` + template.HTMLEscapeString(href) + `">[image: `)
	return ast.WalkContinue, err
}

// sanitizer lets through what Markdown makes of text, and nothing that loads,
// runs, submits, or names a place of the page.
var sanitizer = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(
		"p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "em", "strong", "del", "blockquote",
		"ul", "ol", "li", "pre", "code", "table", "thead", "tbody", "tr", "th", "td", "div",
	)
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^language-[\w+#.-]{1,40}$`)).OnElements("code")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(bluemonday.CellAlign).OnElements("th", "td")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").Matching(regexp.MustCompile(`^$`)).OnElements("input")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(false)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
})
