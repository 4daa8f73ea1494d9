// Package providertest plays the providers of models, as strictly as the real
// ones, so that agents can be tested without a key, a network or a cent.
//
// A [Server] is an [net/http.Handler] that speaks the four wires and the API of
// Ollama. It refuses what the real APIs refuse, in their words and in their
// order of checks; counts tokens with a tokenizer and a factor of its own, as
// real bills differ from estimates; signs thinking, and takes it back only
// behind the prefix it was made for; and keeps a prompt cache on an injected
// clock. What it answers is up to a [Script]. A [Journal] holds what was asked,
// what it would have cost, and what became of it.
//
// All of it is deterministic: the same requests in the same order get the same
// bytes. Nothing is written to disk unless a directory is named.
package providertest
