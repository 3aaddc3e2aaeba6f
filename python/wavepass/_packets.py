"""The best basis of wavelet packets."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from . import _core
from ._arrays import library_of
from ._transform import _BATCH_DIMENSIONS, default_border, normalize_axes


def best_tree(
    x: Any,
    wavelet: str = 'cdf97',
    levels: int | Literal['max'] | None = None,
    axes: Sequence[int] | int | None = None,
    *,
    cost: str | Callable[[np.ndarray], float] = 'shannon',
    parameter: float | None = None,
    border: str | None = None,
    threads: int = 0,
) -> str:
    """Finds the tree of wavelet packets of minimal cost (Coifman and Wickerhauser), for `tree` of transforms.

    A node is split if that reduces the sum of the costs of its leaves. All entries of a batch share the tree.

    Parameters
    ----------
    x : array
        In the host's memory: of any element type that `Transform.forward` has; any strides.
    wavelet, levels, border, threads
        As in `Transform`. Images have at most 7 levels.
    axes :
        The 1 to 3 axes of a signal, an image or a volume; others are a batch. Default: all.
    cost : str or callable
        The cost of a node with the coefficients c, in the norm 'orthonormal' (independent of the norm of the
        transform): 'shannon', -sum c**2 log(c**2); 'log-energy', sum log(c**2); 'threshold', the number of
        abs(c) > parameter; 'norm', sum abs(c)**parameter; 'error', sum minimum(c**2, parameter**2); or a function
        of an array of doubles.
    parameter : float
        For 'threshold', 'norm' and 'error', positive.

    Returns
    -------
    str
        Digits: see `Transform`.

    Examples
    --------
    >>> import numpy as np, wavepass as wp
    >>> x = np.sin(np.arange(256) * 2.9)                     # one high frequency
    >>> tree = wp.best_tree(x, 'db4', 3)
    >>> tree
    '1100110'
    >>> c = wp.wavedec(x, 'db4', 3, bank='packets', tree=tree)
    >>> list(c)
    ['aa', 'ad', 'daa', 'dad', 'dd']
    >>> bool(np.allclose(wp.waverec(c), x))
    True
    >>> wp.best_tree(x, 'db4', 3, cost=lambda c: np.abs(c).sum()) == wp.best_tree(x, 'db4', 3, cost='norm', parameter=1)
    True
    """
    library = library_of(x)
    source = library.prepare(x)
    dimensions = len(source.shape)
    if library.type_of(source).startswith('complex'):
        raise TypeError(f'x has elements of type {library.type_of(source)}, but only real ones have a best tree')
    if 0 in source.shape:
        raise ValueError(f'an array of the shape {tuple(source.shape)} has no samples')
    chosen = normalize_axes(range(dimensions) if axes is None else axes, dimensions)
    shape = [source.shape[a] for a in chosen][::-1]
    batch = [a for a in range(dimensions) if a not in chosen][::-1]
    planes = batch.pop() if len(batch) > _BATCH_DIMENSIONS else -1
    if len(batch) > _BATCH_DIMENSIONS:
        raise ValueError(f'axes is {axes!r}, but at most {_BATCH_DIMENSIONS + 1} other axes can be a batch')
    function = None
    if not isinstance(cost, str):
        def function(values: memoryview) -> float:
            # A copy, since the library reuses and frees the memory, and the function may keep the array.
            return float(cost(np.frombuffer(values, np.float64).copy()))
    return _core.best_tree(
        library.operand(source, (*chosen[::-1], *[-1] * (3 - len(chosen)), planes, *batch)),
        None if function else cost, 0. if parameter is None else parameter, function,
        width=shape[0], height=shape[1] if len(shape) > 1 else 1, depth=shape[2] if len(shape) > 2 else 0,
        planes=0 if planes < 0 else source.shape[planes], batch=tuple(source.shape[a] for a in batch),
        wavelet=wavelet, border=border or default_border(wavelet, 'packets'), bank='packets',
        levels=-1 if levels == 'max' else levels or 0, threads=threads)
