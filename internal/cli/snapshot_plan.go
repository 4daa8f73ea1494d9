package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/internal/words"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/snapshot"
)

// A pagePlan is what drawing a text comes to: pages without images.
type pagePlan struct {
	reader  pageReader
	pages   []snapshot.Page
	indexes []string
	changes snapshot.Changes
	cells   int
	text    int // bytes of the text

	legibility snapshot.Legibility

	prices []pagePrice
	// refusal says why the model cannot take the pages. Empty where it can, or
	// where no model is named.
	refusal string
}

// A pagePrice compares pages with their text on one model, in its tokens.
type pagePrice struct {
	Model  string  `json:"model"`
	Images int     `json:"images"` // the pages
	Words  int     `json:"words"`  // the indexes and the guide
	Text   int     `json:"text"`   // the text itself
	Gain   float64 `json:"gain"`   // Text divided by the rest
}

// planPages cuts a text into pages and prices them.
func planPages(ctx context.Context, source []snapshot.Segment, r pageReader) (pagePlan, error) {
	p := pagePlan{reader: r, text: snapshot.Size(source)}
	for page, err := range snapshot.Cut(ctx, source, r.shape, snapshot.Options{}) {
		if err != nil {
			return p, err
		}
		p.pages = append(p.pages, page)
		p.changes.Add(page.Changes)
		p.cells += page.Cells
	}
	if len(p.pages) == 0 {
		return p, errors.New("the text is empty: there is nothing to draw")
	}
	p.indexes = snapshot.Index(source, p.pages, snapshot.IndexOptions{})
	for _, m := range r.priced() {
		p.prices = append(p.prices, p.priceOn(m, source))
	}
	if r.model != nil {
		p.refusal = p.refusalOf(r)
	}
	return p, nil
}

// priced are the models to price pages for: the one that is named, or the
// newest of each formula.
func (r pageReader) priced() []catalog.Model {
	if r.model != nil {
		return []catalog.Model{*r.model}
	}
	var models []catalog.Model
	for _, m := range slices.Backward(r.models.Models()) {
		same := func(other catalog.Model) bool { return other.Images.Price == m.Images.Price }
		if m.ReadsPages() && !slices.ContainsFunc(models, same) {
			models = append(models, m)
		}
	}
	slices.SortFunc(models, func(a, b catalog.Model) int { return cmp.Compare(a.ID, b.ID) })
	return models
}

// priceOn prices the pages, and the text they stand for, on a model.
func (p *pagePlan) priceOn(m catalog.Model, source []snapshot.Segment) pagePrice {
	meter := reclaim.MeterOf(m, nil, m.ID)
	texts := meter.Text(snapshot.FileGuide)
	for _, index := range p.indexes {
		texts = texts.Add(meter.Text(index))
	}
	text := meter.Text("")
	for _, s := range source {
		text = text.Add(meter.Text(s.Text))
	}
	price := pagePrice{Model: m.ID, Words: meter.Tokens(texts), Text: meter.Tokens(text)}
	for i := range p.pages {
		price.Images += meter.Image(p.pages[i].Width, p.pages[i].Height)
	}
	if cost := price.Images + price.Words; cost > 0 {
		price.Gain = float64(price.Text) / float64(cost)
	}
	return price
}

// size estimates the bytes of all pages.
func (p *pagePlan) size() (sum int64) {
	for i := range p.pages {
		sum += int64(p.pages[i].Size)
	}
	return sum
}

// refusalOf says why the model cannot take the pages: it is no use to draw them.
func (p *pagePlan) refusalOf(r pageReader) string {
	m, limits := r.model, r.limits
	switch cost := p.prices[0].Images + p.prices[0].Words; {
	case !limits.Sees:
		return fmt.Sprintf("%s reads no images", m.ID)
	case limits.Shape.Font == "":
		return fmt.Sprintf("%s is not known to read pages: it shrinks images, or charges more for a page than for its text", m.ID)
	case limits.MaxImages > 0 && len(p.pages) > limits.MaxImages:
		return fmt.Sprintf("%s takes at most %s in a request, and the text needs %s; cut it, or take a denser shape", m.ID, words.Count(limits.MaxImages, "image"), words.Thousands(len(p.pages)))
	case limits.MaxImageBytes > 0 && p.size() > limits.MaxImageBytes:
		return fmt.Sprintf("the pages are about %s, and a request to %s has room for %s of images; cut the text, or take another shape", words.ByteSize(p.size()), m.ID, words.ByteSize(limits.MaxImageBytes))
	case p.prices[0].Gain < 1:
		return fmt.Sprintf("the pages cost %s on %s, the text %s: it does not pay", words.Count(cost, "token"), m.ID, words.Thousands(p.prices[0].Text))
	case cost > m.Window:
		return fmt.Sprintf("the pages cost %s on %s, whose window is %s; cut the text, or take a denser shape", words.Count(cost, "token"), m.ID, words.Thousands(m.Window))
	}
	return ""
}

// planJSON is a plan, or what came of it, as it is printed.
type planJSON struct {
	Shape   snapshotShapeJSON `json:"shape"`
	Bytes   int               `json:"bytes"`       // of the text
	Size    int64             `json:"pages_bytes"` // of all pages, about
	Prices  []pagePrice       `json:"prices"`
	Refusal string            `json:"refusal,omitempty"`
	Changes struct {
		ANSI     int `json:"ansi"`
		Composed int `json:"composed"`
		Escaped  int `json:"escaped"`
		Invalid  int `json:"invalid"`
	} `json:"changes"`
	Legibility legibilityJSON `json:"legibility"`
	Pages      []pageJSON     `json:"pages"`
}

// legibilityJSON says what of the text models misread on pages.
type legibilityJSON struct {
	Characters int      `json:"characters"` // of the text
	Illegible  int      `json:"illegible"`  // of them, in these scripts
	Scripts    []string `json:"scripts"`
	StaysText  bool     `json:"stays_text"` // better not on pages
}

type snapshotShapeJSON struct {
	Name   string `json:"name"`
	Font   string `json:"font"`
	Cell   [2]int `json:"cell"`
	Page   [2]int `json:"page"`
	Render int    `json:"renderer"`
}

func (p *pagePlan) json(pages []pageJSON) planJSON {
	s := p.reader.shape
	j := planJSON{
		Shape:   snapshotShapeJSON{s.Name, s.Font, [2]int{s.CellWidth, s.CellHeight}, [2]int{s.PageWidth, s.PageHeight}, snapshot.Version},
		Bytes:   p.text,
		Size:    p.size(),
		Prices:  p.prices,
		Refusal: p.refusal,
		Pages:   pages,
		Legibility: legibilityJSON{
			Characters: p.legibility.Characters,
			Illegible:  p.legibility.Illegible,
			Scripts:    append([]string{}, p.legibility.Scripts...),
			StaysText:  p.legibility.StaysText(),
		},
	}
	j.Changes.ANSI, j.Changes.Composed, j.Changes.Escaped, j.Changes.Invalid = p.changes.ANSI, p.changes.Composed, p.changes.Escaped, p.changes.Invalid
	return j
}

// printPlan says what drawing would come to. A refusal decides the exit code.
func (o *snapshotOptions) printPlan(p pagePlan) error {
	if o.json {
		pages := make([]pageJSON, len(p.pages))
		for i := range p.pages {
			pages[i] = newPageJSON(&p.pages[i], "", p.indexes[i])
		}
		if err := o.printJSON(p.json(pages)); err != nil {
			return err
		}
	} else {
		o.printPrices(p)
	}
	if p.refusal != "" {
		return &pagesError{p.refusal}
	}
	return nil
}

func (o *snapshotOptions) printPrices(p pagePlan) {
	s := p.reader.shape
	size := "no page"
	if len(p.pages) > 0 {
		size = fmt.Sprintf("%d×%d", p.pages[0].Width, p.pages[0].Height)
	}
	o.out.printf("%s of %s in %s: %s, about %s, for %s of text\n", words.Count(len(p.pages), "page"), size, s.Name, words.Count(p.cells, "cell"), words.ByteSize(p.size()), words.ByteSize(int64(p.text)))
	table := o.table(column{title: "MODEL"}, column{title: "PAGES", right: true}, column{title: "INDEXES", right: true}, column{title: "TEXT", right: true}, column{title: "GAIN", right: true})
	for _, price := range p.prices {
		table.row(cell{value: price.Model}, tokenCell(price.Images), tokenCell(price.Words), tokenCell(price.Text), cell{value: fmt.Sprintf("%.2f", price.Gain)})
	}
	table.print()
	if !slices.ContainsFunc(p.prices, func(p pagePrice) bool { return p.Gain > 1 }) {
		o.out.printf("the pages cost more than the text\n")
	}
}

func tokenCell(n int) cell { return cell{value: fmt.Sprint(n), shown: words.Thousands(n)} }
