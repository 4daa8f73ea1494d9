package config

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/stemma-history/stemma/internal/tomlfile"
)

// A leaf is one key of the file with its value: a string, int64, float64, bool
// or []any, a table for the head of one, or nil for what no setting takes.
type leaf struct {
	key   []string
	value any
	line  int
}

// A table is the value of a key that stands as [key].
type table struct{}

// leaves returns what a file says, in its order. The decoder says whether it is
// TOML; the parser below it knows the lines, which no decoder tells.
func leaves(name string, data []byte) ([]leaf, error) {
	var valid map[string]any
	if err := tomlfile.Decode(name, data, &valid); err != nil {
		return nil, err
	}
	r := reader{}
	r.Reset(data)
	var head []string
	for r.NextExpression() {
		switch e := r.Expression(); e.Kind {
		case unstable.Table:
			head = r.key(nil, e)
			r.add(head, e, table{})
		case unstable.ArrayTable:
			head = r.key(nil, e)
			r.add(head, e, nil)
		case unstable.KeyValue:
			r.assignment(head, e)
		}
	}
	if err := r.Error(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r.leaves, nil
}

// A reader collects the leaves of a file.
type reader struct {
	unstable.Parser
	leaves []leaf
}

func (r *reader) key(head []string, e *unstable.Node) []string {
	key := append([]string{}, head...)
	for parts := e.Key(); parts.Next(); {
		key = append(key, string(parts.Node().Data))
	}
	return key
}

// add adds a leaf at the line where the key of an expression stands.
func (r *reader) add(key []string, e *unstable.Node, value any) {
	first := e.Key()
	first.Next()
	r.leaves = append(r.leaves, leaf{key, value, r.Shape(first.Node().Raw).Start.Line})
}

// assignment adds what key = value says; an inline table is several leaves.
func (r *reader) assignment(head []string, e *unstable.Node) {
	key := r.key(head, e)
	value := e.Value()
	if value.Kind != unstable.InlineTable {
		r.add(key, e, valueOf(value))
		return
	}
	r.add(key, e, table{})
	for each := value.Children(); each.Next(); {
		r.assignment(key, each.Node())
	}
}

func valueOf(n *unstable.Node) any {
	switch n.Kind {
	case unstable.String:
		return string(n.Data)
	case unstable.Bool:
		return n.Data[0] == 't'
	case unstable.Integer:
		i, err := strconv.ParseInt(strings.ReplaceAll(string(n.Data), "_", ""), 0, 64)
		if err == nil {
			return i
		}
	case unstable.Float:
		f, err := strconv.ParseFloat(strings.ReplaceAll(string(n.Data), "_", ""), 64)
		if err == nil {
			return f
		}
	case unstable.Array:
		all := []any{}
		for each := n.Children(); each.Next(); {
			all = append(all, valueOf(each.Node()))
		}
		return all
	}
	return nil
}

// keyText returns a key as it stands in a file: providers.local.kind.
func keyText(key []string) string {
	quoted := make([]string, len(key))
	for i, part := range key {
		quoted[i] = part
		if part == "" || strings.Trim(part, bareKey) != "" {
			quoted[i] = strconv.Quote(part)
		}
	}
	return strings.Join(quoted, ".")
}

// bareKey is what a key may hold without quotes. (TOML 1.0)
const bareKey = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-*"
