package catalog

// A Model is what is known of a model.
type Model struct {
	// ID is the model's name without provider prefix and date; it also stands
	// for every name that begins with it and is not listed itself.
	ID       string `toml:"id"`
	Provider string `toml:"provider"` // who makes it
	Wire     string `toml:"wire"`     // the API it is usually reached by

	Window    int   `toml:"window"`     // tokens it accepts, the answer included
	MaxOutput int   `toml:"max_output"` // tokens of an answer; 0 where not known
	Price     Price `toml:"price"`
	// PriceStep is the size of a prompt in tokens above which a request costs
	// more: PriceAbove. Default of that: twice the price of input, and half as
	// much again for output.
	PriceStep  int   `toml:"price_step"`
	PriceAbove Price `toml:"price_above"`

	Images Images `toml:"images"`

	// ChecksThinking: it refuses thinking whose prefix has changed.
	ChecksThinking bool `toml:"checks_thinking"`
	// Thinking is how it is told how much to think: by a word (effort) or in
	// tokens (budget). Default: it does not think, or that is not known.
	Thinking string `toml:"thinking"`
	// Prefill: a request may end with the beginning of an answer.
	Prefill bool `toml:"prefill"`
	// Factor is how many tokens it bills for one of o200k, before anything is
	// known from its own bills. Default: 1.
	Factor float64 `toml:"factor"`
	// CacheMinimum is the smallest prefix in tokens that its provider caches.
	CacheMinimum int `toml:"cache_minimum"`
}

// Images is what a model and its provider accept as images. The zero value is a
// model that reads none.
type Images struct {
	Price ImagePrice `toml:"price"`
	// MaxCount limits the images, and pages of PDFs, of one request.
	MaxCount int `toml:"max_count"`
	// MaxBytes limits the base64 of one image.
	MaxBytes int `toml:"max_bytes"`
	// MaxRequestBytes limits the body.
	MaxRequestBytes int `toml:"max_request_bytes"`
	// MaxEdge limits each side; ManyEdge does where there are more than
	// ManyCount images.
	MaxEdge   int `toml:"max_edge"`
	ManyCount int `toml:"many_count"`
	ManyEdge  int `toml:"many_edge"`
	// Page is the largest page in pixels that reaches the model as it was
	// drawn; zero where pages are no use.
	Page Page `toml:"page"`
}

// Page is the size and the type of a snapshot's pages for a model.
type Page struct {
	Width  int `toml:"width"`
	Height int `toml:"height"`
	// Shape names the cell: 6x13, 8x16 or 8x22. Default: 8x16, which every
	// reader that was measured can read.
	Shape string `toml:"shape"`
}

// Sees reports whether images are read at all.
func (i *Images) Sees() bool { return i.Price.By != "" }

// Sees reports whether the model reads images at all.
func (m *Model) Sees() bool { return m.Images.Sees() }

// ReadsPages reports whether pages of text are of use to the model.
func (m *Model) ReadsPages() bool { return m.Sees() && m.Images.Page.Width > 0 }
