"""PyWavelets' names for the transforms of wavepass: ``import wavepass.pywt as pywt``.

Arguments, results, types, exceptions and warnings are those of PyWavelets 1.10; docs/python-pywt.md
tells what differs. Results are NumPy arrays in the host's memory.

>>> import numpy as np, wavepass.pywt as pywt
>>> cA, (cH, cV, cD) = pywt.dwt2(np.ones((64, 64), np.float32), "db2", mode="periodization")
>>> cA.shape, cA.dtype
((32, 32), dtype('float32'))
"""
from ._arrays import array_to_coeffs, coeffs_to_array, ravel_coeffs, unravel_coeffs
from ._dwt import (downcoef, dwt, dwt2, dwt_coeff_len, dwt_max_level, dwtn, dwtn_max_level, idwt,
                   idwt2, idwtn, upcoef)
from ._functions import (central_frequency, centrfrq, frequency2scale, integrate_wavelet, intwave,
                         orthfilt, orthogonal_filter_bank, qmf, scal2frq, scale2frequency, threshold,
                         threshold_firm)
from ._modes import Modes, pad
from ._multilevel import (wavedec, wavedec2, wavedecn, wavedecn_shapes, wavedecn_size, waverec,
                          waverec2, waverecn)
from ._packets import (BaseNode, Node, Node2D, NodeND, WaveletPacket, WaveletPacket2D,
                       WaveletPacketND)
from ._separable import FswavedecnResult, fswavedecn, fswaverecn
from ._stationary import iswt, iswt2, iswtn, swt, swt2, swt_max_level, swtn
from ._wavelets import DiscreteContinuousWavelet, Wavelet, families, wavelist

__all__ = [
    "BaseNode", "DiscreteContinuousWavelet", "FswavedecnResult", "Modes", "Node", "Node2D", "NodeND",
    "Wavelet", "WaveletPacket", "WaveletPacket2D", "WaveletPacketND", "array_to_coeffs",
    "central_frequency", "centrfrq", "coeffs_to_array", "downcoef", "dwt", "dwt2", "dwt_coeff_len",
    "dwt_max_level", "dwtn", "dwtn_max_level", "families", "frequency2scale", "fswavedecn",
    "fswaverecn", "idwt", "idwt2", "idwtn", "integrate_wavelet", "intwave", "iswt", "iswt2", "iswtn", "orthfilt",
    "orthogonal_filter_bank", "pad", "qmf", "ravel_coeffs", "scal2frq", "scale2frequency",
    "swt", "swt2", "swt_max_level", "swtn", "threshold", "threshold_firm", "unravel_coeffs", "upcoef", "wavedec", "wavedec2", "wavedecn",
    "wavedecn_shapes", "wavedecn_size", "wavelist", "waverec", "waverec2", "waverecn"]

# What PyWavelets has and this module has not, with the reason.
_MISSING = {
    **dict.fromkeys(["mra", "mra2", "mran", "imra", "imra2", "imran"],
                    "multiresolution analysis is not implemented"),
    **dict.fromkeys(["cwt", "ContinuousWavelet"],
                    "continuous transforms are not part of this library"),
    "data": "the example signals are those of PyWavelets",
}


def __getattr__(name):
    reason = f": {_MISSING[name]}; use PyWavelets" if name in _MISSING else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{reason}")
