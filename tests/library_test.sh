#!/bin/sh
# Uses an installed libwavepass from programs outside the tree: shared and static, with pkg-config
# and find_package(), in C and C++.
#
#   library_test.sh SOURCE_DIR PREFIX C_COMPILER
set -eu

source=$1 prefix=$2 cc=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/wavepass-library-XXXXXX")
trap 'rm -rf "$work"' EXIT
unset WAVEPASS_WAVELETS
export ASAN_OPTIONS=detect_leaks=0
warnings="-Wall -Wextra -Wpedantic -Werror"

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

# uses PREFIX: the following commands find the library there.
uses() {
    PKG_CONFIG_PATH=$(dirname "$(find "$1" -name wavepass.pc)")
    LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
    export PKG_CONFIG_PATH LD_LIBRARY_PATH
}

# As an argument of eval, since pkg-config quotes for a shell.
flags() {
    pkg-config --cflags --libs wavepass
}

echo "-- version"
uses "$prefix"
version=$(pkg-config --modversion wavepass)
eval "set -- $(flags)"
echo 'WAVEPASS_VERSION' | "$cc" -E -P -include wavepass.h -x c - "$@" 2>"$work/log" |
    grep -qxF "\"$version\"" || fail "wavepass.pc and wavepass.h differ in their version"

echo "-- pkg-config: shared"
# shellcheck disable=SC2086
"$cc" -std=c17 $warnings "$source/tests/consumer/consumer.c" "$@" -lm -o "$work/shared"
readelf -d "$work/shared" | grep -q 'NEEDED.*\[libwavepass\.so\.0\]' || fail "not shared"
"$work/shared" || fail "a program with the shared library"
# shellcheck disable=SC2086
"$cc" -std=c17 $warnings "$source/tests/consumer/stream.c" "$@" -o "$work/stream"
{ printf 'P5 16 8 255\n'; printf '%0128d' 0; } >"$work/flat.pgm"
# Samples of 48/255 are all in LL, without loss: 128 times their square.
"$work/stream" "$work/flat.pgm" >"$work/log" || fail "a stream of rows"
awk 'NR == 1 { low = $2; next } { high += $2 }
     END { e = 128 * (48 / 255) ^ 2; exit !(NR == 10 && (low - e) ^ 2 < 1e-6 && high < 1e-6) }' \
    "$work/log" || fail "$(cat "$work/log")"

echo "-- the program of docs/library.md"
sed -n '/^```c$/,/^```$/p' "$source/docs/library.md" | sed '/^```/d' >"$work/program.c"
# shellcheck disable=SC2086
"$cc" -std=c17 $warnings "$work/program.c" "$@" -o "$work/program"
"$work/program" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
grep -qx 'after the round trip: 1' "$work/log" && grep -q '^LL3: 80x60, from coefficients\[0\]\[0\]$' "$work/log" ||
    fail "the program of docs/library.md prints: $(cat "$work/log")"

if pkg-config --exists wavepass-reconstruct; then
    echo "-- libwavepass-reconstruct"
    eval "set -- $(pkg-config --cflags --libs wavepass-reconstruct)"
    # shellcheck disable=SC2086
    "$cc" -std=c17 $warnings "$source/tests/consumer/reconstruct.c" "$@" -lm -o "$work/reconstruct"
    "$work/reconstruct" 2>"$work/log" || fail "a program with libwavepass-reconstruct"
    if readelf -d "$LD_LIBRARY_PATH/libwavepass.so" | grep fftw; then
        fail "libwavepass needs FFTW"
    fi
    eval "set -- $(flags)"
fi

echo "-- C++"
cat >"$work/consumer.cpp" <<'END'
#include <wavepass_denoise.h>
#include <wavepass_packets.h>
#include <wavepass_stream.h>
int main()
{
    const wp_transform_params params = wp_transform_params();
    return wp_transform_create(&params) == 0 && wp_last_error() == WP_ERROR_USAGE &&
           !wp_denoise(0, 0, 0) && !wp_packets_best(0, 0, 0, 0) ? 0 : 1;
}
END
# With the C compiler and libstdc++, which clang's sanitizers need.
# shellcheck disable=SC2086
"$cc" -x c++ -std=c++11 $warnings "$work/consumer.cpp" -x none "$@" -lstdc++ -o "$work/cpp"
"$work/cpp" 2>"$work/log" || fail "a program in C++"

# links_statically MODULE SOURCE: the static library is in the directory of the shared ones. No
# shared library of the prefix is linked, and no other directories are named.
links_statically() {
    eval "set -- \"\$@\" $(pkg-config --cflags --libs "$1")"
    module=$1 main=$2
    shift 2
    for flag in "$@"; do
        case $flag in
        "-L$prefix"/* | "-I$prefix"/* | -L/usr/* | -I/usr/*) ;;
        */*) fail "$module.pc names '$flag'" ;;
        esac
    done
    # shellcheck disable=SC2086
    env -u LD_LIBRARY_PATH "$cc" -std=c17 $warnings "$main" "$@" -lm -o "$work/static"
    ! readelf -d "$work/static" | grep 'NEEDED.*libwavepass' || fail "$module links a shared library"
    env -u LD_LIBRARY_PATH "$work/static" 2>"$work/log" || fail "$module: $(cat "$work/log")"
}
echo "-- pkg-config: static"
links_statically wavepass-static "$source/tests/consumer/consumer.c"
if pkg-config --exists wavepass-reconstruct-static; then
    links_statically wavepass-reconstruct-static "$source/tests/consumer/reconstruct.c"
fi
unset LD_LIBRARY_PATH

# finds LIBRARY: with find_package().
finds() {
    cmake -S "$source/tests/consumer" -B "$work/find $1" -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_PREFIX_PATH="$prefix" -DVERSION="$version" -DLIBRARY="$1" >"$work/log" 2>&1 ||
        fail "$(cat "$work/log")"
    cmake --build "$work/find $1" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
    "$work/find $1/consumer" || fail "a program with wavepass::$1"
}
echo "-- find_package(): static"
finds static
echo "-- find_package(): shared, which needs nothing else"
PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR='' finds wavepass
