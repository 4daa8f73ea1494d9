package reclaim

import (
	"slices"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/tokens"
	"github.com/stemma-history/stemma/wire"
)

// A Standing is what a run keeps of its path between two requests: the view, and
// what it costs. Where the path has only grown, by messages, it looks at those
// alone; whatever else has changed, it begins anew. It answers as [Ready], [Due]
// and [View] do, and shares the messages of its views, so that a [wire.Session]
// knows them again.
//
// The zero Standing knows nothing yet. It is for one goroutine at a time.
type Standing struct {
	draft *draft // as it stands; nil where nothing is known
	// checked says that nothing in the draft is of a kind that the model's
	// provider refuses.
	checked bool
	viewer  *viewer // nil where nothing is known
}

// Ready is [Ready].
func (s *Standing) Ready(p Problem) ([]history.Entry, *Plan, error) {
	due := s.Due(p)
	if due == "" {
		return p.Path, nil, nil
	}
	p.Reason.Trigger = due
	plan, err := Make(p)
	if err != nil || plan.Compaction == nil {
		return p.Path, &plan, err
	}
	last := p.Path[len(p.Path)-1]
	compaction := history.Entry{Conversation: last.Conversation, Parent: last.ID, Depth: last.Depth + 1, Compaction: plan.Compaction}
	return append(p.Path[:len(p.Path):len(p.Path)], compaction), &plan, nil
}

// Due is [Due].
func (s *Standing) Due(p Problem) history.Trigger {
	s.follow(&p)
	if !s.checked {
		if _, changed := unreadable(s.draft); changed || refused(s.draft) > 0 {
			s.draft = nil // it shows what would be done about that
			return history.BySwitch
		}
		s.checked = true
	}
	size, limit := s.draft.tokens(), p.Budget.Limit()
	if size > limit || size > p.Budget.Threshold && !tooSoon(s.draft) {
		return history.ByThreshold
	}
	return ""
}

// Cost is what frame and view of a problem cost.
func (s *Standing) Cost(p Problem) tokens.Cost {
	s.follow(&p)
	return s.draft.total
}

// follow brings the draft up to a problem.
func (s *Standing) follow(p *Problem) {
	if s.draft == nil || !s.draft.leadsTo(p) {
		s.draft, s.checked = newDraft(p), false
		return
	}
	added := p.Path[len(s.draft.entries):]
	if s.draft.problem.Reader != p.Reader || slices.ContainsFunc(added, hasMedia) {
		s.checked = false
	}
	s.draft.extend(p)
}

// leadsTo reports whether the draft can be extended to that of p.
func (d *draft) leadsTo(p *Problem) bool {
	return continues(d.problem.Path, p.Path) && slices.Equal(d.problem.Pins, p.Pins) && d.problem.Frame.Equal(&p.Frame)
}

// continues reports whether a path is an older one and messages behind it. An
// entry's id stands for all that is before it.
func continues(older, path []history.Entry) bool {
	n := len(older)
	if n == 0 || len(path) < n || older[n-1].ID == (history.ID{}) || older[n-1].ID != path[n-1].ID {
		return false
	}
	return !slices.ContainsFunc(path[n:], func(e history.Entry) bool { return e.Compaction != nil })
}

func hasMedia(e history.Entry) bool {
	return e.Message != nil && slices.ContainsFunc(e.Message.Parts, func(p message.Part) bool { return pictureOf(p).count > 0 })
}

// View is [View]. draw is the same for all paths.
func (s *Standing) View(path []history.Entry, draw Draw) (wire.View, error) {
	if s.viewer == nil || !continues(s.viewer.path, path) {
		s.viewer = newViewer(path, draw)
	}
	if err := s.viewer.extend(path); err != nil {
		s.viewer = nil
		return wire.View{}, err
	}
	view := s.viewer.view
	view.Messages = slices.Clip(view.Messages)
	return view, nil
}
