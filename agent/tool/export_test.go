package tool

import "time"

// EndedBeforeStopped is what a command came to that was to be stopped when it had
// just ended well.
func EndedBeforeStopped(output string) Result {
	return commandResult(output, nil, true, true, time.Second)
}

// RefusePrivate is what the client of pages does before it connects.
func RefusePrivate(address string) error { return refusePrivate("tcp", address, nil) }
