"""Writes and reads image files with code of its own, so that no test relies on wavepass for its
check.

Samples are a list, row by row from the top, with the planes of a pixel together. Headers and data
are independent parameters, so a file can have a wrong header.
"""
import array
import base64
import itertools
import random
import re
import struct
import sys
import zlib


def noise(count, most, seed=1):
    """Random integers that include 0 and `most`, as from randint(0, most), in one call."""
    generator = random.Random(seed)
    unused = 32 - (most + 1).bit_length()
    end, values = most + 1 << unused, []
    while len(values) < count:
        words = array.array('I', generator.randbytes(4 * count))
        if sys.byteorder == 'big':
            words.byteswap()
        values += [word >> unused for word in words if word < end]
    del values[count:]
    values[0] = most
    values[-1] = 0
    return values


def _chunk(kind, data):
    return (struct.pack('>I', len(data)) + kind + data +
            struct.pack('>I', zlib.crc32(kind + data) & 0xffffffff))


def png(width, height, samples=(), planes=1, bits=8):
    """A PNG with valid checksums, whatever size its header has."""
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[planes]
    row = width * planes
    lines = [samples[i:i + row] for i in range(0, len(samples), row or 1)]
    code = '>%dB' if bits == 8 else '>%dH'
    raw = b''.join(b'\0' + struct.pack(code % len(line), *line) for line in lines)
    header = struct.pack('>IIBBBBB', width, height, bits, colour, 0, 0, 0)
    return (b'\x89PNG\r\n\x1a\n' + _chunk(b'IHDR', header) +
            _chunk(b'IDAT', zlib.compress(raw)) + _chunk(b'IEND', b''))


def _unfilter(kind, row, above):
    """Unfilters the bytes that have the same position in all pixels."""
    if kind == 1:
        return [value & 255 for value in itertools.accumulate(row)]
    left = corner = 0
    found = []
    if kind == 3:
        for value, up in zip(row, above):
            left = value + (left + up) // 2 & 255
            found.append(left)
        return found
    for value, up in zip(row, above):
        from_left, from_up = up - corner, left - corner
        from_corner = abs(from_left + from_up)
        from_left, from_up = abs(from_left), abs(from_up)
        if from_left > from_up or from_left > from_corner:
            left = up if from_up <= from_corner else corner
        left = value + left & 255
        corner = up
        found.append(left)
    return found


def unfilter_png(kind, row, above, step):
    """A row of a PNG; a pixel has `step` bytes. Each filter has a loop of its own, because pictures
    have millions of pixels."""
    if kind == 2:
        return bytes([a + b & 255 for a, b in zip(row, above)])
    for first in range(step if kind else 0):
        row[first::step] = bytes(_unfilter(kind, row[first::step], above[first::step]))
    return bytes(row)


def read_png(data):
    """Width, height, planes, bits and samples of a PNG without interlacing."""
    at, packed = 8, b''
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b'IHDR':
            width, height, bits, colour = struct.unpack('>IIBB', body[:10])
        elif kind == b'IDAT':
            packed += body
        at += 12 + length
    planes = {0: 1, 4: 2, 2: 3, 6: 4}[colour]
    step = planes * bits // 8
    size = width * step
    raw, above, rows = zlib.decompress(packed), bytes(size), bytearray()
    for y in range(height):
        line = raw[y * (size + 1):(y + 1) * (size + 1)]
        above = unfilter_png(line[0], bytearray(line[1:]), above, step)
        rows += above
    code = 'B' if bits == 8 else 'H'
    count = width * height * planes
    return width, height, planes, bits, list(struct.unpack('>%d%s' % (count, code), rows))


def pnm(width, height, samples=(), planes=1, most=255):
    code = '>%dB' if most < 256 else '>%dH'
    header = 'P%d\n%s %s\n%s\n' % (5 if planes == 1 else 6, width, height, most)
    return header.encode() + struct.pack(code % len(samples), *samples)


NPY_TYPES = {'f2': 'e', 'f4': 'f', 'f8': 'd', 'u1': 'B', 'u2': 'H', 'i1': 'b', 'i2': 'h', 'i4': 'i'}


def npy(shape, samples=(), kind='<f4', fortran=False, header=None, version=1):
    """An NPY file. `header` replaces the complete text of the dictionary."""
    text = header if header is not None else (
        "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (kind, fortran, shape))
    text = text.encode() + b'\n'
    code = NPY_TYPES.get(kind[1:], 'f')
    order = '>' if kind[0] == '>' else '<'
    length = struct.pack('<H' if version == 1 else '<I', len(text))
    return (b'\x93NUMPY' + bytes([version, 0]) + length + text +
            struct.pack('%s%d%s' % (order, len(samples), code), *samples))


NIFTI_TYPES = {'u1': (2, 'B'), 'i2': (4, 'h'), 'i4': (8, 'i'), 'f4': (16, 'f'), 'f8': (64, 'd'),
               'i1': (256, 'b'), 'u2': (512, 'H')}


def nifti(sides, samples=(), kind='f4', order='<', **members):
    """A .nii file. `members` replace those of the header: pixdim, scale (slope and intercept),
    units, qform (code, quaternion, offset), sform (code, three rows), dim, type, magic, start."""
    code, letter = NIFTI_TYPES[kind]
    header = bytearray(352)

    def put(at, form, *values):
        struct.pack_into(order + form, header, at, *values)
    dim = members.get('dim', [len(sides), *sides])
    put(0, 'i', 348)
    put(40, '%dh' % len(dim), *dim)
    put(70, '2h', members.get('type', code), struct.calcsize(letter) * 8)
    pixdim = members.get('pixdim', [1] * 8)
    put(76, '%df' % len(pixdim), *pixdim)
    put(108, 'f', members.get('start', 352))
    put(112, '2f', *members.get('scale', (0, 0)))
    header[123] = members.get('units', 0)
    if 'qform' in members:
        code_of_it, quaternion, offset = members['qform']
        put(252, 'h', code_of_it)
        put(256, '6f', *quaternion, *offset)
    if 'sform' in members:
        code_of_it, rows = members['sform']
        put(254, 'h', code_of_it)
        put(280, '12f', *(number for row in rows for number in row))
    header[344:348] = members.get('magic', b'n+1\0')
    return bytes(header) + struct.pack(order + '%d%s' % (len(samples), letter), *samples)


def y4m(width, height, frames, rate='25:1', colour='mono'):
    """A Y4M file. Frames are bytes of any length."""
    head = 'YUV4MPEG2 W%s H%s F%s Ip A1:1 C%s\n' % (width, height, rate, colour)
    return head.encode() + b''.join(b'FRAME\n' + frame for frame in frames)


def read_npy(data):
    """Shape and samples of a float32 file."""
    kind, shape, samples = read_npy_of(data)
    if kind != 'f4':
        raise ValueError(kind)
    return shape, samples


def read_npy_of(data):
    """Type (for example 'i4'), shape and samples of a file in C order."""
    length = struct.unpack('<H', data[8:10])[0]
    text = data[10:10 + length].decode()
    sides = re.search(r"'shape': \(([\d, ]+)\)", text).group(1)
    shape = tuple(int(n) for n in sides.rstrip(',').split(','))
    kind = re.search(r"'descr': '[<|](\w\d)'", text)
    if not kind or "'fortran_order': False" not in text:
        raise ValueError(text)
    code = NPY_TYPES[kind.group(1)]
    body = data[10 + length:]
    count = 1
    for side in shape:
        count *= side
    if len(body) != struct.calcsize(code) * count:
        raise ValueError('%d bytes for %s' % (len(body), shape))
    return kind.group(1), shape, list(struct.unpack('<%d%s' % (count, code), body))


def pfm(width, height, samples=(), planes=1, scale='-1.0'):
    """A PFM file. The rows of the samples start at the top, and those of the file at the bottom."""
    header = '%s\n%s %s\n%s\n' % ('Pf' if planes == 1 else 'PF', width, height, scale)
    row = int(width) * planes if samples else 1
    rows = [samples[i:i + row] for i in range(0, len(samples), row)]
    order = '<' if scale.startswith('-') else '>'
    return header.encode() + b''.join(
        struct.pack('%s%df' % (order, len(line)), *line) for line in reversed(rows))


def read_pfm(data):
    kind, size, scale, body = data.split(b'\n', 3)
    width, height = (int(n) for n in size.split())
    row = width * (3 if kind == b'PF' else 1)
    values = struct.unpack('%s%df' % ('<' if float(scale) < 0 else '>', row * height), body)
    samples = []
    for y in reversed(range(height)):
        samples += values[y * row:(y + 1) * row]
    return width, height, row // width, samples


_SHORT, _LONG = 3, 4


def tiff(width, height, samples=(), planes=1, bits=32, rows_per_strip=None, size_type=_LONG):
    """A TIFF of one uncompressed strip, of floats if `bits` is 32 or 64 and of unsigned integers
    otherwise."""
    return _tiff([_tiff_page(8, width, height, samples, planes, bits, rows_per_strip, size_type)])


def fits(width, height, samples, *cards):
    """A FITS of 64-bit floats, the last row first; `cards` are pairs of key and value."""
    keys = [('SIMPLE', 'T'), ('BITPIX', -64), ('NAXIS', 2), ('NAXIS1', width), ('NAXIS2', height),
            *cards]
    text = ''.join(('%-8s= %20s' % card).ljust(80) for card in keys) + 'END'.ljust(80)
    rows = [samples[y * width:(y + 1) * width] for y in reversed(range(height))]
    body = b''.join(struct.pack('>%dd' % width, *row) for row in rows)
    return text.encode().ljust(-(-len(text) // 2880) * 2880) + body + bytes(-len(body) % 2880)


def tiff_pages(pages):
    """A TIFF of pages (width, height, samples and, unless it is 32, bits)."""
    made, at = [], 8
    for width, height, samples, *bits in pages:
        made.append(_tiff_page(at, width, height, samples, 1, *(bits or [32])))
        at += sum(map(len, made[-1])) + 4
    return _tiff(made)


def _tiff(pages):
    """A TIFF in which each strip is followed by its directory, which has the offset of the next
    one."""
    data = b'II*\0'
    for strip, directory in pages:
        data += struct.pack('<I', len(data) + 4 + len(strip)) + strip + directory
    return data + struct.pack('<I', 0)


def _tiff_page(at, width, height, samples, planes, bits, rows_per_strip=None, size_type=_LONG):
    """A strip at byte `at`, and its directory."""
    code = {8: 'B', 16: 'H', 32: 'f', 64: 'd'}[bits]
    body = struct.pack('<%d%s' % (len(samples), code), *samples)
    tags = [
        (256, size_type, width), (257, size_type, height), (258, _SHORT, bits),
        (259, _SHORT, 1), (262, _SHORT, 2 if planes > 2 else 1), (273, _LONG, at),
        (277, _SHORT, planes), (278, _LONG, height if rows_per_strip is None else rows_per_strip),
        (279, _LONG, len(body)), (284, _SHORT, 1), (339, _SHORT, 3 if bits >= 32 else 1)]
    if planes in (2, 4):
        tags.insert(-1, (338, _SHORT, 2))
    directory = struct.pack('<H', len(tags))
    for tag, kind, value in tags:
        directory += struct.pack('<HHII', tag, kind, 1, value & 0xffffffff)
    return body, directory


def read_tiff(data):
    """Width, height, planes and samples of an uncompressed little-endian float32 TIFF."""
    kind, *rest = read_tiff_of(data)
    if kind != 'f4':
        raise ValueError(kind)
    return tuple(rest)


def read_tiff_of(data):
    """Type (for example 'i4'), width, height, planes and samples of an uncompressed little-endian
    TIFF."""
    at = struct.unpack('<I', data[4:8])[0]
    tags = {}
    for i in range(struct.unpack('<H', data[at:at + 2])[0]):
        tag, kind, count = struct.unpack('<HHI', data[at + 2 + 12 * i:at + 10 + 12 * i])
        size, code = {_SHORT: (2, 'H'), _LONG: (4, 'I')}.get(kind, (1, 'B'))
        start = at + 10 + 12 * i
        if size * count > 4:
            start = struct.unpack('<I', data[start:start + 4])[0]
        tags[tag] = struct.unpack('<%d%s' % (count, code), data[start:start + size * count])
    body = b''.join(data[o:o + n] for o, n in zip(tags[273], tags[279]))
    width, height, planes = tags[256][0], tags[257][0], tags[277][0]
    kind = '%s%d' % ({1: 'u', 2: 'i', 3: 'f'}[tags[339][0]], tags[258][0] // 8)
    samples = struct.unpack('<%d%s' % (width * height * planes, NPY_TYPES[kind]), body)
    return kind, width, height, planes, list(samples)


# Color, with horizontal chroma subsampling, by cjpeg -quality 22 -progressive -restart 2B -sample
# 2x1.
PROGRESSIVE_JPEG = base64.b64decode(
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wCDEAAkABkAGwAgABsAFwAkACAAHgAgACkAJwAkACsANgBbADsANgAyADIANgBv'
    'AE8AVABCAFsAhAB0AIoAiACBAHQAfwB9AJEAowDRALEAkQCaAMUAnQB9AH8AtgD3ALgAxQDYAN4A6gDsAOoAjQCvAQEB'
    'EwD+AOMBEADRAOUA6gDh/9sAQwEnKSk2MDZrOztr4ZZ/luHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh'
    '4eHh4eHh4eHh4eHh4eHh/8IAEQgAGAAoAwEhAAIRAQMRAf/EABgAAQEBAQEAAAAAAAAAAAAAAAEAAwIE/8QAGAEBAAMB'
    'AAAAAAAAAAAAAAAAAwABAgT/3QAEAAL/2gAMAwEAAhADEAAAAfIpFNP/0Ma+jlnL/9HFPbXv/9LKyb0a/wD/0yFP/8QA'
    'FRABAQAAAAAAAAAAAAAAAAAAEAD/2gAIAQEAAQUCP//QP//RP//SP//TP//UP//VP//Wv//EABYRAQEBAAAAAAAAAAAA'
    'AAAAAAABEP/aAAgBAwEBPwGI/9BH/9GZ/9KI/9N//8QAGBEBAQEBAQAAAAAAAAAAAAAAABECARD/2gAIAQIBAT8B11X/'
    '0K11/9Gq/9LXn//Tf//EABUQAQEAAAAAAAAAAAAAAAAAABAA/9oACAEBAAY/Aj//0D//0T//0j//0z//1D//1T//1r//'
    'xAAVEAEBAAAAAAAAAAAAAAAAAAAAEf/aAAgBAQABPyGI/9CI/9GI/9KI/9OI/9SI/9WI/9aP/9oADAMBAAIAAwAAABCn'
    '/9AB/9Es/9J6/9Pv/8QAFREBAQAAAAAAAAAAAAAAAAAAAQD/2gAIAQMBAT8Qcr//0Bnf/9FQ3//Scr//0xv/xAAWEQEB'
    'AQAAAAAAAAAAAAAAAAABABD/2gAIAQIBAT8Qhn//0DB//9FhP//SUt//0xv/xAAWEAEBAQAAAAAAAAAAAAAAAAAAARD/'
    '2gAIAQEAAT8QIf/QhD//0Zh//9KEP//ThD//1CH/1YQ//9aH/9k=')


def jpeg(width, height, restart=0):
    """A baseline gray JPEG in which every block of 8x8 has one value: a code of 4 bits for the
    category of the difference, the bits of the difference, and 1 bit for the end of the block.
    `restart` is the number of blocks between restart markers, if there are any."""
    def segment(marker, data):
        return bytes([0xff, marker]) + struct.pack('>H', len(data) + 2) + data

    def whole(bits):
        bits += '1' * (-len(bits) % 8)
        return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)).replace(
            b'\xff', b'\xff\0')

    categories = range(9)
    coded, bits, previous = b'', '', 0
    for i in range((width + 7) // 8 * ((height + 7) // 8)):
        if restart and i and i % restart == 0:
            coded += whole(bits) + bytes([0xff, 0xd0 + (i // restart - 1) % 8])
            bits, previous = '', 0
        value = i * 37 % 256 - 128
        difference, previous = value - previous, value
        category = abs(difference).bit_length()
        bits += format(category, '04b')
        if category:
            low = difference if difference > 0 else difference + (1 << category) - 1
            bits += format(low, '0%db' % category)
        bits += '0'
    return (b'\xff\xd8' +
            segment(0xdb, b'\0' + bytes([8] * 64)) +
            segment(0xc0, struct.pack('>BHHB', 8, height, width, 1) + b'\x01\x11\0') +
            segment(0xc4, b'\x00' + bytes([0, 0, 0, len(categories)] + [0] * 12) +
                    bytes(categories)) +
            segment(0xc4, b'\x10' + bytes([1] + [0] * 15) + b'\0') +
            (segment(0xdd, struct.pack('>H', restart)) if restart else b'') +
            segment(0xda, b'\x01\x01\x00\x00\x3f\x00') + coded + whole(bits) + b'\xff\xd9')
