#!/usr/bin/env bash
# Installs what the tests need, builds and runs them, and reports what was left out and why.
#
#   scripts/test.sh [PRESET] [--again] [--large | --all] [CTEST OPTION...]
#
# Presets: test (the default without a GPU: optimized, with CUDA kernels that nobody optimized), release
# (the default with one), debug, sanitize and clang. A test is left out when neither its executable nor
# its data changed since it last passed in build/PRESET; --again runs all.
#
# Some matrices of wavelets, schemes, forms, sizes and borders are sampled, one program of sixteen
# (WAVEPASS_SAMPLE=SEED:16; the default seed is the date), and of the tests with the labels large and soak
# none is run: large images, builds of their own, gcc's analyzer, minutes of random events. Under sanitizers
# one of eight tests of the command line is run.
# --large: those labels, too. --all: everything, without samples, but `ctest -L walk`, an hour of one core.
# The page has a script of its own, scripts/web.sh.
#
# One test more than processors runs at a time: some wait for windows and clocks.
# Tests have their temporary files in build/PRESET/tmp, and may leave nothing there or in /tmp.
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
    echo "Left out, unchanged since they passed (--again runs them):" \
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
    echo "A sample of the matrices: WAVEPASS_SAMPLE=$sample scripts/test.sh takes the same, --all" \
        "takes everything."
fi
exit "$status"
