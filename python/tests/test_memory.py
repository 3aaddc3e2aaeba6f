"""Results in memory that earlier results have released."""
import gc

import numpy as np
import pytest

import wavepass as wp
import wavepass.pywt as pywt
from wavepass import _memory

SHAPE = (512, 1024)
RNG = np.random.default_rng(5)


@pytest.fixture(autouse=True)
def no_blocks():
    gc.collect()
    _memory._blocks.clear()
    yield
    _memory._blocks.clear()


def address(array):
    return array.__array_interface__['data'][0]


def kept():
    return sum(n * len(same) for n, same in _memory._blocks.items())


def test_a_released_result_is_used_again():
    t, x = wp.Transform(SHAPE), RNG.random(SHAPE)
    first = t.forward(x)
    expected, at = first.copy(), address(first)
    second = t.forward(x[::-1])
    assert address(second) != at and np.array_equal(first, expected)
    del first
    assert address(t.inverse(second)) == at and kept() == 0


def test_a_view_keeps_the_memory():
    low, _ = pywt.swt2(RNG.random(SHAPE).astype('f4'), 'haar', 1)[0]
    row, expected = low[3, ::2], low[3, ::2].copy()
    at = address(low)
    del low
    for _ in range(3):
        bands = pywt.swt2(RNG.random(SHAPE).astype('f4'), 'haar', 1)
        assert address(bands[0][0]) != at and np.array_equal(row, expected)
    before = kept()
    del row
    assert kept() == before + 4 * SHAPE[0] * SHAPE[1]


def test_kept_memory_is_limited(monkeypatch):
    monkeypatch.setattr(_memory, 'KEPT', 5 << 20)
    arrays = [_memory.empty((n << 20,), np.dtype('f4')) for n in (1, 1, 2)]
    while arrays:
        arrays.pop(0)
        assert kept() <= 5 << 20
    assert kept() == 0  # 8 MiB are more than is kept


def test_small_results_and_other_types_are_of_numpy():
    assert _memory.maker((100, 100), np.dtype('f4')) is np.empty
    assert _memory.maker(SHAPE, np.dtype('V2')) is np.empty
    for name in ('f2', 'f4', 'f8', 'c8', 'c16'):
        a = _memory.empty(SHAPE, np.dtype(name))
        assert a.shape == SHAPE and a.dtype == name and a.flags.c_contiguous and a.flags.writeable
