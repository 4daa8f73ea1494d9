#!/usr/bin/env bash
# Drives the players of providers with the vendors' own clients, and with a whole
# agent from npm (200 MB; needs Node 20). Builds for some minutes the first time.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v npm >/dev/null || { echo "npm is missing: install Node 20 or later" >&2; exit 1; }
clients=${XDG_CACHE_HOME:-$HOME/.cache}/stemma-clients
npm install --prefix "$clients" --no-audit --no-fund --silent @mariozechner/pi-coding-agent@0.73.1
cd provider/providertest/sdks
go vet ./...
STEMMA_PI="$clients/node_modules/.bin/pi" go test -count=1 ./...
