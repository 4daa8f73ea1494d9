package verdict

import "strconv"

// mostSteps is how deep the words of a refusal go.
const mostSteps = 5

// A Path names a place in a body, such as messages[3].content. It is written out
// only where something is refused. The zero Path is the body.
type Path struct {
	steps [mostSteps]step
	len   int
}

type step struct {
	name  string
	index int // of an item; -1: a member
}

// Member returns the path of a member of an object.
func (p Path) Member(name string) Path { return p.Item(name, -1) }

// Item returns the path of an item of a list, which is a member of an object.
func (p Path) Item(list string, index int) Path {
	p.steps[p.len] = step{list, index}
	p.len++
	return p
}

func (p Path) String() string {
	var text []byte
	for i, s := range p.steps[:p.len] {
		if i > 0 {
			text = append(text, '.')
		}
		text = append(text, s.name...)
		if s.index >= 0 {
			text = append(strconv.AppendInt(append(text, '['), int64(s.index), 10), ']')
		}
	}
	return string(text)
}
