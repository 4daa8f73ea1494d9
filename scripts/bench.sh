#!/usr/bin/env bash
# Runs all benchmarks once. Figures of one run may be compared with each other,
# not with those of another machine or minute.
set -euo pipefail
cd "$(dirname "$0")/.."
go test -run '^$' -bench . -benchmem -timeout 60m ./...
