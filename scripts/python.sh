#!/usr/bin/env bash
# Builds the wheel of the Python package in a virtual environment below build/, and tests the installed
# wheel: python/tests, the examples of all docstrings, and without options of pytest the suites in folders of
# python/tests (run.py).
#
#   scripts/python.sh [--release] [--sdist] [PYTEST OPTION...]
#
# The kernels of the backend cuda are those of the build $WAVEPASS_CUDA_KERNELS (default: build/test) if it has
# them; otherwise the wheel is for the CPU. --release compiles them as for a release. --sdist builds the wheel from
# a source distribution, without a network if the kernel allows that. $PYTHON is the interpreter, 3.11 or
# newer (default: python3). The last line is "N passed, N failed, N skipped"; skipped tests print the reason.
set -Eeu
cd "$(dirname "$0")/.."
trap 'echo "scripts/python.sh: failed in line $LINENO" >&2' ERR

release='' sdist=''
while :; do
    case "${1:-}" in
    --release) release=1 ;;
    --sdist) sdist=1 ;;
    *) break ;;
    esac
    shift
done
build=$PWD/build/python
kernels=${WAVEPASS_CUDA_KERNELS:-$PWD/build/test}
python=${PYTHON:-/usr/bin/python3}
mkdir -p "$build"
[ -x "$build/env/bin/python" ] || "$python" -m venv "$build/env"
run=$build/env/bin/python
"$run" -m pip install -q --disable-pip-version-check 'scikit-build-core>=0.10' 'numpy>=1.26' pytest scipy \
    PyWavelets ml_dtypes tqdm
# Tests skip parts without these. PyTorch, 6 GB, DeepInverse and CuPy are used if they are installed in this
# environment.
"$run" -m pip install -q --disable-pip-version-check jax 'dask[array]' distributed pylops sigpy scikit-image ||
    echo "scripts/python.sh: some optional packages are missing" >&2

options=()
option() { options+=("--config-settings=$1"); }
. scripts/ccache.sh
if [ -n "$release" ]; then
    option cmake.define.WAVEPASS_CUDA=AUTO
elif [ -n "$(find "$kernels/cuda" -name cuda_patches.cu.o 2>/dev/null)" ]; then
    option "cmake.define.WAVEPASS_CUDA_KERNELS=$kernels"
    option cmake.define.WAVEPASS_CUDA=ON
else
    option cmake.define.WAVEPASS_CUDA=OFF
fi
option cmake.define.WAVEPASS_WERROR=ON
source=$PWD/python
offline=()
if [ -n "$sdist" ]; then
    rm -rf "$build/sdist"
    mkdir -p "$build/sdist"
    (cd python/backend && "$run" -c "import os, sys; sys.path.insert(0, '.'); import build_wavepass
os.chdir('..'); build_wavepass.build_sdist(sys.argv[1])" "$build/sdist")
    tar -xzf "$build"/sdist/*.tar.gz -C "$build/sdist"
    source=$(echo "$build"/sdist/*/)
    if unshare -rn true 2>/dev/null; then
        offline=(unshare -rn)
    fi
else
    option "build-dir=$build/wheel-build"
fi
rm -rf "$build/wheel"
${offline[@]+"${offline[@]}"} "$run" -m pip wheel -q --disable-pip-version-check --no-build-isolation --no-deps \
    --no-index "${options[@]}" -w "$build/wheel" "$source"
wheel=$(echo "$build"/wheel/wavepass-*.whl)
size=$(stat -c %s "$wheel")
echo "python: $(basename "$wheel"), $((size / 1000)) kB"
if [ "$size" -ge 20000000 ]; then
    echo "scripts/python.sh: the wheel has $size bytes, 20 MB or more" >&2
    exit 1
fi
"$run" -m pip install -q --disable-pip-version-check --no-deps --no-index --force-reinstall "$wheel"

# The installed package, not python/wavepass: no module is built there.
results=$build/tests.xml
status=0
(cd "$build" && "$run" -P -m pytest -q -rs -p no:cacheprovider --doctest-modules --doctest-ignore-import-errors --junitxml="$results" \
    --import-mode=importlib "$@" "$OLDPWD/python/tests" --pyargs wavepass) || status=$?
# Suites of other projects, which run in processes of their own.
if [ $# = 0 ]; then
    for suite in python/tests/*/run.py; do
        [ ! -e "$suite" ] || "$run" -P "$suite" || status=$?
    done
fi
"$run" - "$results" <<'END'
import sys
import xml.etree.ElementTree

suite = xml.etree.ElementTree.parse(sys.argv[1]).getroot().find('testsuite')
total, failures, errors, skipped = (int(suite.get(key)) for key in ('tests', 'failures', 'errors', 'skipped'))
print('%d passed, %d failed, %d skipped' % (total - failures - errors - skipped, failures + errors, skipped))
END
exit $status
