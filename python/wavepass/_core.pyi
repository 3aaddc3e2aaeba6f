from collections.abc import Callable, Sequence
from typing import Any

_Array = tuple[Any, tuple[int, ...]] | tuple[Any, tuple[int, ...], str | None]
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
        /,
    ) -> None: ...
    def bands(
        self,
    ) -> list[tuple[str, int, int, tuple[int, int, int], int, tuple[int, int, int]]]: ...
    def info(self) -> dict[str, Any]: ...
    def extents(self, coefficients: bool, /) -> tuple[int, ...]: ...
    def describe(self, inverse: bool, source: _Side | None = ..., target: _Side | None = ..., /) -> str: ...
    def set_stream(self, number: int, /) -> None: ...

def version() -> str: ...
def names(kind: str, backend: str | None = ..., /) -> list[str]: ...
def max_levels(**params: Any) -> tuple[int, int]: ...
def filter(wavelet: str, norm: str | None, which: str, /) -> tuple[int, list[float]]: ...
