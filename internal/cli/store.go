package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/history/sqlite"
)

// withStore runs f with the store, which has to exist.
func (a *app) withStore(ctx context.Context, f func(history.Store) error) error {
	if a.opened != nil {
		return f(a.opened)
	}
	settings, err := a.settings()
	if err != nil {
		return err
	}
	path := settings.Store
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !isURL(path) {
		return fmt.Errorf("store %s: %w; stemma import makes one", path, history.ErrNotFound)
	}
	return a.withNewStore(ctx, f)
}

// withNewStore runs f with the store, which is made where there is none.
func (a *app) withNewStore(ctx context.Context, f func(history.Store) error) error {
	if a.opened != nil {
		return f(a.opened)
	}
	settings, err := a.settings()
	if err != nil {
		return err
	}
	path := settings.Store
	if isURL(path) {
		return usagef("store %s: this version keeps stores in files only, none on a PostgreSQL or other server; expected a path", path)
	}
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	return errors.Join(f(store), store.Close())
}

// withConversation runs f with the conversation that name stands for.
func (a *app) withConversation(ctx context.Context, name string, f func(history.Store, history.Conversation) error) error {
	return a.withStore(ctx, func(s history.Store) error {
		c, err := findConversation(ctx, s, name)
		if err != nil {
			return err
		}
		return f(s, c)
	})
}

func isURL(path string) bool { return strings.Contains(path, "://") }
