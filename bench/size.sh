#!/usr/bin/env bash
# Prints how large the command is, stripped, and what each module has part in it:
# the size of its symbols that the file holds, and of the line tables, which Go
# keeps for every function, as much as its code is of all code. Types and strings
# have no symbol that names a module.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export CGO_ENABLED=0
go build -trimpath -ldflags '-s -w' -o "$dir/stripped" ./cmd/stemma
go build -trimpath -o "$dir/symbols" ./cmd/stemma
section() { readelf -SW "$dir/symbols" | sed 's/\[ *//' | awk -v name="$1" '$2 == name {print $4, $6}'; }
read -r _ lines <<<"$(section .gopclntab)"
read -r bss _ <<<"$(section .bss)" # from here on memory that the file does not hold
go tool nm -size "$dir/symbols" |
	awk -v lines=$((16#$lines)) -v bss=$((16#$bss)) -v file="$(stat -c %s "$dir/stripped")" '
		function hex(s,   i, n) { for (i = 1; i <= length(s); i++) n = 16 * n + index("0123456789abcdef", substr(s, i, 1)) - 1; return n }
		$3 !~ /[TtRrDd]/ || hex($1) >= bss || $4 ~ /^(go|type|runtime\.(text|etext|pclntab|rodata|types))[:.]?$/ { next }
		{
			of = "standard library and runtime"
			if (match($4, /^(github\.com\/[^\/.]+\/[^\/.]+|[a-z]+\.(org|land)\/(x\/)?[^\/.]+)/)) of = substr($4, 1, RLENGTH)
			else if ($4 ~ /^(go|type):/) of = "types, strings, tables of the linker"
			own[of] += $2
			if ($3 ~ /[Tt]/) { code[of] += $2; all += $2 }
		}
		END {
			for (of in own) { size = own[of] + lines * code[of] / all; sum += size; printf "%6.2f MB  %s\n", size / 1e6, of | "sort -rn | head -25" }
			close("sort -rn | head -25")
			printf "%6.2f MB  what no symbol names\n%6.2f MB  the stripped command\n", (file - sum) / 1e6, file / 1e6
		}'
