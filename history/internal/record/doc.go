// Package record turns entries, drafts and ids into what a store keeps of
// them, and back, and says what writes make of a conversation, so that all
// stores keep and refuse the same.
package record
