package cli

import (
	"encoding/json"
	"errors"
	"iter"

	"github.com/spf13/cobra"

	"github.com/stemma-history/stemma/history"
)

// jsonFlag adds --json to a command that prints data.
func jsonFlag(c *cobra.Command, on *bool) {
	c.Flags().BoolVar(on, "json", false, "print JSON")
}

// printJSON writes one value, indented.
func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// printArray writes values as one JSON array, an element a line, as they come.
func printArray[T any](a *app, values iter.Seq2[T, error]) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	open := "["
	err := each(a, values, func(v T) error {
		a.out.print(open)
		open = ","
		return e.Encode(v)
	})
	if open == "[" {
		a.out.print(open)
	}
	a.out.print("]\n")
	return err
}

// each calls f for the values of a store. A damaged one is reported, and the
// rest goes on; the command fails at the end.
func each[T any](a *app, values iter.Seq2[T, error], f func(T) error) error {
	var result error
	for v, err := range values {
		var damaged *history.DamagedError
		switch {
		case errors.As(err, &damaged):
			a.err.printf("stemma: %v\n", err)
			result = errSilent
			continue
		case err != nil:
			return err
		}
		if err := f(v); err != nil {
			return err
		}
	}
	return result
}

// values yields what a slice has, for where a store would yield.
func values[T any](all []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range all {
			if !yield(v, nil) {
				return
			}
		}
	}
}
