#!/usr/bin/env python3
"""Split Bregman with total variation and wavelets in numpy: a reference for `reconstruct`.

   csmri_numpy.py KSPACE.npy MASK.npy [-o IMAGE.npy] [--tv 1] [--wav 0.1] [-w haar|cdf97] [-l 4]
       [--mu 100] [--lambda 100] [--gamma G] [--outer 16] [--inner 32] [--sigma S] [--spin SEED]
       [--truth TRUTH.npy] [--time N]

Runs the loop of docs/reconstruction.md in complex64 with periodic borders. Without --spin, wavelets
other than Haar use one preconditioned step per solve. The script shares no code with the solver,
and adds in another order. It requires numpy 2, whose FFT keeps single precision.
"""
import argparse
import json
import sys
import time

import numpy as np

ROOT2 = np.sqrt(2)
CDF97 = (-1.586134342059924, -0.052980118572961, 0.882911075530934, 0.443506852043971)
ZETA97 = 1.1496043988602418  # orthonormal: low-pass times this, high-pass divided by it
LIFTING = {'haar': ((-1, 0.5), (1 * ROOT2, 1 / ROOT2)), 'cdf97': (CDF97, (ZETA97, 1 / ZETA97))}


def shift(x, by, axis):
    return np.roll(x, by, axis)


def steps_of(name):
    """(target is odd, taps {shift of the other: weight}) for each lifting step, and the gains."""
    weights, gains = LIFTING[name]
    if name == 'haar':
        return [(True, {0: -1.0}), (False, {0: 0.5})], gains
    steps = []
    for i, w in enumerate(weights):
        steps.append((True, {0: w, -1: w}) if i % 2 == 0 else (False, {0: w, 1: w}))
    return steps, gains


def apply_step(half, step, sign, axis):
    odd, taps = step
    to, other = (1, 0) if odd else (0, 1)
    for by, weight in taps.items():
        half[to] += np.float32(sign * weight) * (shift(half[other], by, axis) if by else
                                                 half[other])


class Wavelet:
    """W, its inverse and its adjoint, along all axes with more than one sample."""

    def __init__(self, name, levels):
        self.steps, self.gains = steps_of(name)
        self.levels = levels
        self.orthonormal = name == 'haar'

    def _split(self, x, axis):
        index = [slice(None)] * x.ndim
        index[axis] = slice(0, None, 2)
        even = x[tuple(index)].copy()
        index[axis] = slice(1, None, 2)
        return [even, x[tuple(index)].copy()]

    def _join(self, half, axis):
        shape = list(half[0].shape)
        shape[axis] *= 2
        x = np.empty(shape, half[0].dtype)
        index = [slice(None)] * x.ndim
        for part in (0, 1):
            index[axis] = slice(part, None, 2)
            x[tuple(index)] = half[part]
        return x

    def _analyse(self, x, axis):
        half = self._split(x, axis)
        for step in self.steps:
            apply_step(half, step, 1, axis)
        return np.concatenate([half[0] * np.float32(self.gains[0]),
                               half[1] * np.float32(self.gains[1])], axis)

    def _synthesise(self, x, axis):
        half = np.split(x, 2, axis)
        half = [half[0] / np.float32(self.gains[0]), half[1] / np.float32(self.gains[1])]
        for step in reversed(self.steps):
            apply_step(half, step, -1, axis)
        return self._join(half, axis)

    def _transpose(self, x, axis):
        half = np.split(x, 2, axis)
        half = [half[0] * np.float32(self.gains[0]), half[1] * np.float32(self.gains[1])]
        for odd, taps in reversed(self.steps):
            apply_step(half, (not odd, {-by: w for by, w in taps.items()}), 1, axis)
        return self._join(half, axis)

    def _low(self, shape, level):
        return tuple(slice(0, n >> level) for n in shape)

    def forward(self, x):
        x = x.copy()
        for level in range(self.levels):
            low = self._low(x.shape, level)
            part = x[low]
            for axis in range(x.ndim):
                part = self._analyse(part, axis)
            x[low] = part
        return x

    def _back(self, x, way):
        x = x.copy()
        for level in reversed(range(self.levels)):
            low = self._low(x.shape, level)
            part = x[low]
            for axis in range(x.ndim):
                part = way(part, axis)
            x[low] = part
        return x

    def inverse(self, x):
        return self._back(x, self._synthesise)

    def adjoint(self, x):
        return self.inverse(x) if self.orthonormal else self._back(x, self._transpose)


def fft(x):
    return np.fft.fftn(x, norm='ortho').astype(np.complex64, copy=False)


def ifft(x):
    return np.fft.ifftn(x, norm='ortho').astype(np.complex64, copy=False)


def gradient(u):
    return np.stack([shift(u, -1, a) - u for a in range(u.ndim)])


def divergence(d):
    """The adjoint of the gradient."""
    return sum(shift(d[a], 1, a) - d[a] for a in range(d.shape[0]))


def part_kept(length, threshold):
    return np.maximum(length - np.float32(threshold), 0) / np.maximum(length, np.float32(1e-30))


class Solver:
    def __init__(self, kspace, mask, o):
        self.o, self.mask = o, mask.astype(np.float32)
        self.f = kspace.astype(np.complex64) * self.mask
        self.fk = self.f.copy()
        shape = kspace.shape
        self.gamma = o.gamma if o.gamma else 100 * o.wav
        self.u = np.zeros(shape, np.complex64)
        laplace = np.zeros(shape, np.float32)
        if o.tv:
            for axis, n in enumerate(shape):
                turn = 2 - 2 * np.cos(2 * np.pi * np.arange(n) / n)
                laplace += turn.reshape([-1 if a == axis else 1 for a in range(len(shape))])
            self.b = np.zeros((len(shape),) + shape, np.complex64)
            self.d = self.b.copy()
        self.wavelet = Wavelet(o.wavelet, o.levels) if o.wav else None
        if o.wav:
            self.w = np.zeros(shape, np.complex64)
            self.c = self.w.copy()
        self.division = (o.mu * self.mask + (o.lam * laplace if o.tv else 0) +
                         (self.gamma if o.wav else 0)).astype(np.float32)
        self.laplace = laplace
        self.random = np.random.default_rng(o.spin)

    def solve(self, right):
        o, plain = self.o, not self.o.wav or self.wavelet.orthonormal or self.o.spin is not None
        if plain:
            self.u = ifft(right / self.division)
            return
        def normal(x):
            k = ifft((o.mu * self.mask + o.lam * self.laplace * bool(o.tv)) * fft(x))
            return k + np.float32(self.gamma) * self.wavelet.adjoint(self.wavelet.forward(x))
        rest = ifft(right) - normal(self.u)
        z = ifft(fft(rest) / self.division)
        step = np.vdot(z, rest).real / max(np.vdot(z, normal(z)).real, 1e-30)
        self.u = self.u + np.float32(step) * z

    def inner(self):
        o, spun = self.o, self.o.spin is not None
        right = np.zeros_like(self.u)
        if o.tv:
            right += np.float32(o.lam) * divergence(self.d - self.b)
        if o.wav:
            rest = self.w - self.c
            right += np.float32(self.gamma) * (rest if spun else self.wavelet.adjoint(rest))
        self.solve(np.float32(o.mu) * self.fk + fft(right))
        if o.tv:
            p = gradient(self.u) + self.b
            length = np.sqrt((p.real ** 2 + p.imag ** 2).sum(axis=0))
            self.d = p * part_kept(length, o.tv / o.lam)
            self.b = p - self.d
        if o.wav and spun:
            by = [int(self.random.integers(n)) for n in self.u.shape]
            axes = tuple(range(self.u.ndim))
            q = self.wavelet.forward(np.roll(self.u + self.c, by, axes))
            q *= part_kept(np.abs(q), o.wav / self.gamma)
            self.w = np.roll(self.wavelet.inverse(q), [-n for n in by], axes)
            self.c += self.u - self.w
        elif o.wav:
            q = self.wavelet.forward(self.u) + self.c
            self.w = q * part_kept(np.abs(q), o.wav / self.gamma)
            self.c = q - self.w

    def outer(self):
        """Runs an outer iteration and returns its residual."""
        for _ in range(self.o.inner):
            self.inner()
        rest = self.f - self.mask * fft(self.u)
        self.fk += rest
        return float(np.linalg.norm(rest))


def psnr(truth, u):
    return float(-10 * np.log10(np.mean((np.abs(u).astype(np.float64) - np.abs(truth)) ** 2)))


def options(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument('kspace')
    parser.add_argument('mask')
    parser.add_argument('-o', '--output')
    parser.add_argument('--tv', type=float, default=1)
    parser.add_argument('--wav', type=float, default=0)
    parser.add_argument('-w', '--wavelet', default='haar', choices=LIFTING)
    parser.add_argument('-l', '--levels', type=int, default=4)
    parser.add_argument('--mu', type=float, default=100)
    parser.add_argument('--lambda', type=float, default=100, dest='lam')
    parser.add_argument('--gamma', type=float, default=0)
    parser.add_argument('--outer', type=int, default=16)
    parser.add_argument('--inner', type=int, default=32)
    parser.add_argument('--sigma', type=float, default=0)
    parser.add_argument('--spin', type=int)
    parser.add_argument('--truth')
    parser.add_argument('--time', type=int, help='iterations to time, and nothing else')
    return parser.parse_args(arguments)


def read_mask(path, shape):
    """A mask without the axis x applies to every x."""
    mask = np.load(path)
    return np.broadcast_to(mask if mask.ndim == len(shape) else mask[..., None], shape)


def main():
    o = options()
    kspace = np.load(o.kspace)
    solver = Solver(kspace, read_mask(o.mask, kspace.shape), o)
    truth = np.load(o.truth) if o.truth else None
    if o.time:
        solver.inner()
        start = time.process_time()
        for _ in range(o.time):
            solver.inner()
        print(json.dumps({'iterations_per_second': o.time / (time.process_time() - start)}))
        return
    for k in range(o.outer):
        residual = solver.outer()
        told = {'outer': k + 1, 'residual': residual}
        if truth is not None:
            told['psnr'] = psnr(truth, solver.u)
        print(json.dumps(told), flush=True)
        if residual < o.sigma:
            break
    if o.output:
        np.save(o.output, solver.u)


if __name__ == '__main__':
    sys.exit(main())
