#!/usr/bin/env bash
# Installs what the tests need, builds and runs them, and says what was left out and why.
#
#   scripts/test.sh [PRESET] [--large | --all] [CTEST OPTION...]
#
# The presets are release (the default), debug, sanitize and clang. Of the matrices of wavelets,
# schemes, forms, sizes and borders a sample is run, one case of sixteen, by a seed that is printed
# and can be given (WAVEPASS_SAMPLE=SEED:16), and of the tests with the labels large and soak none:
# large images, builds of their own, gcc's analyser, minutes of random events.
# Tests have their temporary files in build/PRESET/tmp, and may leave nothing there or in /tmp.
# In a build with sanitizers the tests of the command line are sampled as well, one of eight.
# --large: a sample, and the tests with those labels. --all: everything but `ctest -L walk`, an hour of
# one core.
# The page has a script of its own, scripts/web.sh.
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
sample=${WAVEPASS_SAMPLE:-$RANDOM:16}
which=(-LE '^(large|soak|walk|web)$')
case "${1:-}" in
--large | --all)
    which=(-LE '^(walk|web)$')
    if [ "$1" = --all ]; then
        sample=
    fi
    shift
    ;;
esac
export WAVEPASS_SAMPLE=$sample

scripts/setup.sh test
cmake --preset "$preset"
cmake --build --preset "$preset"
results=$PWD/build/$preset/tests.xml
rm -f "$results"
status=0
python3 tests/left_behind.py "build/$preset/tmp" \
    ctest --preset "$preset" --output-on-failure --output-junit "$results" \
    --test-output-size-passed 1000000 --parallel "$(nproc)" \
    ${which[@]+"${which[@]}"} "$@" || status=$?
if [ -f "$results" ]; then
    python3 scripts/test_summary.py "$results"
fi
if [ -n "$sample" ]; then
    echo "A sample of the matrices: WAVEPASS_SAMPLE=$sample scripts/test.sh takes the same, --all" \
        "takes everything."
fi
exit "$status"
