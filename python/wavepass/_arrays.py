"""The array libraries that a transform accepts: what an array is, and how to make one like it.

Each library is a subclass of Library. NumPy's is also for everything that NumPy can make an array of.
No library is imported here except NumPy: an array of another one can only exist if it is imported.
"""
from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np

from . import _memory

_FLOATS = ('float16', 'float32', 'float64', 'bfloat16')


def result_type(name: str) -> str:
    """The element type of results for inputs of a type: floats keep theirs, integers become float32."""
    return name if name in _FLOATS else 'float32'


class Library:
    """NumPy, and the interface of the others."""

    device: tuple[str, int] = ('cpu', 0)

    def prepare(self, x: Any) -> Any:
        """An input as an array of the library."""
        return x

    def type_of(self, x: Any) -> str:
        """The name of the element type."""
        return x.dtype.name

    def operand(self, x: Any, axes: tuple[int, ...]) -> tuple:
        """The array as it is passed to the module _core."""
        return x, axes

    def make(self, like: Any, shape: tuple[int, ...], dtype: str, zeros: bool) -> Any:
        """A new array on the device of `like`."""
        return (np.zeros if zeros else _memory.empty)(shape, _numpy_type(dtype))

    def finish(self, result: Any, like: Any) -> Any:
        """The result as an array of the library of `like`."""
        return result

    def stream(self, x: Any) -> int | None:
        """The number of the current CUDA stream; 0: the default one; None: no device."""
        return None


def _numpy_type(name: str) -> Any:
    if name != 'bfloat16':
        return np.dtype(name)
    import ml_dtypes  # NumPy itself has no bfloat16

    return np.dtype(ml_dtypes.bfloat16)


class _NumPy(Library):
    def prepare(self, x):
        if type(x) is np.ndarray:
            return x
        # Lists of numbers become doubles, as in PyWavelets; arrays keep their type.
        plain = isinstance(x, (list, tuple, int, float))
        return np.asarray(x, dtype=np.float64 if plain else None)

    def operand(self, x, axes):
        x = np.asarray(x)
        return (x.view(np.uint16), axes, 'bfloat16') if x.dtype.name == 'bfloat16' else (x, axes)


class _Torch(Library):
    """Tensors on a device. They are described by their address: torch.Tensor.__dlpack__ takes longer than a
    small transform."""

    def __init__(self, device):
        self.torch = sys.modules['torch']
        if device.type not in ('cpu', 'cuda'):
            raise ValueError(f"the tensor is on the device '{device}'; 'cpu' and 'cuda' are supported")
        self.device = (device.type, device.index or 0)
        self.on_device = device.type == 'cuda'
        self.names: dict[Any, str] = {}  # of types
        # torch.cuda.current_stream() makes an object, which takes longer.
        self.raw_stream = getattr(getattr(self.torch, '_C', None), '_cuda_getCurrentRawStream', None)

    def prepare(self, x):
        return x.resolve_neg() if x.is_neg() else x  # its memory has the values with the other sign

    def type_of(self, x):
        kind = x.dtype
        name = self.names.get(kind)
        if name is None:
            name = self.names[kind] = str(kind).removeprefix('torch.')
        return name

    def operand(self, x, axes):
        return x.data_ptr(), axes, self.type_of(x), x.shape, x.stride(), self.on_device

    def make(self, like, shape, dtype, zeros):
        make = self.torch.zeros if zeros else self.torch.empty
        return make(shape, dtype=getattr(self.torch, dtype), device=like.device)

    def stream(self, x):
        if not self.on_device:
            return None
        if self.raw_stream:
            return self.raw_stream(self.device[1])
        return self.torch.cuda.current_stream(x.device).cuda_stream


@functools.lru_cache(64)
def _torch_of(kind: type, device: Any) -> _Torch:
    return _Torch(device)


class _CuPy(Library):
    def __init__(self, x):
        self.cupy = sys.modules['cupy']
        self.device = ('cuda', x.device.id)

    def operand(self, x, axes):
        size, strides = x.itemsize, x.strides
        if any(stride % size for stride in strides):
            return x, axes  # an error, which _core reports
        return x.data.ptr, axes, x.dtype.name, x.shape, [stride // size for stride in strides], True

    def make(self, like, shape, dtype, zeros):
        with like.device:
            return (self.cupy.zeros if zeros else self.cupy.empty)(shape, dtype)

    def stream(self, x):
        return self.cupy.cuda.get_current_stream().ptr


class _Jax(_NumPy):
    """Arrays of JAX on the CPU. They are immutable: results are made by NumPy and handed over."""

    def __init__(self, x):
        if any(device.platform != 'cpu' for device in x.devices()):
            raise TypeError('arrays of JAX are supported on the CPU only\nhint: cupy.from_dlpack(x)')

    def finish(self, result, like):
        return sys.modules['jax'].numpy.asarray(result)


class _Foreign(Library):
    """Arrays on a device of an unknown library: results need `out`."""

    def __init__(self, x):
        index = 0
        if hasattr(x, '__dlpack_device__'):
            kind, index = x.__dlpack_device__()
            self.device = ('cuda', index) if int(kind) in (2, 13) else ('cpu', 0)
        else:
            self.device = ('cuda', 0)
        interface = getattr(x, '__cuda_array_interface__', None) or {}
        self.current = interface.get('stream') or 0

    def type_of(self, x):
        return str(getattr(x, 'dtype', 'float32'))

    def make(self, like, shape, dtype, zeros):
        raise TypeError(f'{type(like).__module__}.{type(like).__qualname__} is of a library in which wavepass '
                        f'cannot make arrays\nhint: out=, an array of the shape {shape} and the type {dtype}')

    def stream(self, x):
        return self.current if self.device[0] == 'cuda' else None


_numpy = _NumPy()


@functools.lru_cache(64)
def _package_of(kind: type) -> str:
    """The package of a type of arrays; 'torch' also of its subclasses elsewhere, such as
    torch.nn.Parameter."""
    package = kind.__module__.partition('.')[0]
    if package in ('cupy', 'jaxlib', 'jax'):
        return package
    tensor = getattr(sys.modules.get('torch'), 'Tensor', None)
    return 'torch' if package == 'torch' or (tensor and issubclass(kind, tensor)) else package


def library_of(x: Any) -> Library:
    """The library of an array, or of anything that NumPy makes an array of."""
    kind = type(x)
    if issubclass(kind, np.ndarray):
        return _numpy
    package = _package_of(kind)
    if package == 'torch':
        return _torch_of(kind, x.device)
    if package == 'cupy':
        return _CuPy(x)
    if package in ('jax', 'jaxlib'):
        return _Jax(x)
    if hasattr(x, '__cuda_array_interface__'):
        return _Foreign(x)
    if hasattr(x, '__dlpack_device__') and not hasattr(x, '__array__'):
        return _Foreign(x)
    return _numpy


def device_of(device: Any) -> tuple[str, int]:
    """('cuda', 1) for 'cuda:1', torch.device('cuda', 1), cupy.cuda.Device(1); ('cpu', 0) for None."""
    if device is None:
        return 'cpu', 0
    if hasattr(device, 'id') and not hasattr(device, 'platform'):  # cupy.cuda.Device
        return 'cuda', device.id
    if hasattr(device, 'platform'):  # jax.Device
        return ('cpu', 0) if device.platform == 'cpu' else ('cuda', device.id)
    kind, _, index = str(device).partition(':')
    if kind not in ('cpu', 'cuda') or (index and not index.isdigit()):
        raise ValueError(f"device is {device!r}, but must be 'cpu', 'cuda' or 'cuda:N'")
    return kind, int(index or 0)
