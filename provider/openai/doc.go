// Package openai answers requests over OpenAI's two APIs: Responses, and Chat
// Completions, which some twenty other servers speak too, each as a [Server]
// says.
//
// Reasoning items and the arguments of calls are kept byte for byte, and the
// provider is asked to store nothing (promise P2).
package openai
