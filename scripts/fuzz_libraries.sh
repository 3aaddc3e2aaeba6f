#!/usr/bin/env bash
# Builds libpng, libjpeg, libtiff, libexif, jansson and popt from the distribution's sources with
# sanitizers and the instrumentation of a fuzzer, and the fuzz targets with these libraries, for long
# runs that also cover the libraries.
#
#   scripts/fuzz_libraries.sh [DIRECTORY]      default: build/fuzz-libraries
#   WAVEPASS_FUZZ_BUILD=DIRECTORY/wavepass tests/fuzz/run.sh 3600 image jpeg tiff
#
# Requires apt-get with a server that has sources, and dpkg-dev. If a library cannot be built, the script
# reports it and uses the library of the distribution. The edges of the libraries are counted, so
# edges.txt does not apply to such a build.
set -Eeu
trap 'echo "scripts/fuzz_libraries.sh: failed in line $LINENO" >&2' ERR
cd "$(dirname "$0")/.."

directory=$(realpath -m "${1:-build/fuzz-libraries}")
prefix=$directory/prefix
mkdir -p "$directory/source" "$prefix"
export CC=clang
# These libraries have harmless shifts and overflows, so only addresses are checked.
export CFLAGS='-g -O1 -fPIC -fno-omit-frame-pointer -fsanitize=address,fuzzer-no-link'

# Package lists with sources, separate from those of the system.
apt() {
    apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$directory/apt/parts" \
        -o Dir::State::Lists="$directory/apt/lists" -o Dir::Cache="$directory/apt/cache" \
        -o APT::Sandbox::User= "$@"
}

update() {
    local file
    mkdir -p "$directory/apt/parts" "$directory/apt/lists/partial" \
        "$directory/apt/cache/archives/partial"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        if [ -f "$file" ] && grep -qE 'debian|ubuntu' "$file"; then
            sed -E 's/^Types: .*/Types: deb-src/; s/^deb /deb-src /' "$file" \
                >"$directory/apt/parts/$(basename "$file")"
        fi
    done
    apt update
}

# The versions in the lists, the newest first; a server may not have all of them.
versions() {
    apt-cache -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$directory/apt/parts" \
        -o Dir::State::Lists="$directory/apt/lists" -o Dir::Cache="$directory/apt/cache" \
        showsrc --only-source "$1" | sed -n 's/^Version: //p' | sort -rV | uniq
}

# unpack PACKAGE: prints the folder of its source.
unpack() {
    local version
    for version in $(versions "$1"); do
        rm -rf "$directory/source/$1"
        mkdir -p "$directory/source/$1"
        if (cd "$directory/source/$1" && apt source "$1=$version" >&2); then
            find "$directory/source/$1" -mindepth 1 -maxdepth 1 -type d
            return
        fi
    done
    return 1
}

by_cmake() {
    cmake -S "$1" -B "$1/fuzz" -G Ninja -DCMAKE_BUILD_TYPE=None \
        -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX="$prefix" \
        -DCMAKE_INSTALL_LIBDIR="$prefix/lib" "${@:2}"
    cmake --build "$1/fuzz" --target install
}

by_configure() {
    (cd "$1" && ./configure --prefix="$prefix" --libdir="$prefix/lib" --disable-shared --disable-nls \
        "${@:2}" && make -C src install && cp ./*.pc "$prefix/lib/pkgconfig")
}

# The configure script of libexif requires tools that generate it, only for a header of one line.
by_hand() {
    (cd "$1" && echo '#include <stdint.h>' >libexif/_stdint.h && : >config.h &&
        "$CC" $CFLAGS -DGETTEXT_PACKAGE='"libexif"' -DLOCALEDIR='""' -I. -c libexif/*.c \
            libexif/canon/*.c libexif/fuji/*.c libexif/olympus/*.c libexif/pentax/*.c \
            libexif/apple/*.c &&
        mkdir -p "$prefix/lib/pkgconfig" "$prefix/include/libexif" && rm -f "$prefix/lib/libexif.a" &&
        ar rcs "$prefix/lib/libexif.a" ./*.o && cp libexif/*.h "$prefix/include/libexif" &&
        printf 'Name: libexif\nDescription: EXIF\nVersion: 0\nLibs: %s\nCflags: %s\n' \
            "-L$prefix/lib -lexif" "-I$prefix/include" >"$prefix/lib/pkgconfig/libexif.pc")
}

# build NAME PACKAGE HOW [OPTION...]
build() {
    local name=$1 package=$2 log=$directory/$1.log
    shift 2
    [ ! -e "$directory/$name.done" ] || return 0
    if (set -e; folder=$(unpack "$package"); "$1" "$folder" "${@:2}") >"$log" 2>&1; then
        touch "$directory/$name.done"
        echo "fuzz_libraries: $name"
    else
        echo "fuzz_libraries: $name cannot be built here ($(tail -1 "$log")); see $log" >&2
    fi
}

update
build libpng libpng1.6 by_cmake -DPNG_SHARED=OFF -DPNG_TESTS=OFF
# libtiff without codecs from other libraries, except zlib.
build libtiff tiff by_cmake -Dtiff-tools=OFF -Dtiff-tests=OFF -Dtiff-contrib=OFF -Dtiff-docs=OFF \
    -Djpeg=OFF -Dold-jpeg=OFF -Djbig=OFF -Dlerc=OFF -Dlzma=OFF -Dzstd=OFF -Dwebp=OFF \
    -Dlibdeflate=OFF -Dcxx=OFF
build libjpeg libjpeg-turbo by_cmake -DENABLE_SHARED=OFF -DWITH_SIMD=OFF -DWITH_TURBOJPEG=OFF
build libexif libexif by_hand
build popt popt by_configure
build jansson jansson by_cmake -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON \
    -DJANSSON_EXAMPLES=OFF

unset CFLAGS
PKG_CONFIG_PATH=$prefix/lib/pkgconfig cmake --fresh --preset fuzz -B "$directory/wavepass" \
    -DCMAKE_PREFIX_PATH="$prefix" >"$directory/wavepass.log"
cmake --build "$directory/wavepass" --target fuzzers
