#!/usr/bin/env bash
# Installs the packages that the web page requires (1.4 GB), builds it, and tests it in Chromium and
# Firefox.
#
#   scripts/web.sh [--all] [CTEST OPTION...]
#
# The page is build/release/web/dist/index.html; screenshots are in web/screenshots. The transforms
# of one wavelet of sixteen are compared with the interpreter. The seed of this sample is printed
# and can be set (WAVEPASS_SAMPLE=SEED:16); --all: all wavelets. axe-core, the accessibility
# checker, is installed from PyPI; without it that test is skipped.
set -Eeu
trap 'echo "scripts/web.sh: failed in line $LINENO" >&2' ERR
cd "$(dirname "$0")/.."

export WAVEPASS_SAMPLE=${WAVEPASS_SAMPLE:-$RANDOM:16}
if [ "${1:-}" = --all ]; then
    shift
    WAVEPASS_SAMPLE=
fi

scripts/setup.sh web
# Debian's Selenium requires Debian's Python.
python=$PWD/build/web-python
if ! { /usr/bin/python3 -m venv --system-site-packages "$python" &&
    "$python/bin/pip" install --quiet --no-deps axe-playwright-python==0.1.8; }; then
    echo "web: axe-core is not available; continuing without it" >&2
fi
if [ ! -x "$python/bin/python3" ]; then
    python=/usr
fi
cmake --preset release -DWAVEPASS_WEB=ON -DWAVEPASS_WEB_PYTHON="$python/bin/python3"
cmake --build --preset release --target web
results=$PWD/build/release/web/tests.xml
status=0
python3 tests/left_behind.py build/release/tmp \
    ctest --preset release -L '^web$' --output-on-failure --output-junit "$results" \
    --test-output-size-passed 1000000 --parallel "$(nproc)" "$@" || status=$?
python3 scripts/test_summary.py "$results"
if [ -n "$WAVEPASS_SAMPLE" ]; then
    echo "The wavelets were sampled: WAVEPASS_SAMPLE=$WAVEPASS_SAMPLE scripts/web.sh repeats this sample," \
        "--all runs all wavelets."
fi
exit "$status"
