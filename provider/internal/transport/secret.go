package transport

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/stemma-history/stemma/provider"
)

// secrets returns what of the settings' headers and address must not be seen:
// people put keys there too.
func (c *Client) secrets(call Call) []string {
	var secrets []string
	add := func(name string, values []string) {
		if !secretName().MatchString(name) {
			return
		}
		for _, v := range values {
			secret := v[strings.LastIndexByte(v, ' ')+1:] // behind Bearer
			secrets = append(secrets, secret, url.QueryEscape(secret))
		}
	}
	for name, values := range c.settings.Header {
		add(name, values)
	}
	if address, err := url.Parse(call.URL); err == nil {
		for name, values := range address.Query() {
			add(name, values)
		}
	}
	return secrets
}

var secretName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)key|auth|token|secret|cookie|sig`) })

// redact takes secrets out of what people see. Some servers send them back, and
// errors of the network name the address.
func redact(e *provider.Error, secrets []string) {
	const shortest = 4 // shorter ones are no secret, and in every text
	for _, secret := range secrets {
		if len(secret) < shortest {
			continue
		}
		e.Message = strings.ReplaceAll(e.Message, secret, "[key]")
		if e.Err != nil && strings.Contains(e.Err.Error(), secret) {
			e.Err = errors.New(strings.ReplaceAll(e.Err.Error(), secret, "[key]"))
		}
	}
}
