#!/bin/sh
# Multithreaded code in a separate build with the thread sanitizer: calls of the library from
# several threads (the consumer, test_api_threads), shared tasks and pipelines, reconstruction with
# several threads, and in the program many files at once and the viewer's solver and tiles.
#
#   tsan_test.sh SOURCE_DIR GL C_COMPILER [CXX_COMPILER]
#
# GL is ON or OFF; without OpenGL only the library is tested. All threads are the project's (no
# OpenMP, src/base/threads.h), except those of software OpenGL: accesses in libraries that were
# built without the sanitizer are ignored.
set -eu

source=$1 gl=$2 cc=$3 cxx=${4:-}
work=$(mktemp -d "${TMPDIR:-/tmp}/wavepass-tsan-XXXXXX")
trap 'rm -rf "$work"' EXIT
flags='-fsanitize=thread -g -O1'
# Races are logged to files, since many tests expect the program to fail.
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 die_after_fork=0 log_path=$work/race"

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

check() {
    name=$1 failed=0
    shift
    echo "-- $name"
    "$@" >"$work/log" 2>&1 || failed=$?
    if [ -n "$(find "$work" -name 'race.*')" ]; then
        cat "$work"/race.* >&2
        fail "threads race in $name"
    fi
    [ "$failed" = 0 ] || fail "$name: $(tail -40 "$work/log")"
    if skipped=$(grep 'skipped: ' "$work/log"); then
        echo "$skipped"
    fi
}

# A race without a lock: checks that the sanitizer is available and reports it.
cat >"$work/try.c" <<'END'
#include <pthread.h>
static int shared;
static void *run(void *user) { shared++; return user; }
int main(void)
{
    pthread_t other;
    if (pthread_create(&other, 0, run, 0))
        return 1;
    run(0);
    return pthread_join(other, 0);
}
END
# shellcheck disable=SC2086
if ! "$cc" $flags "$work/try.c" -pthread -o "$work/try" 2>"$work/log" ||
    { "$work/try" 2>>"$work/log" || true; ! find "$work" -name 'race.*' | grep -q .; }; then
    echo "skipped: the thread sanitizer does not work here: $(cat "$work/log")"
    exit 77
fi
rm "$work"/race.*

targets=wavepass_shared
[ "$gl" = OFF ] || targets="wavepass_shared wavepass test_threads test_api_threads test_pipeline test_tiled_exec test_reconstruct"
# shellcheck disable=SC2086
cmake -S "$source" -B "$work/build" -DCMAKE_C_COMPILER="$cc" ${cxx:+"-DCMAKE_CXX_COMPILER=$cxx"} \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" \
    -DWAVEPASS_GL="$gl" -DWAVEPASS_TESTS="$gl" -DWAVEPASS_CUDA=OFF >"$work/log" 2>&1 &&
    cmake --build "$work/build" --parallel 2 --target $targets >"$work/log" 2>&1 ||
    fail "$(cat "$work/log")"
# As installed: other headers of src/ have names of C library headers.
mkdir "$work/include"
cp "$source"/src/*/wavepass*.h "$work/include"
# shellcheck disable=SC2086
"$cc" -std=c17 $flags -I "$work/include" \
    "$source/tests/consumer/consumer.c" "$work/build/libwavepass.so" -Wl,-rpath,"$work/build" -lm \
    -pthread -o "$work/consumer"
for i in 1 2 3; do
    check "callers of the library, run $i" "$work/consumer"
done
if [ "$gl" = OFF ]; then
    exit 0
fi
check "shared tasks" "$work/build/tests/test_threads"
for backend in cpu reference fragment compute; do
    check "transforms in threads: $backend" "$work/build/tests/test_api_threads" $backend
done
check "pipelines" "$work/build/tests/test_pipeline"
check "tiled execution" env WAVEPASS_SAMPLE=1:8 "$work/build/tests/test_tiled_exec"
check "reconstruction" "$work/build/tests/test_reconstruct" cpu test_same_bits
for tests in test_batch.Makes test_batch.Tells test_view_reconstruct.Window \
    test_view_pyramid.Window; do
    check "the program: $tests" python3 "$source/tests/cli/run.py" "$work/build/wavepass" "$tests"
done
