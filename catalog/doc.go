// Package catalog has the models as data: windows, prices, what they charge
// for images and how large those may be, and which shape of page they read.
//
// The figures are in models.toml, each with its source; a file of the same
// form can override and add ([Catalog.Merge]). Models that are not listed are
// found by the longest prefix that is. Where no price is known for the cache, it
// costs what other input does ([Model.Cost]).
package catalog
