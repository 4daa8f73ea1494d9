// Package gemini answers requests over Google's generateContent API.
//
// Parts of an answer are kept as they came: those that carry a thought signature
// apart from those that do not, and calls with their arguments byte for byte
// (promise P2).
package gemini
