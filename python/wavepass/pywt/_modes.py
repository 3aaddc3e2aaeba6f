"""Border modes: their names, their numbers, and the extension of arrays by their rules."""
import warnings

import numpy as np


class _Modes:
    """The border modes of PyWavelets; ``Modes.symmetric`` is a number, ``Modes.modes`` the names.

    >>> Modes.from_object("constant")
    2
    """

    zero, constant, symmetric, periodic, smooth = 0, 2, 1, 4, 3
    periodization, reflect, antisymmetric, antireflect = 5, 6, 7, 8
    modes = ["zero", "constant", "symmetric", "periodic", "smooth", "periodization", "reflect",
             "antisymmetric", "antireflect"]

    def from_object(self, mode):
        """The number of a mode, which is given by name or number."""
        if isinstance(mode, (int, np.integer)):
            if not 0 <= mode <= 8:
                raise ValueError(f"Invalid mode: {mode}, but modes are 0 to 8.")
            return int(mode)
        if not isinstance(mode, str):
            raise TypeError(f"a mode is a name or a number, not {mode!r}")
        try:
            return getattr(self, mode) if mode in _OLD else _NUMBERS[mode]
        except KeyError:
            raise ValueError(f"Unknown mode name {mode!r}, but modes are {', '.join(self.modes)}."
                             ) from None

    def __getattr__(self, name):
        if name not in _OLD:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        warnings.warn(f"{name} has been renamed to {_OLD[name]} and will be unavailable in a future "
                      "version of pywt.", DeprecationWarning, stacklevel=2)
        return _NUMBERS[_OLD[name]]


_OLD = {"zpd": "zero", "cpd": "constant", "sym": "symmetric", "ppd": "periodic", "sp1": "smooth",
        "per": "periodization"}
_NUMBERS = {name: getattr(_Modes, name) for name in _Modes.modes}
NAMES = {number: name for name, number in _NUMBERS.items()}
Modes = _Modes()


def mode_name(mode):
    """The name of a mode that is given by name or number."""
    return mode if isinstance(mode, str) and mode in _NUMBERS else NAMES[Modes.from_object(mode)]


def coefficients(samples, taps, mode):
    """Number of coefficients of one level in each band."""
    return (samples + 1) // 2 if mode == "periodization" else (samples + taps - 1) // 2


def extend(x, axis, left, right, mode):
    """Extends an array along an axis by the rule of a mode; see docs/borders.md."""
    n = x.shape[axis]
    if mode == "periodization" and n % 2:
        x = np.concatenate([x, x[_along(x, axis, slice(n - 1, n))]], axis)
        n += 1
    if not left and not right:
        return x
    if n == 0:
        raise ValueError(f"axis {axis} has no samples to extend it by")
    i = np.arange(-left, n + right)
    inside = (i >= 0) & (i < n)
    clipped = np.clip(i, 0, n - 1)
    if n == 1 and mode in ("smooth", "reflect", "antireflect"):
        mode = "constant"
    if mode == "constant":
        return np.take(x, clipped, axis)
    if mode == "zero":
        return np.take(x, clipped, axis) * _column(x, axis, inside)
    if mode in ("periodic", "periodization"):
        return np.take(x, i % n, axis)
    if mode in ("symmetric", "antisymmetric"):
        t = i % (2 * n)
        y = np.take(x, np.where(t < n, t, 2 * n - 1 - t), axis)
        return y if mode == "symmetric" else y * _column(x, axis, np.where(t < n, 1, -1))
    first, last = (x[_along(x, axis, slice(k, k + 1))] for k in (0, n - 1))
    if mode == "smooth":
        # Both slopes are of neighboring samples.
        before = first - x[_along(x, axis, slice(1, 2))]
        after = last - x[_along(x, axis, slice(n - 2, n - 1))]
        steps = i - clipped
        return (np.take(x, clipped, axis) + before * _column(x, axis, np.maximum(-steps, 0))
                + after * _column(x, axis, np.maximum(steps, 0)))
    turns, t = np.divmod(i, 2 * n - 2)
    mirrored = np.take(x, np.where(t < n, t, 2 * n - 2 - t), axis)
    if mode == "reflect":
        return mirrored
    # Each reflection continues at the other side of the sample at the end.
    forth = _column(x, axis, t < n)
    return (np.where(forth, mirrored, 2 * last - mirrored)
            + 2 * (last - first) * _column(x, axis, turns))


def _along(x, axis, part):
    return (slice(None),) * (axis % x.ndim) + (part,)


def _column(x, axis, values):
    if values.dtype != bool:
        values = values.astype(x.dtype) if x.dtype.kind in "fc" else values
    return values.reshape([-1 if a == axis % x.ndim else 1 for a in range(x.ndim)])


def pad(x, pad_widths, mode):
    """Extends an array at both ends of each axis by the rule of a mode.

    pad_widths: a number, ``(before, after)``, or a list with such a pair for each axis.

    >>> pad([1, 2, 3], 2, "symmetric")
    array([2, 1, 1, 2, 3, 3, 2])
    """
    x = np.asanyarray(x)
    widths = np.asarray(pad_widths)
    if np.any(widths < 0):
        raise ValueError(f"pad_widths is {pad_widths!r}, but widths must not be negative")
    try:
        widths = np.broadcast_to(widths, (x.ndim, 2))
    except ValueError:
        raise ValueError(f"pad_widths is {pad_widths!r}, but must be a number, a pair, or a pair "
                         f"for each of {x.ndim} axes") from None
    name = mode_name(mode)
    for axis, (left, right) in enumerate(widths):
        if left or right or name == "periodization":
            x = extend(x, axis, int(left), int(right), name)
    return x
