"""Runs PyWavelets' own tests, which its wheel contains, against wavepass.pywt; see plugin.py.

    python python/tests/pywt_suite/run.py [OPTIONS OF PYTEST]
"""
import os
import pathlib
import subprocess
import sys

import pywt


def main():
    here = pathlib.Path(__file__).parent
    tests = pathlib.Path(pywt.__file__).parent / "tests"
    path = os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")])
    # The comparison with MATLAB's results is off by default; its data are in the wheel.
    environment = {**os.environ, "PYTHONPATH": path}
    status = 0
    for ours in ("all", "transforms"):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "plugin", "-p", "no:cacheprovider",
             f"--ours={ours}", str(tests), *sys.argv[1:]], env=environment)
        status = status or done.returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
