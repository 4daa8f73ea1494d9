// Package native reads the values that other tools' files have in common:
// objects whose members may be missing, times in several units, media given as
// URL or bytes, names of providers, and ids of records that may still change.
package native
