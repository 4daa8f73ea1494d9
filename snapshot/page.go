package snapshot

// Version names the renderer. The same text, shape and version give the same
// bytes (P10); any change to layout, marks, fonts or PNG encoding raises it,
// so that a cache of pages keyed by it never serves a stale one.
const Version = 1

// A Page is one image of a snapshot. Everything in it is a function of the
// bytes it shows, their handles, its number and the shape: a page that is
// Full does not change when text is added after it.
type Page struct {
	Number int // from Options.First, which defaults to 1

	// From and To are the handles of the first and last entries that have text
	// on the page. Empty where its segments have no handle.
	From, To string

	// First and Last are the indexes of the first and last segments that do.
	First, Last int

	// Start and End are the cut offsets: the page shows the bytes
	// [Start, End) of the source's joined text.
	Start, End int

	// Full tells that text follows on another page. Only the last page of a
	// source is not full.
	Full bool

	// CRC is the CRC-32 (IEEE) of the page's canonical text: what Read gives
	// back. The page's header shows it as eight hexadecimal digits.
	CRC uint32

	Width, Height int // of the image, in pixels
	Cells         int // used by the text, the header not counted

	Changes Changes // what normalising did to the page's text

	// PNG is the image. Nil from Cut, which draws nothing.
	PNG []byte

	// Size is the length of PNG; from Cut an estimate, seldom too low.
	Size int
}

// Changes counts what normalising did to a text. Everything but ANSI and
// Composed is turned back by Read.
type Changes struct {
	ANSI     int // terminal control sequences taken out
	Composed int // places rewritten by Unicode normalisation (NFC)
	Escaped  int // characters written as code points: no glyph, or one that reads as another's
	Controls int // control characters written as code points, of those Escaped
	Invalid  int // bytes that are not UTF-8, written as bytes
}

// Add adds the counts of d to c.
func (c *Changes) Add(d Changes) {
	c.ANSI += d.ANSI
	c.Composed += d.Composed
	c.Escaped += d.Escaped
	c.Controls += d.Controls
	c.Invalid += d.Invalid
}

// Options are the settings of Cut and Render. The zero value is ready to use.
type Options struct {
	First   int // number of the first page. Default: 1
	From    int // where it begins in the joined text: a cut offset. Default: 0
	Workers int // pages drawn at the same time. Default: GOMAXPROCS
}
