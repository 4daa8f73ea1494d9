package pagecache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/stemma-history/stemma/snapshot"
)

// A Cache is a directory of pages. It is safe for concurrent use.
type Cache struct {
	directory string
	capacity  int64
	now       func() time.Time

	mu      sync.Mutex
	written int64 // bytes since the directory was last held to its size
	pruned  bool
}

// New returns the cache in a directory, which is made when it is needed, of at
// most so many bytes. With a capacity of 0 nothing is kept. now is the clock,
// which decides what was used longest ago.
func New(directory string, capacity int64, now func() time.Time) *Cache {
	return &Cache{directory: directory, capacity: capacity, now: now}
}

// Draw returns a function that draws as draw does, and keeps what it drew. draw
// must give the same bytes for the same text, shape and number.
func (c *Cache) Draw(draw func(shape snapshot.Shape, number int, text []snapshot.Segment) ([]byte, error)) func(snapshot.Shape, int, []snapshot.Segment) ([]byte, error) {
	if c.capacity <= 0 {
		return draw
	}
	return func(shape snapshot.Shape, number int, text []snapshot.Segment) ([]byte, error) {
		key := keyOf(shape, number, text)
		if page, ok := c.read(key); ok {
			return page, nil
		}
		page, err := draw(shape, number, text)
		if err == nil {
			c.write(key, page)
		}
		return page, err
	}
}

type key [sha256.Size]byte

// keyOf hashes everything that decides the bytes of a page. Texts are hashed
// with their lengths before them, so that no two pages hash the same bytes.
func keyOf(s snapshot.Shape, number int, text []snapshot.Segment) (k key) {
	h := sha256.New()
	numbers(h, snapshot.Version, s.CellWidth, s.CellHeight, s.PageWidth, s.PageHeight, bit(s.Grey), number)
	texts(h, s.Font)
	for _, segment := range text {
		numbers(h, bit(segment.Grey))
		texts(h, segment.Handle, segment.Text)
	}
	h.Sum(k[:0])
	return k
}

func numbers(h hash.Hash, all ...int) {
	for _, n := range all {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], uint64(n)) //nolint:gosec // only its bits matter
		_, _ = h.Write(b[:])                           // a hash takes everything
	}
}

func texts(h hash.Hash, all ...string) {
	for _, text := range all {
		numbers(h, len(text))
		_, _ = h.Write([]byte(text))
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// file returns where a page is: an image that any viewer shows, in one of 256
// directories.
func (c *Cache) file(k key) string {
	name := hex.EncodeToString(k[:])
	return filepath.Join(c.directory, name[:2], name[2:]+extension)
}

const extension = ".png"

// sum is what stands behind the image, where viewers do not look: the hash of
// the page under its name. A page that was cut, changed or renamed has another.
func sum(k key, page []byte) []byte {
	h := sha256.New()
	_, _ = h.Write(k[:])
	_, _ = h.Write(page)
	return h.Sum(nil)
}

// touchAfter is how old the time of a page's last use may be before it is set
// anew: a write for every read would cost more than it tells.
const touchAfter = time.Hour

func (c *Cache) read(k key) ([]byte, bool) {
	file := c.file(k)
	data, err := os.ReadFile(file)
	if err != nil || len(data) < sha256.Size {
		return nil, false
	}
	page, check := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if !bytes.Equal(check, sum(k, page)) {
		return nil, false
	}
	now := c.now()
	if info, err := os.Stat(file); err == nil && now.Sub(info.ModTime()) > touchAfter {
		_ = os.Chtimes(file, now, now) // it is taken for older than it is
	}
	return page[:len(page):len(page)], true
}

// write keeps a page. Other processes see all of it or nothing.
func (c *Cache) write(k key, page []byte) {
	file := c.file(k)
	if os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), temporaryPattern)
	if err != nil {
		return
	}
	_, err = temporary.Write(append(page[:len(page):len(page)], sum(k, page)...))
	if temporary.Close() != nil || err != nil || c.place(temporary.Name(), file) != nil {
		_ = os.Remove(temporary.Name()) // else it goes when it is old
		return
	}
	c.count(int64(len(page)) + sha256.Size)
}

const temporaryPattern = "new-*"

// place gives a written file its time and its name.
func (c *Cache) place(temporary, file string) error {
	now := c.now()
	if err := os.Chtimes(temporary, now, now); err != nil {
		return err
	}
	return os.Rename(temporary, file)
}
