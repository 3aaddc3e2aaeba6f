"""wavepass.pywt where PyWavelets' own tests, which pywt_suite runs, say nothing."""
import ast
import inspect
import pathlib
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import wavepass.pywt as ours

theirs = pytest.importorskip("pywt", reason="PyWavelets is not installed")
FAMILIES = ["haar", "db2", "db20", "sym5", "coif2", "bior2.2", "rbio3.1"]


def same(a, b, tolerance=1e-10):
    """The same structure of arrays of the same types."""
    assert type(a) is type(b)
    if isinstance(a, dict):
        assert list(a) == list(b)
        a, b = list(a.values()), list(b.values())
    if isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for c, d in zip(a, b):
            same(c, d, tolerance)
        return
    assert a.dtype == b.dtype
    largest = np.abs(b).max() if b.size else 1
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(largest, 10))


@pytest.mark.parametrize("wavelet", FAMILIES)
@pytest.mark.parametrize("mode", ours.Modes.modes)
def test_values(wavelet, mode):
    x = np.random.default_rng(1).standard_normal((7, 3, 10, 9))
    same(ours.dwtn(x, wavelet, mode, axes=(2, 0)), theirs.dwtn(x, wavelet, mode, axes=(2, 0)))
    same(ours.dwtn(x, wavelet, mode), theirs.dwtn(x, wavelet, mode))
    with pytest.warns(UserWarning) if wavelet != "haar" else np.errstate():
        c = theirs.wavedec2(x, wavelet, mode, level=2, axes=(-1, 0))
        same(ours.wavedec2(x, wavelet, mode, level=2, axes=(-1, 0)), c, 1e-9)
    same(ours.waverec2(c, wavelet, mode, axes=(-1, 0)),
         theirs.waverec2(c, wavelet, mode, axes=(-1, 0)), 1e-9)


@pytest.mark.parametrize("view", [lambda x: x[::-1], lambda x: x.T, lambda x: x[:, ::2],
                                  lambda x: np.broadcast_to(x[0], x.shape),
                                  lambda x: x.astype(x.dtype.newbyteorder())])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_memory(view, dtype):
    x = np.random.default_rng(1).standard_normal((12, 16)).astype(dtype)
    x = view(x + 1j * x[::-1] if dtype[0] == "c" else x)
    tolerance = 1e-5 if dtype in ("f4", "c8") else 1e-12
    native = x.astype(dtype)  # PyWavelets drops the imaginary part of the other byte order
    same(ours.dwt2(x, "db2"), theirs.dwt2(native, "db2"), tolerance)
    same(ours.idwt2((x, (x, None, x)), "db2"), theirs.idwt2((native, (native, None, native)), "db2"),
         tolerance)


def test_many_dimensions():
    x = np.random.default_rng(1).standard_normal((2,) * 10)
    same(ours.dwt(x, "db2", axis=4), theirs.dwt(x, "db2", axis=4))


@pytest.mark.parametrize("name, factored", [("db3", True), ("rbio3.1", True), ("db25", False),
                                            ("scaled", False), ("imperfect", False)])
def test_own_filters(name, factored):
    """Filters without lifting steps, of another scale, or without perfect reconstruction, too."""
    bank = {"scaled": ([1, 1], [1, -1], [1, 1], [1, -1]),
            "imperfect": ([0.5, 1, 0.5, 2], [1, 2, -1, 3], [1, 0, 2, 1], [0, 1, 1, 4])}.get(name)
    bank = bank or theirs.Wavelet(name).filter_bank
    w, v = ours.Wavelet("mine", bank), theirs.Wavelet("mine", bank)
    assert (w.factored is not None) == factored
    x = np.random.default_rng(1).standard_normal((120, 117))
    for mode in ours.Modes.modes:
        c = theirs.wavedec2(x, v, mode, level=1)
        same(ours.wavedec2(x, w, mode, level=1), c)
        same(ours.wavedec2(x, v, mode, level=1), c)
        same(ours.waverec2(c, w, mode), theirs.waverec2(c, v, mode))


def test_threads():
    """Of equal and of different shapes."""
    arrays = [np.random.default_rng(i).standard_normal((40 + i % 3, 50)) for i in range(60)]
    alone = [ours.wavedec2(x, "db2", level=2) for x in arrays]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            for a, b in zip(pool.map(lambda x: ours.wavedec2(x, "db2", level=2), arrays), alone):
                np.testing.assert_array_equal(ours.coeffs_to_array(a)[0], ours.coeffs_to_array(b)[0])


def test_pickle():
    w = ours.Wavelet("mine", theirs.Wavelet("db2").filter_bank)
    w.orthogonal = True
    v = pickle.loads(pickle.dumps(w))
    assert v.filter_bank == w.filter_bank and v.orthogonal and not v.biorthogonal


def test_signatures():
    """Of everything that both have."""
    for name in ours.__all__:
        if inspect.isfunction(getattr(theirs, name)):
            wanted = str(inspect.signature(getattr(theirs, name)))
            if wanted != "(*args, **kwargs)":
                assert str(inspect.signature(getattr(ours, name))) == wanted, name


def test_missing():
    """Every name of PyWavelets is here, or its absence has a reason."""
    for name in theirs.__all__:
        if name not in ours.__all__:
            with pytest.raises(AttributeError, match="use PyWavelets"):
                getattr(ours, name)


def test_stubs():
    stub = pathlib.Path(ours.__file__).with_suffix(".pyi")
    functions = {n.name: n for n in ast.parse(stub.read_text(encoding="utf-8")).body
                 if isinstance(n, ast.FunctionDef)}
    for name in ours.__all__:
        if inspect.isfunction(getattr(ours, name)) and name not in (
                "intwave", "centrfrq", "scal2frq", "orthfilt"):
            stubbed = [a.arg for a in functions[name].args.args]
            assert stubbed == list(inspect.signature(getattr(ours, name)).parameters), name


def test_without_levels():
    x = np.arange(6, dtype="u1")
    assert ours.wavedec(x, "db4")[0].dtype == np.uint8  # as PyWavelets has it
    with pytest.warns(UserWarning, match="too high"):
        ours.wavedec(x, "db4", level=1)
