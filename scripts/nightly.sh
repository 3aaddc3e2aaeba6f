#!/usr/bin/env bash
# Runs all tests that continuous integration alternates or samples, which takes several hours on two
# cores: all cases of all matrices in optimized builds with gcc and clang and with sanitizers, with
# CUDA kernels as machine code for each architecture; the tests with their own builds (thread
# sanitizer, MPI, analyzer, core library); minutes of random events; failures of each allocation;
# fuzzing; and the web page in both browsers.
#
#   scripts/nightly.sh [SECONDS]    of fuzzing (default 3600)
#
# Prints one line per job at the end. Exit code 1 if a job failed.
set -u
cd "$(dirname "$0")/.." || exit 1

seconds=${1:-3600}
failed=0
summary=
job() { # NAME COMMAND...: runs it to its end, whatever the others did
    local name=$1 start=$SECONDS verdict=passed
    shift
    echo "== $name: $*"
    "$@" || verdict=FAILED
    [ $verdict = passed ] || failed=1
    summary+=$(printf '%-22s %s in %d s' "$name" $verdict $((SECONDS - start)))$'\n'
}
architectures() { # machine code for all that the toolkit knows
    cmake --preset release -B build/architectures -DCMAKE_CUDA_ARCHITECTURES=all-major \
        -DWAVEPASS_TESTS=OFF && cmake --build build/architectures
}

job "optimized, gcc" scripts/test.sh release --again --all
job "optimized, clang" scripts/test.sh clang --again --all
job "sanitizers" scripts/test.sh sanitize --again --all
job "walks over memory" ctest --preset release -L '^walk$' --output-on-failure
job "every architecture" architectures
job "fuzzing" tests/fuzz/run.sh --jobs "$(nproc)" "$seconds"
job "page" scripts/web.sh --all
printf '\n%s' "$summary"
exit $failed
