"""A small U-Net that downsamples and upsamples with the wavelet transform instead of strided convolutions.

    python unet.py

The transform of the pooling is orthonormal, so its gradient is the inverse transform. Liu et al., Multi-level
wavelet-CNN for image restoration, 2018.
"""
import sys

import numpy as np
from _picture import gray, save

import wavepass as wp

try:
    import torch
except ImportError:
    print('PyTorch is not installed', file=sys.stderr)
    sys.exit(77)


class DWT(torch.autograd.Function):
    """(n, c, h, w) to (n, 4 c, h/2, w/2), with the bands as channels; backward is the adjoint."""

    @staticmethod
    def forward(ctx, x):
        c = wp.dwt2(x, 'db2', border='periodic', norm='orthonormal')
        return torch.cat([c[key] for key in c], 1)

    @staticmethod
    def backward(ctx, grad):
        return IDWT.forward(ctx, grad)


class IDWT(torch.autograd.Function):
    """The inverse of DWT."""

    @staticmethod
    def forward(ctx, bands):
        ll, hl, lh, hh = bands.chunk(4, 1)
        array = torch.cat([torch.cat([ll, hl], 3), torch.cat([lh, hh], 3)], 2)
        return wp.idwt2(array, 'db2', border='periodic', norm='orthonormal')

    @staticmethod
    def backward(ctx, grad):
        return DWT.forward(ctx, grad)


class UNet(torch.nn.Module):
    """Two scales; predicts the noise."""

    def __init__(self, width=16):
        super().__init__()

        def block(a, b):
            return torch.nn.Sequential(torch.nn.Conv2d(a, b, 3, padding=1), torch.nn.ReLU(),
                                       torch.nn.Conv2d(b, b, 3, padding=1), torch.nn.ReLU())

        self.first, self.second = block(1, width), block(4 * width, 4 * width)
        self.last = torch.nn.Conv2d(width, 1, 3, padding=1)

    def forward(self, x):
        features = self.first(x)
        deeper = IDWT.apply(self.second(DWT.apply(features)))
        return x - self.last(features + deeper)


def images(n, size, generator):
    """Random disks and bars."""
    y, x = torch.meshgrid(torch.arange(size), torch.arange(size), indexing='ij')
    result = torch.zeros(n, 1, size, size)
    for image in result[:, 0]:
        for _ in range(5):
            cx, cy, r, value = torch.rand(4, generator=generator).tolist()
            image[(x - size * cx) ** 2 + (y - size * cy) ** 2 < (size * r / 4) ** 2] = value
    return result


torch.manual_seed(0)
generator = torch.Generator().manual_seed(0)
x = torch.rand(2, 3, 8, 8, dtype=torch.float64, requires_grad=True)
assert torch.autograd.gradcheck(DWT.apply, x) and torch.autograd.gradcheck(IDWT.apply, torch.rand(
    1, 4, 4, 4, dtype=torch.float64, requires_grad=True))

net = UNet()
optimizer = torch.optim.Adam(net.parameters(), 3e-3)
losses = []
for step in range(60):
    clean = images(8, 48, generator)
    noisy = clean + .15 * torch.randn(clean.shape, generator=generator)
    loss = torch.nn.functional.mse_loss(net(noisy), clean)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f'mean square error: {losses[0]:.4f} at first, {np.mean(losses[-5:]):.4f} after {len(losses)} steps')
assert np.mean(losses[-5:]) < .012
clean = images(1, 192, generator)
noisy = clean + .15 * torch.randn(clean.shape, generator=generator)
with torch.no_grad():
    restored = net(noisy)
save('unet', gray(noisy[0, 0]), gray(restored[0, 0]), gray(clean[0, 0]))
