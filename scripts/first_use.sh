#!/usr/bin/env bash
# The first minutes with the Python package: in an empty Debian 12, which has only Python, a virtual environment
# is made, the wheel is installed, the lines of the README run on a photo, and wp.show() is called. Prints the
# seconds of each step.
#
#   scripts/first_use.sh [--tests] [WHEEL]
#
# WHEEL is by default that of scripts/python.sh. The system has no libcuda, libGL and libEGL, and the lines must
# not look for them. --tests also runs the tests of the package there. Requires root, debootstrap, and a network;
# the exit code is 77 if the first two are missing. The system is made once, in build/first-use/root.
set -Eeu
cd "$(dirname "$0")/.."
trap 'echo "scripts/first_use.sh: failed in line $LINENO" >&2' ERR

tests=
if [ "${1:-}" = --tests ]; then
    tests=1
    shift
fi
wheel=${1:-$(echo build/python/wheel/wavepass-*.whl)}
[ -f "$wheel" ] || {
    echo "scripts/first_use.sh: there is no wheel $wheel; scripts/python.sh builds it" >&2
    exit 2
}
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
    echo "scripts/first_use.sh: skipped, it requires root and debootstrap" >&2
    exit 77
fi

root=build/first-use/root
work=$root/stranger
step() { # NAME COMMAND...: runs a step and prints its seconds
    local name=$1 start
    shift
    start=$(date +%s%N)
    "$@" >"$root.log" 2>&1 || {
        cat "$root.log" >&2
        echo "scripts/first_use.sh: failed: $name" >&2
        exit 1
    }
    printf '%-22s %6.1f s\n' "$name" "$((($(date +%s%N) - start) / 100000000))e-1"
}
inside() { # COMMAND...: runs a command in the system, with no variables of this one but those of a proxy
    local variables=(HOME=/root LC_ALL=C.UTF-8 PATH=/stranger/env/bin:/usr/sbin:/usr/bin:/sbin:/bin
        PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CERT=/etc/ssl/certs/ca-certificates.crt) name
    for name in http_proxy https_proxy no_proxy; do
        [ -z "${!name:-}" ] || variables+=("$name=${!name}")
    done
    unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" /usr/bin/env -i -C /stranger \
        "${variables[@]}" "$@"
}

if [ ! -e "$root.complete" ]; then
    mkdir -p "$(dirname "$root")"
    rm -rf "$root"
    # xplanet-images has the photo.
    step "empty Debian" debootstrap --variant=minbase --include=ca-certificates,python3-venv,xplanet-images \
        bookworm "$root"
    touch "$root.complete"
fi
# A proxy may have a certificate of its own.
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
rm -rf "$work"
mkdir -p "$work"
cp "$wheel" "$work"
{
    echo 'import PIL.Image, sys'
    sed -n '/^## Python$/,/^## /{/^```python$/,/^```$/{/^```/!p}}' README.md |
        sed 's|^image = np.random.*|photo = np.asarray(PIL.Image.open(sys.argv[1]).convert("L"))\n&|
            s|np.random.*|photo.astype("float32")|'
    cat <<'END'
error = np.sqrt(np.mean((image - photo) ** 2))
print(f"{photo.shape[1]}x{photo.shape[0]}: without the finest diagonal details the error is {error:.2f} of 255")
assert 0 < error < 20 and image.dtype == np.float32
END
} >"$work/lines.py"
cat >"$work/show.py" <<'END'
import numpy as np
import wavepass as wp

try:
    wp.show(np.ones((8, 8)))
except RuntimeError as error:
    assert "hint" in str(error)
    print(error)
else:
    raise SystemExit("wp.show() found a program")
END

step "virtual environment" inside python3 -m venv env
step "pip install" inside pip install -q "$(basename "$wheel")" pillow
photo=/usr/share/xplanet/images/earth.jpg
step "the README's lines" inside python lines.py "$photo"
cat "$root.log"
step "wp.show" inside python show.py
cat "$root.log"
inside env LD_DEBUG=libs python lines.py "$photo" 2>"$root.log" >/dev/null
if ! grep -q 'find library=libm' "$root.log" || grep -E 'find library=lib(cuda|nvrtc|GL|EGL)' "$root.log"; then
    echo "scripts/first_use.sh: the lines look for libraries of GPUs" >&2
    exit 1
fi
[ -n "$tests" ] || exit 0
git archive HEAD README.md docs python src/api | tar -x -C "$work"
step "packages of the tests" inside pip install -q pytest scipy PyWavelets
inside sh -c 'python -P -m pytest -q -p no:cacheprovider --import-mode=importlib python/tests'
