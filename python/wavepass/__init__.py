"""Discrete wavelet transforms of arrays."""
from ._core import version as _version

__version__ = _version()
