"""One level along one axis by convolution, for filters that have no lifting steps in the library."""
import numpy as np

from ._modes import coefficients, extend


def forward(x, bank, mode, axis):
    """Low and high band: coefficient k is the sum of taps[j] x[2k + 1 - j], or with periodization
    of taps[j] x[2k + len / 2 - j]."""
    n, taps = x.shape[axis], len(bank[0])
    count = coefficients(n, taps, mode)
    last = taps // 2 if mode == "periodization" else 1  # of the first coefficient
    end = 2 * (count - 1) + last + 1  # samples that the last coefficient requires
    even = n + n % 2 if mode == "periodization" else n
    x = np.moveaxis(extend(x, axis, taps - 1 - last, max(end - even, 0), mode), axis, -1)
    bands = []
    for filter_taps in bank[:2]:
        band = np.zeros(x.shape[:-1] + (count,), x.dtype)
        for j, tap in enumerate(filter_taps):
            if tap:
                band += x.dtype.type(tap) * x[..., taps - 1 - j::2][..., :count]
        bands.append(np.ascontiguousarray(np.moveaxis(band, -1, axis)))
    return bands


def inverse(low, high, bank, mode, axis):
    """Samples of two bands, of which one may be None."""
    taps, some = len(bank[2]), low if low is not None else high
    count = some.shape[axis]
    whole = np.zeros(np.moveaxis(some, axis, -1).shape[:-1] + (2 * count + taps - 2,), some.dtype)
    for band, filter_taps in zip((low, high), bank[2:]):
        if band is None:
            continue
        band = np.moveaxis(band, axis, -1)
        for j, tap in enumerate(filter_taps):
            if tap:
                whole[..., j:j + 2 * count:2] += whole.dtype.type(tap) * band
    if mode == "periodization":
        first, folded = taps // 2 - 1, np.zeros(whole.shape[:-1] + (2 * count,), whole.dtype)
        at = (np.arange(whole.shape[-1]) - first) % (2 * count)
        np.add.at(folded, (..., at), whole)
        whole = folded
    else:
        whole = whole[..., taps - 2:2 * count]
    return np.ascontiguousarray(np.moveaxis(whole, -1, axis))
