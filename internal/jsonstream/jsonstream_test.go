package jsonstream

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stemma-history/stemma/internal/rawjson"
)

// describe reads a document and writes what it yields.
func describe(r io.Reader, arrays ...string) string {
	var b strings.Builder
	for v, err := range Read(r, arrays...) {
		switch {
		case err != nil:
			fmt.Fprintf(&b, "error: %v", err)
		case v.Err != nil:
			fmt.Fprintf(&b, "%s[%d]@%d bad %s; ", v.Key, v.Index, v.Offset, v.Data)
		default:
			fmt.Fprintf(&b, "%s[%d]@%d %s; ", v.Key, v.Index, v.Offset, v.Data)
		}
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, document, want string }{
		{"an array", ` [ {"a":[1, "]}\""]} ,2,"x" ] `, `[0]@3 {"a":[1, "]}\""]}; [1]@22 2; [2]@24 "x"; `},
		{"an empty array", `[]`, ``},
		{"an object", `{"a":1,"list":[ 2,{"b":3}],"c":[4],"d":{}}`, `a[-1]@5 1; list[0]@16 2; list[1]@18 {"b":3}; c[-1]@31 [4]; d[-1]@39 {}; `},
		{"a member that is named but no array", `{"list":{"x":1}}`, `list[-1]@8 {"x":1}; `},
		{"an empty object", ` {} `, ``},
		{"a byte order mark", "\uFEFF[1]", `[0]@4 1; `},
		{"a broken element", `[{"a":tru},2,{"b" 1},3]`, `[0]@1 bad {"a":tru}; [1]@11 2; [2]@13 bad {"b" 1}; [3]@21 3; `},
		{"an end in the middle", `[1,{"a":"b`, `[0]@1 1; error: invalid JSON at byte 10: expected the end of the value`},
		{"an end between values", `{"list":[1,`, `list[0]@9 1; error: invalid JSON at byte 11: expected an element or ']'`},
		{"something behind the end", `[1] x`, `[0]@1 1; error: invalid JSON at byte 4: expected the end`},
		{"a missing element", `[1,,2]`, `[0]@1 1; error: invalid JSON at byte 3: expected a value`},
		{"no collection", `12`, `error: invalid JSON at byte 0: expected an array or an object`},
		{"nothing", ``, `error: EOF`},
		{"brackets that do not match", `[{"a":1],2]`, `[0]@1 bad {"a":1]; [1]@9 2; `},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := describe(strings.NewReader(c.document), "list"); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if got := describe(iotest.OneByteReader(strings.NewReader(c.document)), "list"); got != c.want {
				t.Errorf("byte by byte: %s", got)
			}
		})
	}
}

func TestAnErrorOfTheReaderIsReturned(t *testing.T) {
	boom := errors.New("boom")
	var last error
	for _, err := range Read(io.MultiReader(strings.NewReader(`[1,2`), iotest.ErrReader(boom))) {
		last = err
	}
	if !errors.Is(last, boom) {
		t.Errorf("got %v", last)
	}
}

func TestReadingStopsWhereTheReaderStops(t *testing.T) {
	for v, err := range Read(strings.NewReader(`[1,2`)) {
		if err != nil || v.Index > 0 {
			t.Fatal(v, err)
		}
		break
	}
}

func FuzzAgreesWithReadingAtOnce(f *testing.F) {
	for _, seed := range []string{`[1,{"a":[2]},"x\"]"]`, `{"a":1,"list":[1,[2]]}`, `[`, `[1 2]`, `{"a":}`, `["\ud800", -1e5]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		var values []string
		bad := false
		for v, err := range Read(strings.NewReader(string(document))) {
			bad = bad || err != nil || v.Err != nil
			if err == nil {
				values = append(values, v.Key+string(v.Data))
			}
		}
		if !rawjson.Valid(document) {
			return
		}
		var want []string
		err := rawjson.Elements(document, func(v []byte) error {
			want = append(want, string(v))
			return nil
		})
		if err != nil {
			err = rawjson.Members(document, func(k string, v []byte) error {
				want = append(want, k+string(v))
				return nil
			})
		}
		if err == nil && (bad || strings.Join(values, "\n") != strings.Join(want, "\n")) {
			t.Fatalf("%s: got %q, want %q", document, values, want)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	document := "[" + strings.Repeat(`{"id":"x","content":{"parts":["some text with \"quotes\" and more of it"]}},`, 10000) + "1]"
	b.SetBytes(int64(len(document)))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range Read(strings.NewReader(document)) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
