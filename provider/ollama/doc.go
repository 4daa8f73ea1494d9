// Package ollama answers requests over Ollama's own API, with its ways of cutting
// a prompt turned off.
//
// Over the API that speaks as OpenAI's, Ollama takes what is too long, drops the
// oldest messages without a word, and cannot be told how large the window is
// to be. Here it refuses (promise P2: what was sent is what is read). Bodies are
// those of Chat Completions, and are turned into Ollama's form on the way.
package ollama
