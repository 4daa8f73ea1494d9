// Package historytest holds every [history.Store] to what the interface says.
//
// [Run] is the whole suite: the documented behaviours one by one, random
// histories against a simple model, and writers at the same time. After each
// test the store checks itself, and must find nothing wrong.
package historytest
