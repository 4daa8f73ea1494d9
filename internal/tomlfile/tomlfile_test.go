package tomlfile

import (
	"strings"
	"testing"
)

func TestErrorsNameFileLineAndKey(t *testing.T) {
	type file struct {
		Cell struct {
			Width int `toml:"width"`
		} `toml:"cell"`
	}
	for data, want := range map[string]string{
		"[cell]\nwidth = 6\n":                  "",
		"[cell]\nwidth = 6\nheigth = 13\n":     `shapes.toml: line 3, column 1: the key "cell.heigth" is not known`,
		"[cell]\n\nwidth = \"six\"\n":          `shapes.toml: line 3, column 9: key "cell.width": `,
		"[cell]\nwidth = \n":                   `shapes.toml: line 2, column `,
		"[cell]\nwidth = 6\n[cell]\nwidth=1\n": `shapes.toml: line 3, column `,
	} {
		var f file
		err := Decode("shapes.toml", []byte(data), &f)
		if want == "" {
			if err != nil || f.Cell.Width != 6 {
				t.Errorf("%q: %v, %+v", data, err, f)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s…", data, err, want)
		}
	}
}
