#!/bin/sh
# Installs gocr, which a test has read snapshot pages with. Where it cannot be
# installed, says so and succeeds: the test is skipped then, except in CI.
set -eu

if command -v gocr >/dev/null; then
	exit 0
fi
if command -v apt-get >/dev/null; then
	if [ "$(id -u)" = 0 ]; then
		as_root=
	elif sudo -n true 2>/dev/null; then
		as_root="sudo -n"
	else
		echo "gocr is missing, and installing it needs root: sudo apt-get install gocr" >&2
		exit 0
	fi
	{ $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends gocr; } >/dev/null && exit 0
fi
echo "gocr is missing and was not installed: the OCR test is skipped" >&2
