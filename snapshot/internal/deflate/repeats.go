package deflate

const (
	windowCells = 8 // that must be equal to count as a repeat
	maxTries    = 4 // earlier places compared for each
	headBits    = 12
)

// A span is a stretch of every scanline of a row of text, that repeats the
// bytes at a distance before it. Offsets count from the scanline's start.
type span struct{ from, to, distance int32 }

// A place is a cell that is not the first of the page's: its row, and from bit
// 16 its column. (The very first cell is then not found again, which matters
// little.) The zero value is none.
type place uint32

func placeAt(row, column int) place { return place(column)<<16 | place(row) }
func (p place) row() int            { return int(p & 0xFFFF) }
func (p place) column() int         { return int(p >> 16) }

// repeats finds stretches of text that occurred before.
type repeats struct {
	*Bitmap
	unit int // cells after which cell and byte borders meet: repeats are so many cells apart

	head  [1 << headBits]place // the last with a hash
	prev  []place              // by cell, the one before with the same hash
	hash  []uint32             // of the windows of the current row
	found []span
}

func (p *repeats) reset(b *Bitmap) {
	p.Bitmap = b
	p.unit = 1
	for p.unit*b.CellBits%8 != 0 {
		p.unit *= 2
	}
	clear(p.head[:])
	if cap(p.prev) < len(b.Cells) {
		p.prev = make([]place, len(b.Cells))
		p.hash = make([]uint32, b.Columns)
	}
	if cap(p.hash) < b.Columns {
		p.hash = make([]uint32, b.Columns)
	}
	p.prev, p.hash = p.prev[:len(b.Cells)], p.hash[:b.Columns]
}

// spans returns the repeats in a row of text, in order and apart from each
// other. Rows must be asked for in order. The spans are valid until the next
// call.
func (p *repeats) spans(row int) []span {
	p.found = p.found[:0]
	cells := p.Cells[row*p.Columns : (row+1)*p.Columns]
	p.hashWindows(cells)
	entered, covered := 0, 0
	for c := 0; c+windowCells <= len(cells); {
		from, to, distance := p.longest(row, c, covered)
		for ; entered <= c; entered += p.unit {
			p.enter(row, entered)
		}
		if to == 0 {
			c += max(p.unit, 4)
			continue
		}
		p.found = append(p.found, span{
			from: int32(1 + (from*p.CellBits+7)/8), to: int32(1 + to*p.CellBits/8), distance: int32(distance)})
		covered = to
		c = (to + p.unit - 1) / p.unit * p.unit
	}
	for ; entered+windowCells <= len(cells); entered += p.unit {
		p.enter(row, entered)
	}
	return p.found
}

// hashWindows hashes the cells from each column on, by a sum that slides.
func (p *repeats) hashWindows(cells []uint32) {
	const factor = 0x9E3779B1
	leaving, sum := uint32(1), uint32(0)
	for range windowCells {
		leaving *= factor
	}
	for i, cell := range cells {
		sum = sum*factor + cell
		if first := i - windowCells; first >= 0 {
			sum -= leaving * cells[first]
		}
		if first := i - windowCells + 1; first >= 0 {
			p.hash[first] = sum * factor >> (32 - headBits)
		}
	}
}

func (p *repeats) enter(row, c int) {
	if c+windowCells > p.Columns {
		return
	}
	head := &p.head[p.hash[c]]
	p.prev[row*p.Columns+c] = *head
	*head = placeAt(row, c)
}

// longest returns the longest stretch of cells [from, to) around column c that
// occurred before, and its distance in bytes; to is 0 where there is none. The
// stretch does not begin before the column covered.
func (p *repeats) longest(row, c, covered int) (from, to, distance int) {
	cells := p.Cells[row*p.Columns : (row+1)*p.Columns]
	at := p.head[p.hash[c]]
	for range maxTries {
		if at == 0 {
			break
		}
		placeRow, pc := at.row(), at.column()
		d := (row-placeRow)*p.RowHeight*p.Pitch + (c-pc)*p.CellBits/8
		if d > window {
			break
		}
		earlier := p.Cells[placeRow*p.Columns : (placeRow+1)*p.Columns]
		n := 0
		for c+n < len(cells) && pc+n < len(earlier) && cells[c+n] == earlier[pc+n] {
			n++
		}
		if n >= windowCells {
			before := 0
			for c-before > covered && pc-before > 0 && cells[c-before-1] == earlier[pc-before-1] {
				before++
			}
			if before+n > to-from {
				from, to, distance = c-before, c+n, d
			}
		}
		at = p.prev[placeRow*p.Columns+pc]
	}
	return from, to, distance
}
