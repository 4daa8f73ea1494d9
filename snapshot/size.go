package snapshot

// BytesPerCell is about how many bytes of PNG a cell takes in the built-in
// shapes, for pages of which nothing but the length is at hand. A page that is
// cut has a better estimate in its Size.
const BytesPerCell = 4.1

// bytesPerCell is how many bytes of PNG a cell of text takes, by font: as much
// as the dearest prose and code did (Turkish, 2026-11-30, renderer version 1),
// and a little more. Random strings take up to a quarter more than that, text
// that repeats itself down to a third.
var bytesPerCell = map[string]float64{"6x13": 4.5, "8x13": 4.2, "9x15": 6.2, "unifont": 4.5}

const (
	bytesPerWideCell = 9.8 // half a wide character: Chinese took 9.4
	bytesPerPage     = 700 // of header and PNG, and for rows that are not full
)

// estimateSize returns about how many bytes a page takes, of whose cells some
// belong to wide characters. It is seldom too low.
func estimateSize(font string, cells, wide int) int {
	return bytesPerPage + int(bytesPerCell[font]*float64(cells-wide)+bytesPerWideCell*float64(wide))
}
