#!/usr/bin/env bash
# Installs what the tests need, builds and runs all of them.
#
#   scripts/test.sh [PRESET] [CTEST OPTION...]    presets: release (default), debug, sanitize, clang
set -eu
cd "$(dirname "$0")/.."

preset=release
case "${1:-}" in
'' | -*) ;;
*)
    preset=$1
    shift
    ;;
esac
scripts/setup.sh test
cmake --preset "$preset"
cmake --build --preset "$preset"
ctest --preset "$preset" --output-on-failure --parallel "$(nproc)" "$@"
