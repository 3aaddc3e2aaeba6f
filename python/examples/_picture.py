"""Pictures of arrays as PNG files, without other packages than NumPy."""
import os
import struct
import sys
import zlib

import numpy as np

GAP = 8  # pixels between panels


def photo(number=1):
    """The image of the command line (NPY, or what Pillow reads), as float32 in 0..1, or a sample."""
    if len(sys.argv) > number:
        if sys.argv[number].endswith('.npy'):
            image = np.load(sys.argv[number])
        else:
            from PIL import Image

            image = np.asarray(Image.open(sys.argv[number]).convert('L'))
        return image.astype('float32') / (255 if image.dtype == np.uint8 else 1)
    try:
        import pywt

        return pywt.data.camera().astype('float32') / 255
    except ImportError:
        y, x = np.mgrid[-1:1:512j, -1:1:512j]
        return (0.5 + 0.5 * np.cos(40 * (x * x + y * y)) * (x * x + y * y < 0.9)).astype('float32')


def gray(values, low=0.0, high=1.0):
    """Values as bytes, low black and high white."""
    return np.uint8(np.clip((np.asarray(values, float) - low) / (high - low), 0, 1) * 255 + 0.5)


def plot(curves, width=900, height=300, background=255):
    """Curves, (values, color), over the same x, as an image of bytes with three channels."""
    image = np.full((height, width, 3), background, np.uint8)
    low = min(float(np.min(values)) for values, _ in curves)
    high = max(float(np.max(values)) for values, _ in curves)
    for values, color in curves:
        x = np.linspace(0, len(values) - 1, width)
        y = np.interp(x, np.arange(len(values)), values)
        rows = ((high - y) / (high - low or 1) * (height - 5) + 2).astype(int)
        for column, (a, b) in enumerate(zip(rows, np.append(rows[1:], rows[-1]))):
            image[min(a, b) - 1:max(a, b) + 1, column] = color
    return image


def save(name, *panels):
    """Writes panels side by side, arrays of bytes of one or three channels, to $OUT/name.png."""
    panels = [np.repeat(p[..., None], 3, 2) if p.ndim == 2 else p for p in panels]
    height = max(len(p) for p in panels)
    padded = [np.pad(p, ((0, height - len(p)), (0, GAP), (0, 0)), constant_values=255) for p in panels]
    image = np.concatenate(padded, 1)[:, :-GAP]
    rows = np.pad(image.reshape(height, -1), ((0, 0), (1, 0)))  # each begins with its filter, 0
    chunks = [(b'IHDR', struct.pack('>IIBBBBB', image.shape[1], height, 8, 2, 0, 0, 0)),
              (b'IDAT', zlib.compress(rows.tobytes(), 9)), (b'IEND', b'')]
    path = os.path.join(os.environ.get('OUT', '.'), name + '.png')
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n')
        for kind, data in chunks:
            file.write(struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data)))
    print(path)


def psnr(image, reference):
    """Peak signal-to-noise ratio in dB of images in 0..1."""
    return -10 * np.log10(np.mean((np.asarray(image, float) - reference) ** 2))
