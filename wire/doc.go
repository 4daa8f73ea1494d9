// Package wire turns views into the request bodies of providers.
//
// A [View] is what a model is to see; a [Frame] is the rest of the request. The
// package brings a view into an order that every wire accepts ([Normalise]:
// calls answered, results with their call, ids unique), and decides which
// thinking may go back ([Sealer]). A package a wire below this one writes the
// bytes and checks them as the provider would, within the [Limits] of the model
// (promises P2 and P9). A [Session] does so for the requests of a run, each of
// which mostly repeats the one before. Package wires finds a wire by its name,
// wiretest draws conversations for tests.
//
// # Adding a wire
//
// A wire is a package with five things. A body.Format writes the frame, then a
// [Step] at a time, then what may differ from request to request; it keeps no
// state but Writer.Open, says with Writer.Element where a message begins, and
// writes with Writer.Block what is sealed. A checker reads a body once, front to
// back, and refuses what the provider refuses, in its words and in its order,
// with the source of each; what it knows of the conversation so far is one
// struct that can be copied, so that a session goes on in the middle. Decoders
// keep what the provider checks byte for byte. Limits holds what is so for every
// model. NewSession and Encode are body.NewSession of the format.
// Registered in package wires, it runs through the property tests there: each
// drawn view is sendable, requests grow by appending, thinking goes back while
// its seal fits, and a session writes what an encoder writes.
package wire
