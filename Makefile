# make try      a real session of another tool, in a temporary store: what Stemma does
# make test     every test, on a fresh machine with Go; installs what it needs where it may
# make test-clients  the vendors' own clients against our players of providers
# make lint     the linters, with the order of packages
# make bench    the benchmarks, as ratios from one run (bench/README.md)
# make bench-peers  other renderers of pages, from npm (500 MB), against ours
# make fuzz     every fuzz target for a short while (FUZZTIME=30s)
# make soak     what takes longer than make test may: a million cases of the promises
GO       ?= go
FUZZTIME ?= 10s
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

.PHONY: build install try test test-clients lint bench bench-peers fuzz soak generate clean
build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X github.com/stemma-history/stemma/internal/cli.buildVersion=$(VERSION)" -o bin/stemma ./cmd/stemma

install: build
	install -D -m 755 bin/stemma $(or $(GOBIN),$(shell $(GO) env GOPATH)/bin)/stemma

try: build
	@scripts/try.sh bin/stemma

test:
	@scripts/test.sh

test-clients:
	@scripts/test-clients.sh

soak:
	@STEMMA_SOAK=1 CHECKS=$(or $(CHECKS),50000) scripts/test.sh

lint:
	@scripts/lint.sh

bench:
	@scripts/bench.sh

bench-peers:
	@bench/snapshot-peers/run.sh

fuzz:
	@scripts/fuzz.sh $(FUZZTIME)

generate:
	$(GO) generate ./...

clean:
	rm -rf bin dist tools/bin
