// Package gemini speaks Google's generateContent API: the parts of its
// contents, and the request bodies made of them.
//
// Thought signatures and the arguments of calls keep their bytes: the provider
// refuses a call whose signature has changed (promise P2).
package gemini
