// Package rescue makes a session run again that its tool cannot continue,
// because it has outgrown the model's window: a session file, or the body of a
// request, goes in, and the same format comes out with a view that fits. No
// model, key or network is needed, and the input is never touched. (P3)
package rescue
