package deflate

import (
	"bytes"
	stdzlib "compress/zlib"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zlib"
	"pgregory.net/rapid"
)

// inflate unpacks a stream with two independent decoders.
func inflate(t interface{ Fatalf(string, ...any) }, packed []byte) []byte {
	std, err := stdzlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatalf("compress/zlib: %v", err)
	}
	got, err := io.ReadAll(std)
	if err != nil {
		t.Fatalf("compress/zlib: %v", err)
	}
	other, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatalf("klauspost zlib: %v", err)
	}
	again, err := io.ReadAll(other)
	if err != nil {
		t.Fatalf("klauspost zlib: %v", err)
	}
	if !bytes.Equal(got, again) {
		t.Fatalf("the decoders disagree")
	}
	return got
}

func TestEveryInputComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Few different bytes and long repeats, as in a bitmap; now and then noise.
		letters := rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "letters")
		words := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(letters), 1, 300), 1, 20).Draw(t, "words")
		picks := rapid.SliceOfN(rapid.IntRange(0, len(words)-1), 0, 400).Draw(t, "picks")
		var raw []byte
		for _, p := range picks {
			raw = append(raw, words[p]...)
		}
		raw = append(raw, rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(t, "noise")...)
		var e Encoder
		packed := e.Zlib(nil, raw)
		if !bytes.Equal(inflate(t, packed), raw) {
			t.Fatalf("not the same bytes after unpacking")
		}
		e.Zlib(nil, words[0])
		if !bytes.Equal(e.Zlib(nil, raw), packed) {
			t.Fatalf("the stream depends on what was packed before")
		}
	})
}

func TestLargeInputsSpanBlocks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	sparse := make([]byte, 1<<20)
	for i := range sparse {
		if rnd.IntN(9) == 0 {
			sparse[i] = byte(1 << rnd.IntN(8))
		}
	}
	for name, raw := range map[string][]byte{
		"noise": noise, "sparse": sparse, "zeros": make([]byte, 1<<20), "empty": nil, "one": {7},
		"at the window's edge": append(append(noise[:window:window], noise[:300]...), noise[1:400]...),
	} {
		var e Encoder
		if packed := e.Zlib([]byte("kept"), raw); !bytes.Equal(inflate(t, packed[4:]), raw) || string(packed[:4]) != "kept" {
			t.Errorf("%s: not the same bytes after unpacking", name)
		}
	}
}

// Skewed counts give a Huffman code deeper than the format allows.
func TestDeepCodesAreBent(t *testing.T) {
	var count [numLiterals]uint32
	a, b := uint32(1), uint32(1)
	for s := range 40 {
		count[s] = a
		a, b = b, a+b
	}
	for _, limit := range []int{7, maxBits} {
		kraft := 0
		for s, l := range lengths(count[:], limit) {
			if int(l) > limit || (l == 0) != (count[s] == 0) {
				t.Fatalf("limit %d: symbol %d used %d times has a code of %d bits", limit, s, count[s], l)
			}
			if l > 0 {
				kraft += 1 << (limit - int(l))
			}
		}
		if kraft != 1<<limit {
			t.Errorf("limit %d: the code fills %d of %d", limit, kraft, 1<<limit)
		}
	}
}

func TestLengthAndDistanceCodesCoverEveryValue(t *testing.T) {
	for n := uint32(0); n <= maxMatch-3; n++ {
		c := lengthCode(n)
		if extra := n - uint32(lengthBase[c]); c > 28 || extra >= 1<<lengthExtra(c) {
			t.Fatalf("length %d: code %d with extra %d", n+3, c, extra)
		}
	}
	base, code := uint32(0), uint32(0)
	for d := range uint32(window) {
		if d == base+1<<distanceExtra(code) {
			base, code = d, code+1
		}
		if distanceCode(d) != code || d&(1<<distanceExtra(code)-1) != d-base {
			t.Fatalf("distance %d: code %d, want %d", d+1, distanceCode(d), code)
		}
	}
}

func FuzzZlib(f *testing.F) {
	f.Add([]byte("abcabcabcabcabcabcabcabc abcabcabc"))
	f.Add(make([]byte, 700))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var e Encoder
		if got := inflate(t, e.Zlib(nil, raw)); !bytes.Equal(got, raw) {
			t.Fatal("not the same bytes after unpacking")
		}
	})
}
