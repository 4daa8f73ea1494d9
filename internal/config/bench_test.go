package config

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkLoad reads the example: what the settings add to a command's start.
func BenchmarkLoad(b *testing.B) {
	file := filepath.Join(b.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte(Example), 0o600); err != nil {
		b.Fatal(err)
	}
	environment := os.Environ()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(Sources{File: file, Environment: environment}); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzLoad holds that no file makes reading fail otherwise than with an error
// that names it.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(Example))
	f.Add([]byte("[mcp.x]\nenv = { A = \"b\", C.d = 1 }\n[[permissions]]\n\"\" = [1, {a=2}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := leaves("a.toml", data); err != nil {
			return
		}
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if c, _ := Load(Sources{File: file}); len(c.Values()) == 0 {
			t.Error("no settings")
		}
	})
}
