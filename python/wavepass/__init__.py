"""Discrete wavelet transforms of arrays at the speed of a copy.

    >>> import numpy as np, wavepass as wp
    >>> image = np.random.default_rng(0).random((512, 512), dtype='float32')
    >>> c = wp.wavedec2(image, 'cdf97', levels=3)      # or arrays of PyTorch and CuPy, where they are
    >>> c['HH', 1] = 0                                 # bands are views of c.array
    >>> wp.waverec2(c).shape
    (512, 512)

Functions of one call keep plans; `Transform` is a plan. `wavepass.pywt` has the names, arguments and results
of PyWavelets.
"""
from ._core import version as _version
from ._denoise import denoise
from ._functions import (borders, dwt, dwt2, dwtn, filters, idwt, idwt2, idwtn, max_levels, wavedec, wavedec2,
                         wavedecn, wavelets, waverec, waverec2, waverecn)
from ._packets import best_tree
from ._show import show
from ._transform import Coefficients, Transform

__version__ = _version()
__all__ = [
    'Coefficients', 'Transform', 'best_tree', 'borders', 'denoise', 'dwt', 'dwt2', 'dwtn', 'filters', 'idwt', 'idwt2',
    'idwtn', 'max_levels', 'show', 'wavedec', 'wavedec2', 'wavedecn', 'wavelets', 'waverec', 'waverec2', 'waverecn',
]
