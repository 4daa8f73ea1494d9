package snapshot

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/stemma-history/stemma/internal/tomlfile"
)

// shapeFile is the form of a file of shapes.
type shapeFile struct {
	Shapes map[string]shapeEntry `toml:"shape"`
}

// shapeEntry is a shape in a file. What is missing is as in the built-in shape
// of that name, or else in the default shape.
type shapeEntry struct {
	Font string `toml:"font"`
	Cell []int  `toml:"cell"` // width and height in pixels
	Page []int  `toml:"page"` // width and height in pixels
	Grey *bool  `toml:"grey"`
}

// ParseShapes returns the built-in shapes with those of a TOML file in place of
// them or after them, sorted by name:
//
//	[shape.large]
//	font = "9x15"        # 6x13, 8x13, 9x15 or unifont
//	cell = [10, 20]      # pixels
//	page = [1568, 784]   # pixels, the largest
//	grey = true          # tool results in grey
//
// The error names the file, and the line or the shape and the key.
func ParseShapes(file string, data []byte) ([]Shape, error) {
	var f shapeFile
	if err := tomlfile.Decode(file, data, &f); err != nil {
		return nil, err
	}
	all := Shapes()
	for _, name := range slices.Sorted(maps.Keys(f.Shapes)) {
		base, builtin := ShapeNamed(name)
		if !builtin {
			base, _ = ShapeNamed(DefaultShape)
		}
		s, err := f.Shapes[name].shape(name, base)
		if err == nil {
			err = s.Check()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = slices.DeleteFunc(all, func(old Shape) bool { return old.Name == name })
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b Shape) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

func (e shapeEntry) shape(name string, base Shape) (Shape, error) {
	s := base
	s.Name = name
	s.Font = cmp.Or(e.Font, s.Font)
	if e.Grey != nil {
		s.Grey = *e.Grey
	}
	for _, size := range []struct {
		key           string
		values        []int
		width, height *int
	}{
		{"cell", e.Cell, &s.CellWidth, &s.CellHeight},
		{"page", e.Page, &s.PageWidth, &s.PageHeight},
	} {
		if size.values == nil {
			continue
		}
		if len(size.values) != 2 || size.values[0] <= 0 || size.values[1] <= 0 {
			return s, &ShapeError{s, fmt.Sprintf("%s = %v: want width and height in pixels, as in [8, 16]", size.key, size.values)}
		}
		*size.width, *size.height = size.values[0], size.values[1]
	}
	return s, nil
}
