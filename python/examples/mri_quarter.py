"""Compressed sensing: an MRI slice from a quarter of its frequencies, with FISTA and exact adjoints.

    python mri_quarter.py

Lustig, Donoho, Pauly, Sparse MRI, 2007; Beck, Teboulle, A fast iterative shrinkage-thresholding algorithm, 2009.
"""
import numpy as np
from _picture import gray, psnr, save

import wavepass as wp

SIZE, STEPS, WEIGHT = 256, 60, 0.004


def phantom(size):
    """Shepp and Logan's head, of ellipses: gain, axes, center, angle."""
    ellipses = [(1, .69, .92, 0, 0, 0), (-.8, .6624, .874, 0, -.0184, 0), (-.2, .11, .31, .22, 0, -18),
                (-.2, .16, .41, -.22, 0, 18), (.1, .21, .25, 0, .35, 0), (.1, .046, .046, 0, .1, 0),
                (.1, .046, .023, -.08, -.605, 0), (.1, .023, .046, .06, -.605, 0)]
    y, x = np.mgrid[1:-1:size * 1j, -1:1:size * 1j]
    image = np.zeros((size, size))
    for gain, a, b, cx, cy, degrees in ellipses:
        angle = np.deg2rad(degrees)
        u = (x - cx) * np.cos(angle) + (y - cy) * np.sin(angle)
        v = (y - cy) * np.cos(angle) - (x - cx) * np.sin(angle)
        image += gain * ((u / a) ** 2 + (v / b) ** 2 <= 1)
    return image


image = phantom(SIZE)
rng = np.random.default_rng(0)
# Columns of k-space, dense at its center.
distance = np.abs(np.arange(SIZE) - SIZE / 2) / (SIZE / 2)
rows = (rng.random((SIZE, SIZE)) < 1.6 * (1 - np.hypot(distance[:, None], distance) / 1.42) ** 3) | (
    np.hypot(distance[:, None], distance) < 0.06)
mask = np.fft.ifftshift(rows)
measured = mask * np.fft.fft2(image, norm='ortho')
zero_filled = np.fft.ifft2(measured, norm='ortho').real

t = wp.Transform((SIZE, SIZE), 'db2', levels=5, border='periodic', norm='orthonormal')
c = z = t.forward(zero_filled)
momentum = 1.0
for _ in range(STEPS):
    rest = mask * np.fft.fft2(t.inverse(z), norm='ortho') - measured
    gradient = t.inverse_adjoint(np.fft.ifft2(rest, norm='ortho').real)
    step = z - gradient
    new = np.sign(step) * np.maximum(np.abs(step) - WEIGHT, 0)
    following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
    z = new + (momentum - 1) / following * (new - c)
    c, momentum = new, following
restored = t.inverse(c)
print(f'{100 * mask.mean():.0f} % of k-space; zeros instead of the rest: {psnr(zero_filled, image):.1f} dB, '
      f'sparse: {psnr(restored, image):.1f} dB')
assert psnr(restored, image) > psnr(zero_filled, image) + 4
save('mri_quarter', gray(np.fft.fftshift(mask)), gray(zero_filled, 0, .5), gray(restored, 0, .5))
