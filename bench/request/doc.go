// Package request measures what a run does between two requests: the view of
// its path, what that costs, and the body that is sent.
//
//	go test -bench . ./bench/request
package request
