#!/usr/bin/env bash
# Runs every test, with the race detector and in random order. Installs the few
# programs that tests use, where it may, and says at the end what was skipped.
# With CI=true, nothing may be skipped. With STEMMA_SOAK=1, long tests run long.
set -euo pipefail
cd "$(dirname "$0")/.."

skipped=()
scripts/install.sh gocr || skipped+=("reading pages with gocr, which is not installed")
scripts/install.sh tmux || skipped+=("the terminal app in a terminal, since tmux is not installed")

timeout=10m
[ -n "${STEMMA_SOAK:-}" ] && timeout=6h

go vet ./...
go test -race -shuffle=on -timeout "$timeout" ./...
# Searches over generated histories need numbers more than they need the race
# detector. A check of the test of all promises (reclaim/promises_test.go) is 20
# cases: rapid's own 100 were 2,000 of them above, 1000 are 20,000 here.
go test -timeout "$timeout" -run 'P[0-9]|Always|Sendable|Grow' ./wire/anthropic ./wire/wires ./reclaim -rapid.checks="${CHECKS:-1000}"
# So do a run that is killed at any instant, and one that is held to its newest
# messages; and of memory the race detector has some of its own.
go test -timeout "$timeout" -run 'TestP5ARun|TestP9APartlyRead|TestMemory' ./agent ./transcript/claudecode

# Modules of their own, so that what they need stays out of the product. Those of
# the vendors' clients build for minutes: make test-clients runs them.
for module in $(git ls-files '*/go.mod' | grep -v -e '^tools/' -e '/providertest/sdks/'); do
	(cd "$(dirname "$module")" && go vet ./... && go test -timeout "$timeout" ./...)
done

for what in "${skipped[@]:-}"; do
	[ -z "$what" ] || echo "SKIPPED: $what"
done
if [ "${CI:-}" = true ] && [ "${#skipped[@]}" -gt 0 ]; then
	echo "CI=true: nothing may be skipped" >&2
	exit 1
fi
