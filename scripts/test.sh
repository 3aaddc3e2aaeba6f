#!/usr/bin/env bash
# Installs packages, builds and runs the tests, and reports the skipped tests with the reasons.
#
#   scripts/test.sh [PRESET] [--again] [--large | --all] [CTEST OPTION...]
#
# Presets: test (the default without a GPU: optimized, with CUDA kernels that are not optimized), release
# (the default with a GPU), debug, sanitize and clang. A test is skipped if neither its executable nor its
# data have changed since it last passed in build/PRESET; --again runs all tests.
#
# Some matrices of wavelets, schemes, forms, sizes and borders run a sample, one program of sixteen
# (WAVEPASS_SAMPLE=SEED:16; the default seed is the date). Tests with the labels large and soak do not run:
# large images, separate builds, gcc's analyzer, minutes of random events. With sanitizers one of eight
# tests of the command line runs.
# --large also runs these labels. --all runs everything without samples, except `ctest -L walk`, which
# takes an hour of one core. scripts/web.sh tests the web page.
#
# The number of parallel tests is one more than that of processors, because some wait for windows and
# clocks. Tests write temporary files to build/PRESET/tmp, and must remove all files there and in /tmp.
set -Eeu
cd "$(dirname "$0")/.."
trap 'echo "scripts/test.sh: failed in line $LINENO" >&2' ERR

preset=test
if [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; then
    preset=release
fi
case "${1:-}" in
'' | -*) ;;
*)
    preset=$1
    shift
    ;;
esac
again=
if [ "${1:-}" = --again ]; then
    again=1
    shift
fi
sample=${WAVEPASS_SAMPLE-$(date +%Y%m%d):16}
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
. scripts/ccache.sh
if [ "$preset" = sanitize ]; then # links the CUDA kernels of that build
    cmake --preset test
    cmake --build --preset test --target cuda_kernels
fi
cmake --preset "$preset"
cmake --build --preset "$preset"
build=$PWD/build/$preset
results=$build/tests.xml
rm -f "$results"
if [ -n "$again" ]; then
    rm -f "$build/passed.json"
fi
unchanged=$(scripts/unchanged.py skip "$build")
if [ -n "$unchanged" ]; then
    which+=(-E "$unchanged" --no-tests=ignore)
    echo "Skipped, unchanged since they passed (--again runs them):" \
        "$(tr -cd '|' <<<"$unchanged" | wc -c | awk '{print $1 + 1}') tests"
fi
status=0
python3 tests/left_behind.py "build/$preset/tmp" \
    ctest --preset "$preset" --output-on-failure --output-junit "$results" \
    --test-output-size-passed 1000000 --parallel $(($(nproc) + 1)) \
    ${which[@]+"${which[@]}"} "$@" || status=$?
if [ -f "$results" ]; then
    scripts/unchanged.py record "$build" "$results"
    python3 scripts/test_summary.py "$results"
fi
if [ -n "$sample" ]; then
    echo "The matrices ran a sample: WAVEPASS_SAMPLE=$sample scripts/test.sh runs the same sample," \
        "--all runs all cases."
fi
exit "$status"
