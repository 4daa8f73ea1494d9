package reclaim

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/tokens"
)

// A digest of an exchange is what one line of an outline says.
type exchange struct {
	from, to int // indexes on the path
	prompts  []string
	tools    []string // names, in order of first use
	uses     map[string]int
	changed  []string // files
	errors   int
	last     string   // the last thing the model said
	inherits []string // summaries that stand for its entries
}

// exchangesOf describes the entries from index from up to, not including, to.
func exchangesOf(d *draft, calls []call, from, to int) []exchange {
	var list []exchange
	for i := from; i < to; i++ {
		m := d.message(i)
		if len(list) == 0 || m != nil && m.IsPrompt() {
			list = append(list, exchange{from: i, uses: map[string]int{}})
		}
		x := &list[len(list)-1]
		x.to = i
		if e := &d.entries[i]; e.summarised() {
			if e.first {
				x.inherits = append(x.inherits, e.cover.Text)
			}
			continue
		}
		if m == nil {
			continue
		}
		switch {
		case m.IsPrompt():
			x.prompts = append(x.prompts, m.PlainText())
		case m.Role == message.Assistant:
			if text := strings.TrimSpace(m.PlainText()); text != "" {
				x.last = text
			}
		}
	}
	for i := range calls {
		c := &calls[i]
		at := c.entry
		if at < from || at >= to || c.result.Depth == 0 || d.entries[at].summarised() {
			continue
		}
		n, _ := slices.BinarySearchFunc(list, at, func(x exchange, at int) int { return x.to - at })
		list[min(n, len(list)-1)].addCall(c)
	}
	return list
}

// summarised reports whether a narrative stands for the entry, which says more
// than an outline could. Everything else is described again from its source.
func (e *shown) summarised() bool { return e.cover != nil && e.cover.As == history.AsSummary }

func (x *exchange) addCall(c *call) {
	if x.uses[c.Name] == 0 {
		x.tools = append(x.tools, c.Name)
	}
	x.uses[c.Name]++
	if !c.ok {
		x.errors++
	} else if c.kind == changeTool && c.target != "" && !slices.Contains(x.changed, c.target) {
		x.changed = append(x.changed, c.target)
	}
}

// merge adds the exchange that follows.
func (x *exchange) merge(y *exchange) {
	x.to = y.to
	x.prompts = append(x.prompts, y.prompts...)
	for _, tool := range y.tools {
		if x.uses[tool] == 0 {
			x.tools = append(x.tools, tool)
		}
		x.uses[tool] += y.uses[tool]
	}
	for _, file := range y.changed {
		if !slices.Contains(x.changed, file) {
			x.changed = append(x.changed, file)
		}
	}
	x.errors += y.errors
	if y.last != "" {
		x.last = y.last
	}
	x.inherits = append(x.inherits, y.inherits...)
}

// detail is how much an outline says, as bytes for each piece.
type detail struct {
	prompts, last, files, inherits int
	group                          int // exchanges a line
}

// details are tried in order until the outline is within its budget. The first
// keeps prompts verbatim (P13).
var details = []detail{
	{prompts: 1 << 20, last: 400, files: 400, inherits: 1 << 20, group: 1},
	{prompts: 4000, last: 200, files: 200, inherits: 1 << 20, group: 1},
	{prompts: 1000, last: 120, files: 120, inherits: 16_000, group: 1},
	{prompts: 240, last: 80, files: 80, inherits: 4000, group: 1},
	{prompts: 100, last: 60, files: 60, inherits: 1000, group: 1},
}

// outlineText writes what stands for the entries from index from up to to,
// within budget tokens, as far as that can be: the last resort is one line.
func outlineText(d *draft, calls []call, from, to, budget int) string {
	list := exchangesOf(d, calls, from, to)
	fits := func(text string) bool { return d.problem.Meter.Tokens(tokens.Cost{Text: tokens.Text(text)}) <= budget }
	for _, level := range details {
		if text := writeOutline(d, list, level); fits(text) {
			return text
		}
	}
	level := details[len(details)-1]
	for len(list) > 1 {
		list = halve(list)
		level.group *= 2
		if text := writeOutline(d, list, level); fits(text) {
			return text
		}
	}
	return fmt.Sprintf("[Entries %d to %d are left out of the view. To get one back: recall its number.]", d.problem.Path[from].Depth, d.problem.Path[to-1].Depth)
}

// halve merges exchanges by twos.
func halve(list []exchange) []exchange {
	var merged []exchange
	for i, x := range list {
		if i%2 == 0 {
			x.prompts, x.tools, x.changed = slices.Clone(x.prompts), slices.Clone(x.tools), slices.Clone(x.changed)
			uses := map[string]int{}
			for k, v := range x.uses {
				uses[k] = v
			}
			x.uses = uses
			merged = append(merged, x)
		} else {
			merged[len(merged)-1].merge(&x)
		}
	}
	return merged
}

func writeOutline(d *draft, list []exchange, level detail) string {
	path := d.problem.Path
	var b strings.Builder
	fmt.Fprintf(&b, "[Entries %d to %d are left out of the view; this outline stands for them, a line an exchange. To get an original back: recall its number.]", path[list[0].from].Depth, path[list[len(list)-1].to].Depth)
	for i := range list {
		x := &list[i]
		for _, text := range x.inherits {
			b.WriteString("\n" + excerpt(text, level.inherits))
		}
		fmt.Fprintf(&b, "\n%d-%d", path[x.from].Depth, path[x.to].Depth)
		each := level.prompts / max(level.group, 1)
		for _, prompt := range x.prompts {
			if each >= 20 {
				b.WriteString(" person: " + excerpt(prompt, each))
			}
		}
		if n := len(x.prompts); n > 0 && each < 20 {
			fmt.Fprintf(&b, " %d prompts", n)
		}
		if len(x.tools) > 0 {
			b.WriteString(" | calls: " + excerpt(x.counts(), level.files))
		}
		if len(x.changed) > 0 {
			b.WriteString(" | changed: " + excerpt(strings.Join(x.changed, ", "), level.files))
		}
		if x.errors > 0 {
			fmt.Fprintf(&b, " | %d errors", x.errors)
		}
		if x.last != "" {
			b.WriteString(" | model: " + excerpt(x.last, level.last))
		}
	}
	return b.String()
}

func (x *exchange) counts() string {
	words := make([]string, len(x.tools))
	for i, tool := range x.tools {
		words[i] = tool
		if n := x.uses[tool]; n > 1 {
			words[i] = fmt.Sprintf("%s x%d", tool, n)
		}
	}
	return strings.Join(words, ", ")
}

// excerpt returns at most about n bytes of a text: its beginning and its end.
func excerpt(text string, n int) string {
	if len(text) <= n {
		return text
	}
	head, tail := cutText(text, n)
	return head + " … " + tail
}

// cutText returns the first three fifths and the last two fifths of n bytes of
// a text, cut between characters.
func cutText(text string, n int) (head, tail string) {
	end := n * 3 / 5
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	start := len(text) - n*2/5
	for start < len(text) && !utf8.RuneStart(text[start]) {
		start++
	}
	return text[:end], text[start:]
}
