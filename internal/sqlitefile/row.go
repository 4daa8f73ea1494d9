package sqlitefile

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// A Row holds values of any type: SQLite keeps no column to its declared one.
type Row struct {
	columns []string
	values  []any
}

func (r Row) value(column string) any {
	if i := slices.Index(r.columns, column); i >= 0 {
		return r.values[i]
	}
	panic("sqlitefile: column " + column + " was not selected")
}

// Text returns a value as text, empty where it is NULL.
func (r Row) Text(column string) string {
	switch v := r.value(column).(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		return string(v)
	case time.Time: // the driver's reading of columns that are declared so
		return v.UTC().Format(time.RFC3339Nano)
	default:
		return fmt.Sprint(v)
	}
}

// Int returns a value as a number, 0 where it is none.
func (r Row) Int(column string) int64 {
	switch v := r.value(column).(type) {
	case int64:
		return v
	case float64:
		return int64(v)
	case bool:
		if v {
			return 1
		}
	case string:
		n, _ := strconv.ParseInt(v, 10, 64) // text that is no number counts as none
		return n
	}
	return 0
}
