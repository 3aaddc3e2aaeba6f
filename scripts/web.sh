#!/usr/bin/env bash
# Installs what the page needs (1.1 GB), makes it, and tests it in headless Chromium.
#
#   scripts/web.sh [CTEST OPTION...]
#
# The page is build/release/web/dist/index.html, pictures of it are beside it in web/screenshots.
# axe-core, which looks for what keeps people out, comes from PyPI; without it that test is skipped.
set -eu
cd "$(dirname "$0")/.."

scripts/setup.sh web
python=$PWD/build/web-python
if [ ! -x "$python/bin/python3" ]; then
    # Debian's Python has Debian's Selenium.
    /usr/bin/python3 -m venv --system-site-packages "$python"
    "$python/bin/pip" install --quiet --no-deps axe-playwright-python==0.1.8 ||
        echo "web: axe-core cannot be had; going on without it" >&2
fi
cmake --preset release -DWAVEPASS_WEB_PYTHON="$python/bin/python3"
cmake --build --preset release --target web
ctest --preset release -L '^web$' --output-on-failure "$@"
