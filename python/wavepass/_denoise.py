"""Denoising of arrays."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from . import _core
from ._arrays import library_of, result_type
from ._transform import _BATCH_DIMENSIONS, normalize_axes


class Threshold(NamedTuple):
    """What `denoise` has used for a subband of a plane: an image of a batch, or a color channel."""

    plane: int
    band: str
    level: int
    sigma: float
    threshold: float


def _read_sigma(sigma: Any) -> float | tuple[float, ...]:
    if sigma is None:
        return 0.
    levels = None
    try:
        if isinstance(sigma, (str, bytes)):
            raise TypeError
        if hasattr(sigma, '__float__') and not getattr(sigma, 'shape', ()):
            values = (float(sigma),)
        else:
            values = levels = tuple(map(float, sigma))
    except TypeError:
        raise TypeError(f'sigma is {sigma!r}, but must be a number, one for each level, or None to estimate it') from None
    if not values or not all(s > 0 and math.isfinite(s) for s in values):
        raise ValueError(f'sigma is {sigma!r}, but must be positive, or None to estimate it')
    return values[0] if levels is None else levels


def denoise(
    x: Any,
    sigma: float | Sequence[float] | None = None,
    wavelet: str | None = None,
    levels: int | Literal['max'] | None = None,
    *,
    axes: Sequence[int] | int | None = None,
    channel_axis: int | None = None,
    method: Literal['bayes', 'sure', 'visu'] = 'bayes',
    rule: Literal['soft', 'hard', 'garrote'] | None = None,
    color: Literal['planes', 'ycbcr'] = 'planes',
    shifts: int | Literal['all'] | None = None,
    border: str | None = None,
    bank: Literal['decimated', 'undecimated', 'starlet', 'packets'] | None = None,
    per_level: bool = False,
    threads: int = 0,
    out: Any = None,
    thresholds: list[Threshold] | None = None,
) -> Any:
    """Removes white noise from signals, images or volumes by thresholds for wavelet coefficients.

    Parameters
    ----------
    x : array
        In the host's memory, of NumPy, PyTorch, ...: of any element type that `Transform.forward` has; any
        strides. Computes in float32.
    sigma : float or sequence of float
        The standard deviation of the noise, in units of x; or that of each level from the finest on, for noise
        that is not white. None: estimated in each plane from the median magnitude of the finest diagonal details.
    wavelet : str
        Default: 'haar'. The starlet ignores it.
    levels : int, 'max' or None
        None: three fewer than fit, as scikit-image; at least 1.
    axes :
        The 1 to 3 axes of a signal, an image or a volume; others are a batch, each denoised by itself. Default:
        all but channel_axis.
    channel_axis : int
        The axis of color channels.
    method : str
        How thresholds are determined, for each subband: 'bayes' (BayesShrink), 'sure' (SureShrink) or 'visu'
        (VisuShrink, of one threshold).
    rule : str
        What a threshold does to coefficients: 'soft' (default), 'hard' or 'garrote'.
    color : str
        'planes': channels by themselves; 'ycbcr': red, green and blue are converted to Y, Cb and Cr.
    shifts : int or 'all'
        Cycle spinning: the mean of the results for this number of positions of the image. 1: none. Default: 16.
        Not for redundant banks.
    border : str
        As in `Transform`. Default: an extension by reflection.
    bank : str
        'decimated' (default), 'undecimated', 'starlet' or 'packets', as in `Transform`. 'undecimated' has the
        coefficients of all shifts at once, with one threshold per subband. Redundant banks need the memory of x for
        each subband. 'packets' searches the best basis of each plane, for textures; its default is 'cdf97'.
    per_level : bool
        Estimates sigma in each level, for noise that is not white.
    threads : int
        Of the transform.
    out : array
        Written and returned instead of a new array; may be x.
    thresholds : list
        Gets a `Threshold` for each subband of each plane.

    Returns
    -------
    array
        Of the type of x, float32 for integers. Not clipped to the range of x.

    Examples
    --------
    >>> import numpy as np, wavepass as wp
    >>> rng = np.random.default_rng(0)
    >>> image = np.outer(np.arange(64) > 20, np.arange(64) > 30).astype('float32')
    >>> noisy = image + rng.normal(0, 0.1, image.shape).astype('float32')
    >>> clean = wp.denoise(noisy)
    >>> bool(np.std(clean - image) < np.std(noisy - image) / 2)
    True

    The settings of scikit-image:

    >>> used = []
    >>> same = wp.denoise(noisy, wavelet='db1', rule='soft', shifts=1, border='pywt-symmetric', thresholds=used)
    >>> used[0].band, used[0].level, round(used[0].sigma, 2)
    ('HL', 3, 0.1)
    """
    source = library_of(x).prepare(x)
    dimensions = len(source.shape)
    channel = None if channel_axis is None else normalize_axes(channel_axis, dimensions)[0]
    chosen = normalize_axes([a for a in range(dimensions) if a != channel] if axes is None else axes, dimensions)
    if channel in chosen:
        raise ValueError(f'channel_axis is {channel_axis}, but this axis is one of axes, {axes!r}')
    if color == 'ycbcr' and channel is None:
        raise ValueError("color is 'ycbcr', but channel_axis is None")
    batch = [a for a in range(dimensions) if a not in chosen and a != channel][::-1]
    # Axes of one sample have no details, but some borders would extend them.
    chosen = [a for a in chosen if source.shape[a] != 1] or chosen[-1:]
    shape = [source.shape[a] for a in chosen][::-1]
    if channel is None and len(batch) > _BATCH_DIMENSIONS:
        channel = batch.pop()
    if len(batch) > _BATCH_DIMENSIONS:
        raise ValueError(f'axes is {axes!r}, but at most {_BATCH_DIMENSIONS + 1} other axes can be a batch')
    if 0 in source.shape:
        raise ValueError(f'an array of the shape {tuple(source.shape)} has no samples')
    noise = _read_sigma(sigma)
    count = -1 if shifts == 'all' else 0 if shifts is None else shifts
    if not hasattr(count, '__index__') or (shifts != 'all' and shifts is not None and count < 1):
        raise ValueError(f"shifts is {shifts!r}, but must be at least 1, 'all' or None")
    library = library_of(x)
    name = library.type_of(source)
    if name.startswith('complex'):
        raise TypeError(f'x has elements of type {name}, but only real ones can be denoised')
    given, own = out, library
    if out is None:
        out = library.make(source, tuple(source.shape), result_type(name), False)
    else:
        own = library_of(out)
    dims = (*chosen[::-1], *[-1] * (3 - len(chosen)), -1 if channel is None else channel, *batch)
    rows: list[tuple] = []
    _core.denoise(
        library.operand(source, dims), own.operand(out, dims), method, rule, color, noise, per_level,
        count, rows, width=shape[0], height=shape[1] if len(shape) > 1 else 1,
        depth=shape[2] if len(shape) > 2 else 0, rank=len(shape),
        planes=0 if channel is None else source.shape[channel], batch=tuple(source.shape[a] for a in batch),
        wavelet=wavelet, border=border, bank=bank, levels=-1 if levels == 'max' else levels or 0, threads=threads)
    if thresholds is not None:
        thresholds.extend(Threshold(*row) for row in rows)
    return library.finish(out, x) if given is None else out
