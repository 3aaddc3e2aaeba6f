from collections.abc import Callable, Sequence
from typing import Any

_Axes = tuple[int, ...]
_Described = tuple[int, _Axes, str, Sequence[int], Sequence[int], bool]
_Array = tuple[Any, _Axes] | tuple[Any, _Axes, str | None] | _Described
_Side = _Array | list[_Array | None]

class Plan:
    def __new__(
        cls,
        *,
        width: int = ...,
        height: int = ...,
        depth: int = ...,
        planes: int = ...,
        batch: Sequence[int] | None = ...,
        rank: int = ...,
        wavelet: str | None = ...,
        wavelet_data: tuple[str | None, Sequence[tuple[int, Sequence[float]]], float] | None = ...,
        scheme: str | None = ...,
        plain: bool = ...,
        border: str | None = ...,
        norm: str | None = ...,
        layout: str | None = ...,
        precision: str | None = ...,
        backend: str | None = ...,
        variant: str | None = ...,
        device: int = ...,
        levels: int = ...,
        levels_z: int = ...,
        threads: int = ...,
        gop: int = ...,
        decomposition: str | None = ...,
        reversible: bool = ...,
        adjoint: bool = ...,
        bank: str | None = ...,
        tree: str | None = ...,
        start_level: int = ...,
        maximum: float = ...,
        part: int = ...,
    ) -> Plan: ...
    @property
    def levels(self) -> int: ...
    @property
    def levels_z(self) -> int: ...
    def run(
        self,
        inverse: bool,
        source: _Side,
        target: _Side,
        progress: Callable[[int, int], object] | None = ...,
        stream: int | None = ...,
        /,
    ) -> None: ...
    def bands(
        self,
    ) -> list[tuple[str, int, int, tuple[int, int, int], int, tuple[int, int, int]]]: ...
    def info(self) -> dict[str, Any]: ...
    def extents(self, coefficients: bool, /) -> tuple[int, ...]: ...
    def describe(self, inverse: bool, source: _Side | None = ..., target: _Side | None = ..., /) -> str: ...

def version() -> str: ...
def names(kind: str, backend: str | None = ..., /) -> list[str]: ...
def max_levels(**params: Any) -> tuple[int, int]: ...
def filter(wavelet: str, norm: str | None, which: str, /) -> tuple[int, list[float]]: ...
def denoise(
    source: _Array,
    target: _Array,
    method: str | None,
    rule: str | None,
    color: str | None,
    sigma: float | tuple[float, ...],
    per_level: bool,
    shifts: int,
    bands: list[tuple],
    /,
    **params: Any,
) -> None: ...
def best_tree(
    source: _Array,
    cost: str | None,
    parameter: float,
    function: Callable[[memoryview], float] | None,
    /,
    **params: Any,
) -> str: ...
