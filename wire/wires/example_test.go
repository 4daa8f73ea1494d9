package wires_test

import (
	"fmt"

	"github.com/stemma-history/stemma/history"
	"github.com/stemma-history/stemma/message"
	"github.com/stemma-history/stemma/wire"
	"github.com/stemma-history/stemma/wire/wires"
)

// A call that was interrupted is answered in the request: the provider would
// refuse it otherwise.
func Example() {
	view := wire.View{Messages: []wire.Message{
		{At: history.Handle{Depth: 1}, Message: message.Prompt("Tidy up.")},
		{At: history.Handle{Depth: 2}, Message: message.Message{
			Role: message.Assistant, Author: message.ByModel,
			Parts: []message.Part{message.ToolCall{ID: "call_0", Name: "bash", Arguments: []byte(`{"cmd":"rm -r tmp"}`)}},
		}},
	}}
	chat, err := wires.Named("openai-chat")
	if err != nil {
		fmt.Println(err)
		return
	}
	body, err := chat.Encode(wire.Request{Frame: wire.Frame{Model: "gpt-5.4"}, View: view})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(body.JSON))
	// Output:
	// {"model":"gpt-5.4","messages":[{"role":"user","content":"Tidy up."},{"role":"assistant","content":null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":"bash","arguments":"{\"cmd\":\"rm -r tmp\"}"}}]},{"role":"tool","tool_call_id":"call_0","content":"Interrupted: the outcome of this call is unknown. It may or may not have taken effect; check before repeating it."}]}
}
