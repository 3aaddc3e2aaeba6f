#!/bin/sh
# Installs and packages a build into a temporary directory, moves the result, and uses it without
# the source and the build directory.
#
#   install_test.sh SOURCE_DIR BUILD_DIR C_COMPILER
set -eu

source=$1 build=$2 cc=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/wavepass-install-XXXXXX")
trap 'rm -rf "$work"' EXIT
unset WAVEPASS_WAVELETS
export LC_ALL=C.UTF-8 ASAN_OPTIONS=detect_leaks=0

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

# runs PREFIX: the installed program computes coefficients with a wavelet of the table and with a
# built-in wavelet file.
runs() {
    for wavelet in cdf97 cdf75; do
        "$1/bin/wavepass" forward pattern:zone-plate:40x30 -w "$wavelet" \
            -o "$work/c.npy" --picture "$work/c.png" --force ||
            fail "the program in $1 with $wavelet"
        for output in c.npy c.png; do
            [ -s "$work/$output" ] || fail "no $output with $wavelet"
        done
    done
}

# Distributed files must not contain the paths of this machine.
names_no_paths() {
    for directory in "$source" "$build"; do
        names=$directory/
        # For a checkout in /wavepass the sources contain share/wavepass/ themselves: search for its
        # entries.
        if grep -rqF "$names" "$source/src" "$source/CMakeLists.txt"; then
            names=$(find "$directory" -mindepth 1 -maxdepth 1)
        fi
        found=$(grep -rlF "$names" "$1" || true)
        [ -z "$found" ] || fail "$directory is named in $found"
    done
}

echo "-- install, move"
cmake --install "$build" --prefix "$work/first" >"$work/log" || fail "$(cat "$work/log")"
mkdir "$work/moved here"
prefix="$work/moved here/wavepass"
mv "$work/first" "$prefix"
for file in share/doc/wavepass/LICENSE share/doc/wavepass/DejaVuSans-license.txt; do
    [ -s "$prefix/$file" ] || fail "$file is not installed"
done
[ -z "$(find "$prefix" -name '*.wavelet')" ] ||
    fail "wavelet files are installed although they are built in"
if [ -e "$build/web/dist/index.html" ]; then
    cmp "$build/web/dist/index.html" "$prefix/share/wavepass/web/index.html" ||
        fail "the page is not installed"
else
    [ ! -e "$prefix/share/wavepass/web" ] || fail "a page is installed that was not built"
fi
runs "$prefix"
names_no_paths "$prefix"
if readelf -d "$prefix/bin/wavepass" | grep -E 'R(UN)?PATH'; then
    fail "the installed program has an RPATH"
fi

echo "-- the commands of all pages"
if command -v python3 >"$work/log"; then
    "$source/scripts/run_docs.py" --wavepass "$prefix/bin/wavepass" || fail "the documentation"
else
    echo "skipped: python3 is not installed"
fi

"$source/tests/library_test.sh" "$source" "$prefix" "$cc"
# Image formats and options belong to the program only.
if readelf -d "$(find "$prefix" -name libwavepass.so)" | grep 'png\|tiff\|exif\|libz\|popt\|jansson\|fftw\|kissfft'; then
    fail "the library needs libraries that only the program may need"
fi
version=$(sed -n 's/^Version: //p' "$(find "$prefix" -name wavepass.pc)")
"$prefix/bin/wavepass" --version | grep -qF "wavepass $version" ||
    fail "wavepass.pc and the program differ in their version"

echo "-- man page"
if command -v groff >"$work/log"; then
    # man-db reads pages as UTF-8 too.
    groff -Kutf8 -man -ww -z -Tutf8 "$prefix/share/man/man1/wavepass.1" 2>"$work/log"
    [ ! -s "$work/log" ] || fail "$(cat "$work/log")"
else
    echo "skipped: groff is not installed"
fi

echo "-- bash completion"
bash -euc '. "$1"; complete -p wavepass' bash \
    "$prefix/share/bash-completion/completions/wavepass" || fail "the completion"

echo "-- tarball"
cpack --config "$build/CPackConfig.cmake" -B "$work/cpack" >"$work/log" 2>&1 ||
    fail "$(cat "$work/log")"
! grep -A 5 Warning "$work/log" || fail "cpack warns"
tarball=$(find "$work/cpack" -maxdepth 1 -name 'wavepass-*-linux-*.tar.gz')
mkdir "$work/unpacked"
tar -xzf "$tarball" -C "$work/unpacked"
prefix=$(echo "$work"/unpacked/wavepass-*)
runs "$prefix"
names_no_paths "$prefix"
readelf -d "$prefix/bin/wavepass" | grep -q 'RPATH.*\[\$ORIGIN/' ||
    fail "the program in the tarball does not look for its libraries"
# All libraries are in the tarball, except those of the system and its drivers.
ldd "$prefix/bin/wavepass" >"$work/libraries"
for library in GLEW png16 tiff jpeg popt jansson md; do
    grep "lib$library\." "$work/libraries" | grep -qF "$prefix/bin/../" ||
        fail "lib$library is not taken from the tarball"
done
for library in c m GL EGL X11 xcb stdc++; do
    bundled=$(find "$prefix" -name "lib$library.so*")
    [ -z "$bundled" ] || fail "$bundled must come from the system"
done
echo "all good"
