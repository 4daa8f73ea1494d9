// Package wire turns views into the request bodies of providers.
//
// A [View] is what a model is to see; a [Frame] is the rest of the request. The
// package brings a view into an order that every wire accepts ([Normalise]:
// calls answered, results with their call, ids unique), and decides which
// thinking may go back ([Sealer]). A package a wire below this one writes the
// bytes and checks them as the provider would, within the [Limits] of the model
// (promises P2 and P9). Package wires finds one by its name, wiretest draws
// conversations for tests.
package wire
