package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestValuesAreSlicesOfTheInput(t *testing.T) {
	input := []byte(` {"a" : {"z":1, "b":[1.0e+5 ,9007199254740993]}, "s":"\u00e9<&>", "a":null} `)
	var keys, values []string
	if err := Members(input, func(k string, v []byte) error {
		keys, values = append(keys, k), append(values, string(v))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(keys, " "); got != "a s a" {
		t.Errorf("keys = %q", got)
	}
	want := []string{`{"z":1, "b":[1.0e+5 ,9007199254740993]}`, `"\u00e9<&>"`, `null`}
	for i := range want {
		if values[i] != want[i] {
			t.Errorf("value %d = %s, want %s", i, values[i], want[i])
		}
	}
}

func TestLoneSurrogatesSurvive(t *testing.T) {
	for _, in := range []string{`"\ud800"`, `"a\udfffb"`, `"\ud83d\ude00"`, `"\ude00\ud83d"`, `"\ud800\u0041"`} {
		s, err := String([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		again, err := String(AppendString(nil, s))
		if err != nil || again != s {
			t.Errorf("%s: %q became %q (%v)", in, s, again, err)
		}
	}
	if got := string(AppendString(nil, Text([]byte(`"x\ud800y"`)))); got != `"x\ud800y"` {
		t.Errorf("got %s", got)
	}
}

func TestWalksStopAndReportErrors(t *testing.T) {
	if got := Get([]byte(`{"a":1,"b":2,`), "b"); string(got) != "2" {
		t.Errorf("a member before the damage is %q", got)
	}
	boom := errors.New("boom")
	if err := Elements([]byte(`[1,2]`), func([]byte) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("err = %v", err)
	}
	var syntax *SyntaxError
	if err := Elements([]byte(`[1 2]`), func([]byte) error { return nil }); !errors.As(err, &syntax) || syntax.Offset != 3 {
		t.Errorf("err = %v", err)
	}
	if Valid([]byte(strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000))) {
		t.Error("nesting without bound was accepted")
	}
}

func TestFirstSplitsWeldedRecords(t *testing.T) {
	first, rest, err := First([]byte(` {"a":1}{"b":2}`))
	if err != nil || string(first) != `{"a":1}` || string(rest) != `{"b":2}` {
		t.Errorf("first %s rest %s err %v", first, rest, err)
	}
}

func TestTakingAStringIsReadingIt(t *testing.T) {
	for _, value := range []string{
		`""`, `"plain"`, `"a\nb\t\"c\\"`, `"\u00e9\u65e5\ud83d\ude00"`, `"\ud800 alone"`, `"日本\u0000語"`, "\"broken \xff\\n\"", `"open`, `7`, ``,
	} {
		if got, want := Take([]byte(value)), Text([]byte(value)); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		quoted, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := Take(quoted); got != s {
			t.Fatalf("%q, want %q", got, s)
		}
	})
}

func TestBase64OfAString(t *testing.T) {
	for value, want := range map[string]string{`"aGk="`: "hi", `"aGk\u003d"`: "hi", `"aG\nk=\r\n"`: "hi", `"\/\/\/\/"`: "\xff\xff\xff", `""`: ""} {
		if got, err := Base64([]byte(value)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v; want %q", value, got, err, want)
		}
	}
	for _, value := range []string{`"aGk"`, `"a-_="`, `"aGk="b"`, `"aGk=`, `7`, `null`, ``} {
		if got, err := Base64([]byte(value)); err == nil {
			t.Errorf("%s: %q, want an error", value, got)
		}
	}
	image := AppendString(nil, strings.Repeat("iVBORw0K", 10_000))
	if n := testing.AllocsPerRun(5, func() { _, _ = Base64(image) }); n > 1 {
		t.Errorf("%v allocations, want one, of the bytes", n)
	}
}

func TestStringsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		quoted := AppendString(nil, s)
		if !json.Valid(quoted) {
			t.Fatalf("%q is not valid JSON", quoted)
		}
		got, err := String(quoted)
		if err != nil || got != s {
			t.Fatalf("%q became %q (%v)", s, got, err)
		}
	})
}

// FuzzAgreesWithTheStandardLibrary holds the scanner to encoding/json on what
// is valid, except the depth both limit.
func FuzzAgreesWithTheStandardLibrary(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,"x\u0000\"",true,null]}`, `"\ud800"`, `[01]`, `{"a":}`, "\"\x01\"", `1e`, `-`, `[,]`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := Valid(data), json.Valid(data); got != want {
			t.Fatalf("Valid(%q) = %v, encoding/json says %v", data, got, want)
		}
		if value, _, err := First(data); err == nil && !json.Valid(value) {
			t.Fatalf("First(%q) = %q", data, value)
		}
		var want string
		if json.Unmarshal(data, &want) == nil && len(data) > 0 && bytes.TrimSpace(data)[0] == '"' {
			got, err := String(bytes.TrimSpace(data))
			if err != nil {
				t.Fatal(err)
			}
			if strings.ToValidUTF8(got, "\uFFFD") != want && !strings.Contains(want, "\uFFFD") {
				t.Fatalf("String(%q) = %q, want %q", data, got, want)
			}
		}
	})
}

func BenchmarkMembers(b *testing.B) {
	line := []byte(`{"type":"user","message":{"role":"user","content":"` + strings.Repeat(`some text with \"quotes\" and\nlines `, 200) + `"},"uuid":"x"}`)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		_ = Members(line, func(string, []byte) error { return nil })
	}
}
