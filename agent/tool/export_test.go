package tool

// RefusePrivate is what the client of pages does before it connects.
func RefusePrivate(address string) error { return refusePrivate("tcp", address, nil) }
