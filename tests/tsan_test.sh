#!/bin/sh
# Several threads in the library at once, under the thread sanitizer: libwavepass of the CPU alone,
# and the consumer, whose two threads create, run and destroy transforms.
#
#   tsan_test.sh SOURCE_DIR C_COMPILER
set -eu

source=$1 cc=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/wavepass-tsan-XXXXXX")
trap 'rm -rf "$work"' EXIT
flags='-fsanitize=thread -g -O1'

echo 'int main(void) { return 0; }' >"$work/try.c"
# shellcheck disable=SC2086
if ! "$cc" $flags "$work/try.c" -o "$work/try" 2>"$work/log" || ! "$work/try" 2>>"$work/log"; then
    echo "skipped: the thread sanitizer does not work here: $(cat "$work/log")"
    exit 77
fi
cmake -S "$source" -B "$work/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_C_FLAGS="$flags" -DWAVEPASS_GL=OFF -DWAVEPASS_TESTS=OFF >"$work/log" 2>&1 &&
    cmake --build "$work/build" --parallel 2 --target wavepass_static >"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
# As they are installed: other headers of src/ have names of the C library's.
mkdir "$work/include"
cp "$source"/src/*/wavepass*.h "$work/include"
# shellcheck disable=SC2086
"$cc" -std=c17 $flags -I "$work/include" \
    "$source/tests/consumer/consumer.c" "$(find "$work/build" -name libwavepass.a)" -lm -pthread \
    -o "$work/consumer"
for i in 1 2 3; do
    "$work/consumer"
done
