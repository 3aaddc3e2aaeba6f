"""A Transform as an operator of other libraries: PyLops, SigPy, DeepInverse.

SciPy's operator is `Transform.as_linear_operator()`. The adjoints are exact.
"""
import numpy as np

from ._transform import Transform

__all__ = ['deepinv_physics', 'pylops_operator', 'sigpy_linop']


def pylops_operator(transform: Transform, dtype='float64'):
    """A pylops.LinearOperator from arrays of `transform.array_shape` to coefficients.

    >>> import numpy as np, wavepass as wp                              # doctest: +SKIP
    >>> W = pylops_operator(wp.Transform((8, 8), 'db2'))                # doctest: +SKIP
    >>> (W.H @ W @ np.ones((8, 8))).shape                               # doctest: +SKIP
    (8, 8)
    """
    import pylops

    class Operator(pylops.LinearOperator):
        def _matvec(self, x):
            return transform.forward(np.asarray(x, dtype).reshape(self.dims)).ravel()

        def _rmatvec(self, y):
            return transform.forward_adjoint(np.asarray(y, dtype).reshape(self.dimsd)).ravel()

    return Operator(dtype=np.dtype(dtype), dims=transform.array_shape, dimsd=transform.coefficients_shape)


def sigpy_linop(transform: Transform, adjoint: bool = False):
    """A sigpy.linop.Linop from arrays of `transform.array_shape` to coefficients, or its adjoint; arrays
    are NumPy's or CuPy's, real or complex.

    >>> import numpy as np, wavepass as wp                              # doctest: +SKIP
    >>> W = sigpy_linop(wp.Transform((8, 8), 'db2'))                    # doctest: +SKIP
    >>> (W.H * W * np.ones((8, 8), complex)).shape                      # doctest: +SKIP
    (8, 8)
    """
    import sigpy

    shapes = [transform.coefficients_shape, transform.array_shape]

    class Wavelet(sigpy.linop.Linop):
        def __init__(self, adjoint):
            self.adjoint_of_wavelet = adjoint
            super().__init__(*(reversed(shapes) if adjoint else shapes))

        def _apply(self, x):
            return transform.forward_adjoint(x) if self.adjoint_of_wavelet else transform.forward(x)

        def _adjoint_linop(self):
            return Wavelet(not self.adjoint_of_wavelet)

    return Wavelet(adjoint)


def deepinv_physics(wavelet='db2', **parameters):
    """A deepinv.physics.LinearPhysics of tensors; parameters as of `wavepass.torch.dwt`.

    >>> import torch                                                    # doctest: +SKIP
    >>> physics = deepinv_physics('db2', levels=2)                      # doctest: +SKIP
    >>> physics.A_adjoint(physics.A(torch.ones(1, 1, 8, 8))).shape      # doctest: +SKIP
    torch.Size([1, 1, 8, 8])
    """
    import deepinv

    from . import torch as adapter

    class Wavelet(deepinv.physics.LinearPhysics):
        def __init__(self):
            super().__init__()
            self.shape = None

        def A(self, x, **unused):
            self.shape = x.shape
            return adapter.dwt(x, wavelet, **parameters)

        def A_adjoint(self, y, **unused):
            shape = None if self.shape is None else self.shape[-parameters.get('rank', 2):]
            return adapter.dwt_adjoint(y, wavelet, shape=shape, **parameters)

    return Wavelet()
