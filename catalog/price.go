package catalog

// Price is in US dollars for a million tokens.
type Price struct {
	Input  float64 `toml:"input"`
	Output float64 `toml:"output"`
	// CacheRead and CacheWrite are for input that is read from the provider's
	// cache, and written to it. Default: that of Input, which no vendor's reading
	// exceeds; a figure that is not known must not make input look free.
	CacheRead  float64 `toml:"cache_read"`
	CacheWrite float64 `toml:"cache_write"`
}

// Prompts over the step cost twice as much to read, and their answers half as
// much again. (Price lists of OpenAI and Google, 2026-11.)
const (
	longInput  = 2
	longOutput = 1.5
)

// Cost returns what a request and its answer cost in US dollars, of the tokens
// that the provider counted: input that has nothing to do with its cache, input
// read from and written to that, and output. It is 0 where no price is known.
func (m *Model) Cost(input, cacheRead, cacheWrite, output int64) float64 {
	p := m.priceOf(input + cacheRead + cacheWrite)
	if p.CacheRead == 0 {
		p.CacheRead = p.Input
	}
	if p.CacheWrite == 0 {
		p.CacheWrite = p.Input
	}
	return (float64(input)*p.Input + float64(cacheRead)*p.CacheRead + float64(cacheWrite)*p.CacheWrite + float64(output)*p.Output) / 1e6
}

// priceOf returns the price of a request with a prompt of so many tokens.
func (m *Model) priceOf(prompt int64) Price {
	switch p := m.Price; {
	case m.PriceStep == 0 || prompt <= int64(m.PriceStep):
		return p
	case m.PriceAbove != Price{}:
		return m.PriceAbove
	default:
		return Price{longInput * p.Input, longOutput * p.Output, longInput * p.CacheRead, longInput * p.CacheWrite}
	}
}
