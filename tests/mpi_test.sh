#!/bin/sh
# libwavepass_mpi and wavepass-mpi in a separate build of the complete program, tested with 1 to 4
# processes, installed and linked.
#
#   mpi_test.sh SOURCE_DIR C_COMPILER
set -eu

source=$1 cc=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/wavepass-mpi-XXXXXX")
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

for program in mpicc mpiexec; do
    command -v "$program" >"$work/log" || {
        echo "skipped: $program is not installed (Debian: libopenmpi-dev, openmpi-bin)"
        exit 77
    }
done
# Open MPI must be allowed to use more processes than processors, and to run as root.
export OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

echo "-- build"
cmake -S "$source" -B "$work/build" -DWAVEPASS_CUDA=OFF -DWAVEPASS_MPI=ON -DWAVEPASS_WERROR=ON \
    -DWAVEPASS_TESTS=ON_DEMAND -DCMAKE_C_COMPILER="$cc" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
cmake --build "$work/build" --target all test_mpi >"$work/log" 2>&1 || fail "$(cat "$work/log")"

echo "-- tests"
for processes in 1 2 3 4; do
    mpiexec -n "$processes" "$work/build/tests/test_mpi" "${WAVEPASS_CASES:-240}" "$processes" ||
        fail "$processes processes"
    mpiexec -n "$processes" "$work/build/tests/test_mpi" 48 "$processes" reference ||
        fail "$processes processes by another backend"
done
ctest --test-dir "$work/build" -R '^layers$' >"$work/log" || fail "$(cat "$work/log")"

echo "-- install"
cmake --install "$work/build" --prefix "$work/prefix" >"$work/log"
if nm -D --defined-only "$work/build/libwavepass_mpi.so" | grep -Ev ' (wp_mpi_.*|__bss_start|_edata|_end)$'; then
    fail "the library exports other names than wp_mpi_*"
fi
lib=$(dirname "$(find "$work/prefix" -name libwavepass_mpi.so)")
mpicc -I"$work/prefix/include/wavepass" "$source/tests/consumer/mpi.c" -o "$work/consumer" \
    -L"$lib" -Wl,-rpath,"$lib" -lwavepass_mpi -lwavepass -lm
mpiexec -n 3 "$work/consumer"

echo "-- the model of docs/lab/mpi.md"
for processes in 2 4; do
    sent=$(mpiexec -n "$processes" "$work/build/tests/test_mpi" 0 |
        sed -n 's/.*: \([0-9]*\) bytes of halos.*/\1/p')
    model=$(python3 "$source/scripts/mpi_model.py" --halo "$processes" --size 512x1024 --levels 4 \
        --planes 2)
    [ "$sent" = $((2 * model)) ] ||
        fail "$sent bytes were sent in both directions, expected 2 x $model"
done

echo "-- the program"
python3 "$source/tests/cli/run.py" "$work/build/wavepass" test_mpi
for backend in fragment compute; do
    mpiexec -n 3 "$work/build/tests/test_mpi" 12 3 "$backend" || fail "3 processes by $backend"
done
mpiexec -n 2 "$work/prefix/bin/wavepass-mpi" --version
echo "all good"
