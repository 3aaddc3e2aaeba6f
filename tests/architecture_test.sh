#!/bin/sh
# The layers of a build can be drawn. For a build with all layers except MPI, docs/architecture.svg
# is up to date.
#
#   architecture_test.sh SOURCE_DIR BUILD_DIR whole|part
set -eu

source=$1 build=$2 extent=$3
drawing=$(mktemp "${TMPDIR:-/tmp}/wavepass-architecture-XXXXXX")
trap 'rm -f "$drawing"' EXIT

"$source/scripts/architecture.py" "$build" >"$drawing"
xmllint --noout "$drawing"
[ "$extent" = whole ] || exit 0
if ! cmp "$drawing" "$source/docs/architecture.svg"; then
    echo "docs/architecture.svg does not show these layers; to update it:" >&2
    echo "    scripts/architecture.py $build > docs/architecture.svg" >&2
    exit 1
fi
