package cli

import (
	"os"
	"path/filepath"

	"github.com/adrg/xdg"

	"github.com/stemma-history/stemma/catalog"
	"github.com/stemma-history/stemma/internal/config"
	"github.com/stemma-history/stemma/reclaim"
	"github.com/stemma-history/stemma/snapshot/pagecache"
)

// settings returns the settings: those of the file and the environment, with
// the flags of every command over them. They are read at the first call.
func (a *app) settings() (*config.Config, error) { return a.loaded() }

func (a *app) load() (*config.Config, error) {
	flags := map[string]string{}
	if a.storeFlag != "" {
		flags["store"] = a.storeFlag
	}
	if a.imagesFlag != "" {
		flags["images"] = a.imagesFlag
	}
	return config.Load(config.Sources{Environment: os.Environ(), Flags: flags})
}

// catalog returns the models that are known, with those of the person's own
// file.
func (a *app) catalog() (*catalog.Catalog, error) {
	c, err := a.settings()
	if err != nil {
		return nil, err
	}
	return c.Catalog()
}

// draw returns what makes the images of pages: those that were drawn before come
// from the person's cache directory.
func (a *app) draw() (reclaim.Draw, error) {
	c, err := a.settings()
	if err != nil {
		return nil, err
	}
	directory := filepath.Join(xdg.CacheHome, "stemma", "pages")
	return pagecache.New(directory, c.PageCache, a.now).Draw(reclaim.DrawPage), nil
}

// applyLook makes the outputs look as the settings say. Settings that cannot be
// read are left to the command, which may not need them.
func (a *app) applyLook() {
	c, err := a.settings()
	if err != nil {
		return
	}
	for _, o := range []*output{a.out, a.err} {
		if c.Plain {
			o.terminal, o.colour, o.width = false, false, 0
		}
		switch c.Colour {
		case "always":
			o.colour = true
		case "never":
			o.colour = false
		}
	}
}
