#!/bin/sh
# The layers of a build can be drawn, and where it has all of them, and none for MPI,
# docs/architecture.svg shows them.
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
    echo "docs/architecture.svg is not of these layers; what renews it:" >&2
    echo "    scripts/architecture.py $build > docs/architecture.svg" >&2
    exit 1
fi
