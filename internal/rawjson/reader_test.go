package rawjson

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// spell reads a value with a reader and writes it again, without spaces.
func spell(r *Reader) string {
	var parts []string
	switch r.Kind() {
	case '{':
		r.Object(func(key []byte) { k := string(AppendString(nil, string(key))); parts = append(parts, k+":"+spell(r)) })
		return "{" + strings.Join(parts, ",") + "}"
	case '[':
		r.Array(func(i int) { parts = append(parts, fmt.Sprint(i)+"="+spell(r)) })
		return "[" + strings.Join(parts, ",") + "]"
	}
	return string(r.Value())
}

func TestReaderGoesIntoValues(t *testing.T) {
	r := NewReader([]byte(` {"a" : [1, {"b":"x"} ,[]], "\u00e9":{}, "a":null} `))
	if got, want := spell(r), `{"a":[0=1,1={"b":"x"},2=[]],"é":{},"a":null}`; got != want || r.End() != nil {
		t.Errorf("got %s, error %v, want %s", got, r.End(), want)
	}
}

func TestReaderSkipsWhatIsLeft(t *testing.T) {
	r := NewReader([]byte(`{"a":{"deep":[1,2]},"b":2,"c":[3]}`))
	var b string
	r.Object(func(key []byte) {
		if string(key) == "b" {
			b = string(r.Value())
		}
	})
	if b != "2" || r.End() != nil {
		t.Errorf("b is %q, error %v", b, r.End())
	}
}

func TestReaderGoesOnInsideAnArray(t *testing.T) {
	data := []byte(`{"a":[1, {"b":2}, [3]],"c":4}`)
	var offsets []int
	whole := NewReader(data)
	whole.Object(func(key []byte) {
		if string(key) == "a" {
			whole.Array(func(int) { offsets = append(offsets, whole.Offset()) })
		}
	})
	for from, offset := range offsets {
		r, rest := NewReader(data), ""
		r.Object(func(key []byte) {
			if string(key) == "a" {
				r.ArrayFrom(from, offset, func(i int) { rest += fmt.Sprint(i, "=", string(r.Value()), " ") })
			}
		})
		if want := []string{`0=1 1={"b":2} 2=[3] `, `1={"b":2} 2=[3] `, `2=[3] `}[from]; rest != want || r.End() != nil {
			t.Errorf("from %d: %q, error %v", from, rest, r.End())
		}
	}
}

func TestReaderStopsAtTheFirstError(t *testing.T) {
	for _, in := range []string{``, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,}`, `{a:1}`, `[1 2]`, `[1,]`, `[`, `{} {}`, `{"a":tru}`, strings.Repeat("[", 20_000)} {
		r := NewReader([]byte(in))
		spell(r)
		if r.End() == nil {
			t.Errorf("%.20q was accepted", in)
		}
	}
	r := NewReader([]byte(`7`))
	r.Object(func([]byte) { t.Error("a number has members") })
	if r.End() == nil {
		t.Error("a number was read as an object")
	}
}

// FuzzReaderAgreesWithValid: going into a value finds the same faults as
// skipping it.
func FuzzReaderAgreesWithValid(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,"x\u0000\"",true,null]}`, `[[],{},[{}]]`, `{"a":}`, `[1,]`, ` "x" `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(data)
		spell(r)
		if got, want := r.End() == nil, json.Valid(data); got != want {
			t.Fatalf("%q: reader %v (%v), encoding/json %v", data, got, r.End(), want)
		}
	})
}
