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
	pages, _, _ := catalog.Default().Find("gemini-4-argon")
	if r := reclaim.ProblemFor(pages, wire.Frame{Model: "gemini-4-argon", Wire: "anthropic"}, nil, nil, 0).Reader; r.Shape.PageWidth != 2000 || r.Shape.PageHeight != 2000 {
		t.Errorf("pages of %d x %d: of more than 20 none may be larger than 2000", r.Shape.PageWidth, r.Shape.PageHeight)
	}
	if r := over("anthropic"); r.MaxImages != 500 || r.MaxEdgePx != 6000 || r.ManyImages != 20 || r.ManyEdgePx != 2000 || r.MaxImageBytes == 0 || r.MaxFileBytes == 0 {
		t.Errorf("%+v", r)
	}
}
