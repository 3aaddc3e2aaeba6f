#!/bin/sh
# Builds and tests libwavepass without OpenGL, with only a compiler and cmocka available.
#
#   core_test.sh SOURCE_DIR C_COMPILER
set -eu

source=$1 cc=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/wavepass-core-XXXXXX")
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

# builds DIRECTORY COMMAND...: configures with COMMAND, which is cmake with arguments or a wrapper
# of it, and builds.
builds() {
    directory=$1
    shift
    "$@" -S "$source" -B "$directory" -DWAVEPASS_GL=OFF >"$work/log" 2>&1 ||
        fail "$(cat "$work/log")"
    cmake --build "$directory" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
}

echo "-- build"
mkdir "$work/pc"
cp "$(pkg-config --variable=pcfiledir cmocka)/cmocka.pc" "$work/pc"
PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$work/pc builds "$work/build" \
    cmake -DCMAKE_C_COMPILER="$cc" -DWAVEPASS_WERROR=ON -DWAVEPASS_TESTS=ON
if readelf -d "$work/build/libwavepass.so" | grep NEEDED |
    grep -v '\[\(libc\|libm\|libpthread\|ld-linux.*\)\.so'; then
    fail "the library needs other libraries than libc, libm and threads"
fi

echo "-- tests"
ctest --test-dir "$work/build" -R '^(test_.*|layers|exports|transform_cpu)$' >"$work/log" ||
    fail "$(cat "$work/log")"

echo "-- install"
cmake --install "$work/build" --prefix "$work/prefix" >"$work/log"
"$source/tests/library_test.sh" "$source" "$work/prefix" "$cc"

echo "-- WebAssembly"
if command -v emcmake >"$work/log"; then
    builds "$work/wasm" emcmake cmake -DWAVEPASS_TESTS=OFF
    # A single file, since the loader of emscripten 3.1.6 finds no other in Node.js 18 and later.
    emcc -sSINGLE_FILE=1 -I"$work/prefix/include/wavepass" \
        "$source/tests/consumer/consumer.c" "$work/wasm/libwavepass.a" -o "$work/consumer.js"
    node "$work/consumer.js" || fail "a program in WebAssembly"
else
    echo "skipped: emscripten is not installed"
fi
echo "all good"
