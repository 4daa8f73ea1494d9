package powercut

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"github.com/stemma-history/stemma/history/sqlite"
)

// Open opens the store on a disk. dir is an empty directory for what a power
// cut never keeps. pragmas are run on each connection.
func Open(ctx context.Context, dir string, disk *Disk, o sqlite.Options, pragmas ...string) (*sqlite.Store, error) {
	inUse().set(dir, disk)
	writer, err := open(dir, pragmas)
	if err != nil {
		return nil, err
	}
	readers, err := open(dir, append(pragmas, "query_only(1)"))
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	return sqlite.New(ctx, sqlite.Database{Writer: writer, Readers: readers, Code: resultCode}, o)
}

func open(dir string, pragmas []string) (*sql.DB, error) {
	query := url.Values{"vfs": {vfsName}, "_pragma": append([]string{"busy_timeout(10000)"}, pragmas...)}
	name := url.URL{Scheme: "file", Path: filepath.Join(dir, "stemma.db"), RawQuery: query.Encode()}
	return driver.Open(name.String(), fts5.Register)
}

func resultCode(err error) int {
	var code sqlite3.ExtendedErrorCode
	if errors.As(err, &code) {
		return int(code)
	}
	return 0
}
