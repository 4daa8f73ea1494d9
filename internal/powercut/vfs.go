package powercut

import (
	"bytes"
	"path/filepath"
	"sync"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// vfsName is what connections name to have their files on a Disk.
const vfsName = "powercut"

// disks are the disks that are in use. A file's directory names its disk; the
// shared memory of its connections, which no power cut keeps, lies in the
// directory itself.
type disks struct {
	mu    sync.Mutex
	disks map[string]*Disk
}

var inUse = sync.OnceValue(func() *disks {
	d := &disks{disks: map[string]*Disk{}}
	vfs.Register(vfsName, d)
	return d
})

func (d *disks) set(dir string, disk *Disk) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.disks[dir] = disk
}

func (d *disks) of(name string) (*Disk, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if disk := d.disks[filepath.Dir(name)]; disk != nil {
		return disk, nil
	}
	return nil, sqlite3.CANTOPEN
}

// Open implements [vfs.VFS].
func (d *disks) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	if flags&(vfs.OPEN_TEMP_DB|vfs.OPEN_TEMP_JOURNAL|vfs.OPEN_TRANSIENT_DB|vfs.OPEN_SUBJOURNAL) != 0 {
		return &vfsutil.SliceFile{}, flags | vfs.OPEN_MEMORY, nil
	}
	disk, err := d.of(name)
	if err != nil {
		return nil, flags, err
	}
	o := &openFile{disk: disk}
	err = disk.use(func() error {
		f := disk.files[filepath.Base(name)]
		if f == nil {
			if flags&vfs.OPEN_CREATE == 0 {
				return sqlite3.CANTOPEN
			}
			f = &file{}
			disk.files[filepath.Base(name)] = f
		}
		o.file = f
		return nil
	})
	if err != nil {
		return nil, flags, err
	}
	o.memory = vfs.NewSharedMemory(name+"-shm", flags)
	return o, flags, nil
}

// Delete implements [vfs.VFS]. A deleted file stays deleted: SQLite deletes
// its log only when everything in it is safe elsewhere.
func (d *disks) Delete(name string, _ bool) error {
	disk, err := d.of(name)
	if err != nil {
		return err
	}
	return disk.use(func() error {
		if disk.files[filepath.Base(name)] == nil {
			return sqlite3.IOERR_DELETE_NOENT
		}
		delete(disk.files, filepath.Base(name))
		return nil
	})
}

// Access implements [vfs.VFS].
func (d *disks) Access(name string, _ vfs.AccessFlag) (exists bool, err error) {
	disk, err := d.of(name)
	if err != nil {
		return false, err
	}
	err = disk.use(func() error {
		exists = disk.files[filepath.Base(name)] != nil
		return nil
	})
	return exists, err
}

// FullPathname implements [vfs.VFS].
func (d *disks) FullPathname(name string) (string, error) { return name, nil }

// openFile is a connection's file.
type openFile struct {
	disk   *Disk
	file   *file
	memory vfs.SharedMemory
	level  vfs.LockLevel
}

var (
	_ vfs.File             = (*openFile)(nil)
	_ vfs.FileSharedMemory = (*openFile)(nil)
	_ vfs.FileLockState    = (*openFile)(nil)
)

func (o *openFile) SharedMemory() vfs.SharedMemory { return o.memory }
func (o *openFile) LockState() vfs.LockLevel       { return o.level }

func (o *openFile) Close() error {
	if o.memory != nil {
		o.memory.Close()
	}
	return o.Unlock(vfs.LOCK_NONE)
}

func (o *openFile) ReadAt(p []byte, at int64) (n int, err error) {
	err = o.disk.use(func() error {
		n, err = o.file.readAt(p, at)
		return err
	})
	return n, err
}

func (o *openFile) WriteAt(p []byte, at int64) (int, error) {
	if err := o.disk.change(o.file, change{at: at, data: bytes.Clone(p)}); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (o *openFile) Truncate(size int64) error { return o.disk.change(o.file, change{at: size}) }
func (o *openFile) Sync(vfs.SyncFlag) error   { return o.disk.sync(o.file) }

func (o *openFile) Size() (size int64, err error) {
	err = o.disk.use(func() error {
		size = int64(len(o.file.seen))
		return nil
	})
	return size, err
}

func (o *openFile) SectorSize() int { return sector }

// DeviceCharacteristics says what SQLite takes for granted on Unix: a torn
// write damages nothing beside it.
func (o *openFile) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return vfs.IOCAP_POWERSAFE_OVERWRITE
}

// locks are SQLite's locks on a file, between connections of one process.
type locks struct {
	shared              int
	reserved, exclusive bool
}

func (o *openFile) Lock(level vfs.LockLevel) error {
	o.disk.mu.Lock()
	defer o.disk.mu.Unlock()
	l := &o.file.locks
	if level <= o.level {
		return nil
	}
	switch level {
	case vfs.LOCK_SHARED:
		if l.exclusive {
			return sqlite3.BUSY
		}
		l.shared++
	case vfs.LOCK_RESERVED:
		if l.reserved {
			return sqlite3.BUSY
		}
		l.reserved = true
	default:
		if l.shared > 1 || l.reserved && o.level < vfs.LOCK_RESERVED {
			return sqlite3.BUSY
		}
		l.reserved, l.exclusive = true, true
	}
	o.level = level
	return nil
}

func (o *openFile) Unlock(level vfs.LockLevel) error {
	o.disk.mu.Lock()
	defer o.disk.mu.Unlock()
	l := &o.file.locks
	if level >= o.level {
		return nil
	}
	if o.level >= vfs.LOCK_RESERVED && level < vfs.LOCK_RESERVED {
		l.reserved, l.exclusive = false, false
	}
	if level < vfs.LOCK_SHARED {
		l.shared--
	}
	o.level = level
	return nil
}

func (o *openFile) CheckReservedLock() (bool, error) {
	o.disk.mu.Lock()
	defer o.disk.mu.Unlock()
	return o.file.locks.reserved, nil
}
