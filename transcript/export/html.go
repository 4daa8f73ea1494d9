package export

import (
	"bufio"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"sync"

	"github.com/stemma-history/stemma/history"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

// HTML writes a path, or the whole tree, as one file that needs nothing else:
// the tree at the side, the path in the middle, images inside. Without a
// script engine all branches stand one after the other.
//
// Its errors are those of [Markdown].
func HTML(ctx context.Context, store history.Store, conversation history.ID, w io.Writer, options Options) error {
	o, err := newOutline(ctx, store, conversation, options)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(w, 64<<10)
	out := htmlWriter{outline: o, w: buffered}
	if err := out.page(); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	return o.incomplete.Err()
}

var pageTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(pageHTML))
})

type htmlWriter struct {
	*outline
	w io.Writer
}

func (w *htmlWriter) execute(name string, data any) error {
	return pageTemplates().ExecuteTemplate(w.w, name, data)
}

// pageView is what the frame of the page shows.
type pageView struct {
	Title  string
	Policy string
	Style  template.CSS
	Script template.JS
	Facts  []fact
}

func (w *htmlWriter) page() error {
	view := pageView{
		Title: w.name(), Policy: policy(), Style: template.CSS(pageCSS), Script: template.JS(pageJS),
		Facts: w.facts(),
	}
	if err := w.execute("head", view); err != nil {
		return err
	}
	if len(w.branches) > 0 {
		if err := w.tree(w.branches[0]); err != nil {
			return err
		}
	}
	if err := w.roots(); err != nil {
		return err
	}
	if err := w.execute("body", view); err != nil {
		return err
	}
	for _, b := range w.branches {
		if err := w.branch(b); err != nil {
			return err
		}
	}
	return w.execute("foot", view)
}

// policy allows the page its own style and script and the images inside it.
func policy() string {
	return "default-src 'none'; img-src data:; style-src " + source(pageCSS) + "; script-src " + source(pageJS) +
		"; base-uri 'none'; form-action 'none'"
}

// source is how a content security policy names text inside a page.
func source(text string) string {
	hash := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
}

// rowView is a line of the tree.
type rowView struct {
	ID      history.ID
	Class   string
	Depth   int
	Text    string
	Marks   []string
	Pinned  bool
	Silent  bool   // only branches that leave the entry are shown
	Branch  int    // that the line opens; 0 is none
	Entries string // of the branch
}

// Browsers lay out what is out of sight in leaves, all at once or not at all:
// a page of 10,000 entries would scroll at three frames a second otherwise.
const (
	rowsPerLeaf    = 100
	entriesPerLeaf = 40
)

// tree writes the lines of a branch, and of those that leave it.
func (w *htmlWriter) tree(b *branch) error {
	rows := w.rows(b)
	for leaf := range slices.Chunk(rows, rowsPerLeaf) {
		if err := w.execute("rows", len(leaf) == rowsPerLeaf); err != nil {
			return err
		}
		for _, row := range leaf {
			if !row.Silent {
				if err := w.execute("row", row); err != nil {
					return err
				}
			}
			for _, leaving := range w.leaving[row.ID] {
				if err := w.twig(leaving); err != nil {
					return err
				}
			}
		}
		if err := w.execute("rows-end", nil); err != nil {
			return err
		}
	}
	return nil
}

// rows returns the lines of a branch. Results stand with their calls: a line
// of their own says little, and is left out where nothing hangs on it.
func (w *htmlWriter) rows(b *branch) []rowView {
	rows := make([]rowView, 0, len(b.Nodes))
	for i := range b.Nodes {
		row := w.row(&b.Nodes[i])
		row.Silent = row.Class == "tool" && len(row.Marks) == 0 && !row.Pinned && i < len(b.Nodes)-1
		if !row.Silent || len(w.leaving[row.ID]) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// twig writes a branch within the tree.
func (w *htmlWriter) twig(b *branch) error {
	row := w.row(b.First())
	row.Branch, row.Entries = b.Number, count(len(b.Nodes), "entry", "entries")
	if err := w.execute("twig", row); err != nil {
		return err
	}
	if err := w.tree(b); err != nil {
		return err
	}
	return w.execute("twig-end", nil)
}

// roots writes the branches that leave no entry of the page.
func (w *htmlWriter) roots() error {
	for i, b := range w.branches {
		if i == 0 || w.shown[b.First().Parent] {
			continue
		}
		if err := w.execute("rows", false); err != nil {
			return err
		}
		if err := w.twig(b); err != nil {
			return err
		}
		if err := w.execute("rows-end", nil); err != nil {
			return err
		}
	}
	return nil
}

func (w *htmlWriter) row(n *history.Node) rowView {
	row := rowView{ID: n.ID, Class: nodeClass(n), Depth: n.Depth, Text: visible(n.Preview), Pinned: w.pinned[n.ID]}
	for _, c := range w.marks[n.ID] {
		row.Marks = append(row.Marks, line(c.Name, 40))
	}
	return row
}

// branchView is the head of a branch in the middle of the page.
type branchView struct {
	Number int
	From   string // the id of the entry that it leaves, if that is on the page
	Back   string // the id of the entry that follows there, if one does
	Origin string
}

func (w *htmlWriter) branch(b *branch) error {
	view := branchView{Number: b.Number, Origin: w.origin(b)}
	if parent := b.First().Parent; w.shown[parent] {
		view.From, view.Back = parent.String(), w.next(parent)
	}
	if err := w.execute("branch", view); err != nil {
		return err
	}
	n := 0
	for p, err := range w.pieces(b) {
		if err != nil {
			return err
		}
		if n%entriesPerLeaf == 0 {
			if err := w.execute("leaf", leafView{More: n > 0, Full: len(b.Nodes)-n >= entriesPerLeaf}); err != nil {
				return err
			}
		}
		n++
		entry, err := w.entry(&p)
		if err != nil {
			return err
		}
		if err := w.execute("entry", entry); err != nil {
			return err
		}
	}
	return w.execute("branch-end", nil)
}

// leafView is the beginning of a leaf.
type leafView struct{ More, Full bool }

// next returns the id of the entry that follows another in its branch, or "".
func (w *htmlWriter) next(id history.ID) string {
	for _, b := range w.branches {
		for i := range len(b.Nodes) - 1 {
			if b.Nodes[i].ID == id {
				return b.Nodes[i+1].ID.String()
			}
		}
	}
	return ""
}
