"""Wavelets by name or by filters, and their families."""
import re
import warnings
from functools import lru_cache
from importlib.util import find_spec

import numpy as np

from .. import _core

_BIOR = "1.1 1.3 1.5 2.2 2.4 2.6 2.8 3.1 3.3 3.5 3.7 3.9 4.4 5.5 6.8".split()
# Short name, long name, symmetry, members.
_FAMILIES = [
    ("haar", "Haar", "asymmetric", [""]),
    ("db", "Daubechies", "asymmetric", range(1, 39)),
    ("sym", "Symlets", "near symmetric", range(2, 21)),
    ("coif", "Coiflets", "near symmetric", range(1, 18)),
    ("bior", "Biorthogonal", "symmetric", _BIOR),
    ("rbio", "Reverse biorthogonal", "symmetric", _BIOR),
    ("dmey", "Discrete Meyer (FIR Approximation)", "symmetric", [""]),
]
_CONTINUOUS = [
    ("gaus", "Gaussian", range(1, 9)), ("mexh", "Mexican hat wavelet", [""]),
    ("morl", "Morlet wavelet", [""]), ("cgau", "Complex Gaussian wavelets", range(1, 9)),
    ("shan", "Shannon wavelets", [""]), ("fbsp", "Frequency B-Spline wavelets", [""]),
    ("cmor", "Complex Morlet wavelets", [""]),
]
_FAMILY_OF = {f"{f[0]}{m}": f for f in _FAMILIES for m in f[3]}
_CONTINUOUS_NAMES = [f"{short}{m}" for short, _, members in _CONTINUOUS for m in members]
_IN_LIBRARY = set(_core.names("wavelets"))
_FILTERS = "analysis-low", "analysis-high", "synthesis-low", "synthesis-high"


def families(short=True):
    """Names of the families of wavelets.

    >>> families()[:3]
    ['haar', 'db', 'sym']
    """
    return [f[0 if short else 1] for f in _FAMILIES + _CONTINUOUS]


def wavelist(family=None, kind="all"):
    """Names of wavelets of a family, and of a kind: "discrete", "continuous" or "all".

    Names of which the filters are only in PyWavelets are listed if it is installed.

    >>> wavelist("coif")[:2]
    ['coif1', 'coif2']
    """
    if kind not in ("all", "discrete", "continuous"):
        raise ValueError(f"Unrecognized value for `kind`: {kind}; it is 'all', 'discrete' or "
                         "'continuous'")
    if family is not None and family not in families():
        raise ValueError(f"Invalid short family name {family!r}; families() lists them.")
    theirs = _has_theirs()
    names = [n for n in _FAMILY_OF if kind != "continuous" and (theirs or n in _IN_LIBRARY)]
    if kind != "discrete" and theirs:
        names += _CONTINUOUS_NAMES
    if family is not None:
        names = [n for n in names if re.match(r"[a-z]+", n)[0] == family]
    return sorted(names, key=lambda n: (re.match(r"[a-z]+", n)[0],
                                        [int(d) for d in re.findall(r"\d+", n)]))


@lru_cache(None)
def _has_theirs():
    return find_spec("pywt") is not None


def _is_continuous(name):
    return name in _CONTINUOUS_NAMES or re.match(r"(shan|fbsp|cmor)[\d.-]+$", name) is not None


def _placed(first, taps, shift, length):
    """Taps of an analysis filter at the samples 2n - length / 2 + 1 to 2n + length / 2."""
    at = first + shift + length // 2 - 1
    if at < 0 or at + len(taps) > length:
        return None
    return [0.0] * at + list(taps) + [0.0] * (length - at - len(taps))


def _library_bank(wavelet):
    """Filters of a wavelet of the library as PyWavelets orders them: (dec_lo, dec_hi, rec_lo,
    rec_hi)."""
    plan = _core.Plan(width=65, height=1, rank=1, levels=1, wavelet=wavelet, border="pywt-zero",
                      norm="pywt")
    length = 2 * plan.bands()[0][3][0] - 64  # a band has (65 + length - 1) / 2 coefficients
    bank = [_placed(*_core.filter(wavelet, "pywt", which), shift, length)
            for which, shift in zip(_FILTERS, (0, 1, 0, 1))]
    return (bank[0][::-1], bank[1][::-1], bank[2], bank[3])


@lru_cache(None)
def _named_bank(name):
    if name in _IN_LIBRARY:
        return _library_bank(name)
    if not _has_theirs():
        raise ValueError(
            f"the filters of {name!r} are not in the library, which has db1 to db20, sym2 to sym20, "
            "coif1 to coif5, bior and rbio\nhint: if PyWavelets is installed, its filters are used")
    import pywt
    return tuple(map(list, pywt.Wavelet(name).filter_bank))


class Wavelet:
    """A discrete wavelet, by name or by a filter bank (dec_lo, dec_hi, rec_lo, rec_hi).

    Filters that the library can factor to lifting steps are transformed by it, others by
    convolution in NumPy.

    >>> w = Wavelet("db2")
    >>> w.dec_len, w.vanishing_moments_psi, w.symmetry
    (4, 2, 'asymmetric')
    """

    def __init__(self, name="", filter_bank=None):
        if not name and filter_bank is None:
            raise TypeError("Wavelet name or filter bank must be specified.")
        self._family, self._library, self._known = None, None, False
        self._orthogonal = self._biorthogonal = False
        if filter_bank is not None:
            self._name = name
            self._bank = _check_bank(filter_bank)
            return
        name = name.lower()
        if _is_continuous(name) and name in _CONTINUOUS_NAMES:
            raise ValueError(f"The `Wavelet` class is for discrete wavelets, {name} is a continuous "
                             "wavelet.  Use PyWavelets' pywt.ContinuousWavelet instead")
        if name not in _FAMILY_OF:
            if any(name.startswith(f[0]) for f in _CONTINUOUS):
                raise ValueError(f"Invalid wavelet name {name!r}.")
            raise ValueError(f"Unknown wavelet name {name!r}, check wavelist() for the list of "
                             "available builtin wavelets.")
        self._name = name
        self._family = _FAMILY_OF[name]
        self._bank = _named_bank(name)
        self._orthogonal = self._family[0] not in ("bior", "rbio")
        self._biorthogonal = True
        self._library, self._known = (name if name in _IN_LIBRARY else None), True

    @property
    def factored(self):
        """The wavelet in the words of the library, or None."""
        if not self._known:
            self._library, self._known = _factored(self._bank), True
        return self._library

    def _copy(index):  # noqa: N805
        return property(lambda self: list(self._bank[index]), doc="Taps of the filter, a list.")

    dec_lo, dec_hi, rec_lo, rec_hi = _copy(0), _copy(1), _copy(2), _copy(3)
    del _copy
    name = property(lambda self: self._name, doc="The name.")
    dec_len = property(lambda self: len(self._bank[0]), doc="Taps of the decomposition filters.")
    rec_len = property(lambda self: len(self._bank[2]), doc="Taps of the reconstruction filters.")
    family_name = property(lambda self: self._family[1] if self._family else "",
                           doc="Name of the family.")
    short_family_name = property(lambda self: self._family[0] if self._family else "",
                                 doc="Prefix of the names of the family.")
    symmetry = property(lambda self: self._family[2] if self._family else "unknown",
                        doc='"symmetric", "near symmetric", "asymmetric" or "unknown".')

    @property
    def orthogonal(self):
        """Is the wavelet orthogonal? Can be set for wavelets of one's own."""
        return self._orthogonal

    @orthogonal.setter
    def orthogonal(self, value):
        self._orthogonal = bool(value)

    @property
    def biorthogonal(self):
        """Is the wavelet biorthogonal? Can be set for wavelets of one's own."""
        return self._biorthogonal

    @biorthogonal.setter
    def biorthogonal(self, value):
        self._biorthogonal = bool(value)

    @property
    def filter_bank(self):
        """(dec_lo, dec_hi, rec_lo, rec_hi)."""
        return tuple(map(list, self._bank))

    @property
    def inverse_filter_bank(self):
        """Filters of the dual wavelet: rec_lo, rec_hi, dec_lo, dec_hi, each reversed."""
        return tuple(self._bank[i][::-1] for i in (2, 3, 0, 1))

    def get_filters_coeffs(self):
        """Deprecated: filter_bank."""
        warnings.warn("The `get_filters_coeffs` method is deprecated. Use `filter_bank` attribute "
                      "instead.", DeprecationWarning, stacklevel=2)
        return self.filter_bank

    def get_reverse_filters_coeffs(self):
        """Deprecated: inverse_filter_bank."""
        warnings.warn("The `get_reverse_filters_coeffs` method is deprecated. Use "
                      "`inverse_filter_bank` attribute instead.", DeprecationWarning, stacklevel=2)
        return self.inverse_filter_bank

    def _moments(self):
        """Vanishing moments of the wavelet and of the scaling function."""
        if not self._family:
            return 0, 0
        short, number = self._family[0], self._name[len(self._family[0]):]
        if short == "dmey":
            return None, None
        if short == "coif":
            return 2 * int(number), 2 * int(number) - 1
        if "." in number:
            return int(number[0]), int(number[2])
        return int(number or 1), 0

    vanishing_moments_psi = property(lambda self: self._moments()[0],
                                     doc="Vanishing moments of the wavelet.")
    vanishing_moments_phi = property(lambda self: self._moments()[1],
                                     doc="Vanishing moments of the scaling function.")

    def wavefun(self, level=8):
        """Scaling functions and wavelets by the cascade algorithm, at distances of 2**-level.

        Returns ``(phi, psi, x)`` of an orthogonal wavelet, else ``(phi_d, psi_d, phi_r, psi_r, x)``.

        >>> [len(a) for a in Wavelet("db2").wavefun(level=3)]
        [25, 25, 25]
        """
        if level < 1:
            raise ValueError("Value of level must be greater than 0.")
        bank = self.inverse_filter_bank[2:] if not self._orthogonal else ()
        filters = [*bank, self._bank[2], self._bank[3]]
        cascades = [_cascade(filters[i - i % 2], f, level) for i, f in enumerate(filters)]
        if self.short_family_name in ("bior", "rbio") and self.vanishing_moments_psi % 4 != 1:
            cascades[1::2] = [-c for c in cascades[1::2]]  # PyWavelets' sign
        count = (self.rec_len - 1) * 2**level + bool(self._orthogonal)
        count = max(count, max(map(len, cascades)) + 2)
        functions = [np.concatenate([[0.0], c, np.zeros(count - 1 - len(c))]) for c in cascades]
        return [*functions, np.arange(count) / 2.0**level]

    def __repr__(self):
        return f"wavepass.pywt.Wavelet(name={self._name!r}, filter_bank={self.filter_bank!r})"

    def __str__(self):
        return "\n".join([
            f"Wavelet {self._name}",
            f"  Family name:    {self.family_name}", f"  Short name:     {self.short_family_name}",
            f"  Filters length: {self.dec_len}", f"  Orthogonal:     {self.orthogonal}",
            f"  Biorthogonal:   {self.biorthogonal}", f"  Symmetry:       {self.symmetry}",
            "  DWT:            True", "  CWT:            False"])

    def __reduce__(self):
        given = (self._name,) if self._family else (self._name, self.filter_bank)
        return Wavelet, given, (None, {"orthogonal": self._orthogonal,
                                       "biorthogonal": self._biorthogonal})

    def __setstate__(self, state):
        for name, value in state[1].items():
            setattr(self, name, value)


def _cascade(low, last, level):
    """2**(level / 2) times the taps of `level` filters, of which `last` is the first one used."""
    values = np.asarray(last) * np.sqrt(2.0)**level
    for _ in range(level - 1):
        spread = np.zeros(2 * len(values) - 1)
        spread[::2] = values
        values = np.convolve(spread, low)
    return values


def _check_bank(given):
    bank = given
    if hasattr(given, "filter_bank"):
        bank = given.filter_bank
    elif hasattr(given, "get_filters_coeffs"):
        warnings.warn("Creating custom Wavelets using objects that define `get_filters_coeffs` "
                      "method is deprecated. The `filter_bank` parameter should define a "
                      "`filter_bank` attribute instead of `get_filters_coeffs` method.",
                      DeprecationWarning, stacklevel=3)
        bank = given.get_filters_coeffs()
    if len(bank) != 4:
        raise ValueError(f"Expected list of 4 filters coefficients, got {len(bank)} filters.")
    bank = [[float(tap) for tap in taps] for taps in bank]
    lengths = [len(taps) for taps in bank]
    if min(lengths) < 1 or len(set(lengths)) > 1:
        raise ValueError(f"The filters have {lengths} taps, but all filters in filter bank must have "
                         "the same length greater than 0.")
    return tuple(taps + [0.0] * (len(taps) % 2) for taps in bank)


def _factored(bank):
    """The library's text of taps for a filter bank, or None if it cannot be factored to lifting
    steps, or if these would have other filters or another alignment."""
    text = ";".join(" ".join(map(repr, taps[::-1])) for taps in bank[:2])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = _library_bank(text)
    except (ValueError, TypeError):
        return None
    same = len(made[0]) == len(bank[0]) and all(
        np.allclose(a, b, rtol=0, atol=1e-13) for a, b in zip(made, bank))
    return text if same else None


@lru_cache(None)
def _builtin(name):
    return Wavelet(name)


def as_wavelet(given):
    """A Wavelet for a name, a Wavelet of ours or of PyWavelets. ValueError for continuous ones."""
    if isinstance(given, Wavelet):
        return given
    if isinstance(given, str):
        if _is_continuous(given.lower()):
            raise ValueError(f"{given!r} is a continuous wavelet, but only discrete wavelets are "
                             "supported by this function: wavelist(kind='discrete')")
        return _builtin(given.lower())
    if not hasattr(given, "filter_bank"):
        if hasattr(given, "wavefun"):
            raise ValueError("A ContinuousWavelet object was provided, but only discrete wavelets "
                             "are supported by this function: wavelist(kind='discrete')")
        raise TypeError(f"a wavelet is a name or a Wavelet, not {given!r}")
    return _of_theirs(given)


@lru_cache(256)
def _of_theirs(given):
    bank = given.filter_bank
    if given.name in _IN_LIBRARY and np.allclose(bank, _named_bank(given.name), rtol=0, atol=1e-10):
        return _builtin(given.name)
    return Wavelet(given.name, bank)


def DiscreteContinuousWavelet(name="", filter_bank=None):
    """A Wavelet, or for the name of a continuous wavelet PyWavelets' ContinuousWavelet.

    >>> DiscreteContinuousWavelet("haar").dec_len
    2
    """
    if name and filter_bank is None and _is_continuous(name.lower()):
        if not _has_theirs():
            raise ValueError(f"{name!r} is a continuous wavelet, and these are only in PyWavelets, "
                             "which is not installed")
        import pywt
        return pywt.ContinuousWavelet(name)
    return Wavelet(name, filter_bank)


def per_axis(given, count, what, convert):
    """One value for each of `count` axes, from one value or a sequence of values."""
    if isinstance(given, (tuple, list)):
        values = [convert(value) for value in given]
        if len(values) == 1:
            values *= count
        if len(values) != count:
            raise ValueError(f"{len(values)} {what}s for {count} axes: the number of {what}s must "
                             "match the number of axes to be transformed.")
        return values
    return [convert(given)] * count
