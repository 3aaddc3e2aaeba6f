"""Arrays of other libraries: JAX and PyTorch if they are installed, else doubles of their interfaces in the
host's memory, which share the code of the package with those on a device."""
import gc
import importlib.util
import os
import shutil
import subprocess
import sys
import types

import numpy as np
import pytest

import wavepass as wp
from wavepass import _arrays, _cuda

RNG = np.random.default_rng(3)


class Exporter:
    """An array with DLPack alone, that counts its exports."""

    def __init__(self, array, device=1):
        self.array, self.device, self.streams = array, device, []
        self.shape, self.dtype = array.shape, array.dtype

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, **options):
        self.streams.append(options)
        return self.array.__dlpack__()


def test_dlpack_without_copies():
    x, y = Exporter(RNG.random((8, 6))[:, ::2][::-1]), Exporter(np.empty((8, 3)))
    assert wp.dwt2(x, 'haar', border='pywt-zero', out=Exporter(np.empty((8, 4)))).array is not None
    t = wp.Transform((8, 3), 'haar', border='symmetric')
    assert t.forward(x, y) is y
    assert np.array_equal(y.array, t.forward(x.array))
    assert x.streams == [{}, {}]  # memory of the host has no stream
    with pytest.raises(TypeError, match='hint: out='):
        t.forward(x)


def test_dlpack_is_released():
    x, y = np.zeros((64, 64)), np.zeros((64, 64))
    before = sys.getrefcount(x)
    t = wp.Transform((64, 64))
    for _ in range(10):
        t.forward(Exporter(x), Exporter(y))
    gc.collect()
    assert sys.getrefcount(x) == before


def test_dlpack_of_another_device_is_rejected():
    t = wp.Transform((8, 8))
    with pytest.raises(ValueError, match='type 8'):
        t.forward(Exporter(RNG.random((8, 8)), device=8), np.empty((8, 8)))


class Interface:
    """An array with __cuda_array_interface__, whose memory is not on a device."""

    def __init__(self, array, read_only=False, **changes):
        pointer = array.__array_interface__['data'][0]
        self.array, self.shape, self.dtype = array, array.shape, array.dtype
        self.__cuda_array_interface__ = dict(
            shape=array.shape, typestr=array.dtype.str, data=(pointer, read_only), strides=array.strides,
            version=3, stream=None, **changes)


def test_cuda_array_interface_needs_the_backend_cuda():
    x = Interface(RNG.random((8, 8)))
    t = wp.Transform((8, 8))
    with pytest.raises((RuntimeError, ValueError), match='cuda') as caught:
        t.forward(x, Interface(np.empty((8, 8))))
    assert 'hint' in str(caught.value) or 'memory' in str(caught.value)


def run_on_cpu(source, target):
    """Passes operands on a device to a plan of the CPU: they are read completely, and then rejected."""
    from wavepass import _core

    _core.Plan(width=8, height=8, backend='cpu').run(False, (source, (1, 0)), (target, (1, 0)))


@pytest.mark.parametrize('changes, error, text', [
    ({}, ValueError, "memory of a CUDA device requires the backend 'cuda'"),
    ({'mask': 1}, ValueError, 'mask'),
    ({'typestr': '<i4'}, TypeError, '<i4'),
    ({'shape': (8, 9)}, ValueError, 'extent of 9'),
    ({'shape': [8, 8]}, ValueError, 'shape'),
    ({'strides': (64, 7)}, ValueError, 'stride of 7 bytes'),
    ({'data': None}, (TypeError, ValueError), ''),
])
def test_cuda_array_interface_is_checked(changes, error, text):
    x = Interface(RNG.random((8, 8)))
    x.__cuda_array_interface__.update(changes)
    with pytest.raises(error, match=text or None):
        run_on_cpu(x, Interface(np.empty((8, 8))))


def test_outputs_of_devices_must_be_writable():
    with pytest.raises(ValueError, match='read-only'):
        run_on_cpu(Interface(RNG.random((8, 8))), Interface(np.empty((8, 8)), read_only=True))


@pytest.mark.skipif(os.path.exists('/dev/nvidiactl'), reason='there is a driver')
def test_streams_need_the_driver():
    x = Interface(RNG.random((8, 8)))
    x.__cuda_array_interface__['stream'] = 77
    with pytest.raises(RuntimeError, match='libcuda'):
        run_on_cpu(x, Interface(np.empty((8, 8))))


FAKE_DRIVER = r"""
#include <stdint.h>
#include <stdio.h>
int cuEventCreate(void **event, unsigned flags) { *event = (void *)5; printf("create %u\n", flags); return 0; }
int cuEventRecord(void *event, void *stream)
{
    printf("record %d in %d\n", (int)(intptr_t)event, (int)(intptr_t)stream);
    return RECORD;
}
int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    printf("wait %d in %d %u\n", (int)(intptr_t)event, (int)(intptr_t)stream, flags);
    return 0;
}
int cuEventDestroy_v2(void *event) { printf("destroy %d\n", (int)(intptr_t)event); fflush(stdout); return 0; }
"""


@pytest.mark.skipif(not shutil.which('cc'), reason='there is no C compiler')
@pytest.mark.parametrize('status', [0, 400])
def test_a_stream_is_waited_for(tmp_path, status):
    """With a driver that only reports its calls."""
    (tmp_path / 'driver.c').write_text(FAKE_DRIVER.replace('RECORD', str(status)))
    subprocess.run(['cc', '-shared', '-fPIC', '-Wl,-soname,libcuda.so.1', tmp_path / 'driver.c', '-o',
                    tmp_path / 'libcuda.so.1'], check=True)
    code = ('import sys; sys.path.insert(0, sys.argv[1]); import test_arrays, numpy as np\n'
            'x, y = (test_arrays.Interface(np.ones((8, 8))) for _ in "xy")\n'
            'x.__cuda_array_interface__["stream"] = 77\n'
            'y.__cuda_array_interface__["stream"] = 1\n'  # the default stream, as that of the plan
            'try: test_arrays.run_on_cpu(x, y)\n'
            'except (ValueError, RuntimeError) as error: print(error)')
    result = subprocess.run([sys.executable, '-c', code, os.path.dirname(__file__)], capture_output=True, text=True,
                            check=True, env=dict(os.environ, LD_LIBRARY_PATH=str(tmp_path)))
    calls, _, error = result.stdout.partition('destroy 5\n')
    assert calls == 'create 2\nrecord 5 in 77\n' + ('wait 5 in 0 0\n' if status == 0 else '')
    assert ("requires the backend 'cuda'" if status == 0 else 'error 400') in error


# ---- libraries by their module names ----

class Device:
    def __init__(self, kind, index=0):
        self.type, self.index, self.id = kind, index, index

    def __str__(self):
        return f'{self.type}:{self.index}'

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


@pytest.fixture
def fake_torch(monkeypatch):
    """A module torch whose tensors are arrays of NumPy that say they are on a device."""
    torch = types.ModuleType('torch')

    class Tensor(Exporter):
        def __init__(self, array, kind='cpu'):
            super().__init__(array, 2 if kind == 'cuda' else 1)
            self.device = Device(kind, 1 if kind == 'cuda' else None)
            self.dtype, self.shape = f'torch.{array.dtype.name}', array.shape

        def __dlpack_device__(self):
            return (2, 1) if self.device.type == 'cuda' else (1, 0)

        def is_neg(self):
            return False

        def data_ptr(self):
            return self.array.__array_interface__['data'][0]

        def stride(self):
            return tuple(n // self.array.itemsize for n in self.array.strides)

    Tensor.__module__ = 'torch'
    for name in ('float16', 'float32', 'float64'):
        setattr(torch, name, name)
    torch.Tensor = Tensor
    torch.empty = lambda shape, dtype, device: Tensor(np.empty(shape, dtype), device.type)
    torch.zeros = lambda shape, dtype, device: Tensor(np.zeros(shape, dtype), device.type)
    torch.cuda = types.SimpleNamespace(current_stream=lambda device: types.SimpleNamespace(cuda_stream=1234))
    monkeypatch.setitem(sys.modules, 'torch', torch)
    return torch


def test_tensors_on_the_cpu(fake_torch):
    x = fake_torch.Tensor(RNG.random((2, 8, 8)).astype('float32'))
    c = wp.dwt2(x, 'db2')
    assert type(c.array) is fake_torch.Tensor and c.array.array.dtype == 'float32'
    assert np.array_equal(c.array.array, wp.dwt2(x.array, 'db2').array)
    again = c.transform.inverse(c.array)
    assert type(again) is fake_torch.Tensor and np.allclose(again.array, x.array, atol=1e-6)


class Recorder:
    """A plan that records its calls."""

    def __init__(self, **params):
        self.params, self.runs = params, []

    def run(self, *call):
        self.runs.append(call)


@pytest.fixture
def recorded(monkeypatch):
    """Transforms whose plans on devices are recorders."""
    made = []
    plan_of = wp.Transform._plan

    def plan(self, device, inverse, adjoint=False):
        if device[0] == 'cpu':
            return plan_of(self, device, inverse, adjoint)
        made.append(Recorder(device=device, inverse=inverse))
        return made[-1]

    monkeypatch.setattr(wp.Transform, '_plan', plan)
    return made


def test_tensors_on_a_device(fake_torch, recorded):
    t = wp.Transform((8, 8))
    x = fake_torch.Tensor(np.ones((8, 8), 'float16'), 'cuda')
    y = t.forward(x)
    plan, = recorded
    assert plan.params['device'] == ('cuda', 1)
    inverse, *operands, progress, stream = plan.runs[0]
    assert not inverse and progress is None and stream == 1234
    for operand, tensor in zip(operands, (x, y)):
        assert operand == (tensor.data_ptr(), (1, 0, -1, -1), 'float16', (8, 8), (8, 1), True)
    assert y.device.type == 'cuda' and y.array.dtype == 'float16'


def test_arrays_of_cupy(monkeypatch, recorded):
    cupy = types.ModuleType('cupy')

    class Array(Interface):
        device, itemsize = Device('cuda', 3), 8

        def __init__(self, array):
            super().__init__(array)
            self.strides, self.data = array.strides, types.SimpleNamespace(ptr=1000)

    Array.__module__ = 'cupy'
    cupy.ndarray = Array
    cupy.empty = lambda shape, dtype: Array(np.empty(shape, dtype))
    cupy.zeros = lambda shape, dtype: Array(np.zeros(shape, dtype))
    current = types.SimpleNamespace(ptr=55)
    cupy.cuda = types.SimpleNamespace(get_current_stream=lambda: current)
    monkeypatch.setitem(sys.modules, 'cupy', cupy)
    t = wp.Transform((8, 8))
    y = t.inverse(Array(np.ones((8, 8))))
    plan, = recorded
    assert type(y) is Array and y.dtype == 'float64'
    inverse, source, _, _, stream = plan.runs[0]
    assert plan.params['device'] == ('cuda', 3) and inverse is True and stream == 55
    assert source == (1000, (1, 0, -1, -1), 'float64', (8, 8), [8, 1], True)
    x = Array(np.ones((8, 16))[:, ::2])
    x.strides = 128, 12  # no multiple of the elements: the protocol reports it
    t.forward(x, y)
    assert recorded[1].runs[0][1] == (x, (1, 0, -1, -1))


def test_foreign_arrays_use_their_stream(recorded):
    x, y = Interface(np.ones((8, 8))), Interface(np.ones((8, 8)))
    x.__cuda_array_interface__['stream'] = 9
    assert wp.Transform((8, 8)).forward(x, y) is y
    assert recorded[0].runs[0][-1] == 9


@pytest.mark.parametrize('given, expected', [
    (None, ('cpu', 0)), ('cpu', ('cpu', 0)), ('cuda', ('cuda', 0)), ('cuda:2', ('cuda', 2)),
    (types.SimpleNamespace(id=4), ('cuda', 4)), (types.SimpleNamespace(platform='cpu', id=1), ('cpu', 0)),
    (types.SimpleNamespace(platform='gpu', id=1), ('cuda', 1)),
])
def test_devices(given, expected):
    assert _arrays.device_of(given) == expected


def test_bfloat16():
    bfloat16 = pytest.importorskip('ml_dtypes', reason='ml_dtypes is not installed').bfloat16
    x = RNG.random((16, 16)).astype('float32').astype(bfloat16)
    c = wp.dwt2(x)
    assert c.array.dtype == bfloat16
    assert np.array_equal(c.array, wp.dwt2(x.astype('float32')).array.astype(bfloat16))
    assert wp.dwt2(x.astype('float32'), dtype='bfloat16').array.dtype == bfloat16
    assert wp.dwt2(x, dtype='float32').array.dtype == 'float32'


def test_jax():
    jax = pytest.importorskip('jax', reason='JAX is not installed')
    x = jax.numpy.asarray(RNG.random((16, 12)), 'float32')
    if x.devices().pop().platform != 'cpu':
        pytest.skip('JAX is on a device')
    c = wp.dwt2(x, 'db2')
    assert isinstance(c.array, jax.Array)
    assert np.array_equal(np.asarray(c.array), wp.dwt2(np.asarray(x), 'db2').array)
    assert isinstance(wp.idwt2(c), jax.Array)
    assert isinstance(wp.dwt2(x.astype('bfloat16')).array, jax.Array)


def test_torch():
    torch = pytest.importorskip('torch', reason='PyTorch is not installed')
    devices = ['cpu'] + ['cuda'] * torch.cuda.is_available()
    for device in devices:
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
            x = torch.rand(2, 3, 16, 12, requires_grad=dtype == torch.float32).to(device, dtype)
            c = wp.wavedec2(x, 'db2', 2)
            assert c.array.device == x.device and c.array.dtype == dtype
            expected = wp.wavedec2(x.detach().cpu().float().numpy(), 'db2', 2).array
            error = np.abs(c.array.float().cpu().numpy() - expected).max()
            assert error < {torch.float32: 1e-5, torch.float64: 1e-5}.get(dtype, 0.05)
            assert torch.allclose(wp.waverec2(c).float(), x.float(), atol=1e-5 if error < 1e-5 else 0.05)
        strided = torch.rand(3, 16, 12, device=device).permute(2, 0, 1)[::2]
        assert torch.allclose(wp.dwt(strided, axis=0).array, wp.dwt(strided.contiguous(), axis=0).array)


# ---- NVRTC ----

@pytest.mark.skipif(not shutil.which('cc'), reason='there is no C compiler')
def test_nvrtc_of_the_wheels_of_nvidia_is_loaded(tmp_path, monkeypatch):
    folder = tmp_path / 'nvidia' / 'cuda_nvrtc' / 'lib'
    folder.mkdir(parents=True)
    (tmp_path / 'nvrtc.c').write_text('int wavepass_fake_nvrtc(void) { return 41; }')
    subprocess.run(['cc', '-shared', '-fPIC', '-Wl,-soname,libnvrtc.so.12', tmp_path / 'nvrtc.c', '-o',
                    folder / 'libnvrtc.so.12'], check=True)
    code = ('import ctypes, sys; sys.path.insert(0, sys.argv[1]); from wavepass import _cuda\n'
            'real = ctypes.CDLL\n'
            'def without_system(name, *rest):\n'
            '    if "/" not in name: raise OSError(name)\n'
            '    return real(name, *rest)\n'
            'ctypes.CDLL = without_system\n'
            'print(_cuda.load_nvrtc()); print(real("libnvrtc.so.12").wavepass_fake_nvrtc())')
    result = subprocess.run([sys.executable, '-c', code, str(tmp_path)], capture_output=True, text=True, check=True)
    if importlib.util.find_spec('nvidia') is None:
        assert result.stdout.split() == [str(folder / 'libnvrtc.so.12'), '41']


def test_wheel_without_cuda_says_so(monkeypatch):
    from wavepass import _core

    monkeypatch.setattr(_core, 'names', lambda kind, backend=None: ['cpu', 'reference'])
    monkeypatch.setattr(_cuda, 'load_nvrtc', lambda: None)
    with pytest.raises(RuntimeError, match='nvcc(.|\n)*hint'):
        wp.Transform((8, 8), device='cuda')


# ---- the viewer ----

def test_show_starts_the_program(tmp_path, monkeypatch):
    program = tmp_path / 'wavepass'
    program.write_text('#!/bin/sh\necho "$@" > "$OUT/arguments"\nfor last; do :; done\ncp "$last" "$OUT/copy.npy"\nexit 3\n')
    program.chmod(0o755)
    monkeypatch.setenv('OUT', str(tmp_path))
    monkeypatch.setenv('PATH', f'{tmp_path}:{os.environ["PATH"]}')
    monkeypatch.delenv('WAVEPASS_PROGRAM', raising=False)
    x = RNG.random((16, 16))
    viewer = wp.show(wp.dwt2(x), '--wavelet', 'haar', wait=True)
    assert viewer.returncode == 3
    assert np.array_equal(np.load(tmp_path / 'copy.npy'), wp.dwt2(x).array)
    arguments = (tmp_path / 'arguments').read_text().split()
    assert arguments[:-1] == ['view', '--wavelet', 'haar'] and not os.path.exists(arguments[-1])


def test_show_without_the_program(monkeypatch):
    monkeypatch.setenv('PATH', '/nowhere')
    monkeypatch.delenv('WAVEPASS_PROGRAM', raising=False)
    with pytest.raises(RuntimeError, match='hint: build and install'):
        wp.show(np.ones((8, 8)))


def test_pointers_survive_garbage_collection():
    """The module holds arrays only while a call runs."""
    t = wp.Transform((32, 32))
    for _ in range(3):
        x = RNG.random((32, 32))
        expected = t.forward(x.copy())
        assert np.array_equal(t.forward(x), expected)
        assert sys.getrefcount(x) == 2
        del x
        gc.collect()
