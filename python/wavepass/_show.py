"""The viewer on an array."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import subprocess


def show(x: Any, *arguments: str, wait: bool = False) -> subprocess.Popen:
    """Opens the viewer, the installed program `wavepass view`, on an image, a volume or coefficients.

    Parameters
    ----------
    x : array or Coefficients
        Written to a temporary NPY file, which is removed when the viewer ends.
    arguments : str
        Options of the program, such as '--wavelet', 'haar'.
    wait : bool
        Whether to return only when the viewer has ended.

    Returns
    -------
    subprocess.Popen
        The viewer.

    Examples
    --------
    >>> import numpy as np, wavepass as wp
    >>> viewer = wp.show(np.ones((64, 64), 'float32'))  # doctest: +SKIP
    """
    import shutil
    import subprocess
    import tempfile

    program = os.environ.get('WAVEPASS_PROGRAM') or shutil.which('wavepass')
    if not program:
        raise RuntimeError("the viewer is a program, 'wavepass', which is not on the PATH"
                           '\nhint: build and install it (docs/building.md), or set $WAVEPASS_PROGRAM')
    array = getattr(x, 'array', x)
    for to_host in ('detach', 'cpu', 'get'):  # torch, CuPy
        if not isinstance(array, np.ndarray) and hasattr(array, to_host):
            array = getattr(array, to_host)()
    handle, path = tempfile.mkstemp(prefix='wavepass-', suffix='.npy')
    with os.fdopen(handle, 'wb') as file:
        np.save(file, np.asarray(array))
    # The shell removes the file also if this process has ended before the viewer.
    viewer = subprocess.Popen(['sh', '-c', 'file=$1; shift; "$@" "$file"; status=$?; rm -f "$file"; exit $status',
                               'sh', path, program, 'view', *arguments], start_new_session=True)
    if wait:
        viewer.wait()
    return viewer
