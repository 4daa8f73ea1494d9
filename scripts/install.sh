#!/bin/sh
# Installs a program that tests use: install.sh gocr. Fails where it cannot be
# installed; the tests are skipped then, except in CI.
set -eu

program=$1
if command -v "$program" >/dev/null; then
	exit 0
fi
if ! command -v apt-get >/dev/null; then
	echo "$program is missing: install it with the package manager of this system" >&2
	exit 1
fi
as_root=
if [ "$(id -u)" != 0 ]; then
	if ! sudo -n true 2>/dev/null; then
		echo "$program is missing, and installing it needs root: sudo apt-get install $program" >&2
		exit 1
	fi
	as_root="sudo -n"
fi
$as_root apt-get install -y -qq --no-install-recommends "$program" >/dev/null
