package providertest

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/anthropic"
)

// limitsFor are what the checker of a wire holds requests for a model to.
func (s *Server) limitsFor(w speaker, d Dialect, m catalog.Model) wire.Limits {
	l := w.limits()
	l.StrictKeys = !s.config.Loose && !d.AnyModel
	l.KnownModel = func(name string) bool {
		_, known := s.config.model(name, d)
		return known
	}
	l.MaxOutput = m.MaxOutput
	l.Media = cmp.Or(m.Images.MaxCount, l.Media)
	l.ImageBytes = cmp.Or(m.Images.MaxBytes, l.ImageBytes)
	l.BodyBytes = cmp.Or(m.Images.MaxRequestBytes, l.BodyBytes)
	l.SidePx = cmp.Or(m.Images.MaxEdge, l.SidePx)
	l.ManyImages = cmp.Or(m.Images.ManyCount, l.ManyImages)
	l.ManySidePx = cmp.Or(m.Images.ManyEdge, l.ManySidePx)
	l.NoPrefill = w.name == anthropic.Wire && !m.Prefill
	if w.name == anthropic.Wire {
		version := since(m.ID)
		l.MidSystem = version >= 4.8
		l.AdaptiveOnly = version >= 4.7
		l.NoForcedTool = version >= 5.5 || strings.HasPrefix(m.ID, "claude-fable")
	}
	l.CallSignatures = strings.HasPrefix(m.ID, "gemini-") && since(m.ID) >= 3
	return l
}

// since returns the version in a model's name, such as 4.7 of claude-opus-4-7
// or 5.6 of gpt-5.6-sol; 0 where it has none.
func since(id string) float64 {
	at := strings.IndexAny(id, "0123456789")
	if at < 0 {
		return 0
	}
	major, rest, _ := strings.Cut(strings.Replace(id[at:], ".", "-", 1), "-")
	minor, _, _ := strings.Cut(rest, "-")
	if len(minor) == 1 {
		major += "." + minor
	}
	v, err := strconv.ParseFloat(major, 64)
	if err != nil {
		return 0 // 4o and the like: before all that is asked for here
	}
	return v
}
