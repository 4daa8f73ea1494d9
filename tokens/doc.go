// Package tokens estimates how many tokens a request costs, before it is sent.
//
// [Text] counts bytes by their class and the class of the byte before, with
// costs fitted to the o200k vocabulary: within a few percent on prose, code,
// JSON, logs, hexadecimal and most scripts, at several hundred megabytes a
// second. A [Meter] adds images by the price formula of the model, and
// multiplies by the factor that the model's provider was seen to bill
// ([Calibrate]). It is the one measure for trigger, target and report.
package tokens
