#!/bin/sh
# Installs snapcompact from npm, at pinned versions and without running any of
# its scripts (about 500 MB, most of it native code), and compares speeds.
set -eu
cd "$(dirname "$0")"
npm install --ignore-scripts --no-audit --no-fund --silent
cd ../..
exec go run ./bench/snapshot-peers "$@"
