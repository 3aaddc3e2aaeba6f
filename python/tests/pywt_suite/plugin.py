"""A plugin of pytest: PyWavelets' own tests with wavepass.pywt in place of its transforms.

--ours=all: all names of wavepass.pywt replace those of the package pywt, also in the tests' imports
of its modules. --ours=transforms: only transforms replace those that PyWavelets' multiresolution analysis uses,
whose tests require PyWavelets' own Wavelet.
"""
import pathlib
from importlib.metadata import version

import pytest
import pywt
import wavepass.pywt as ours

LISTED = pathlib.Path(__file__).parents[1] / "pywt_listed.txt"
TRANSFORMS = ["dwt", "idwt", "dwt2", "idwt2", "dwtn", "idwtn", "wavedec", "wavedec2", "wavedecn",
              "waverec", "waverec2", "waverecn"]
# Nothing in these tests is ours: file or test, reason.
THEIRS = {
    "test_cwt_wavelets.py": "continuous transforms",
    "test_matlab_compatibility_cwt.py": "continuous transforms",
    "test_data.py": "example signals",
    "test_concurrent.py::test_concurrent_cwt": "continuous transforms",
    "test__pywt.py::test_ContinuousWavelet_errs": "continuous transforms",
    "test__pywt.py::test_ContinuousWavelet_repr": "continuous transforms",
    "test_doc.py": "documentation of PyWavelets",
}
SECOND = {"test_mra.py"}
counts = {"passed": 0, "listed": 0, "skipped": 0, "failed": 0, "theirs": 0}


def pytest_addoption(parser):
    parser.addoption("--ours", choices=["all", "transforms"], default="all")


def pytest_configure(config):
    if config.getoption("--ours") == "all":
        for name in pywt.wavelist(kind="discrete"):
            ours.Wavelet(name)  # filters that are not in the library are those of pywt.Wavelet
        modules, names = [pywt, pywt._dwt, pywt._extensions._pywt], ours.__all__
    else:
        modules, names = [pywt, pywt._mra], TRANSFORMS
    for module in modules:
        for name in names:
            if hasattr(module, name):
                setattr(module, name, getattr(ours, name))


def read_listed():
    listed = {}
    for line in LISTED.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            name, reason = line.split(None, 1)
            listed[name] = reason
    return listed


def pytest_collection_modifyitems(config, items):
    second = config.getoption("--ours") != "all"
    listed, kept, left = read_listed(), [], []
    for item in items:
        file = item.path.name
        name = item.nodeid.rsplit("/", 1)[-1]
        if (file in SECOND) != second:
            continue
        if file in THEIRS or name in THEIRS:
            left.append(item)
            continue
        if name in listed:
            item.add_marker(pytest.mark.xfail(reason=listed.pop(name), strict=True))
        kept.append(item)
    counts["theirs"] = len(left)
    stale = [n for n in listed if (n.split("::")[0] in SECOND) == second]
    if stale and not config.getoption("keyword"):
        raise pytest.UsageError(f"{LISTED.name} has tests that do not exist: {', '.join(stale)}")
    items[:] = kept
    config.hook.pytest_deselected(items=left)


def pytest_runtest_logreport(report):
    if hasattr(report, "wasxfail") and report.skipped:
        counts["listed"] += 1
    elif report.failed:
        counts["failed"] += 1
    elif report.skipped:
        counts["skipped"] += 1
    elif report.when == "call":
        counts["passed"] += 1


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line("PyWavelets %s: %s" % (
        version("PyWavelets"), ", ".join(f"{n} {what}" for what, n in counts.items())))
