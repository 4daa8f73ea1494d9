// Package transcript brings conversations of other tools into a store.
//
// A [Format] reads the files of one tool, a package each below this one, and
// tells a [Sink] what it finds; [Import] recognises files by their content and
// stores the records. Records keep the tool's own ids as their source, so that
// importing again adds only what is new. All branches come along, what the
// tool's own compaction hid stays in the tree, and a damaged record is
// reported and skipped while the rest is read (promises P1 and P6). A
// conversation that its tool gave no title is called by the first words of its
// first prompt.
//
// Memory does not grow with the length of a file, only with its longest line,
// which is held about once. While a line of more than 16 MB is read, the garbage
// collector of the whole process is made to run more often.
package transcript
