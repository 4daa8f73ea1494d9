package anthropic

import "github.com/stemma-history/stemma/wire"

// Limits returns what the API holds every model's requests to. (Vendor's
// documentation and error bodies quoted in public issues, 2026.)
func Limits() wire.Limits {
	return wire.Limits{
		BodyBytes:  32 << 20,
		Media:      600, // 100 on models with a window of 200k
		ImageBytes: 10 << 20,
		SidePx:     8000,
		ManyImages: 20,
		ManySidePx: 2000,
		NoPrefill:  true,
	}
}
