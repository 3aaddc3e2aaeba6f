"""Errors, threads, interrupts, fork, progress, memory of results."""
import os
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

import wavepass as wp
from wavepass import _core

RNG = np.random.default_rng(2)


@pytest.mark.parametrize('call, error, text', [
    (lambda: wp.dwt2(np.ones((8, 8)), 'db99'), ValueError, 'db99'),
    (lambda: wp.dwt2(np.ones((8, 8)), border='mirror'), ValueError, "'mirror'(.|\n)*symmetric, periodic"),
    (lambda: wp.dwt2(np.ones((8, 8)), 'db2', border='symmetric'), ValueError, 'not symmetric(.|\n)*hint'),
    (lambda: wp.dwt2(np.ones((8, 8)), norm='l2'), ValueError, "'l2'(.|\n)*orthonormal"),
    (lambda: wp.wavedec2(np.ones((8, 8)), levels=9), ValueError, '9 levels'),
    (lambda: wp.wavedec2(np.ones((8, 8)), levels=0), ValueError, "levels is 0(.|\n)*'max'"),
    (lambda: wp.wavedec2(np.ones((8, 8)), levels=1.5), TypeError, 'levels is 1.5'),
    (lambda: wp.dwt2(np.ones((8, 8)), axes=(0, 2)), ValueError, '2 dimensions'),
    (lambda: wp.dwt2(np.ones((8, 8)), axes=(0, -2)), ValueError, 'must differ'),
    (lambda: wp.dwtn(np.ones((2, 2, 2, 2))), ValueError, '1 to 3 axes'),
    (lambda: wp.dwt2(np.ones((0, 8))), ValueError, 'no samples'),
    (lambda: wp.dwt2(np.ones(8)), ValueError, '1 dimensions'),
    (lambda: wp.dwt2(np.ones((8, 8), 'int32')), TypeError, "'i'(.|\n)*float32(.|\n)*astype"),
    (lambda: wp.dwt2(np.ones((8, 8), '>f4')), TypeError, 'elements'),
    (lambda: wp.dwt2(np.full((8, 8), 'a')), TypeError, 'elements'),
    (lambda: wp.dwt2(np.ones((8, 8)), out=np.ones((8, 7))), ValueError, 'extent of 7(.|\n)*8'),
    (lambda: wp.dwt2(np.ones((8, 8)), out=np.ones((8, 8), 'uint8')), TypeError, 'integers'),
    (lambda: wp.dwt2(np.ones((8, 8)), out=np.broadcast_to(1.0, (8, 8))), ValueError, 'read-only'),
    (lambda: wp.dwt(np.ones(8), out=[0.0] * 8), TypeError, 'out is a list'),
    (lambda: wp.dwt2(np.ones((8, 8)), device='tpu'), ValueError, "'tpu'(.|\n)*'cuda'"),
    (lambda: wp.dwt2(np.ones((8, 8)), dtype='int8'), ValueError, "'int8'(.|\n)*'float64'"),
    (lambda: wp.dwt2('no array'), ValueError, '0 dimensions'),
    (lambda: wp.dwt2(np.full((8, 8), None)), TypeError, "'O'"),
    (lambda: wp.dwt2(np.ones((8, 8)))['XY', 1], KeyError, 'HL'),
    (lambda: wp.Transform((8, 8)).coefficients(np.ones((9, 8))), ValueError, r'\(9, 8\)(.|\n)*\(8, 8\)'),
    (lambda: wp.Transform((8, 8), backend='gpu'), ValueError, "'gpu'(.|\n)*cpu"),
    (lambda: wp.Transform((8, 8), threads=-1), ValueError, '-1'),
    (lambda: wp.Transform((2**31, 8)), ValueError, '2147483648'),
    (lambda: wp.Transform((2**30, 2**30), batch=(2**30,)), ValueError, 'address space'),
    (lambda: wp.Transform((8, 8), '/no/such/file.txt'), OSError, 'file.txt'),
])
def test_errors_are_those_of_python(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_nothing_is_printed_for_an_exception(capfd):
    with pytest.raises(ValueError):
        wp.dwt2(np.ones((8, 8)), 'no wavelet')
    assert capfd.readouterr() == ('', '')


def test_overlap_of_input_and_output():
    x = RNG.random((16, 16))
    expected = wp.dwt2(x.copy()).array
    assert np.array_equal(wp.dwt2(x, out=x).array, expected)
    memory = RNG.random(16 * 24)
    a, b = memory[:256].reshape(16, 16), memory[128:].reshape(16, 16)
    with pytest.raises(ValueError, match='overlap'):
        wp.dwt2(np.stack([a, b])[:, ::1], out=np.lib.stride_tricks.as_strided(memory, (2, 16, 16), (1024, 128, 8)))


def test_two_threads_with_one_transform_and_with_functions():
    x = RNG.random((20, 64, 64)).astype('float32')
    shared = wp.Transform((64, 64), 'cdf97', levels=3)
    expected = [shared.forward(plane) for plane in x]
    failures = []

    def work():
        for _ in range(20):
            for plane, right in zip(x, expected):
                if not (np.array_equal(shared.forward(plane), right) and
                        np.array_equal(wp.wavedec2(plane, 'cdf97', 3).array, right)):
                    failures.append(plane)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_functions_keep_few_plans():
    from wavepass._functions import _PLANS_MAX, _SAMPLES_MAX, _plans

    for n in range(2, 2 * _PLANS_MAX):
        wp.dwt(np.ones(n), 'haar')
    assert len(_plans.kept) == _PLANS_MAX
    for n in (4000, 4002, 7000, 8):
        wp.dwt2(np.ones((n, n), 'float16'), 'haar')
    assert 1 < len(_plans.kept) < _PLANS_MAX and _plans.samples <= _SAMPLES_MAX


def test_batches_in_parts_have_the_same_bits():
    x = RNG.random((23, 3, 16, 16))
    axes = (3, 2, -1, -1, 1, 0)
    results, calls = [], []
    for part in (1 << 30, 16 * 16 * 3 * 5):
        plan = _core.Plan(width=16, height=16, batch=(3, 23), wavelet='cdf97', part=part)
        results.append(np.empty_like(x))
        plan.run(False, (x, axes), (results[-1], axes), lambda done, total: calls.append((done, total)))
    assert np.array_equal(*results)
    assert calls == [(1, 1), (5, 23), (10, 23), (15, 23), (20, 23), (23, 23)]


def test_an_exception_of_progress_ends_the_call():
    plan = _core.Plan(width=8, height=8, batch=(10,), part=64)
    x, axes, calls = np.zeros((10, 8, 8)), (2, 1, -1, -1, 0), []

    def stop(done, total):
        calls.append(done)
        if done == 3:
            raise LookupError('enough')

    with pytest.raises(LookupError):
        plan.run(False, (x, axes), (x.copy(), axes), stop)
    assert calls == [1, 2, 3]
    with pytest.raises(RuntimeError, match='is running in this thread'):
        plan.run(False, (x, axes), (x.copy(), axes), lambda *_: plan.run(False, (x, axes), (x.copy(), axes)))
    plan.run(False, (x, axes), (x.copy(), axes))  # it can be used again


def test_interrupt_ends_a_batch():
    plan = _core.Plan(width=8, height=8, batch=(300_000,), part=64)
    x, axes = np.zeros((300_000, 8, 8), 'float32'), (2, 1, -1, -1, 0)
    y = np.full_like(x, 7)
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        plan.run(False, (x, axes), (y, axes))
    done = np.count_nonzero(y[:, 0, 0] == 0)
    assert 0 < done < len(y) and not y[:done].any() and (y[done:] == 7).all()


def test_progress_true_shows_all(capfd):
    wp.Transform((8, 8), batch=(5,)).forward(np.zeros((5, 8, 8)), progress=True)
    assert 'wavepass' in capfd.readouterr().err


def test_child_of_fork_transforms_on_the_cpu():
    x = RNG.random((256, 256)).astype('float32')
    t = wp.Transform((256, 256), threads=2)
    expected = t.forward(x)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # of Python 3.12 on fork() with threads
        child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(t.forward(x), expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_no_memory_is_lost():
    import resource

    t = wp.Transform((256, 256))
    x = RNG.random((256, 256))
    for _ in range(20):
        t.forward(x)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for i in range(300):
        t.forward(x)
        wp.Transform((256, 256), levels=1 + i % 3).forward(x)
        with pytest.raises(ValueError):
            t.forward(x[1:])
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # kilobytes


def test_import_needs_no_device_and_little_time():
    code = ('import sys, time, numpy; start = time.process_time(); import wavepass; '
            'print(time.process_time() - start); '
            'print([name for name in ("scipy", "torch", "ctypes.util", "pywt") if name in sys.modules]); '
            'maps = open("/proc/self/maps").read(); '
            'print([name for name in ("libcuda", "libGL", "libEGL", "nvrtc") if name in maps])')
    fastest = 1e9
    for _ in range(10):
        seconds, modules, libraries = subprocess.run(
            [sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout.split('\n')[:3]
        fastest = min(fastest, float(seconds))
        assert modules == libraries == '[]'
        if fastest < 0.05:
            break
    assert fastest < 0.05
