// Package wiretest draws conversations for property tests: ordinary exchanges
// mixed with everything that providers refuse and other tools leave behind.
package wiretest
