package reclaim_test

import (
	"testing"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/wire"
)

// TestTheLadderKnowsWhatAWireRefuses: a model that takes more than the API it is
// reached by gets no more than that takes, and no less than its own.
func TestTheLadderKnowsWhatAWireRefuses(t *testing.T) {
	sees := catalog.Images{Price: catalog.ImagePrice{By: "flat", Tokens: 1000}, MaxCount: 500, MaxEdge: 6000}
	over := func(wireName string) reclaim.Reader {
		return reclaim.ProblemFor(catalog.Model{ID: "m", Window: 100_000, Images: sees}, wire.Frame{Model: "m", Wire: wireName}, nil, nil, 0).Reader
	}
	if own := over("a wire of tomorrow"); own != (reclaim.Reader{Sees: true, MaxImages: 500, MaxEdgePx: 6000}) {
		t.Errorf("%+v", own)
	}
	if r := over("anthropic"); r.MaxImages != 500 || r.MaxEdgePx != 6000 || r.ManyImages != 20 || r.ManyEdgePx != 2000 || r.MaxImageBytes == 0 || r.MaxFileBytes == 0 {
		t.Errorf("%+v", r)
	}
}
