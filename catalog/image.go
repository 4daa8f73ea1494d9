package catalog

import "math"

// An ImagePrice says what a model charges for an image. The zero value charges
// nothing: the model reads no images.
type ImagePrice struct {
	// By is the family of the formula: patches, tiles or flat.
	By string `toml:"by"`

	// Patches: the image is cut into squares of Patch pixels, each costs
	// Multiplier tokens; it is shrunk first until no side is longer than
	// MaxEdge and it has at most MaxPatches squares.
	Patch      int     `toml:"patch"`
	Multiplier float64 `toml:"multiplier"` // Default: 1
	MaxEdge    int     `toml:"max_edge"`
	MaxPatches int     `toml:"max_patches"`

	// Tiles: the image is shrunk to fit a square of 2048 and to a short side of
	// 768, then costs Base and PerTile for each tile of 512 pixels.
	Base    int `toml:"base"`
	PerTile int `toml:"per_tile"`

	// Flat: every image costs Tokens, whatever its size.
	Tokens int `toml:"tokens"`
}

// Price returns the tokens of an image.
func (p ImagePrice) Price(widthPx, heightPx int) int {
	if widthPx <= 0 || heightPx <= 0 {
		return 0
	}
	switch p.By {
	case "patches":
		w, h := p.shrunk(widthPx, heightPx)
		multiplier := p.Multiplier
		if multiplier == 0 {
			multiplier = 1
		}
		return int(math.Ceil(float64(patches(w, p.Patch)*patches(h, p.Patch)) * multiplier))
	case "tiles":
		w, h := fitInto(float64(widthPx), float64(heightPx), 2048)
		if short := min(w, h); short > 768 {
			w, h = w*768/short, h*768/short
		}
		return p.Base + p.PerTile*patches(int(math.Ceil(w)), 512)*patches(int(math.Ceil(h)), 512)
	case "flat":
		return p.Tokens
	}
	return 0
}

// Shrinks reports whether the provider makes an image smaller before the model
// sees it: text on it is then no longer what was drawn.
func (p ImagePrice) Shrinks(widthPx, heightPx int) bool {
	switch p.By {
	case "patches":
		w, h := p.shrunk(widthPx, heightPx)
		return w != widthPx || h != heightPx
	case "tiles":
		return max(widthPx, heightPx) > 2048 || min(widthPx, heightPx) > 768
	}
	return p.MaxEdge > 0 && max(widthPx, heightPx) > p.MaxEdge
}

// shrunk returns the size at which an image is billed: the largest of the same
// proportions that is within both limits.
func (p ImagePrice) shrunk(widthPx, heightPx int) (w, h int) {
	fw, fh := float64(widthPx), float64(heightPx)
	if p.MaxEdge > 0 {
		fw, fh = fitInto(fw, fh, float64(p.MaxEdge))
	}
	w, h = max(int(fw), 1), max(int(fh), 1)
	for p.MaxPatches > 0 && patches(w, p.Patch)*patches(h, p.Patch) > p.MaxPatches {
		// One step at a time near the limit: the grid, not the area, must fit.
		factor := math.Sqrt(float64(p.MaxPatches) / float64(patches(w, p.Patch)*patches(h, p.Patch)))
		fw, fh = min(fw*factor, fw-1), min(fh*factor, fh-1)
		w, h = max(int(fw), 1), max(int(fh), 1)
	}
	return w, h
}

func fitInto(w, h, edge float64) (float64, float64) {
	if long := max(w, h); long > edge {
		return w * edge / long, h * edge / long
	}
	return w, h
}

func patches(px, size int) int { return (px + size - 1) / size }
