package providers_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/stemma-history/stemma/provider"
	"github.com/stemma-history/stemma/provider/providers"
)

func ExampleNamed() {
	p, err := providers.Named("openrouter", provider.Settings{
		Key:  func(context.Context) (string, error) { return "a key from wherever it is kept", nil },
		HTTP: provider.NewHTTP(http.ProxyFromEnvironment),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	p = provider.Retrying(p, provider.Retry{Waiting: func(w provider.Wait) {
		fmt.Printf("%v: again in %v\n", w.Err, w.For)
	}})
	fmt.Println(p.Name(), "speaks", p.Wire().Name)
	// Output: openrouter speaks openai-chat
}
