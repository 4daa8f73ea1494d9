package powercut

import (
	"io"
	"math/rand/v2"
	"sync"

	"github.com/ncruces/go-sqlite3"
)

// sector is the piece that a disk writes whole or not at all, in bytes.
const sector = 512

// A Disk keeps files until its power fails.
type Disk struct {
	mu     sync.Mutex
	files  map[string]*file
	budget int  // writes and syncs until the power fails
	lies   bool // syncs are acknowledged and not done
	failed bool
}

// file is what a disk knows of a file: what is safe, what was written since,
// and what a reader sees, which is both.
type file struct {
	safe    []byte
	kept    bool // the file itself survives
	pending []change
	seen    []byte
	locks   locks
}

// change is a write or, where data is nil, a new size.
type change struct {
	at   int64
	data []byte
}

// NewDisk returns an empty disk.
func NewDisk() *Disk { return &Disk{files: map[string]*file{}, budget: -1} }

// FailAfter cuts the power at the n-th write or sync from now.
func (d *Disk) FailAfter(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.budget = n
}

// Lie makes the disk acknowledge syncs without doing them.
func (d *Disk) Lie() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lies = true
}

// Failed reports whether the power has failed.
func (d *Disk) Failed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

// Restart returns the disk as it is found when the power is back: what was
// synced, and of the rest what chance kept.
func (d *Disk) Restart(chance *rand.Rand) *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failed = true // whoever still has it open
	found := NewDisk()
	for name, f := range d.files {
		if !f.kept && chance.IntN(2) == 0 {
			continue
		}
		// How much survives differs from cut to cut: nearly nothing, nearly all.
		likely := chance.Float64()
		after := f.safe
		for _, c := range f.pending {
			after = c.survive(after, chance, likely)
		}
		found.files[name] = &file{safe: after, kept: true, seen: append([]byte(nil), after...)}
	}
	return found
}

// survive applies what chance keeps of a change.
func (c change) survive(data []byte, chance *rand.Rand, likely float64) []byte {
	if c.data == nil {
		if chance.Float64() < likely {
			data = resize(data, c.at)
		}
		return data
	}
	for at := int64(0); at < int64(len(c.data)); {
		end := min((c.at+at)/sector*sector+sector-c.at, int64(len(c.data)))
		if chance.Float64() < likely {
			data = overwrite(data, c.data[at:end], c.at+at)
		}
		at = end
	}
	return data
}

// resize returns a copy of data with another length.
func resize(data []byte, size int64) []byte {
	sized := make([]byte, size)
	copy(sized, data)
	return sized
}

// overwrite returns data with more written into it, and zeros where there was nothing.
func overwrite(data, more []byte, at int64) []byte {
	if end := at + int64(len(more)); end > int64(len(data)) {
		data = append(data, make([]byte, end-int64(len(data)))...)
	}
	copy(data[at:], more)
	return data
}

// use runs f, unless the power has failed.
func (d *Disk) use(f func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failed {
		return sqlite3.IOERR
	}
	return f()
}

// change writes to a file. A write during which the power fails may be on the
// disk all the same, or a part of it.
func (d *Disk) change(f *file, c change) error {
	return d.use(func() error {
		f.change(c)
		return d.spend()
	})
}

// sync makes safe what was written to a file, unless the power fails.
func (d *Disk) sync(f *file) error {
	return d.use(func() error {
		err := d.spend()
		if err == nil && !d.lies {
			f.sync()
		}
		return err
	})
}

// spend counts a write or a sync.
func (d *Disk) spend() error {
	if d.budget < 0 {
		return nil
	}
	if d.budget--; d.budget >= 0 {
		return nil
	}
	d.failed = true
	return sqlite3.IOERR
}

func (f *file) readAt(p []byte, at int64) (int, error) {
	if at >= int64(len(f.seen)) {
		return 0, io.EOF
	}
	n := copy(p, f.seen[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) change(c change) {
	f.pending = append(f.pending, c)
	if c.data == nil {
		f.seen = resize(f.seen, c.at)
		return
	}
	f.seen = overwrite(f.seen, c.data, c.at)
}

func (f *file) sync() {
	for _, c := range f.pending {
		if c.data == nil {
			f.safe = resize(f.safe, c.at)
		} else {
			f.safe = overwrite(f.safe, c.data, c.at)
		}
	}
	f.pending, f.kept = nil, true
}
