#!/usr/bin/env bash
# Runs every fuzz target for the given time each.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}
grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u | while read -r dir; do
	(cd "$dir" && go test -list '^Fuzz' . | grep '^Fuzz') | while read -r target; do
		echo "$dir $target"
		(cd "$dir" && go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" .)
	done
done
