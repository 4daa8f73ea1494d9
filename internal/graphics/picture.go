package graphics

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // what models take: GIF, JPEG, PNG and WebP
	_ "image/jpeg"
	_ "image/png"
	"math"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"
)

// MostPixels is how large an image may be to be decoded: 32 Mi pixels, which
// take 256 MiB where a pixel takes the most.
const MostPixels = 32 << 20

// Decode decodes a GIF (its first frame), JPEG, PNG or WebP. It looks at the
// size before it takes memory for the pixels.
func Decode(data []byte) (image.Image, error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case errors.Is(err, image.ErrFormat):
		return nil, errors.New("the bytes are no GIF, JPEG, PNG or WebP")
	case err != nil:
		return nil, fmt.Errorf("it is damaged: %w", err)
	case config.Width <= 0 || config.Height <= 0:
		return nil, fmt.Errorf("the %s has no pixels", format)
	case config.Width > MostPixels/config.Height:
		return nil, fmt.Errorf("the %d×%d pixels of this %s are too many: at most %d are shown", config.Width, config.Height, format, MostPixels)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	return img, nil
}

// Fit returns the columns and rows that an image takes in a box of them, with
// its proportions kept and not larger than it is. Both are 0 where there is
// nothing to show.
func Fit(size, cell image.Point, columns, rows int) (c, r int) {
	if size.X <= 0 || size.Y <= 0 || columns <= 0 || rows <= 0 {
		return 0, 0
	}
	width, height := float64(size.X)/float64(cell.X), float64(size.Y)/float64(cell.Y)
	scale := min(1, float64(columns)/width, float64(rows)/height)
	within := func(cells float64, most int) int { return min(max(int(math.Ceil(cells*scale-1e-9)), 1), most) }
	return within(width, columns), within(height, rows)
}

// Shrink returns an image that is at most so large, with its proportions kept:
// a terminal would only throw more pixels away.
func Shrink(img image.Image, most image.Point) image.Image {
	size := img.Bounds().Size()
	scale := min(float64(most.X)/float64(size.X), float64(most.Y)/float64(size.Y))
	if scale >= 1 {
		return img
	}
	return resize(img, image.Pt(max(int(float64(size.X)*scale), 1), max(int(float64(size.Y)*scale), 1)))
}

// resize draws an image in another size, on white where it is transparent.
func resize(img image.Image, size image.Point) *image.RGBA {
	out := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(out, out.Bounds(), image.White, image.Point{}, draw.Src)
	draw.BiLinear.Scale(out, out.Bounds(), img, img.Bounds(), draw.Over, nil)
	return out
}
