"""Filters, frequencies of wavelets, and thresholds."""
import warnings

import numpy as np

from ._wavelets import DiscreteContinuousWavelet


def _wavelet(given):
    return DiscreteContinuousWavelet(given) if isinstance(given, str) else given


# ---- filters ----

def qmf(filt):
    """The quadrature mirror filter: reversed, with the opposite sign of every other tap.

    >>> qmf([1, 2, 3, 4]).tolist()
    [4, -3, 2, -1]
    """
    mirrored = np.array(filt)[::-1].copy()
    mirrored[1::2] *= -1
    return mirrored


def orthogonal_filter_bank(scaling_filter):
    """(dec_lo, dec_hi, rec_lo, rec_hi) of the taps of an orthogonal scaling filter, of any scale.

    >>> [f.round(3).tolist() for f in orthogonal_filter_bank([1, 1])][1]
    [-0.707, 0.707]
    """
    taps = np.asarray(scaling_filter, float)
    if taps.ndim != 1 or len(taps) % 2:
        raise ValueError(f"`scaling_filter` has the shape {taps.shape}, but must be one-dimensional "
                         "with an even number of taps.")
    rec_lo = np.sqrt(2) * taps / taps.sum()
    rec_hi = qmf(rec_lo)
    return rec_lo[::-1], rec_hi[::-1], rec_lo, rec_hi


# ---- frequencies ----

def _integral(values, x):
    return np.cumsum(values) * (x[1] - x[0])


def integrate_wavelet(wavelet, precision=8):
    """The integral of a wavelet from the left end to x: ``(integral, x)``, of biorthogonal wavelets
    ``(integral_d, integral_r, x)``. precision: levels of the cascade.

    >>> integral, x = integrate_wavelet("db2", precision=3)
    >>> len(x)
    25
    """
    if isinstance(wavelet, tuple):
        warnings.warn("integrating a general signal is deprecated: integrate_wavelet() takes a "
                      "wavelet", DeprecationWarning, stacklevel=2)
        values, x = map(np.asarray, wavelet)
        return _integral(values, x), x
    functions = _wavelet(wavelet).wavefun(precision)
    x = functions[-1]
    if len(functions) == 2:
        return _integral(functions[0], x), x
    if len(functions) == 3:
        return _integral(functions[1], x), x
    return _integral(functions[1], x), _integral(functions[3], x), x


def central_frequency(wavelet, precision=8):
    """The frequency of the largest value of a wavelet's spectrum, in cycles per unit of x.

    >>> float(round(central_frequency("db2"), 3))
    0.667
    """
    functions = _wavelet(wavelet).wavefun(precision)
    x, values = functions[-1], functions[0 if len(functions) == 2 else 1]
    peak = int(np.argmax(np.abs(np.fft.fft(values)[1:]))) + 1
    # The second half of the spectrum has the negative frequencies.
    cycles = len(values) - peak if peak + 1 > len(values) / 2 else peak
    return cycles / (x[-1] - x[0])


def scale2frequency(wavelet, scale, precision=8):
    """The frequency of a wavelet at a scale, in cycles per sample.

    >>> float(round(scale2frequency("db2", 2), 3))
    0.333
    """
    return central_frequency(wavelet, precision) / scale


def frequency2scale(wavelet, freq, precision=8):
    """The scale of a wavelet at a frequency in cycles per sample.

    >>> float(round(frequency2scale("db2", 0.25), 3))
    2.667
    """
    return central_frequency(wavelet, precision) / freq


def _renamed(function, old):
    def deprecated(*args, **kwargs):
        warnings.warn(f"`{old}` has been renamed to `{function.__name__}` and will be unavailable in "
                      "a future version of pywt.", DeprecationWarning, stacklevel=2)
        return function(*args, **kwargs)
    deprecated.__name__ = deprecated.__qualname__ = old
    deprecated.__doc__ = f"Deprecated: {function.__name__}()."
    return deprecated


intwave = _renamed(integrate_wavelet, "intwave")
centrfrq = _renamed(central_frequency, "centrfrq")
scal2frq = _renamed(scale2frequency, "scal2frq")
orthfilt = _renamed(orthogonal_filter_bank, "orthfilt")


# ---- thresholds ----

def _scaled(data, gain, magnitude):
    """data * gain(magnitude), without a division by 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(magnitude > 0, gain(magnitude), 0)
        return data * (factor.astype(data.real.dtype) if data.dtype.kind in "fc" else factor)


def _soft(data, value, substitute):
    magnitude = np.abs(data)
    result = _scaled(data, lambda m: np.maximum(1 - value / m, 0), magnitude)
    return result if substitute == 0 else np.where(magnitude < value, substitute, result)


def _garrote(data, value, substitute):
    magnitude = np.abs(data)
    result = _scaled(data, lambda m: np.maximum(1 - (value / m) ** 2, 0), magnitude)
    return result if substitute == 0 else np.where(magnitude < value, substitute, result)


def _hard(data, value, substitute):
    return np.where(np.abs(data) < value, data.dtype.type(substitute), data)


def _compared(compare):
    def apply(data, value, substitute):
        if np.iscomplexobj(data):
            raise ValueError("the modes 'greater' and 'less' require real data")
        return np.where(compare(data, value), data.dtype.type(substitute), data)
    return apply


_THRESHOLDS = {"soft": _soft, "hard": _hard, "greater": _compared(np.less),
               "less": _compared(np.greater), "garrote": _garrote, "garotte": _garrote}


def threshold(data, value, mode="soft", substitute=0):
    """Values below a threshold replaced: "soft" (those above are reduced by it), "hard", "garrote"
    (between both), "greater" or "less" (only such values are kept).

    >>> threshold([1.0, 2.0, 3.0], 2, "soft").tolist()
    [0.0, 0.0, 1.0]
    """
    data = np.asarray(data)
    try:
        apply = _THRESHOLDS[mode]
    except (KeyError, TypeError):
        raise ValueError(f"mode is {mode!r}, but must be one of {sorted(_THRESHOLDS)}") from None
    return apply(data, value, substitute)


def threshold_firm(data, value_low, value_high):
    """0 below value_low, unchanged from value_high on, and linear between.

    >>> threshold_firm([1.0, 2.0, 3.0, 4.0], 1, 3).tolist()
    [0.0, 1.5, 3.0, 4.0]
    """
    if value_low < 0:
        raise ValueError(f"value_low is {value_low}, but must be non-negative.")
    if value_high < value_low:
        raise ValueError(f"value_high is {value_high}, but must be greater than or equal to "
                         f"value_low, {value_low}.")
    data = np.asarray(data)
    if value_high == value_low:
        return _hard(data, value_low, 0)
    magnitude = np.abs(data)
    steep = value_high / (value_high - value_low)
    between = _scaled(data, lambda m: np.maximum(steep * (1 - value_low / m), 0), magnitude)
    return np.where(magnitude >= value_high, data, between)
