// Package config has the settings of the program: one TOML file, variables of
// the environment, and flags. A flag wins over a variable, a variable over the
// file, and the file over the default; every value knows which it came from.
//
// Reading is strict. A key that is not known, or a value of another type than
// expected, is an error that names the file, the line and the key, and says what
// was expected. Keys of providers are in none of them: the file names a variable
// or a command that has the key, and no setting that may hold a secret is shown.
package config
