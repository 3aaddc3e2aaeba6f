"""Finds NVRTC, which compiles kernels of the backend cuda, in the wheels of NVIDIA."""
from __future__ import annotations

import functools
import os


@functools.cache
def load_nvrtc() -> str | None:
    """Loads NVRTC from the loader's path, or else from site-packages/nvidia, and returns its path.

    The library opens libnvrtc.so.13 and .12 by these names, which then mean what is loaded. Does nothing if
    $WAVEPASS_NVRTC names one. None if there is none: kernels of the build are used.
    """
    import ctypes
    import glob
    import importlib.util

    if os.environ.get('WAVEPASS_NVRTC'):
        return os.environ['WAVEPASS_NVRTC']
    for name in ('libnvrtc.so.13', 'libnvrtc.so.12'):
        try:
            ctypes.CDLL(name)
            return name
        except OSError:
            pass
    spec = importlib.util.find_spec('nvidia')
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        # nvidia-cuda-nvrtc of CUDA 13, nvidia-cuda-nvrtc-cu12
        for path in sorted(glob.glob(os.path.join(folder, '*', 'lib', 'libnvrtc.so.1[23]')), reverse=True):
            try:
                ctypes.CDLL(path)
                return path
            except OSError:
                pass
    return None
