package reclaim

import (
	"cmp"
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/tokens"
)

// A Share is one kind of thing that fills the window.
type Share struct {
	Name   string // system, tools, user, assistant, thinking, results of TOOL, images, pages, outline, summaries, stubs
	Items  int
	Tokens int
}

// An Account says what fills a window. The shares add up to Total; Total, Free
// and Reserve to the window, where it is not overfull.
type Account struct {
	Shares  []Share // the largest first
	Total   int
	Free    int // below 0: what is too much
	Reserve int
	Window  int
}

// Of returns the share with a name, zero where there is none.
func (a *Account) Of(name string) Share {
	for _, s := range a.Shares {
		if s.Name == name {
			return s
		}
	}
	return Share{Name: name}
}

// Context accounts for what a model is sent of a path as it stands.
func Context(p Problem) Account {
	l := ledger{shares: map[string]*entryShare{}}
	for _, text := range p.Frame.System {
		l.add("system", p.Meter.Text(text))
	}
	for _, t := range p.Frame.Tools {
		l.add("tools", p.Meter.Text(t.Name).Add(p.Meter.Text(t.Description)).Add(p.Meter.Text(string(t.Schema))))
	}
	total := frameCost(p.Frame, p.Meter)
	if len(p.Path) > 0 {
		d := newDraft(&p)
		total = d.total
		names := resultNames(p.Path)
		for i := range d.entries {
			l.entry(d, i, names)
		}
	}
	a := Account{Total: p.Meter.Tokens(total), Reserve: p.Budget.Reserve, Window: p.Budget.Window}
	a.Free = a.Window - a.Reserve - a.Total
	a.Shares = l.settle(p.Meter, a.Total)
	return a
}

type entryShare struct {
	items int
	cost  tokens.Cost
}

type ledger struct{ shares map[string]*entryShare }

func (l *ledger) add(name string, c tokens.Cost) {
	s := l.shares[name]
	if s == nil {
		s = &entryShare{}
		l.shares[name] = s
	}
	s.items++
	s.cost = s.cost.Add(c)
}

// entry adds one entry as it stands in the draft.
func (l *ledger) entry(d *draft, i int, names map[history.Handle]string) {
	e := &d.entries[i]
	if e.cover != nil {
		if e.first {
			l.add(coverName(e.cover.As), e.cost)
		}
		return
	}
	if len(e.parts) == 0 {
		return
	}
	m := d.message(i)
	overhead := tokens.Cost{Text: tokens.PerMessage}
	for j, part := range m.Parts {
		name := partName(m, part, names[history.Handle{Depth: d.problem.Path[i].Depth, Part: j + 1}])
		if t := e.parts[j]; t != nil && t.As == history.AsStub {
			name = "stubs"
		}
		l.add(name, d.partCost(i, j, e.parts[j]).Add(overhead))
		overhead = tokens.Cost{}
	}
}

// resultsOf stands before the tool's name in the name of a share.
const resultsOf = "results of "

func coverName(as history.As) string {
	switch as {
	case history.AsPages:
		return "pages"
	case history.AsSummary:
		return "summaries"
	case history.AsOutline, history.AsTrimmed:
		return "outline"
	}
	return "stubs"
}

func partName(m *message.Message, p message.Part, tool string) string {
	switch p.(type) {
	case message.Thinking, message.RedactedThinking:
		return "thinking"
	case message.Image, message.Document:
		return "images"
	case message.ToolResult:
		return resultsOf + cmp.Or(tool, "unknown tools")
	}
	if m.Role == message.Assistant {
		return "assistant"
	}
	return "user"
}

// resultNames maps results to the tools that were called.
func resultNames(path []history.Entry) map[history.Handle]string {
	names := map[history.Handle]string{}
	for _, c := range callsOf(path) {
		if c.result.Depth > 0 {
			names[c.result] = c.Name
		}
	}
	return names
}

// settle turns costs into tokens that add up to total: what rounding leaves
// over goes to the largest shares.
func (l *ledger) settle(m tokens.Meter, total int) []Share {
	shares := make([]Share, 0, len(l.shares))
	sum := 0
	for name, s := range l.shares {
		share := Share{Name: name, Items: s.items, Tokens: m.Tokens(s.cost)}
		sum += share.Tokens
		shares = append(shares, share)
	}
	slices.SortFunc(shares, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Name, b.Name))
	})
	for i := 0; sum > total && len(shares) > 0; i = (i + 1) % len(shares) {
		shares[i].Tokens--
		sum--
	}
	return shares
}

// Gains says what each free rung alone would give back, going as far as it can.
func Gains(p Problem) ([]Step, error) {
	var gains []Step
	for _, rung := range FreeRungs {
		only := p
		only.Rungs = []Rung{rung}
		only.Budget.Target = 0
		plan, err := Make(only)
		if err != nil {
			return nil, err
		}
		step := Step{Rung: rung, Before: plan.Before, After: plan.Before, Why: plan.Why}
		for _, s := range plan.Steps {
			if s.Rung == rung {
				step = s
			}
		}
		gains = append(gains, step)
	}
	return gains, nil
}
