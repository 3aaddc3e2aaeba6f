"""Progress of large batches, with tqdm if it is installed."""
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


class reporter:
    """A context whose value is None, or a function of (done, total) that shows them."""

    def __init__(self, progress: bool | Callable[[int, int], object]) -> None:
        self.progress = progress
        self.bar: Any = None
        self.shown = False

    def __enter__(self) -> Callable[[int, int], object] | None:
        if self.progress is None or self.progress is False:
            return None
        return self.show if self.progress is True else self.progress

    def show(self, done: int, total: int) -> None:
        """Updates the bar of tqdm, or a line of text."""
        if self.bar is None and not self.shown:
            try:
                from tqdm.auto import tqdm  # type: ignore[import-untyped]

                self.bar = tqdm(total=total, unit='array', desc='wavepass')
            except ImportError:
                pass
        if self.bar is not None:
            self.bar.update(done - self.bar.n)
        else:
            print(f'\rwavepass: {done} of {total}', end='', file=sys.stderr, flush=True)
        self.shown = True

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.close()
        elif self.shown:
            print(file=sys.stderr)
