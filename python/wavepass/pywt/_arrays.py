"""Bands of several levels in one array, and back."""
import numpy as np


def _as_dicts(coeffs):
    """The low band and the dicts of the details, of bands as of wavedec, wavedec2 or wavedecn."""
    if not isinstance(coeffs, (list, tuple)) or not coeffs:
        raise ValueError("input must be a list of coefficients from wavedecn")
    low, details = coeffs[0], list(coeffs[1:])
    if low is None:
        raise ValueError("coeffs_to_array does not support missing coefficients.")
    low = np.asarray(low)
    if not details:
        return low, []
    if isinstance(details[0], np.ndarray):
        if low.ndim > 1 and any(d is not None and np.ndim(d) != low.ndim for d in details):
            raise ValueError("expected a 1D coefficient array")
        if low.ndim > 1:
            raise ValueError("expected a 1D coefficient array, since details are arrays; use "
                             "wavedecn with axes")
        dicts = [{"d": d} for d in details]
    elif isinstance(details[0], (tuple, list)):
        if any(not isinstance(d, (tuple, list)) or len(d) != 3 for d in details):
            raise ValueError("expected a 3-tuple of detail coefficients")
        dicts = [dict(zip(("da", "ad", "dd"), d)) for d in details]
    elif isinstance(details[0], dict):
        dicts = details
    else:
        raise ValueError("invalid coefficient list")
    if any(not isinstance(d, dict) or any(v is None for v in d.values()) for d in dicts):
        raise ValueError("coeffs_to_array does not support missing coefficients.")
    for d in dicts:
        for key in d:
            if set(key) - {"a", "d"}:
                raise ValueError(f"unexpected letter in the key {key!r}")
    return low, [dict(sorted((k, np.asarray(v)) for k, v in d.items())) for d in dicts]


def _axes_of_bands(low, details, axes):
    count = len(next(iter(details[0])))
    if axes is None:
        if count != low.ndim:
            raise ValueError("coeffs corresponds to a DWT performed over only a subset of the axes.  "
                             "In this case, axes must be specified.")
        return tuple(range(count))
    axes = (axes,) if isinstance(axes, (int, np.integer)) else tuple(axes)
    if len(axes) != count:
        raise ValueError(f"{len(axes)} axes: The length of axes doesn't match the number of "
                         f"dimensions transformed, {count}.")
    if any(not -low.ndim <= a < low.ndim for a in axes):
        raise ValueError(f"axes are {axes}, but bands have {low.ndim} dimensions")
    axes = tuple(a % low.ndim for a in axes)
    if len(set(axes)) != count:
        raise ValueError("axes must be unique")
    return axes


def coeffs_to_array(coeffs, padding=0, axes=None):
    """All bands in one array, low band first, and the slices of each. padding: the value of elements
    in no band; None: ValueError if there are such elements.

    >>> array, slices = coeffs_to_array([np.ones(1), np.zeros(1), np.zeros(2)])
    >>> array.tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    low, details = _as_dicts(coeffs)
    if not details:
        return low, [(slice(None),) * low.ndim]
    axes = _axes_of_bands(low, details, axes)
    whole, slices = list(low.shape), [tuple(slice(n) for n in low.shape)]
    used = low.size
    for bands in details:
        at, parts = list(whole), {}
        for key, band in bands.items():
            part = [slice(None)] * band.ndim
            for letter, axis in zip(key, axes):
                if letter == "a":
                    part[axis] = slice(band.shape[axis])
                else:
                    part[axis] = slice(at[axis], at[axis] + band.shape[axis])
                    whole[axis] = max(whole[axis], part[axis].stop)
            parts[key] = tuple(part)
            used += band.size
        slices.append(parts)
    if padding is None and used != np.prod(whole):
        raise ValueError("array coefficients cannot be tightly packed")
    dtype = np.result_type(low, *(b for d in details for b in d.values()))
    array = np.empty(whole, dtype)
    if used != array.size:
        array[...] = padding
    array[slices[0]] = low
    for bands, parts in zip(details, slices[1:]):
        for key, band in bands.items():
            array[parts[key]] = band
    return array, slices


def _structure(bands, output_format):
    """[low, {..}, ...] in the structure of a function."""
    if output_format in ("wavedecn", "swtn"):
        return bands
    if output_format in ("wavedec", "swt"):
        return bands[:1] + [d["d"] for d in bands[1:]]
    if output_format in ("wavedec2", "swt2"):
        return bands[:1] + [(d["da"], d["ad"], d["dd"]) for d in bands[1:]]
    raise ValueError(f"Unrecognized output format: {output_format}; it is 'wavedec', 'wavedec2', "
                     "'wavedecn', 'swt', 'swt2' or 'swtn'")


def array_to_coeffs(arr, coeff_slices, output_format="wavedecn"):
    """The bands, views of the array, in the structure that a function returns.

    >>> array_to_coeffs(np.arange(4), [(slice(2),), {"d": (slice(2, 4),)}], "wavedec")
    [array([0, 1]), array([2, 3])]
    """
    arr = np.asarray(arr)
    if len(coeff_slices) == 0:
        raise ValueError("empty list of coefficient slices")
    bands = [arr[coeff_slices[0]]]
    bands += [{k: arr[part] for k, part in d.items()} for d in coeff_slices[1:]]
    return _structure(bands, output_format)


def ravel_coeffs(coeffs, axes=None):
    """All bands in a one-dimensional array, and the slice and the shape of each.

    >>> ravel_coeffs([np.ones(2), np.zeros(2)])[0].tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    low, details = _as_dicts(coeffs)
    if details:
        _axes_of_bands(low, details, axes)
    arrays, slices, shapes, at = [low.ravel()], [slice(low.size)], [low.shape], low.size
    for bands in details:
        slices.append({})
        shapes.append({})
        for key, band in bands.items():
            arrays.append(band.ravel())
            slices[-1][key] = slice(at, at + band.size)
            shapes[-1][key] = band.shape
            at += band.size
    return np.concatenate(arrays), slices, shapes


def unravel_coeffs(arr, coeff_slices, coeff_shapes, output_format="wavedecn"):
    """The bands, views of the array, in the structure that a function returns.

    >>> unravel_coeffs(np.arange(2), [slice(1), {"d": slice(1, 2)}], [(1,), {"d": (1,)}], "wavedec")
    [array([0]), array([1])]
    """
    arr = np.asarray(arr)
    if len(coeff_slices) == 0:
        raise ValueError("empty list of coefficient slices")
    if len(coeff_shapes) == 0:
        raise ValueError("empty list of coefficient shapes")
    if len(coeff_shapes) != len(coeff_slices):
        raise ValueError(f"coeff_shapes and coeff_slices have unequal length: {len(coeff_shapes)} and "
                         f"{len(coeff_slices)}")
    bands = [arr[coeff_slices[0]].reshape(coeff_shapes[0])]
    bands += [{k: arr[part].reshape(shapes[k]) for k, part in parts.items()}
              for parts, shapes in zip(coeff_slices[1:], coeff_shapes[1:])]
    return _structure(bands, output_format)
