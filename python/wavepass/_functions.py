"""Functions of one call: transforms of arrays with plans that are kept."""
from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from . import _core
from ._arrays import library_of
from ._transform import Coefficients, Progress, Transform, normalize_axes

_PLANS_MAX = 64
_SAMPLES_MAX = 1 << 26

Levels = int | Literal['max'] | None


class _Plans(threading.local):
    """The transforms that a thread has used latest, by their parameters.

    Their number is limited, and that of their samples, since plans hold memory.
    """

    def __init__(self) -> None:
        self.kept: dict[tuple, Transform] = {}
        self.samples = 0

    def get(self, key: tuple) -> Transform:
        found = self.kept.get(key)
        return found if found is not None else self.add(key)

    def add(self, key: tuple) -> Transform:
        made = _make(*key)
        self.samples += math.prod(made.coefficients_shape)
        self.kept[key] = made
        while len(self.kept) > _PLANS_MAX or (self.samples > _SAMPLES_MAX and len(self.kept) > 1):
            oldest = self.kept.pop(next(iter(self.kept)))
            self.samples -= math.prod(oldest.coefficients_shape)
        return made


_plans = _Plans()


def _make(shape, axes, wavelet, levels, border, norm, device, threads, bank, tree):
    axes = normalize_axes(range(len(shape)) if axes is None else axes, len(shape))
    batch = tuple(n for d, n in enumerate(shape) if d not in axes)
    return Transform([shape[a] for a in axes], wavelet, levels=levels, batch=batch, axes=axes, border=border,
                     norm=norm, device=device, threads=threads, bank=bank, tree=tree)


def _decompose(x, axes, wavelet, levels, border, norm, dtype, device, threads, out, progress,
               bank='decimated', tree=None):
    if type(x) is not np.ndarray and not hasattr(x, 'shape'):
        x = library_of(x).prepare(x)
    kept = _plans.get((x.shape, axes if type(axes) is tuple else _hashable(axes), wavelet, levels, border, norm,
                       device, threads, bank, tree))
    if out is None and dtype is None:
        return Coefficients(kept, kept.forward(x, None, progress=progress))
    if dtype is not None and out is None:
        out = _make_out(x, kept, dtype)
    array = out.array if isinstance(out, Coefficients) else out
    kept.forward(x, array, progress=progress)
    return out if array is not out else Coefficients(kept, array)


def _hashable(axes):
    return axes if axes is None or type(axes) is tuple or isinstance(axes, int) else tuple(axes)


def _make_out(x, transform, dtype):
    from ._transform import _type_name

    return library_of(x).make(x, transform.coefficients_shape, _type_name(dtype), transform._gaps)


def _reconstruct(c, axes, wavelet, levels, shape, border, norm, device, threads, out, progress,
                 bank='decimated', tree=None):
    if isinstance(c, Coefficients):
        return c.transform.inverse(c, out, progress=progress)
    if not hasattr(c, 'shape'):
        c = library_of(c).prepare(c)
    if bank in ('undecimated', 'starlet') and not shape:
        raise ValueError(f"bank is {bank!r}, whose coefficients do not have the shape of the samples"
                         '\nhint: shape=..., or Coefficients')
    key = (tuple(shape or c.shape), _hashable(axes), wavelet, levels, border, norm, device, threads, bank, tree)
    return _plans.get(key).inverse(c, out, progress=progress)


_PARAMETERS = '''
    Parameters
    ----------
    x : array
        Of NumPy, PyTorch, CuPy, ...: float16, bfloat16, float32, float64, uint8, uint16, or complex; any strides.
    wavelet : str
        A name, such as 'cdf97', 'db4' or 'bior2.2', or the path of a wavelet file.
    {levels}{axes} :
        The {which} transformed; the others are a batch.
    border, norm, device, threads, dtype{bank}
        As in `Transform`.
    out : array or Coefficients
        Written instead of a new array.
    progress : bool or callable
        Of large batches.

    Returns
    -------
    Coefficients
        With an array where x is, of the same library.
'''
_INVERSE = '''
    Parameters
    ----------
    c : Coefficients or array
        All other parameters describe an array and are not used with Coefficients.
    shape : tuple of int
        The shape of the result, for borders of PyWavelets and redundant banks; otherwise it is that of c.
    wavelet, {levels}{axes}, border, norm, device, threads{bank}
        As in `{forward}`.
    out : array
        Written and returned instead of a new array.

    Returns
    -------
    array
        Where c is, of the same library.
'''
_LEVELS = '''levels : int, 'max' or None
        None: 3, or as many as fit.
    '''


def _documented(summary, example, axes, inverse_of=None, levels=True):
    """Sets the docstring of a function: the summary, parameters, and the doctest."""
    which = 'axis that is' if axes == 'axis' else 'axes that are' if axes == 'axes' else ''
    if inverse_of:
        text = _INVERSE.format(levels='levels, ' if levels else '', axes=axes, forward=inverse_of,
                               bank=', bank, tree' if levels else '')
    else:
        text = _PARAMETERS.format(levels=_LEVELS if levels else '', axes=axes, which=which,
                                  bank=', bank, tree' if levels else '')

    def set_text(function):
        setup = '    >>> import numpy as np, wavepass as wp\n'
        function.__doc__ = f'{summary}\n{text}\n    Examples\n    --------\n{setup}{example}'
        return function

    return set_text


@_documented('One level of a 1-D transform along an axis.', '''    >>> c = wp.dwt(np.array([1., 2., 4., 4.]), 'haar', norm='none')
    >>> c['L'], c['H', 1]
    (array([1.5, 4. ]), array([1., 0.]))
''', 'axis', levels=False)
def dwt(x: Any, wavelet: str = 'cdf97', axis: int = -1, *, border: str | None = None, norm: str = 'jpeg2000',
        dtype: Any = None, device: Any = None, threads: int = 0, out: Any = None,
        progress: Progress = False) -> Coefficients:
    return _decompose(x, axis, wavelet, 1, border, norm, dtype, device, threads, out, progress)


@_documented('The inverse of dwt.', '''    >>> x = np.array([1., 2., 4., 4.])
    >>> wp.idwt(wp.dwt(x, 'haar'))
    array([1., 2., 4., 4.])
''', 'axis', 'dwt', levels=False)
def idwt(c: Any, wavelet: str = 'cdf97', axis: int = -1, *, shape: Sequence[int] | None = None,
         border: str | None = None, norm: str = 'jpeg2000', device: Any = None, threads: int = 0,
         out: Any = None, progress: Progress = False) -> Any:
    return _reconstruct(c, axis, wavelet, 1, shape, border, norm, device, threads, out, progress)


@_documented('One level of a 2-D transform.', '''    >>> c = wp.dwt2(np.ones((3, 64, 64), 'float32'), 'db2')
    >>> c['LL'].shape, c['HL', 1].dtype.name
    ((3, 33, 33), 'float32')
''', 'axes', levels=False)
def dwt2(x: Any, wavelet: str = 'cdf97', axes: Sequence[int] = (-2, -1), *, border: str | None = None,
         norm: str = 'jpeg2000', dtype: Any = None, device: Any = None, threads: int = 0, out: Any = None,
         progress: Progress = False) -> Coefficients:
    return _decompose(x, axes, wavelet, 1, border, norm, dtype, device, threads, out, progress)


@_documented('The inverse of dwt2.', '''    >>> x = np.random.default_rng(0).random((6, 7))
    >>> bool(np.allclose(wp.idwt2(wp.dwt2(x, 'db2')), x))
    True
''', 'axes', 'dwt2', levels=False)
def idwt2(c: Any, wavelet: str = 'cdf97', axes: Sequence[int] = (-2, -1), *,
          shape: Sequence[int] | None = None, border: str | None = None, norm: str = 'jpeg2000',
          device: Any = None, threads: int = 0, out: Any = None, progress: Progress = False) -> Any:
    return _reconstruct(c, axes, wavelet, 1, shape, border, norm, device, threads, out, progress)


@_documented('One level of a transform along 1 to 3 axes; by default all axes of the array.',
             '''    >>> len(wp.dwtn(np.ones((8, 8, 8)), 'cdf53'))
    8
''', 'axes', levels=False)
def dwtn(x: Any, wavelet: str = 'cdf97', axes: Sequence[int] | None = None, *, border: str | None = None,
         norm: str = 'jpeg2000', dtype: Any = None, device: Any = None, threads: int = 0, out: Any = None,
         progress: Progress = False) -> Coefficients:
    return _decompose(x, axes, wavelet, 1, border, norm, dtype, device, threads, out, progress)


@_documented('The inverse of dwtn.', '''    >>> x = np.random.default_rng(0).random((8, 8, 8))
    >>> bool(np.allclose(wp.idwtn(wp.dwtn(x)), x))
    True
''', 'axes', 'dwtn', levels=False)
def idwtn(c: Any, wavelet: str = 'cdf97', axes: Sequence[int] | None = None, *,
          shape: Sequence[int] | None = None, border: str | None = None, norm: str = 'jpeg2000',
          device: Any = None, threads: int = 0, out: Any = None, progress: Progress = False) -> Any:
    return _reconstruct(c, axes, wavelet, 1, shape, border, norm, device, threads, out, progress)


@_documented('Several levels of a 1-D transform along an axis.',
             '''    >>> c = wp.wavedec(np.arange(16.), 'cdf53', 2)
    >>> list(c)
    [('L', 2), ('H', 2), ('H', 1)]
''', 'axis')
def wavedec(x: Any, wavelet: str = 'cdf97', levels: Levels = None, axis: int = -1, *,
            border: str | None = None, norm: str = 'jpeg2000', dtype: Any = None, device: Any = None,
            threads: int = 0, out: Any = None, progress: Progress = False,
            bank: str = 'decimated', tree: str | None = None) -> Coefficients:
    return _decompose(x, axis, wavelet, levels, border, norm, dtype, device, threads, out, progress, bank,
                      tree)


@_documented('The inverse of wavedec.', '''    >>> x = np.arange(16.)
    >>> bool(np.allclose(wp.waverec(wp.wavedec(x, 'cdf53', 2)), x))
    True
    >>> bool(np.allclose(wp.waverec(wp.wavedec(x, 'cdf53', 2).array, 'cdf53', 2), x))
    True
''', 'axis', 'wavedec')
def waverec(c: Any, wavelet: str = 'cdf97', levels: Levels = None, axis: int = -1, *,
            shape: Sequence[int] | None = None, border: str | None = None, norm: str = 'jpeg2000',
            device: Any = None, threads: int = 0, out: Any = None, progress: Progress = False,
            bank: str = 'decimated', tree: str | None = None) -> Any:
    return _reconstruct(c, axis, wavelet, levels, shape, border, norm, device, threads, out, progress, bank,
                        tree)


@_documented('Several levels of a 2-D transform.', '''    >>> c = wp.wavedec2(np.ones((64, 64)), 'cdf97', 3)
    >>> c['LL'].shape, c['HH', 1].shape, c.array.shape
    ((8, 8), (32, 32), (64, 64))
    >>> c = wp.wavedec2(np.ones((64, 48)), 'db4', 2, bank='undecimated')
    >>> c['HH', 1].shape, c.array.shape
    ((64, 48), (448, 48))
''', 'axes')
def wavedec2(x: Any, wavelet: str = 'cdf97', levels: Levels = None, axes: Sequence[int] = (-2, -1), *,
             border: str | None = None, norm: str = 'jpeg2000', dtype: Any = None, device: Any = None,
             threads: int = 0, out: Any = None, progress: Progress = False,
             bank: str = 'decimated', tree: str | None = None) -> Coefficients:
    return _decompose(x, axes, wavelet, levels, border, norm, dtype, device, threads, out, progress, bank,
                      tree)


@_documented('The inverse of wavedec2.', '''    >>> x = np.random.default_rng(0).random((64, 48))
    >>> c = wp.wavedec2(x, 'cdf97', 3)
    >>> c['HH', 1] = 0
    >>> wp.waverec2(c).shape
    (64, 48)
''', 'axes', 'wavedec2')
def waverec2(c: Any, wavelet: str = 'cdf97', levels: Levels = None, axes: Sequence[int] = (-2, -1), *,
             shape: Sequence[int] | None = None, border: str | None = None, norm: str = 'jpeg2000',
             device: Any = None, threads: int = 0, out: Any = None, progress: Progress = False,
             bank: str = 'decimated', tree: str | None = None) -> Any:
    return _reconstruct(c, axes, wavelet, levels, shape, border, norm, device, threads, out, progress, bank,
                        tree)


@_documented('Several levels along 1 to 3 axes; by default all axes of the array.',
             '''    >>> c = wp.wavedecn(np.ones((8, 16, 32)), 'cdf53', 2)
    >>> c['LLL'].shape, c['HLL', 1].shape
    ((2, 4, 8), (4, 8, 16))
''', 'axes')
def wavedecn(x: Any, wavelet: str = 'cdf97', levels: Levels = None, axes: Sequence[int] | None = None, *,
             border: str | None = None, norm: str = 'jpeg2000', dtype: Any = None, device: Any = None,
             threads: int = 0, out: Any = None, progress: Progress = False,
             bank: str = 'decimated', tree: str | None = None) -> Coefficients:
    return _decompose(x, axes, wavelet, levels, border, norm, dtype, device, threads, out, progress, bank,
                      tree)


@_documented('The inverse of wavedecn.', '''    >>> x = np.random.default_rng(0).random((8, 16, 32))
    >>> bool(np.allclose(wp.waverecn(wp.wavedecn(x, 'cdf53', 2)), x))
    True
''', 'axes', 'wavedecn')
def waverecn(c: Any, wavelet: str = 'cdf97', levels: Levels = None, axes: Sequence[int] | None = None, *,
             shape: Sequence[int] | None = None, border: str | None = None, norm: str = 'jpeg2000',
             device: Any = None, threads: int = 0, out: Any = None, progress: Progress = False,
             bank: str = 'decimated', tree: str | None = None) -> Any:
    return _reconstruct(c, axes, wavelet, levels, shape, border, norm, device, threads, out, progress, bank,
                        tree)


def wavelets() -> list[str]:
    """Names of wavelets. Files of $WAVEPASS_WAVELETS are among them.

    Examples
    --------
    >>> import wavepass as wp
    >>> 'cdf97' in wp.wavelets() and 'sym20' in wp.wavelets()
    True
    """
    return _core.names('wavelets')


def borders() -> list[str]:
    """Names of boundary extensions.

    Examples
    --------
    >>> import wavepass as wp
    >>> wp.borders()[:3]
    ['symmetric', 'periodic', 'pywt-zero']
    """
    return _core.names('borders')


def max_levels(shape: Sequence[int] | int, wavelet: str = 'cdf97', *, border: str | None = None) -> int:
    """The most levels of a transform of `shape`, 1 to 3 extents.

    Examples
    --------
    >>> import wavepass as wp
    >>> wp.max_levels((64, 64)), wp.max_levels(1024, 'db4', border='pywt-zero')
    (6, 7)
    """
    from ._transform import default_border

    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return max(_core.max_levels(
        width=shape[-1], height=shape[-2] if len(shape) > 1 else 1, depth=shape[-3] if len(shape) > 2 else 0,
        rank=len(shape), wavelet=wavelet, border=border or default_border(wavelet)))


def filters(wavelet: str, norm: str = 'pywt') -> dict[str, tuple[int, np.ndarray]]:
    """The filters of a wavelet: (position of the first tap, taps) of 'analysis-low', 'analysis-high', ...

    Examples
    --------
    >>> import wavepass as wp
    >>> wp.filters('cdf53', 'jpeg2000')['analysis-low']
    (-2, array([-0.125,  0.25 ,  0.75 ,  0.25 , -0.125]))
    """
    names = ('analysis-low', 'analysis-high', 'synthesis-low', 'synthesis-high')
    found = {name: _core.filter(wavelet, norm, name) for name in names}
    return {name: (first, np.array(taps)) for name, (first, taps) in found.items()}
