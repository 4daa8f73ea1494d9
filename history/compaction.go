package history

import (
	"encoding/json"
	"errors"
	"fmt"
)

// A Compaction records how ranges of its own path are shown from here on. It
// holds all that a view needs, literally, so that the same path gives the same
// view next year.
type Compaction struct {
	Treatments []Treatment `json:"treatments"`
	Reason     Reason      `json:"reason"`
}

// A Treatment shows the entries From to To, both included, in another way.
// Where handles name parts, both name parts of one entry.
type Treatment struct {
	From Handle `json:"from"`
	To   Handle `json:"to"`
	As   As     `json:"as"`
	// Text stands in the view instead of the range: the stub, the outline, the
	// summary, or the line that says what was trimmed. For pages it is the
	// reading guide.
	Text  string `json:"text,omitempty"`
	Pages *Pages `json:"pages,omitempty"`
}

// As is how a range is shown.
type As string

const (
	AsWhole   As = "whole"   // as it is; takes an earlier treatment back
	AsStub    As = "stub"    // one line: what was there and how to get it back
	AsImages  As = "images"  // a line of Text for each image and document of a result
	AsPages   As = "pages"   // images of the text
	AsOutline As = "outline" // one line an exchange
	AsSummary As = "summary" // a model's narrative
	AsTrimmed As = "trimmed" // one line for everything before the cut
)

// Pages is all that is needed to make the images of a range again from the
// entries' text.
type Pages struct {
	Shape    json.RawMessage `json:"shape"`    // the shape's parameters, not its name
	Renderer int             `json:"renderer"` // version of the renderer
	Pages    []Page          `json:"pages"`
}

// A Page is one image: its text begins where the one before ends.
type Page struct {
	End   int64  `json:"end"`   // byte offset in the text of the range
	CRC   uint32 `json:"crc"`   // CRC-32 (IEEE) of the page's text
	Index string `json:"index"` // stands directly before the image
	// Width and Height of the image in pixels.
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Reason is why a compaction was made.
type Reason struct {
	Trigger Trigger `json:"trigger"`
	Model   string  `json:"model,omitempty"`
	// Used and Limit are the tokens that a refusal stated, 0 where it did not.
	Used  int64 `json:"used,omitempty"`
	Limit int64 `json:"limit,omitempty"`
	// Estimate is what the refused request was taken to cost, by a measure
	// without a calibration.
	Estimate int64 `json:"estimate,omitempty"`
	// Before and After are the estimated tokens of the view, 0 where they are
	// not known.
	Before int64 `json:"before,omitempty"`
	After  int64 `json:"after,omitempty"`
	// Note is the refusal's text, the person's focus, or the source tool's name.
	Note string `json:"note,omitempty"`
}

// Trigger is what caused a compaction.
type Trigger string

const (
	ByThreshold Trigger = "threshold" // the view grew over the threshold
	ByRefusal   Trigger = "refusal"   // the provider refused the request as too large
	ByCommand   Trigger = "command"   // someone asked for it
	BySwitch    Trigger = "switch"    // a model that cannot take the recorded view
	ByColdCache Trigger = "cold"      // the provider's cache had expired anyway
	ByResume    Trigger = "resume"    // a resumed run was held to its newest messages
	ByImport    Trigger = "import"    // another tool's own compaction
	ByLength    Trigger = "length"    // a result was too long to be shown whole
)

// Validate reports the first treatment that no view could apply.
func (c *Compaction) Validate() error {
	for i, t := range c.Treatments {
		if err := t.validate(); err != nil {
			return fmt.Errorf("treatment %d (%v to %v as %q): %w", i+1, t.From, t.To, t.As, err)
		}
	}
	return nil
}

func (t *Treatment) validate() error {
	switch {
	case t.From.Depth < 1:
		return errors.New("the first handle has no depth")
	case t.To.Compare(t.From) < 0:
		return errors.New("the range ends before it begins")
	case (t.From.Part != 0 || t.To.Part != 0) && (t.From.Depth != t.To.Depth || t.From.Part == 0 || t.To.Part == 0):
		return errors.New("a range of parts must stay in one entry")
	case (t.As == AsPages) != (t.Pages != nil):
		return errors.New("pages are expected exactly where the range is shown as pages")
	}
	switch t.As {
	case AsWhole, AsPages:
		return nil
	case AsStub, AsImages, AsOutline, AsSummary, AsTrimmed:
		if t.Text == "" {
			return errors.New("the text that stands for the range is missing")
		}
		return nil
	}
	return errors.New("the way to show it is not known")
}

// Describe returns one line about the compaction for people.
func (c *Compaction) Describe() string {
	counts := map[As]int{}
	for _, t := range c.Treatments {
		if t.Pages != nil {
			counts[AsPages] += len(t.Pages.Pages)
		} else {
			counts[t.As]++
		}
	}
	line, separator := "compaction ("+string(c.Reason.Trigger)+")", " "
	for _, shown := range []struct {
		as        As
		one, more string
	}{
		{AsWhole, "whole", "whole"}, {AsStub, "stub", "stubs"}, {AsImages, "without images", "without images"}, {AsPages, "page", "pages"},
		{AsOutline, "outline", "outlines"}, {AsSummary, "summary", "summaries"}, {AsTrimmed, "trimmed", "trimmed"},
	} {
		n, noun := counts[shown.as], shown.more
		if n == 1 {
			noun = shown.one
		}
		if n > 0 {
			line += fmt.Sprintf("%s%d %s", separator, n, noun)
			separator = ", "
		}
	}
	switch r := c.Reason; {
	case r.Before > 0 && r.After > 0:
		line += fmt.Sprintf(", about %d → %d tokens", r.Before, r.After)
	case r.Before > 0:
		line += fmt.Sprintf(", of about %d tokens", r.Before)
	case r.After > 0:
		line += fmt.Sprintf(", to about %d tokens", r.After)
	}
	return line
}

// EncodeCompaction returns the JSON body of c.
func EncodeCompaction(c *Compaction) ([]byte, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("compaction: %w", err)
	}
	return json.Marshal(c)
}

// DecodeCompaction reads the body that [EncodeCompaction] wrote.
func DecodeCompaction(body []byte) (*Compaction, error) {
	var c Compaction
	if err := json.Unmarshal(body, &c); err != nil {
		return nil, fmt.Errorf("compaction body: %w", err)
	}
	return &c, nil
}
