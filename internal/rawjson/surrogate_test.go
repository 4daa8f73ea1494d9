package rawjson

import "testing"

func TestPairedReplacesHalvesOnly(t *testing.T) {
	for in, want := range map[string]string{
		`"plain"`:                 `"plain"`,
		`"\ud83d\ude00 \n\u00e9"`: `"\ud83d\ude00 \n\u00e9"`,
		`"\uD83D\uDE00"`:          `"\uD83D\uDE00"`,
		`"a\ud83d"`:               `"a\ufffd"`,
		`"\ude00\ud83d"`:          `"\ufffd\ufffd"`,
		`"\ud83d\ud83d\ude00"`:    `"\ufffd\ud83d\ude00"`,
		`"\\ud83d"`:               `"\\ud83d"`,
		`"\\\ud83dx"`:             `"\\\ufffdx"`,
		`"\`:                      `"\`,
		`"\u12`:                   `"\u12`,
	} {
		if got := string(Paired([]byte(in))); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
	in := []byte(`{"same":"bytes"}`)
	if out := Paired(in); &out[0] != &in[0] {
		t.Error("a value without fault was copied")
	}
}
