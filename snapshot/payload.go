package snapshot

// BytesPerCell is about how many bytes of PNG a cell of text takes, for
// planning before anything is drawn: 3.4 to 4.2 for prose and code in the
// built-in shapes, less for text that repeats itself, up to 6 for Japanese
// (measured on 100,000 characters of each, renderer version 1).
const BytesPerCell = 4.1
