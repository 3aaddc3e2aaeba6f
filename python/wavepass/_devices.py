"""Batches that are divided among several devices."""
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._transform import Transform


class Split:
    """A transform whose longest batch axis is divided among devices, one thread each. Arrays are
    NumPy's; each device gets its part by copies."""

    def __init__(self, whole: Transform, devices: tuple[Any, ...]) -> None:
        free = [d for d in range(len(whole.array_shape)) if d not in whole.axes]
        if not free or not devices:
            raise ValueError(f'devices is {devices!r}, but a batch and at least one device are required')
        self._axis = max(free, key=lambda d: whole.array_shape[d])
        entries = whole.array_shape[self._axis]
        ends = [entries * i // len(devices) for i in range(len(devices) + 1)]
        self._shapes = whole.array_shape, whole.coefficients_shape
        self._parts: list[tuple[tuple, Transform]] = []
        for device, first, end in zip(devices, ends, ends[1:]):
            if first == end:
                continue
            batch = list(whole.batch)
            batch[free.index(self._axis)] = end - first
            index = (slice(None),) * self._axis + (slice(first, end),)
            options = dict(whole._options(), batch=tuple(batch), device=device, devices=None)
            self._parts.append((index, type(whole)(whole.shape, whole.wavelet, **options)))
        self._pool = ThreadPoolExecutor(len(self._parts), 'wavepass')

    def run(self, inverse: bool, adjoint: bool, x: Any, out: np.ndarray) -> np.ndarray:
        """Transforms x to out. An error is that of the first device that has one."""
        if not isinstance(x, np.ndarray) or not isinstance(out, np.ndarray):
            raise TypeError('devices: arrays must be of NumPy, since the batch is divided among devices')
        for array, shape in (x, self._shapes[inverse]), (out, self._shapes[not inverse]):
            if array.shape != shape:
                raise ValueError(f'an array has the shape {array.shape}, but must have {shape}')
        for future in [self._pool.submit(part._run, inverse, adjoint, x[index], out[index], False)
                       for index, part in self._parts]:
            future.result()
        return out
