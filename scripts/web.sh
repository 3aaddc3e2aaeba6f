#!/usr/bin/env bash
# Installs packages for the web page (1.4 GB), builds it, and tests it in Chromium and in Firefox.
#
#   scripts/web.sh [--all] [CTEST OPTION...]
#
# The page is build/release/web/dist/index.html, and web/screenshots has pictures of it. The transforms of
# one wavelet of sixteen are compared with the interpreter; the script prints the seed, which
# WAVEPASS_SAMPLE=SEED:16 sets. --all compares every wavelet. axe-core, which checks accessibility, is
# installed from PyPI; without it its test is skipped.
set -Eeu
trap 'echo "scripts/web.sh: failed in line $LINENO" >&2' ERR
cd "$(dirname "$0")/.."

export WAVEPASS_SAMPLE=${WAVEPASS_SAMPLE:-$RANDOM:16}
if [ "${1:-}" = --all ]; then
    shift
    WAVEPASS_SAMPLE=
fi

scripts/setup.sh web
# Debian's Python finds Debian's Selenium.
python=$PWD/build/web-python
if ! { /usr/bin/python3 -m venv --system-site-packages "$python" &&
    "$python/bin/pip" install --quiet --no-deps axe-playwright-python==0.1.8; }; then
    echo "web: cannot install axe-core; continuing without it" >&2
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
    echo "A sample of the wavelets ran: WAVEPASS_SAMPLE=$WAVEPASS_SAMPLE scripts/web.sh runs the same" \
        "sample, --all runs all wavelets."
fi
exit "$status"
