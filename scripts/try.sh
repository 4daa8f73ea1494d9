#!/bin/sh
# A real session of another tool (crush; see testdata/samples/NOTICE.md) in a
# temporary store, and what stemma does with it. Nothing of yours is touched.
# Usage: scripts/try.sh [path of stemma]
set -eu

stemma=$(realpath "${1:-bin/stemma}")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export STEMMA_STORE="$work/stemma.db" PAGER=cat

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold='\033[1m' faint='\033[2m' off='\033[0m'; else bold='' faint='' off=''; fi

say() { printf "\n$bold%s$off\n" "$*"; }
run() {
	printf "$faint\$ stemma"
	for word; do
		case $word in *[!A-Za-z0-9_@./=-]*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac
	done
	printf "$off\n"
	"$stemma" "$@"
}
# size prints how large the request is that would go to the model.
size() {
	printf "$faint\$ stemma request $conversation --wire anthropic | wc -c$off\n"
	"$stemma" request "$conversation" --wire anthropic | wc -c
}

say 'A session of another tool comes in: two conversations from one database.'
run import testdata/samples/crush/dbos.db
run list
conversation=$("$stemma" list | sed -n '/Create and Enhance/s/-.*//p')
run checkpoint "$conversation" end-of-session

say 'The tree of the longer one. Prompts have lines of their own, the rest is folded.'
run tree "$conversation" --prompts

say 'The request that would go on from here, in bytes:'
size
say 'Which results are no longer true, since their file was read again or changed later?'
run shake "$conversation" --dry-run
run shake "$conversation"
say 'The request is smaller now, and every message is still in it:'
size

say 'A line stands for each result. The original is where it was:'
first=$("$stemma" show "$conversation" --newest 1 --json | grep -o '"from":"[0-9.]*"' | head -n 1 | tr -cd 0-9.)
run recall "$conversation" "$first" | head -n 8

say 'The compaction is an entry of the tree. Moving the tip before it undoes it:'
run branch "$conversation" end-of-session
size

say 'The same for any earlier point, and what was done since:'
run branch "$conversation" 43
run tree "$conversation"
run diff "$conversation" @ end-of-session

say 'Your own sessions: stemma import'
