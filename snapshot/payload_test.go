package snapshot

import (
	"context"
	"testing"
)

func TestBytesPerCellIsAboutWhatPagesTake(t *testing.T) {
	for _, kind := range []string{"go", "diff", "man", "tr"} {
		for _, shape := range Shapes() {
			size, cells := 0, 0
			for page, err := range Render(context.Background(), []Segment{{Text: string([]rune(corpus(kind, 60_000))[:60_000])}}, shape, Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				size += len(page.PNG)
				cells += page.Cells
			}
			if per := float64(size) / float64(cells); per < 0.75*BytesPerCell || per > 1.1*BytesPerCell {
				t.Errorf("%s in %s takes %.2f bytes a cell, planned for is %.2f", kind, shape.Name, per, BytesPerCell)
			}
		}
	}
}
