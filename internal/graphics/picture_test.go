package graphics

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"strings"
	"testing"
)

func pngOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// huge is a PNG whose header states a size that its data does not have.
func huge(t *testing.T, width, height uint32) []byte {
	data := pngOf(t, noise(8, 8))
	binary.BigEndian.PutUint32(data[16:], width)
	binary.BigEndian.PutUint32(data[20:], height)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

func TestWhatCannotBeShownIsSaid(t *testing.T) {
	good := pngOf(t, noise(100, 100))
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, "no GIF, JPEG, PNG or WebP"},
		{[]byte("GIF is short for something"), "no GIF, JPEG, PNG or WebP"},
		{good[:60], "damaged: "},
		{good[:20], "damaged: "},
		{huge(t, 1<<20, 1<<20), "1048576×1048576 pixels of this png are too many"},
		{huge(t, 1<<13, 1<<12+1), "too many"},
	} {
		if img, err := Decode(c.data); err == nil || img != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20q: %v, expected %q", c.data, err, c.want)
		}
	}
	if img, err := Decode(good); err != nil || !same(img, noise(100, 100)) {
		t.Error(err)
	}
}

func TestAnImageFitsItsBox(t *testing.T) {
	for _, c := range []struct {
		width, height, columns, rows int
		wantColumns, wantRows        int
	}{
		{800, 600, 60, 12, 32, 12}, // by height
		{800, 100, 60, 12, 60, 4},  // by width
		{16, 16, 60, 12, 2, 1},     // not larger than it is
		{1, 1, 60, 12, 1, 1},
		{10000, 1, 60, 12, 60, 1},
		{1, 10000, 60, 12, 1, 12},
		{0, 100, 60, 12, 0, 0},
		{100, 100, 0, 12, 0, 0},
	} {
		columns, rows := Fit(image.Pt(c.width, c.height), image.Pt(8, 16), c.columns, c.rows)
		if columns != c.wantColumns || rows != c.wantRows {
			t.Errorf("%+v: %d×%d", c, columns, rows)
		}
	}
}

func TestShrinkKeepsProportionsAndNeverGrows(t *testing.T) {
	if got := Shrink(noise(1000, 10), image.Pt(100, 100)).Bounds().Size(); got != image.Pt(100, 1) {
		t.Errorf("%v", got)
	}
	small := noise(10, 10)
	if Shrink(small, image.Pt(10, 10)) != image.Image(small) {
		t.Error("an image that fits was drawn anew")
	}
}
