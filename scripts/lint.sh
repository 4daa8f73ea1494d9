#!/usr/bin/env bash
# Runs the linters. They are built once, into tools/bin.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=tools/bin/golangci-lint
if [ ! -x "$bin" ] || [ tools/go.sum -nt "$bin" ]; then
	echo "building golangci-lint (some minutes, once)" >&2
	(cd tools && GOBIN="$PWD/bin" go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint)
	touch "$bin"
fi
"$bin" run ./...
unformatted=$(gofmt -l $(git ls-files '*.go'))
if [ -n "$unformatted" ]; then
	printf 'not formatted: %s\n' $unformatted >&2
	exit 1
fi
go mod tidy -diff
# modernc.org/sqlite works only with the libc that it was made with.
sqlite=$(go list -m -f '{{.GoMod}}' modernc.org/sqlite)
want=$(awk '$1 == "modernc.org/libc" {print $2}' "$sqlite")
have=$(go list -m -f '{{.Version}}' modernc.org/libc)
if [ "$want" != "$have" ]; then
	echo "modernc.org/libc is $have, but modernc.org/sqlite needs $want" >&2
	exit 1
fi
