"""Writers of image files for scripts/format_table.py, in addition to those of libraries and of
tests/cli/formats.py. Arrays are (height, width) or (height, width, planes), row 0 at the top."""
import os
import struct
import sys
import zlib

import numpy

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(ROOT, 'tests/cli'))
import formats  # noqa: E402  (found through the line above)


def pack(rows, bits):
    """Packs samples of up to 16 bits, the most significant bit first; each row starts with a
    byte."""
    places = numpy.arange(bits - 1, -1, -1)
    found = rows.reshape(len(rows), -1, 1).astype(numpy.uint32) >> places & 1
    return numpy.packbits(found.reshape(len(rows), -1).astype(numpy.uint8), axis=1)


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def png_packed(image, bits, palette=None):
    """A PNG of 1 to 8 bits, gray or indices of a palette of (red, green, blue), with a gAMA chunk,
    which readers must ignore."""
    height, width = image.shape
    lines = b''.join(b'\0' + row.tobytes() for row in pack(image, bits))
    header = struct.pack('>IIBBBBB', width, height, bits, 0 if palette is None else 3, 0, 0, 0)
    colors = b'' if palette is None else chunk(b'PLTE', palette.astype(numpy.uint8).tobytes())
    gamma = chunk(b'gAMA', struct.pack('>I', 45455))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + gamma + colors +
            chunk(b'IDAT', zlib.compress(lines)) + chunk(b'IEND', b''))


def exif(orientation):
    return b'II*\0' + struct.pack('<IHHHIII', 8, 1, 0x112, 3, 1, orientation, 0)


def png_turned(data, orientation):
    """The PNG with an eXIf chunk before the end."""
    return data[:-12] + chunk(b'eXIf', exif(orientation)) + data[-12:]


def jpeg_of_12_bits(width, height):
    data = formats.jpeg(width, height)
    at = data.index(b'\xff\xc0')
    return data[:at] + b'\xff\xc1' + data[at + 2:at + 4] + b'\x0c' + data[at + 5:]


def jpeg_of_rgb(data):
    """A JPEG of Y, Cb, Cr as a JPEG of R, G, B: renames the components and removes JFIF."""
    found, at = b'\xff\xd8', 2
    while data[at + 1] != 0xda:
        length = struct.unpack('>H', data[at + 2:at + 4])[0] + 2
        segment = bytearray(data[at:at + length])
        if segment[1] == 0xc0:
            segment[10:19:3] = b'RGB'
        found += b'' if segment[1] == 0xe0 else segment
        at += length
    scan = bytearray(data[at:])
    scan[5:11:2] = b'RGB'
    return found + bytes(scan)


def pam(image, most, kind):
    height, width, planes = image.shape
    head = 'P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n' % (
        width, height, planes, most, kind)
    return head.encode() + image.astype('>u2' if most > 255 else 'u1').tobytes()


def pnm_text(image, most):
    """P1, in which 1 is black, for a maximum of 1; otherwise P2."""
    height, width = image.shape
    digits = 1 - image if most == 1 else image
    lines = (' '.join(str(each) for each in row) for row in digits)
    head = '%s\n%d %d\n' % ('P1' if most == 1 else 'P2', width, height)
    return (head + ('' if most == 1 else '%d\n' % most) + '\n'.join(lines) + '\n').encode()


def pbm(image):
    height, width = image.shape
    return b'P4\n%d %d\n' % (width, height) + pack(1 - image, 1).tobytes()


def hdr(pixels):
    """An HDR of red, green, blue and exponent, without run-length encoding."""
    height, width, _ = pixels.shape
    return (b'#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %d +X %d\n' % (height, width) +
            pixels.astype(numpy.uint8).tobytes())


def bmp(image, bits, palette=None, masks=None):
    """Indices of a palette, or pixels of 16 to 32 bits. `masks` are those of red, green, blue and
    alpha, which a header of version 4 has."""
    height, width = image.shape
    rows = (pack(image, bits) if palette is not None else
            numpy.ascontiguousarray(image.astype('<u4')).view(numpy.uint8).reshape(
                height, width, 4)[..., :bits // 8].reshape(height, -1))
    rows = numpy.pad(rows[::-1], ((0, 0), (0, -rows.shape[1] % 4)))
    colors = b''
    if palette is not None:
        colors = numpy.pad(palette[:, ::-1], ((0, 0), (0, 1))).astype(numpy.uint8).tobytes()
    more = b'' if masks is None else struct.pack('<4I', *masks) + b'BGRs' + bytes(48)
    count = 0 if palette is None else len(palette)
    header = struct.pack('<IiiHHIIiiII', 40 + len(more), width, height, 1, bits,
                         0 if masks is None else 3, rows.size, 2835, 2835, count, 0) + more
    start = 14 + len(header) + len(colors)
    return (struct.pack('<2sIHHI', b'BM', start + rows.size, 0, 0, start) + header + colors +
            rows.tobytes())


def tga_555(image):
    """A TGA of 15 bits per pixel, red in the highest bits, the top row first."""
    height, width = image.shape
    return (struct.pack('<BBBHHBHHHHBB', 0, 0, 2, 0, 0, 0, 0, 0, width, height, 15, 0x20) +
            image.astype('<u2').tobytes())


def tiff_packed(image, bits, order, photometric=1, colors=None):
    """A TIFF of 1 to 16 bits: gray, or with `colors` (16 bits; red, green, then blue) indices."""
    height, width = image.shape
    body = pack(image, bits).tobytes()
    body += bytes(len(body) % 2)
    tags = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, bits), (259, 3, 1, 1),
            (262, 3, 1, photometric), (273, 4, 1, 8), (277, 3, 1, 1), (278, 4, 1, height),
            (279, 4, 1, len(pack(image, bits).tobytes()))]
    if colors is not None:
        tags.append((320, 3, colors.size, 8 + len(body)))
        body += colors.astype(order + 'u2').tobytes()
    directory = struct.pack(order + 'H', len(tags))
    for tag, kind, count, value in tags:
        short = kind == 3 and count == 1
        directory += struct.pack(order + ('HHIHxx' if short else 'HHII'), tag, kind, count, value)
    return (struct.pack(order + '2sHI', b'II' if order == '<' else b'MM', 42, 8 + len(body)) +
            body + directory + bytes(4))


def fits(stored, *cards):
    """A FITS of big-endian samples, the last row first. `cards` are pairs of key and value."""
    height, width = stored.shape
    bitpix = stored.dtype.itemsize * (-8 if stored.dtype.kind == 'f' else 8)
    keys = [('SIMPLE', 'T'), ('BITPIX', bitpix), ('NAXIS', 2), ('NAXIS1', width),
            ('NAXIS2', height), *cards]
    text = ''.join(('%-8s= %20s' % card).ljust(80) for card in keys) + 'END'.ljust(80)
    body = stored[::-1].astype(stored.dtype.newbyteorder('>')).tobytes()
    return text.ljust(-len(text) % 2880 + len(text)).encode() + body + bytes(-len(body) % 2880)


EXR_TYPES = {'uint32': 0, 'float16': 1, 'float32': 2}


def little(samples):
    return samples.astype(samples.dtype.newbyteorder('<')).tobytes()


def exr(channels):
    """An uncompressed EXR of channels (name: array)."""
    names = sorted(channels)
    height, width = channels[names[0]].shape

    def attribute(name, kind, data):
        return name + b'\0' + kind + b'\0' + struct.pack('<I', len(data)) + data
    listed = b''.join(name.encode() + b'\0' +
                      struct.pack('<iB3xii', EXR_TYPES[str(channels[name].dtype)], 0, 1, 1)
                      for name in names) + b'\0'
    window = struct.pack('<4i', 0, 0, width - 1, height - 1)
    header = (struct.pack('<II', 20000630, 2) + attribute(b'channels', b'chlist', listed) +
              attribute(b'compression', b'compression', b'\0') +
              attribute(b'dataWindow', b'box2i', window) +
              attribute(b'displayWindow', b'box2i', window) +
              attribute(b'lineOrder', b'lineOrder', b'\0') +
              attribute(b'pixelAspectRatio', b'float', struct.pack('<f', 1)) +
              attribute(b'screenWindowCenter', b'v2f', bytes(8)) +
              attribute(b'screenWindowWidth', b'float', struct.pack('<f', 1)) + b'\0')
    rows = [b''.join(little(channels[name][y]) for name in names) for y in range(height)]
    first = len(header) + 8 * height
    table = b''.join(struct.pack('<Q', first + y * (8 + len(rows[y]))) for y in range(height))
    return header + table + b''.join(struct.pack('<ii', y, len(row)) + row
                                     for y, row in enumerate(rows))
