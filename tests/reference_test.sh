#!/bin/sh
# The reference of the public headers is generated without warnings and has a page for each header;
# a member without documentation is reported.
#
#   reference_test.sh SOURCE_DIR
set -eu
source=$1
if ! command -v doxygen >/dev/null; then
    echo "skipped: no doxygen (scripts/setup.sh test)"
    exit 77
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/wavepass-reference-XXXXXX")
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

"$source/scripts/reference.sh" "$work/html" || fail "the reference"
for header in "$source"/src/*/wavepass*.h; do
    page=$(basename "$header" .h | sed 's/_/__/g')_8h.html
    [ -s "$work/html/$page" ] || fail "no page for $header in the reference"
done

mkdir "$work/copy"
cp -R "$source/scripts" "$source/src" "$work/copy"
sed 's,\(int width;\) *///<.*,\1,' "$source/src/api/wavepass.h" >"$work/copy/src/api/wavepass.h"
if "$work/copy/scripts/reference.sh" "$work/copy/html" 2>"$work/log"; then
    fail "a member without documentation is accepted"
fi
grep -q 'Member width' "$work/log" || fail "$(cat "$work/log")"
