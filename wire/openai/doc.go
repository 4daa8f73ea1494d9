// Package openai speaks OpenAI's two APIs, Chat Completions and Responses: their
// messages and items, and the request bodies made of them.
//
// Arguments of calls and reasoning items keep their bytes; nothing is left for
// the provider to remember, so that a conversation can go on anywhere (promise
// P2). The many servers that speak Chat Completions in their own way are a
// [Dialect] each.
package openai
