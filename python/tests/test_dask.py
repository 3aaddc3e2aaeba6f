"""wavepass.dask: the bits of the whole array, whatever the chunks."""

import pytest

dask = pytest.importorskip("dask")
pytest.importorskip("dask.array")

import dask.array as da  # noqa: E402
import numpy  # noqa: E402

from wavepass import _core  # noqa: E402
from wavepass.dask import dwtn, idwtn, waverecn, wavedecn  # noqa: E402


def whole(x, wavelet, levels, border):
    """The bands of PyWavelets' structure, and the restored array, without Dask."""
    axes = (*reversed(range(x.ndim)), *(-1,) * (3 - x.ndim))
    width, height, depth = (x.shape[a] if a >= 0 else 1 for a in axes)
    plan = _core.Plan(width=width, height=height, depth=depth, wavelet=wavelet, levels=levels,
                      levels_z=levels if depth > 1 else 0, border=border, threads=1)
    y, restored = numpy.empty(plan.extents(True)[x.ndim - 1::-1], x.dtype), numpy.empty_like(x)
    plan.run(False, (x, axes), (y, axes))
    plan.run(True, (y, axes), (restored, axes))
    details = [{} for _ in range(levels + 1)]
    for name, level, _, size, offset, stride in plan.bands():
        if 0 in size:
            continue
        key = name.ljust(x.ndim, "L")[x.ndim - 1::-1].replace("H", "d").replace("L", "a")
        strides = [n * y.itemsize for n in stride[x.ndim - 1::-1]]
        view = numpy.lib.stride_tricks.as_strided(y.reshape(-1)[offset:],
                                               size[x.ndim - 1::-1], strides)
        details[levels - level + 1 if "d" in key else 0][key] = view
    low, = details[0].values()
    return [low, *details[1:]], restored


CASES = [("cdf97", "symmetric", (501, 403), (100, 77)), ("cdf97", "periodic", (512, 384), (100, 130)),
         ("db4", "periodic", (512, 384), (64, 130)), ("cdf53", "symmetric", (333, 64), (50, 64)),
         ("db10", "periodic", (512, 256), (64, 256)), ("cdf53", "symmetric", (4000,), (300,)),
         ("cdf97", "symmetric", (70, 81, 92), (30, 81, 46)),
         ("db4", "pywt-periodization", (501, 384), (64, 130)),
         ("cdf97", "pywt-periodization", (4001,), (300,)), ("haar", "pywt-smooth", (301,), (64,)),
         ("db10", "pywt-zero", (333, 256), (64, 100)), ("sym5", "pywt-constant", (4001,), (300,)),
         ("db2", "pywt-symmetric", (70, 81, 92), (30, 81, 46)),
         ("cdf97", "pywt-reflect", (400, 299), (50, 64)), ("db4", "pywt-periodic", (501, 384), (64, 130)),
         ("cdf97", "pywt-periodic", (1503,), (1401, 102)), ("db3", "pywt-smooth", (401, 100), (50, 50)),
         ("bior2.8", "pywt-antisymmetric", (700, 61), (64, 61)),
         ("coif2", "pywt-antireflect", (333, 256), (64, 100)), ("db20", "pywt-symmetric", (4001,), (64,))]


@pytest.mark.parametrize("wavelet, border, shape, chunks", CASES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bits(wavelet, border, shape, chunks, dtype):
    x = numpy.random.default_rng(1).random(shape).astype(dtype)
    given = da.from_array(x, chunks=chunks)
    assert max(given.numblocks) > 1
    coefficients = wavedecn(given, wavelet, 3, border=border)
    expected, restored = whole(x, wavelet, 3, border)
    low, *details = dask.compute(coefficients)[0]
    assert numpy.array_equal(low, expected[0])
    for bands, expected_bands in zip(details, expected[1:], strict=True):
        assert bands.keys() == expected_bands.keys()
        for name, band in bands.items():
            assert band.dtype == dtype
            assert numpy.array_equal(band, expected_bands[name]), name
    # The inverse does not know whether a size with a border of PyWavelets was odd.
    result = waverecn(coefficients, wavelet, border=border)
    assert all(n - m in (0, border.startswith("pywt-") and m % 2) for n, m in zip(result.shape, shape))
    assert numpy.array_equal(result.compute()[tuple(map(slice, shape))], restored)


@pytest.mark.parametrize("axes", [(0,), (1,), (2, 0), (-1, -2)])
def test_axes(axes):
    """Other axes are a batch, chunked or not."""
    x = numpy.random.default_rng(2).random((60, 64, 58)).astype("float32")
    given = da.from_array(x, chunks=(20, 32, 58))
    bands = dwtn(given, "cdf53", axes=axes)
    moved = numpy.moveaxis(x, axes, range(-len(axes), 0))
    expected = dask.compute(dwtn(da.from_array(moved, chunks=-1), "cdf53",
                                 axes=range(-len(axes), 0)))[0]
    for name, band in bands.items():
        assert numpy.array_equal(numpy.moveaxis(band.compute(), axes, range(-len(axes), 0)),
                                 expected[name])
    assert abs(idwtn(bands, "cdf53", axes=axes).compute() - x).max() < 1e-6


def test_chunks_of_the_low_band():
    """Chunks never become smaller than a halo."""
    low = wavedecn(da.zeros((1024, 1024), chunks=64, dtype="float32"), "db10", 5, border="periodic")[0]
    assert low.shape == (32, 32)
    assert low.compute().shape == (32, 32)


@pytest.mark.parametrize("call, error, text", [
    (lambda x: dwtn(x, border="zero"), ValueError, "pywt-zero"),
    (lambda x: dwtn(x, axes=(0, 0)), ValueError, "axes"),
    (lambda x: dwtn(x, axes=(2,)), ValueError, "axes"),
    (lambda x: dwtn(x, "nonsense"), ValueError, "nonsense"),
    (lambda x: wavedecn(x, levels=0), ValueError, "levels"),
    (lambda x: dwtn(x.astype(int)), TypeError, "int64"),
    (lambda x: idwtn({"aa": x, "dd": x}), ValueError, "must have"),
    (lambda x: idwtn({"ad": x, "dd": x}), ValueError, "low band"),
    (lambda x: idwtn({"aa": x, "ad": x[:, 4:], "da": x, "dd": x}), ValueError, "no image"),
    (lambda x: idwtn({"a": x[0, :2], "d": x[0, :2]}, "db4", border="pywt-zero"), ValueError, "no image"),
])
def test_bad_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call(da.zeros((64, 64), chunks=32))


def test_alignment():
    """Chunks may begin at any address."""
    x = numpy.random.default_rng(4).random((64, 64)).astype("float32")
    odd = numpy.empty(x.nbytes + 1, "uint8")[1:].view("float32").reshape(x.shape)
    odd[...] = x
    given = [da.from_delayed(dask.delayed(array, pure=True), x.shape, x.dtype) for array in (x, odd)]
    bands = dask.compute([dwtn(array) for array in given])[0]
    assert all(numpy.array_equal(bands[0][name], bands[1][name]) for name in bands[0])
    unaligned = {name: numpy.empty(band.nbytes + 1, "uint8")[1:].view("float32").reshape(band.shape)
                 for name, band in bands[0].items()}
    for name, band in unaligned.items():
        band[...] = bands[0][name]
    restored = idwtn({name: da.from_delayed(dask.delayed(band, pure=True), band.shape, band.dtype)
                      for name, band in unaligned.items()})
    assert abs(restored.compute() - x).max() < 1e-6


def test_cluster():
    """Two processes compute what one does."""
    distributed = pytest.importorskip("distributed")
    x = numpy.random.default_rng(3).random((300, 200)).astype("float32")
    coefficients = wavedecn(da.from_array(x, chunks=64), "cdf97", 2)
    expected = dask.compute(coefficients, scheduler="sync")[0]
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None) as cluster:
        with distributed.Client(cluster):
            low, *details = dask.compute(coefficients)[0]
    assert numpy.array_equal(low, expected[0])
    for bands, expected_bands in zip(details, expected[1:], strict=True):
        for name, band in bands.items():
            assert numpy.array_equal(band, expected_bands[name])
