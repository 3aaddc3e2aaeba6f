#!/usr/bin/env bash
# Runs everything that continuous integration alternates or samples, in several hours on two cores: all
# cases of all matrices in optimized builds of gcc and clang and with the sanitizers; CUDA kernels as
# machine code for every architecture; the tests with separate builds (thread sanitizer, MPI, analyzer,
# core library); the Python package as a release, also in an empty Debian; minutes of random events; a
# failure of every allocation; fuzzing; and the web page in both browsers.
#
#   scripts/nightly.sh [SECONDS]    seconds of fuzzing (default 3600)
#
# Prints one line per job at the end. The exit code is 1 if a job failed.
set -u
cd "$(dirname "$0")/.." || exit 1

seconds=${1:-3600}
failed=0
summary=
job() { # NAME COMMAND...: runs a job, also after others have failed
    local name=$1 start=$SECONDS verdict=passed
    shift
    echo "== $name: $*"
    "$@" || verdict=FAILED
    [ $verdict = passed ] || failed=1
    summary+=$(printf '%-22s %s in %d s' "$name" $verdict $((SECONDS - start)))$'\n'
}
architectures() { # machine code for all architectures of the toolkit
    cmake --preset release -B build/architectures -DCMAKE_CUDA_ARCHITECTURES=all-major \
        -DWAVEPASS_TESTS=OFF && cmake --build build/architectures
}
if_possible() { # COMMAND...: runs a command whose exit code is 77 if something is not installed
    local status=0
    "$@" || status=$?
    [ $status = 0 ] || [ $status = 77 ]
}

job "optimized, gcc" scripts/test.sh release --again --all
job "optimized, clang" scripts/test.sh clang --again --all
job "sanitizers" scripts/test.sh sanitize --again --all
job "walks over memory" ctest --preset release -L '^walk$' --output-on-failure
job "every architecture" architectures
job "borders" if_possible /usr/bin/python3 scripts/borders.py
job "python" scripts/python.sh --release --sdist
job "python, first use" if_possible scripts/first_use.sh --tests
job "fuzzing" tests/fuzz/run.sh --jobs "$(nproc)" "$seconds"
job "page" scripts/web.sh --all
printf '\n%s' "$summary"
exit $failed
