package provider_test

import (
	"fmt"

	"github.com/stemma-history/stemma/provider"
)

func ExampleClassify() {
	e := provider.Classify(provider.Response{
		Provider: "llamacpp",
		Status:   400,
		Body:     []byte(`{"error":{"message":"request (9302 tokens) exceeds the available context size (8192 tokens), try increasing it"}}`),
	})
	fmt.Println(e.Kind, "of", e.Overflow.Of, "by", e.Overflow.Used-e.Overflow.Limit)
	// Output: overflow of tokens by 1110
}
