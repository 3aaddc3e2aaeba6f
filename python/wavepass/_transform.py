"""Transform, a plan that is used many times, and Coefficients, its results with names."""
from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import numpy as np

from . import _core
from ._arrays import device_of, library_of, result_type
from ._devices import Split
from ._memory import maker
from ._progress import reporter

Progress = bool | Callable[[int, int], object]

_BATCH_DIMENSIONS = 6  # of _core; planes are one more
_ndarray = np.ndarray
_RESULT_TYPES = {np.dtype(name): np.dtype(result_type(name))
                 for name in ('float16', 'float32', 'float64', 'uint8', 'uint16')}


@functools.lru_cache(256)
def default_border(wavelet: str, bank: str = 'decimated') -> str:
    """'symmetric', which keeps the size, if the wavelet supports it; otherwise 'pywt-symmetric', or 'periodic' for
    redundant banks and packets."""
    try:
        _core.max_levels(width=64, height=64, wavelet=wavelet, border='symmetric', bank=bank)
    except ValueError:
        return 'pywt-symmetric' if bank == 'decimated' else 'periodic'
    return 'symmetric'


def normalize_axes(axes: Sequence[int] | int, dimensions: int) -> tuple[int, ...]:
    """Axes as increasing numbers that are not negative."""
    given = (axes,) if isinstance(axes, int) else tuple(axes)
    found = []
    for axis in given:
        if not -dimensions <= axis < dimensions:
            raise ValueError(f'axes is {axes!r}, but the array has {dimensions} dimensions')
        found.append(axis % dimensions)
    if len(set(found)) < len(found):
        raise ValueError(f'axes is {axes!r}, but axes must differ')
    if not 1 <= len(found) <= 3:
        raise ValueError(f'axes is {axes!r}, but 1 to 3 axes can be transformed')
    return tuple(sorted(found))


class Transform:
    """A wavelet transform of arrays of one shape.

    Creating one takes longer than a transform of a small array, so create it once. Threads may share one:
    its calls then run one after another.

    Parameters
    ----------
    shape : tuple of int
        Extents of the 1, 2 or 3 axes that are transformed.
    wavelet : str
        A name ('cdf97', 'db4', 'bior2.2', 'haar', ...: `wavepass.wavelets()`), or the path of a wavelet
        file, which is read again for the first inverse or adjoint.
    levels : int, 'max' or None
        None: 3, or as many as fit; 'max': as many as fit.
    batch : tuple of int
        Extents of the other axes. Arrays have the shape batch + shape.
    axes : tuple of int
        Which axes of the arrays are transformed, in increasing order. Default: the last ones.
    border : str
        Extension at the ends: 'symmetric' and 'periodic', which keep the size; 'pywt-zero', 'pywt-constant',
        'pywt-symmetric', ..., the modes of PyWavelets, with more coefficients than samples. Default:
        'symmetric' for wavelets of odd length that are symmetric, else 'pywt-symmetric', or 'periodic' for
        redundant banks and packets.
    norm : str
        'jpeg2000' (the low-pass keeps the mean of samples), 'orthonormal', 'pywt' (the numbers of PyWavelets)
        or 'none'.
    bank : str
        'decimated', or a redundant filter bank, whose bands all have the size of the samples: 'undecimated' (a
        trous, SWT) or 'starlet' (isotropic, B3 spline; the wavelet is not used). Their coefficients have the
        bands one after the other along the first of the transformed axes, so that those of an image, without a
        batch, are reshaped to (bands, height, width). Borders: 'periodic', or 'symmetric' for wavelets of odd
        length that are symmetric and for the starlet; the norm 'orthonormal' is norm=True of pywt.swt.
        'packets': wavelet packets, whose levels split high bands, too. Coefficients have the shape of the samples.
        Bands have the names of PyWavelets: a letter for each level of signals and images ('ad', 'ah'), three for
        each level of volumes ('aad'). Borders: 'symmetric' or 'periodic'.
    tree : str
        Of wavelet packets, for example from `best_tree`: a digit for each node above the last level, '1' if it is
        split, followed by the digits of its children (low-pass first; for images a, v, h, d), or '0'. Default: all
        nodes are split.
    start_level : int
        Of redundant banks: the samples are the low band after so many levels, as `start_level` of
        `wavepass.pywt.swt`. Levels are counted from there. A transform of one level for each level also has the low
        bands between them.
    layout : str
        'mallat': bands next to each other, from coarse to fine; 'mixed': in place.
    dtype : str or numpy.dtype
        Element type of results that are made. Default: that of the input; float32 for integers.
    device : str, torch.device, cupy.cuda.Device
        'cpu', 'cuda' or 'cuda:N', for arrays of NumPy. Default: where the array is.
    devices : sequence of those
        Instead of one device: the longest axis of the batch is divided among them, for arrays of NumPy.
    threads : int
        Of the CPU. Default: one a processor.
    reversible : bool
        Integer lifting, without losses, of the wavelets that have it.
    backend, variant : str
        An implementation by name: 'reference', ...

    Examples
    --------
    >>> import numpy as np, wavepass as wp
    >>> t = wp.Transform((64, 64), 'cdf97', levels=3, batch=(10,))
    >>> x = np.random.default_rng(0).random((10, 64, 64), dtype='float32')
    >>> y = t.forward(x)
    >>> y.shape, y.dtype.name
    ((10, 64, 64), 'float32')
    >>> bool(abs(t.inverse(y) - x).max() < 1e-6)
    True
    >>> t = wp.Transform((64, 64), bank='starlet', levels=4)
    >>> planes = t.forward(x[0]).reshape(5, 64, 64)
    >>> bool(abs(planes.sum(0) - x[0]).max() < 1e-6)
    True
    """

    def __init__(
        self,
        shape: Sequence[int] | int,
        wavelet: str = 'cdf97',
        *,
        levels: int | Literal['max'] | None = None,
        batch: Sequence[int] = (),
        axes: Sequence[int] | int | None = None,
        border: str | None = None,
        norm: str = 'jpeg2000',
        bank: str = 'decimated',
        tree: str | None = None,
        start_level: int = 0,
        layout: str = 'mallat',
        dtype: Any = None,
        device: Any = None,
        devices: Sequence[Any] | None = None,
        threads: int = 0,
        reversible: bool = False,
        backend: str | None = None,
        variant: str | None = None,
    ) -> None:
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        if not 1 <= len(shape) <= 3:
            raise ValueError(f'shape is {shape!r}, but 1 to 3 axes can be transformed')
        batch = tuple(batch)
        if len(batch) > _BATCH_DIMENSIONS + 1:
            raise ValueError(f'batch is {batch!r}, but has at most {_BATCH_DIMENSIONS + 1} dimensions')
        if 0 in shape or 0 in batch:
            raise ValueError(f'an array of the shape {batch + shape} has no samples')
        dimensions = len(shape) + len(batch)
        last = range(dimensions - len(shape), dimensions)
        self.axes = normalize_axes(last if axes is None else axes, dimensions)
        if len(self.axes) != len(shape):
            raise ValueError(f'axes is {axes!r}, but shape has {len(shape)} axes')
        if levels == 0 or (isinstance(levels, str) and levels != 'max'):
            raise ValueError(f"levels is {levels!r}, but must be at least 1, 'max' or None")
        self.shape = shape
        self.batch = batch
        self.wavelet = wavelet
        self.bank = bank
        self.tree = tree
        self.start_level = start_level
        self.border = border or default_border(wavelet, bank)
        self.norm = norm
        self.layout = layout
        self.dtype = None if dtype is None else _type_name(dtype)
        self.device = device
        self.threads = threads
        self.reversible = reversible
        self.backend = backend
        self.variant = variant
        self._given_levels = levels
        self.devices = devices = None if devices is None else tuple(devices)
        if devices and device is not None:
            raise ValueError(f'device is {device!r} and devices is {devices!r}, but only one can be given')
        self._target = None if device is None else device_of(device)
        self._plans: dict[tuple, _core.Plan] = {}
        rest = [d for d in range(dimensions) if d not in self.axes]
        # The dimension of the arrays that is x, y, z, planes, ...: the last axis is x.
        xyz = self.axes[::-1] + (-1,) * (3 - len(shape))
        batches = rest[::-1]
        planes = batches.pop() if len(batches) > _BATCH_DIMENSIONS else -1
        self._dims = (*xyz, planes, *batches)
        self._params: dict[str, Any] = dict(
            width=shape[-1], height=shape[-2] if len(shape) > 1 else 1,
            depth=shape[-3] if len(shape) > 2 else 0, rank=len(shape),
            planes=batch[0] if planes >= 0 else 0, batch=(batch[1:] if planes >= 0 else batch)[::-1],
            wavelet=wavelet, border=self.border, norm=norm, layout=layout, threads=threads,
            reversible=reversible, variant=variant, bank=bank, tree=tree,
            start_level=start_level, levels=-1 if levels == 'max' else levels or 0)
        plan = self._plan(self._target or ('cpu', 0), False)
        #: Numbers of levels in the plane, and along z (0 if there is none).
        self.levels, self.levels_z = plan.levels, plan.levels_z
        # The shapes of arrays of samples and of coefficients.
        self._shapes = self._insert(shape), self._insert(_extents(plan, True, len(shape)))
        self._split = None if devices is None else Split(self, devices)
        self._bands = self._find_bands(plan)
        samples = sum(math.prod(size) for _, _, _, size, _, _ in plan.bands())
        self._gaps = samples < math.prod(plan.extents(True)[:3])  # elements in no band, which are not written
        # The short way of NumPy's arrays on the CPU, since small ones take only microseconds: the calls, how
        # results are made, and their types by those of inputs.
        self._on_host = self._target in (None, ('cpu', 0)) and devices is None
        self._host_forward = plan.run
        self._host_inverse: Callable[..., None] | None = None
        single = np.dtype(np.float32)
        self._make = np.zeros if self._gaps else maker(self._shapes[1], single)
        self._make_samples = maker(self._shapes[0], single)
        self._made = _RESULT_TYPES
        if self.dtype is not None:
            self._made = {} if self.dtype == 'bfloat16' else dict.fromkeys(_RESULT_TYPES, np.dtype(self.dtype))

    def _find_bands(self, plan: _core.Plan) -> dict[Any, tuple]:
        """The index of each band in arrays of coefficients, by name and level; of packets by name."""
        rank = len(self.shape)
        width, height = plan.extents(True)[:2]
        found: dict[Any, tuple] = {}
        for name, level, _, size, offset, stride in plan.bands():
            if 0 in size:
                continue
            first = offset % width, offset // width % height, offset // (width * height)
            step = stride[0], stride[1] // width, stride[2] // (width * height)
            index: list[Any] = [slice(None)] * (rank + len(self.batch))
            for a in range(rank):
                index[self._dims[a]] = slice(first[a], first[a] + (size[a] - 1) * step[a] + 1, step[a])
            letters = name if self.bank == 'starlet' else name[:rank].ljust(rank, 'L')
            found[name if self.bank == 'packets' else (letters, level)] = tuple(index)
        return found

    def _insert(self, extents):
        """The shape of arrays with these extents of the transformed axes."""
        batch, shape = iter(self.batch), iter(extents)
        return tuple(next(shape if d in self.axes else batch) for d in range(len(self.shape) + len(self.batch)))

    def _plan(self, device: tuple[str, int], inverse: bool, adjoint: bool = False) -> _core.Plan:
        key = device, inverse, adjoint
        plan = self._plans.get(key)
        if plan is None:
            backend = self.backend or device[0]
            index = 0
            if backend == 'cuda':
                from ._cuda import load_nvrtc

                index = device[1] + 1
                load_nvrtc()
                if 'cuda' not in _core.names('backends'):
                    raise RuntimeError('this build of wavepass has no backend cuda, since nvcc was not found'
                                       '\nhint: install the CUDA toolkit and build the wheel again')
            plan = self._plans[key] = _core.Plan(**self._params, backend=backend, device=index, adjoint=adjoint)
        return plan

    @property
    def array_shape(self) -> tuple[int, ...]:
        """The shape of arrays of samples: batch and shape."""
        return self._shapes[0]

    @property
    def coefficients_shape(self) -> tuple[int, ...]:
        """The shape of arrays of coefficients, larger than that of samples for borders of PyWavelets."""
        return self._shapes[1]

    def forward(self, x: Any, out: Any = None, *, progress: Progress = False) -> Any:
        """Transforms samples to coefficients.

        Parameters
        ----------
        x : array of `array_shape`
            Of NumPy, PyTorch, CuPy, or with DLPack or __cuda_array_interface__, with any strides. Elements are
            float16, bfloat16, float32, float64, uint8 or uint16 (integers represent themselves).
        out : array of `coefficients_shape`, optional
            Written and returned. Coefficients are accepted, too.
        progress : bool or callable
            True shows the progress of large batches; a callable gets (done, total).

        Returns
        -------
        array
            `out`, or a new array of the library and on the device of x.

        Examples
        --------
        >>> import numpy as np, wavepass as wp
        >>> wp.Transform(4, 'haar', norm='none').forward(np.array([1., 2., 4., 4.]))
        array([2.75, 2.5 , 1.  , 0.  ])
        """
        if type(x) is _ndarray and self._on_host and progress is False:
            made = self._made.get(x.dtype)
            if out is None and made is not None:
                out = self._make(self._shapes[1], made)
            if made is not None and type(out) is _ndarray and out.dtype in self._made:
                self._host_forward(False, (x, self._dims), (out, self._dims))
                return out
        return self._run(False, False, x, out, progress)

    def inverse(self, c: Any, out: Any = None, *, progress: Progress = False) -> Any:
        """Transforms coefficients, an array of `coefficients_shape` or Coefficients, to samples.

        Arguments and results are as in `forward`; integers cannot be written.

        Examples
        --------
        >>> import numpy as np, wavepass as wp
        >>> wp.Transform(4, 'haar', norm='none').inverse(np.array([2.75, 2.5, 1., 0.]))
        array([1., 2., 4., 4.])
        """
        x = c.array if type(c) is Coefficients else c
        if type(x) is _ndarray and self._on_host and progress is False:
            made = self._made.get(x.dtype)
            if out is None and made is not None:
                out = self._make_samples(self._shapes[0], made)
            if made is not None and type(out) is _ndarray and out.dtype in self._made:
                if self._host_inverse is None:
                    self._host_inverse = self._plan(('cpu', 0), True).run
                self._host_inverse(True, (x, self._dims), (out, self._dims))
                return out
        return self._run(True, False, x, out, progress)

    def forward_adjoint(self, c: Any, out: Any = None, *, progress: Progress = False) -> Any:
        """The transpose of `forward`: an array of `coefficients_shape` becomes one of `array_shape`.

        Examples
        --------
        >>> import numpy as np, wavepass as wp
        >>> t = wp.Transform((9, 12), 'cdf97')
        >>> rng = np.random.default_rng(0)
        >>> x, y = rng.random((9, 12)), rng.random((9, 12))
        >>> bool(np.isclose(np.vdot(t.forward(x), y), np.vdot(x, t.forward_adjoint(y))))
        True
        """
        return self._run(True, True, c, out, progress)

    def inverse_adjoint(self, x: Any, out: Any = None, *, progress: Progress = False) -> Any:
        """The transpose of `inverse`: an array of `array_shape` becomes one of `coefficients_shape`.

        Examples
        --------
        >>> import numpy as np, wavepass as wp
        >>> t = wp.Transform(8, 'haar', norm='orthonormal', levels=1)
        >>> x = np.arange(8.)
        >>> bool(np.allclose(t.inverse_adjoint(x), t.forward(x)))
        True
        """
        return self._run(False, True, x, out, progress)

    def coefficients(self, array: Any) -> Coefficients:
        """An array of `coefficients_shape` with the names of its bands.

        Examples
        --------
        >>> import numpy as np, wavepass as wp
        >>> t = wp.Transform((8, 8), levels=2)
        >>> t.coefficients(np.zeros((8, 8)))['HL', 1].shape
        (4, 4)
        """
        return Coefficients(self, array)

    def info(self) -> dict[str, Any]:
        """Facts: the backend, its device, the seconds of the latest run, and more.

        Examples
        --------
        >>> import wavepass as wp
        >>> wp.Transform((8, 8)).info()['backend']
        'cpu'
        """
        return next(iter(self._plans.values())).info()

    def as_linear_operator(self, dtype: Any = 'float64') -> Any:
        """The transform of vectors as a scipy.sparse.linalg.LinearOperator; its adjoint is exact.

        Examples
        --------
        >>> import numpy as np, wavepass as wp
        >>> W = wp.Transform((8, 8), 'cdf53').as_linear_operator()
        >>> W.shape, (W @ np.ones(64)).shape
        ((64, 64), (64,))
        """
        from scipy.sparse.linalg import LinearOperator  # type: ignore[import-untyped]

        rows, columns = (math.prod(shape) for shape in (self.coefficients_shape, self.array_shape))
        dtype = np.dtype(dtype)

        def apply(call, shape):
            return lambda v: call(np.asarray(v, dtype).reshape(shape)).ravel()

        return LinearOperator((rows, columns), matvec=apply(self.forward, self.array_shape),
                              rmatvec=apply(self.forward_adjoint, self.coefficients_shape), dtype=dtype)

    def _run(self, inverse: bool, adjoint: bool, x: Any, out: Any, progress: Progress) -> Any:
        x, out = _bare(x), _bare(out)
        library = library_of(x)
        source = library.prepare(x)
        name = library.type_of(source)
        if name.startswith('complex'):
            return self._run_complex(inverse, adjoint, source, out, progress)
        given, own = out, library
        if out is None:
            dtype = self.dtype or result_type(name)
            out = library.make(source, self._shapes[not inverse], dtype, self._gaps and not inverse)
        elif not hasattr(out, 'shape'):
            raise TypeError(f'out is a {type(out).__name__}, but must be an array')
        else:
            own = library_of(out)
        if self._split:
            self._split.run(inverse, adjoint, x if isinstance(x, np.ndarray) else source, out)
            return out
        plan = self._plan(self._target or library.device, inverse, adjoint)
        operands = library.operand(source, self._dims), own.operand(out, self._dims)
        stream = library.stream(source)
        if progress is False:
            plan.run(inverse, *operands, None, stream)
        else:
            with reporter(progress) as report:
                plan.run(inverse, *operands, report, stream)
        return library.finish(out, x) if given is None else out

    def _run_complex(self, inverse, adjoint, x, out, progress):
        """Real and imaginary parts, which are arrays with gaps."""
        given = out
        if out is None:
            library = library_of(x)
            name = {'complex64': 'complex64', 'complex128': 'complex128'}[library.type_of(x)]
            out = library.make(x, self._shapes[not inverse], name, self._gaps and not inverse)
        for part in ('real', 'imag'):
            self._run(inverse, adjoint, getattr(x, part), getattr(out, part), progress)
        return out if given is None else given

    def _options(self):
        device = self._target and (self._target[0] if self._target[0] == 'cpu' else '%s:%d' % self._target)
        return dict(levels=self._given_levels, batch=self.batch, axes=self.axes, border=self.border,
                    norm=self.norm, bank=self.bank, tree=self.tree, start_level=self.start_level, layout=self.layout,
                    dtype=self.dtype, device=device, devices=self.devices,
                    threads=self.threads, reversible=self.reversible, backend=self.backend,
                    variant=self.variant)

    def __reduce__(self):
        return _rebuild, (self.shape, self.wavelet, self._options())

    def __repr__(self) -> str:
        batch = f', batch={self.batch}' if self.batch else ''
        return (f'Transform({self.shape}, {self.wavelet!r}, levels={self.levels}{batch}, border={self.border!r}, '
                f'norm={self.norm!r}' + (f', bank={self.bank!r}' if self.bank != 'decimated' else '')
                + (f', tree={self.tree!r}' if self.tree else '')
                + (f', start_level={self.start_level})' if self.start_level else ')'))


class Coefficients:
    """Coefficients of a transform: an array, and views of its bands by name.

    `c['HL', 1]` are the coefficients of level 1, the finest, that are high-pass along x, the last of the
    transformed axes, and low-pass along y, the one before it. 1-D transforms have the bands 'L' and 'H', 3-D
    'LLL', 'HLL', ... The low band is that of the last level, and c['LL'] is enough. Wavelet packets have
    only names: c['ah'].

    Examples
    --------
    >>> import numpy as np, wavepass as wp
    >>> c = wp.wavedec2(np.ones((8, 8)), 'cdf53', levels=2)
    >>> list(c)
    [('LL', 2), ('HL', 2), ('LH', 2), ('HH', 2), ('HL', 1), ('LH', 1), ('HH', 1)]
    >>> c['LL']
    array([[1., 1.],
           [1., 1.]])
    >>> c['HL', 1][:] = 0      # a view: changes c.array
    """

    __slots__ = ('transform', 'array')

    def __init__(self, transform: Transform, array: Any) -> None:
        if array.shape != transform._shapes[1]:
            raise ValueError(f'the array has the shape {tuple(array.shape)}, but coefficients of this transform '
                             f'have {transform.coefficients_shape}')
        #: The transform that made them.
        self.transform = transform
        #: The array of all coefficients.
        self.array = array

    def __getitem__(self, key: str | tuple[str, int]) -> Any:
        bands = self.transform._bands
        low = next(iter(bands))
        try:
            return self.array[bands[low if type(low) is tuple and key == low[0] else key]]  # type: ignore[index]
        except KeyError:
            raise KeyError(f'there is no band {key!r}; the bands are {list(bands)}') from None

    def __setitem__(self, key: str | tuple[str, int], value: Any) -> None:
        self[key][...] = value

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return iter(self.transform._bands)

    def __len__(self) -> int:
        return len(self.transform._bands)

    def copy(self) -> Coefficients:
        """Coefficients with a copy of the array."""
        copy = getattr(self.array, 'copy', None) or self.array.clone
        return Coefficients(self.transform, copy())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = np.asarray(self.array, dtype)
        return array.copy() if copy else array

    def __repr__(self) -> str:
        return f'Coefficients({self.transform!r})'


def _bare(x: Any) -> Any:
    return x.array if isinstance(x, Coefficients) else x


def _extents(plan: _core.Plan, coefficients: bool, rank: int) -> tuple[int, ...]:
    """Extents of the transformed axes, x last."""
    return plan.extents(coefficients)[:rank][::-1]


def _type_name(dtype: Any) -> str:
    name = str(dtype).removeprefix('torch.')
    name = name if name == 'bfloat16' else np.dtype(dtype if not isinstance(dtype, str) else name).name
    if name not in ('float16', 'bfloat16', 'float32', 'float64'):
        raise ValueError(f"dtype is {dtype!r}, but must be 'float16', 'bfloat16', 'float32' or 'float64'")
    return name


def _rebuild(shape, wavelet, options):
    return Transform(shape, wavelet, **options)
