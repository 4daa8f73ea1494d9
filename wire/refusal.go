package wire

// A Refusal is a provider's no, in its own words, or that of a checker that
// stands in for it.
type Refusal struct {
	Status  int    // HTTP status
	Type    string // the error's type, such as invalid_request_error
	Message string
	Code    string // where the wire has codes
	Param   string // where the wire names the parameter
}

func (r *Refusal) Error() string { return r.Message }
