"""Arrays on a CUDA device, with the driver alone; all skip where there is no device."""
import ctypes
import os

import numpy as np
import pytest

import wavepass as wp


class Driver:
    """The functions of libcuda that these tests need, in the primary context of device 0."""

    def __init__(self):
        self.calls = ctypes.CDLL('libcuda.so.1')
        self.call('cuInit', 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call('cuDeviceGet', ctypes.byref(device), 0)
        self.call('cuDevicePrimaryCtxRetain', ctypes.byref(context), device)
        self.call('cuCtxSetCurrent', context)

    def call(self, name, *arguments):
        status = getattr(self.calls, name)(*arguments)
        if status:
            raise OSError(f'{name}: error {status}')


@pytest.fixture(scope='module')
def driver():
    from wavepass import _core

    if 'cuda' not in _core.names('backends'):
        pytest.skip('this wheel has no backend cuda')
    try:
        return Driver()
    except OSError as error:
        pytest.skip(f'no CUDA device ({error})')


class DeviceArray:
    """Device memory with __cuda_array_interface__."""

    def __init__(self, driver, host, stream=None):
        self.driver, self.shape, self.dtype, self.size = driver, host.shape, host.dtype, host.nbytes
        self.pointer = ctypes.c_uint64()
        driver.call('cuMemAlloc_v2', ctypes.byref(self.pointer), ctypes.c_size_t(max(host.nbytes, 1)))
        host = np.ascontiguousarray(host)
        driver.call('cuMemcpyHtoD_v2', self.pointer, ctypes.c_void_p(host.ctypes.data), ctypes.c_size_t(self.size))
        # A copy from pageable memory may return before its end, for which other streams do not wait.
        driver.call('cuCtxSynchronize')
        self.__cuda_array_interface__ = dict(shape=self.shape, typestr=self.dtype.str, version=3, strides=None,
                                             data=(self.pointer.value, False), stream=stream)

    def get(self):
        host = np.empty(self.shape, self.dtype)
        self.driver.call('cuCtxSynchronize')
        self.driver.call('cuMemcpyDtoH_v2', ctypes.c_void_p(host.ctypes.data), self.pointer,
                         ctypes.c_size_t(self.size))
        return host

    def __del__(self):
        self.driver.calls.cuMemFree_v2(self.pointer)


RNG = np.random.default_rng(4)


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'float16', 'uint8'])
@pytest.mark.parametrize('wavelet, border', [('haar', 'periodic'), ('cdf97', 'symmetric'), ('db4', 'pywt-symmetric')])
def test_results_are_those_of_the_cpu(driver, wavelet, border, dtype):
    x = (100 * RNG.random((6, 64, 48))).astype(dtype)
    t = wp.Transform((64, 48), wavelet, levels=3, batch=(6,), border=border)
    expected = t.forward(x)
    y = DeviceArray(driver, np.zeros_like(expected))
    assert t.forward(DeviceArray(driver, x), y) is y
    bound = {'float64': 1e-11, 'float16': 0.2}.get(dtype, 1e-3)
    assert np.abs(y.get().astype(float) - expected).max() < bound
    if dtype != 'uint8':
        back = DeviceArray(driver, np.zeros_like(x))
        t.inverse(y, back)
        assert np.abs(back.get().astype(float) - x).max() < 10 * bound


def test_streams_of_input_and_output_are_waited_for(driver):
    streams = [ctypes.c_void_p(), ctypes.c_void_p()]
    for stream in streams:
        driver.call('cuStreamCreate', ctypes.byref(stream), 1)
    x = RNG.random((64, 64)).astype('float32')
    t = wp.Transform((64, 64), 'cdf97')
    for order in (streams, streams[::-1]):
        y = DeviceArray(driver, np.zeros_like(x), order[1].value)
        t.forward(DeviceArray(driver, x, order[0].value), y)
        assert np.abs(y.get() - t.forward(x)).max() < 1e-5


def test_numpy_on_the_device(driver):
    x = RNG.random((32, 64, 64)).astype('float32')
    on_device, on_cpu = (wp.wavedec2(x, 'db2', 2, device=device) for device in ('cuda', None))
    assert np.abs(on_device.array - on_cpu.array).max() < 1e-5
    assert on_device.transform.info()['backend'] == 'cuda'


def test_operands_on_both_sides(driver):
    x = RNG.random((8, 8)).astype('float32')
    with pytest.raises(ValueError, match='requires both operands there'):
        wp.Transform((8, 8)).forward(DeviceArray(driver, x), np.empty_like(x))


def test_child_of_fork_gets_an_error_with_the_cure(driver):
    x = RNG.random((8, 8)).astype('float32')
    t = wp.Transform((8, 8), device='cuda')
    t.forward(x)
    child = os.fork()
    if child == 0:
        cured = 0
        for call in (lambda: t.forward(x), lambda: wp.Transform((16, 8), device='cuda')):
            try:
                call()
            except RuntimeError as error:
                cured += 'spawn' in str(error)
        os._exit(0 if cured == 2 and np.isfinite(wp.dwt2(x).array).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    t.forward(x)
