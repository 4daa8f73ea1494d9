// Package sdks drives the players of providers with the vendors' own clients. It
// is a module of its own, so that what they need stays out of the product.
package sdks
