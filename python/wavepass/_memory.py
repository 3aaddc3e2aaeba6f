"""Arrays in memory that earlier results have released.

The system clears new pages, which takes about as long as a level of a transform. NumPy keeps only small
blocks, so results of some megabytes would always be in new pages.
"""
from __future__ import annotations

from typing import Any

import numpy as np

_LEAST = 1 << 20  # bytes of an array; NumPy allocates smaller ones
KEPT = 1 << 28  # largest sum of bytes of released blocks

_blocks: dict[int, list[Any]] = {}  # by their size; single operations on it are atomic


def _release(block: Any) -> None:
    size = block.nbytes
    if sum(n * len(same) for n, same in list(_blocks.items())) + size > KEPT:
        _blocks.clear()
    if size <= KEPT:
        _blocks.setdefault(size, []).append(block)


class _Lease:
    """The base of an array and its views, which releases the block when the last of them is deleted."""

    __slots__ = ('__array_interface__', '_block', '_end')

    def __init__(self, block: Any, shape: tuple[int, ...], dtype: Any) -> None:
        self._block, self._end = block, _release  # at exit the module's names may be gone
        self.__array_interface__ = {'version': 3, 'shape': shape, 'typestr': dtype.str,
                                    'data': block.__array_interface__['data']}

    def __del__(self) -> None:
        self._end(self._block)


def _recycled(shape: tuple[int, ...], dtype: Any) -> Any:
    size = dtype.itemsize
    for n in shape:
        size *= n
    try:
        block = _blocks[size].pop()
    except LookupError:
        block = np.empty(size, np.uint8)
    return np.asarray(_Lease(block, shape, dtype))


def maker(shape: tuple[int, ...], dtype: Any) -> Any:
    """A function like numpy.empty() for arrays of this shape and type; numpy.empty() itself for small arrays."""
    size = dtype.itemsize
    for n in shape:
        size *= n
    return _recycled if size >= _LEAST and dtype.kind in 'fc' else np.empty


def empty(shape: tuple[int, ...], dtype: Any) -> Any:
    """numpy.empty() for results."""
    return maker(shape, dtype)(shape, dtype)
