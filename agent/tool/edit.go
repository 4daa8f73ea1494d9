package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stemma-history/stemma/wire"
)

// editBytes is the largest file that is changed: it is held in memory whole.
const editBytes = 64 << 20

// Edit returns the tool that replaces a passage of a file.
func Edit(w *Workspace) Tool { return editTool{w} }

type editTool struct{ w *Workspace }

func (t editTool) place(c Call) (place, *Workspace, error) { return t.w.placeOf(c) }

func (editTool) ReadOnly() bool { return false }

func (editTool) Definition() wire.Tool {
	return wire.Tool{
		Name: "edit",
		Description: "Replaces a passage of a file. The old text must stand in the file exactly as given, without line numbers, " +
			"and only once unless all is true.",
		Schema: schema(`"path":{"type":"string","description":"relative to the working directory, or absolute"},`+
			`"old":{"type":"string","description":"the passage as it stands in the file"},`+
			`"new":{"type":"string","description":"what stands there instead"},`+
			`"all":{"type":"boolean","description":"replace every place where the passage stands"}`, "path", "old", "new"),
	}
}

type editArguments struct {
	Path string  `json:"path"`
	Old  string  `json:"old"`
	New  *string `json:"new"`
	All  bool    `json:"all"`
}

func (t editTool) Run(_ context.Context, c Call) Result {
	a, err := decode[editArguments](c.Arguments)
	if err == nil {
		err = a.check()
	}
	if err != nil {
		return Fail(err.Error())
	}
	p, err := t.w.find(a.Path)
	if err != nil {
		return Fail(err.Error())
	}
	// Two calls of one answer may change the same file.
	t.w.change.Lock()
	defer t.w.change.Unlock()
	data, info, err := p.read(editBytes)
	if err != nil {
		return Fail(plain(err).Error())
	}
	text, where, err := a.apply(string(data))
	if err != nil {
		return Fail(p.String(t.w) + ": " + err.Error())
	}
	if err := p.write([]byte(text), info); err != nil {
		return Fail(plain(err).Error())
	}
	return Text(fmt.Sprintf("Changed %s %s.", p.String(t.w), where))
}

func (a *editArguments) check() error {
	switch {
	case a.New == nil:
		return errors.New(`argument "new" is missing`)
	case a.Old == *a.New && a.Old != "":
		return errors.New("old and new are the same: there is nothing to change")
	}
	return required("path", a.Path, "old", a.Old)
}

// apply returns the text after the change, and where it changed. Models write
// \n where a file has \r\n: where all its lines end so, or the passage does not
// stand there otherwise, both passages are taken with such ends.
func (a *editArguments) apply(text string) (changed, where string, err error) {
	before, after := a.Old, *a.New
	if n := strings.Count(text, "\r\n"); n > 0 && (n == strings.Count(text, "\n") || !strings.Contains(text, before)) {
		before, after = crlf(before), crlf(after)
	}
	switch n := strings.Count(text, before); {
	case n == 0:
		return "", "", errors.New("the old text does not stand in the file. Read the file again, and give the passage exactly, without line numbers")
	case n == 1:
		where = fmt.Sprintf("at line %d", strings.Count(text[:strings.Index(text, before)], "\n")+1)
	case a.All:
		where = fmt.Sprintf("in %d places", n)
	default:
		return "", "", fmt.Errorf("the old text stands there %d times. Give more of what is around it, or set all", n)
	}
	return strings.ReplaceAll(text, before, after), where, nil
}

func crlf(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}
