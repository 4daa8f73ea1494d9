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

bold='' faint='' off=''
if [ ! -t 1 ]; then
	export STEMMA_COLUMNS=100
elif [ -z "${NO_COLOR:-}" ]; then
	bold='\033[1m' faint='\033[2m' off='\033[0m'
fi

say() { printf "\n$bold%s$off\n" "$*"; }
run() {
	printf "$faint\$ stemma $*$off\n"
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
conversation=01988ccf
run checkpoint "$conversation" end-of-session

say 'The tree of the longer one. Prompts have lines of their own, the rest is folded.'
run tree "$conversation" --prompts

say 'What fills the window of its model, and what could be taken out of it:'
run context "$conversation"
say 'The request that would go on from here, in bytes:'
size

say 'Which results are no longer true, since their file was read again or changed later?'
run shake "$conversation" --dry-run
run shake "$conversation"
say 'The request is smaller now, and every message is still in it:'
size

say 'A line stands for each result. The original is where it was:'
run recall "$conversation" 33.3 | head -n 8

say 'The compaction is an entry of the tree. Moving the tip before it undoes it:'
run branch "$conversation" end-of-session
size

say 'A model with a small window? What fits it, without asking a model:'
run compact "$conversation" --model claude-haiku-4-5 --window 40000 --dry-run

say 'Back to an earlier point, and what was done since:'
run branch "$conversation" 43
run tree "$conversation"
run diff "$conversation" @ end-of-session

say 'Your own sessions: stemma import'
