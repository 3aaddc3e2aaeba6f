#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that wavepass needs. They are listed only here.
#
#   scripts/setup.sh build    packages for a build
#   scripts/setup.sh demo     those, and packages for scripts/demo.sh
#   scripts/setup.sh peers    the libraries with which scripts/peers.py, volume_peers.py,
#                             wavelet_families.py, denoise.py and coming_from.py compare
#   scripts/setup.sh test     packages for a build and for scripts/test.sh
#   scripts/setup.sh web      packages for a build and for scripts/web.sh: 1.4 GB, not in `test`
set -Eeu
trap 'echo "scripts/setup.sh: failed in line $LINENO" >&2' ERR

build=(
    cmake ninja-build pkg-config gcc g++ libc6-dev
    libegl-dev libgl-dev libglew-dev libglfw3-dev
    libexif-dev libfftw3-dev libimgui-dev libjansson-dev libjpeg-dev libkissfft-dev libmd-dev
    libpng-dev libpopt-dev libstb-dev libtiff-dev libxxhash-dev libzip-dev zlib1g-dev
    fonts-dejavu-core
)
# Optional formats.
build_optional=(libcfitsio-dev libopenexr-dev)
# Mesa renders in software on machines without a GPU.
run=(libegl1 libgl1 libgl1-mesa-dri)
demo=(jq python3)
# The demo also runs without them.
demo_optional=("${build_optional[@]}" xplanet-images)
peers=(libgsl-dev python3-numpy python3-pywt python3-skimage)
# python3-venv: to install the newest PyWavelets from the Python Package Index.
peers_optional=(bart python3-venv)
# Tests report the parts that they skip without them.
# libclang-rt-dev: clang's sanitizers, if clang's package does not contain them. debootstrap:
# scripts/first_use.sh.
test_optional=("${demo_optional[@]}" debootstrap doxygen libclang-rt-dev libopenjp2-tools libopenmpi-dev
    openmpi-bin python3-nibabel python3-numpy python3-pil python3-pywt python3-tifffile
    "${peers_optional[@]}")
test=(bash-completion ccache clang file glslang-tools jq libcmocka-dev libxml2-utils libxtst6 locales make
    man-db python3 python3-dev python3-venv xvfb)
# emscripten runs the first node on the PATH; Debian's node has acorn, which optimization requires.
web=(emscripten nodejs python3)
# Tests report the parts that they skip without them. xvfb: WebGL of Firefox.
web_optional=(chromium chromium-driver firefox-esr python3-selenium python3-venv xvfb)

case "${1:-build}" in
build) packages=("${build[@]}") optional=("${build_optional[@]}") ;;
demo) packages=("${build[@]}" "${run[@]}" "${demo[@]}") optional=("${demo_optional[@]}") ;;
peers) packages=("${peers[@]}") optional=("${peers_optional[@]}") ;;
test) packages=("${build[@]}" "${run[@]}" "${test[@]}") optional=("${test_optional[@]}") ;;
web) packages=("${build[@]}" "${web[@]}") optional=("${web_optional[@]}") ;;
*)
    echo "usage: scripts/setup.sh [build|demo|peers|test|web]" >&2
    exit 2
    ;;
esac

missing() {
    local package
    for package in "$@"; do
        dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
            echo "$package"
    done
}

mapfile -t needed < <(missing "${packages[@]}")
mapfile -t wanted < <(missing ${optional[@]+"${optional[@]}"})
if [ ${#needed[@]} -eq 0 ] && [ ${#wanted[@]} -eq 0 ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "setup: no apt-get; install these packages or their equivalents: ${needed[*]}" >&2
    exit 1
fi

root=()
if [ "$(id -u)" -ne 0 ]; then
    root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
install() {
    "${root[@]+"${root[@]}"}" apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
echo "setup: installing ${needed[*]} ${wanted[*]}" >&2
"${root[@]+"${root[@]}"}" apt-get update -qq || echo "setup: apt-get update failed; continuing" >&2
if [ ${#needed[@]} -gt 0 ]; then
    install "${needed[@]}"
fi
for package in ${wanted[@]+"${wanted[@]}"}; do
    install "$package" || echo "setup: cannot install $package; continuing without it" >&2
done
