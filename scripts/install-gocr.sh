#!/bin/sh
# Installs gocr, which a test reads snapshot pages with. Fails where it cannot
# be installed; the test is skipped then, except in CI.
set -eu

if command -v gocr >/dev/null; then
	exit 0
fi
if ! command -v apt-get >/dev/null; then
	echo "gocr is missing: install it with the package manager of this system" >&2
	exit 1
fi
as_root=
if [ "$(id -u)" != 0 ]; then
	if ! sudo -n true 2>/dev/null; then
		echo "gocr is missing, and installing it needs root: sudo apt-get install gocr" >&2
		exit 1
	fi
	as_root="sudo -n"
fi
$as_root apt-get install -y -qq --no-install-recommends gocr >/dev/null
