package ollama

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// mostListed is how much of a list of models is read, in bytes: each model takes
// about 400.
const mostListed = 1 << 20

// Models returns the names of the models that the server has, the one changed
// last first. (Its API, GET /api/tags, 2026-08.)
func (p *Provider) Models(ctx context.Context) ([]string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.tags, nil)
	if err != nil {
		return nil, err
	}
	response, err := p.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: the list of models: HTTP %d", p.Name(), response.StatusCode)
	}
	var list struct {
		Models []struct{ Name string }
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, mostListed)).Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: the list of models: %w", p.Name(), err)
	}
	var names []string
	for _, m := range list.Models {
		names = append(names, m.Name)
	}
	return names, nil
}
