package providertest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/stemma-history/stemma/provider/providertest"
)

// An agent that retries is to be tested: the first request is refused for its
// rate, and the second one gets an answer that calls a tool.
func Example() {
	script := providertest.In(
		providertest.Answer{Fault: providertest.Overloaded()},
		providertest.Call("bash", `{"command":"ls"}`),
		providertest.Say("Two files."),
	)
	fake := providertest.New(providertest.Config{Window: 8000, Script: script})
	server := httptest.NewServer(fake)
	defer server.Close()

	for range 2 { // here the agent would run against server.URL
		body := `{"model":"claude-sonnet-5-5","max_tokens":500,"messages":[{"role":"user","content":"What is here?"}]}`
		r, _ := http.NewRequest(http.MethodPost, server.URL+"/v1/messages", strings.NewReader(body))
		r.Header.Set("x-api-key", "any")
		r.Header.Set("anthropic-version", "2023-06-01")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			fmt.Println(err)
			return
		}
		answer, _ := io.ReadAll(response.Body)
		response.Body.Close()
		fmt.Println(response.StatusCode, strings.Contains(string(answer), `"name":"bash"`))
	}
	journal := fake.Journal()
	fmt.Println(len(journal), journal[0].Refused, journal.Alike(), journal.CostUSD() > 0)
	// Output:
	// 529 false
	// 200 true
	// 2 Overloaded [[1 2]] true
}
