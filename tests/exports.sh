#!/bin/sh
# libwavepass exports exactly the functions that its headers declare.
#
#   exports.sh NM SHARED_LIBRARY STATIC_LIBRARY HEADER...
set -eu

nm=$1 shared=$2 static=$3
shift 3
work=$(mktemp -d "${TMPDIR:-/tmp}/wavepass-exports-XXXXXX")
trap 'rm -rf "$work"' EXIT

# Names before a parenthesis, except in comments.
cat "$@" | sed 's,//.*,,' | grep -o '\<wp_[a-z0-9_]*(' | tr -d '(' | sort -u >"$work/declared"
# Without linker symbols and the names of archive members.
"$nm" -D --defined-only --format=posix "$shared" | awk '{ print $1 }' |
    grep -vx '_edata\|_end\|__bss_start\|_init\|_fini' | sort >"$work/shared"
"$nm" -g --defined-only --format=posix "$static" | awk 'NF > 1 { print $1 }' |
    sort >"$work/static"
[ -s "$work/declared" ]
for kind in shared static; do
    diff -u "$work/declared" "$work/$kind"
done
echo "$(wc -l <"$work/declared") names"
