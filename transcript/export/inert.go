package export

import (
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// newMarkdown is the dialect that answers are read in.
func newMarkdown(options ...goldmark.Option) goldmark.Markdown {
	return goldmark.New(append([]goldmark.Option{goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough, extension.Linkify, extension.TaskList,
	)}, options...)...)
}

var markdownParser = sync.OnceValue(func() parser.Parser { return newMarkdown().Parser() })

// maxProse is the longest text that is read as Markdown, in bytes. The parser
// takes quadratic time for hostile text: 2 s for this much (goldmark v1.8.7,
// "[a](" repeated). Models rarely answer at greater length.
const maxProse = 64 << 10

// inert returns Markdown in which no HTML is left: an unclosed tag or comment
// would swallow what stands after it. Code keeps its angle brackets as they
// are. It reports false where that cannot be had.
func inert(markdown string) (string, bool) {
	if len(markdown) > maxProse {
		return "", false
	}
	// Text that was hidden by HTML may open some in its turn.
	for range 8 {
		if !strings.Contains(markdown, "<") {
			return markdown, true
		}
		found := htmlBrackets([]byte(markdown))
		if len(found) == 0 {
			return markdown, true
		}
		for _, at := range slices.Backward(found) {
			markdown = markdown[:at] + `\` + markdown[at:]
		}
	}
	return "", false
}

// htmlBrackets returns the places of "<" in HTML, in order.
func htmlBrackets(source []byte) []int {
	var found []int
	add := func(s text.Segment) {
		for i := s.Start; i < s.Stop; i++ {
			if source[i] == '<' {
				found = append(found, i)
			}
		}
	}
	_ = ast.Walk(markdownParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				add(n.Lines().At(i))
			}
			if n.HasClosure() {
				add(n.ClosureLine)
			}
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				add(n.Segments.At(i))
			}
		}
		return ast.WalkContinue, nil
	})
	slices.Sort(found)
	return slices.Compact(found)
}
