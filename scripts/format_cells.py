"""The cells of scripts/format_table.py: files, and the samples that wavepass must read."""
import io
import os

import numpy

import sample_files as files
from sample_files import formats

try:
    import nibabel
except ImportError:
    nibabel = None
try:
    import tifffile
except ImportError:
    tifffile = None
try:
    from PIL import Image
except ImportError:
    Image = None

HEIGHT, WIDTH, DEPTH = 5, 7, 3
TYPES = ('bool', '1 bit', '2 bits', '4 bits', '10 bits', '12 bits', '14 bits', 'u8', 'i8', 'u16',
         'i16', 'u32', 'i32', 'u64', 'i64', 'f16', 'f32', 'f64', 'c64', 'c128', 'scaled', 'RGBE')
LAYOUTS = ('gray', 'gray+A', 'RGB', 'RGB+A', 'palette', 'gray palette', 'CMYK', 'YCbCr',
           'white is 0', 'planar RGB')
TURNS = {  # converts the stored image to the displayed one
    '1': lambda image: image,
    '2': lambda image: image[:, ::-1],
    '3': lambda image: image[::-1, ::-1],
    '4': lambda image: image[::-1],
    '5': lambda image: image.swapaxes(0, 1),
    '6': lambda image: numpy.rot90(image, -1),
    '7': lambda image: numpy.rot90(image, 2).swapaxes(0, 1),
    '8': numpy.rot90,
}
TABLES = {'types': ('format', TYPES), 'layouts': ('format', LAYOUTS),
          'orientations': ('format', tuple(TURNS))}
PLANES = {'gray': 1, 'gray+A': 2, 'RGB': 3, 'RGB+A': 4}
STEP = 1.01 / 255  # for colors that libraries round differently


class Case:
    """A file for one cell. `write` makes it in a folder; `right` has float64 samples for --values
    auto and the other kind, and `values` is the kind that `info` reports."""

    def __init__(self, row, column, name, data, right, values=None, **more):
        self.row, self.column, self.name, self.data = row, column, name, data
        self.right, self.values = right, values
        self.options = more.pop('options', [])
        self.tolerance = more.pop('tolerance', 0)
        self.planes = more.pop('planes', None)
        self.shown = more.pop('shown', '0..1' if values == 'unit' else 'x')
        self.volume = next(iter(right.values())).ndim == 3 and not self.planes if right else False
        assert not more

    def write(self, folder):
        path = os.path.join(folder, self.name.partition(':')[0])
        if callable(self.data):
            self.data(path)
            return
        with open(path, 'wb') as file:
            file.write(self.data)


def whole(stored, most, picture):
    """The values that wavepass must read for integers, and the kind of these values."""
    raw = stored.astype('f8')
    small = stored.dtype.kind == 'u' and most < 65536
    unit = raw / float(numpy.float32(most))
    if picture and small:
        return {'auto': unit, 'raw': raw}, 'unit'
    return {'auto': raw, 'unit': unit}, 'raw'


def kept(samples):
    values = samples.astype('f8')
    return {'auto': values, 'unit': values}, None


def colors(samples):
    """Colors of 8 bits that a decoder converts from other colors."""
    return whole(samples.astype('u1'), 255, True)


def noise(shape, most, least=0, kind='u2'):
    """Integers with the extremes of their range."""
    generator = numpy.random.default_rng(1)
    found = generator.integers(least, most, shape, dtype=numpy.dtype(kind), endpoint=True)
    found.flat[:4] = least, most, (least + most) // 2, max(least, 0) + 1
    return found


def samples_of(kind, shape):
    """Samples of a NumPy type, including the largest and smallest numbers."""
    kind = numpy.dtype(kind)
    if kind.kind == 'b':
        return noise(shape, 1).astype(bool)
    if kind.kind in 'ui':
        info = numpy.iinfo(kind)
        return noise(shape, info.max, info.min, kind)
    found = numpy.random.default_rng(1).normal(size=shape)
    if kind.kind == 'c':
        return (found + 1j).astype(kind)
    # Numbers of float64 that float32 represents; the smallest ones are subnormal.
    info = numpy.finfo('f2' if kind.itemsize == 2 else 'f4')
    small = 2.0 ** (-24 if kind.itemsize == 2 else -149)
    found.flat[:6] = info.max, info.min, small, -small, 0, 1e-300 if kind.itemsize == 8 else 1
    return found.astype(kind)


NAMES = {'?': 'bool', 'u1': 'u8', 'i1': 'i8', 'u2': 'u16', 'i2': 'i16', 'u4': 'u32', 'i4': 'i32',
         'u8': 'u64', 'i8': 'i64', 'f2': 'f16', 'f4': 'f32', 'f8': 'f64', 'c8': 'c64',
         'c16': 'c128'}


def of_type(kind, picture, shape=(HEIGHT, WIDTH)):
    """The column, the samples, and the values that wavepass must read for them."""
    samples = samples_of(kind, shape)
    integers = samples.dtype.kind in 'ui'
    if samples.dtype.kind == 'c':
        return NAMES[kind], samples, ({}, None)
    most = numpy.iinfo(samples.dtype).max if integers else 0
    return NAMES[kind], samples, whole(samples, most, picture) if integers else kept(samples)


def pillow(image, form, **options):
    data = io.BytesIO()
    image.save(data, form, **options)
    return data.getvalue()


def decoded(data):
    return numpy.asarray(Image.open(io.BytesIO(data)).convert('RGB'))


# Sample types.

def column_of(bits):
    return {1: '1 bit', 8: 'u8', 16: 'u16'}.get(bits, '%d bits' % bits)


def small_pictures():
    """Unsigned integers of up to 16 bits in Netpbm formats, Y4M and PNG."""
    for bits in (1, 2, 4, 8, 10, 12, 14, 16):
        column, most = column_of(bits), 2 ** bits - 1
        image = noise((HEIGHT, WIDTH), most)
        right = whole(image, most, True)
        if bits in (1, 2, 4):
            yield Case('PNG', column, 'a.png', files.png_packed(image, bits),
                       *colors(image * (255 // most)))
        if bits in (8, 16):
            data = formats.png(WIDTH, HEIGHT, image.ravel().tolist(), 1, bits)
            yield Case('PNG', column, 'a.png', data, *right)
        yield Case('PNM, PAM', column, 'a.pgm', files.pnm_text(image, most), *right)
        if bits == 1:
            yield Case('PNM, PAM', column, 'a.pbm', files.pbm(image), *right)
        else:
            data = formats.pnm(WIDTH, HEIGHT, image.ravel().tolist(), 1, most)
            yield Case('PNM, PAM', column, 'a.pgm', data, *right)
        kind = 'BLACKANDWHITE' if bits == 1 else 'GRAYSCALE'
        yield Case('PNM, PAM', column, 'a.pam', files.pam(image[..., None], most, kind), *right)


def luma():
    for bits, spaces in ((8, ('mono', '420jpeg', '422', '444')), (10, ('mono10', '420p10')),
                         (12, ('mono12', '444p12')), (14, ('420p14',)), (16, ('mono16',))):
        frames = noise((DEPTH, HEIGHT, WIDTH), 2 ** bits - 1)
        step = 2 ** (bits - 8)
        right = kept((frames.astype('f8') - 16 * step) / (219 * step))
        for space in spaces:
            across, down = {'4': (1, 1), '2': (2, 1), '0': (2, 2)}.get(space[2], (0, 0)) \
                if space[0] == '4' else (0, 0)
            chroma = 2 * (-(-WIDTH // across) * -(-HEIGHT // down)) if across else 0
            data = [files.little(frame if bits > 8 else frame.astype('u1')) +
                    bytes(chroma * (2 if bits > 8 else 1)) for frame in frames]
            yield Case('Y4M', column_of(bits), 'a.y4m', formats.y4m(
                WIDTH, HEIGHT, data, colour=space), *right, shown='0..1')


def radiance():
    """Three numbers of 8 bits and an exponent with the offset 128; an exponent of 0 is black."""
    pixels = image_of(4, 255).astype('i4')
    pixels[..., 3] = noise((HEIGHT, WIDTH), 255)
    scale = numpy.where(pixels[..., 3], 2.0 ** (pixels[..., 3] - 136), 0)
    return files.hdr(pixels), *kept(pixels[..., :3] * scale[..., None])


def other_pictures():
    gray = numpy.arange(256)[:, None].repeat(3, 1)
    for bits in (1, 4, 8):
        image = noise((HEIGHT, WIDTH), 2 ** bits - 1)
        palette = gray[:: 255 // (2 ** bits - 1)]
        yield Case('BMP', column_of(bits), 'a.bmp', files.bmp(image, bits, palette),
                   *colors(palette[image, 0]))
    if Image:
        image = noise((HEIGHT, WIDTH), 255, kind='u1')
        yield Case('TGA', 'u8', 'a.tga', pillow(Image.fromarray(image), 'TGA'), *colors(image))
        data = pillow(Image.fromarray(image), 'JPEG', quality=100)
        yield Case('JPEG', 'u8', 'a.jpg', data, *colors(decoded(data)[..., 0]), tolerance=STEP)
    yield Case('JPEG', '12 bits', 'a.jpg', files.jpeg_of_12_bits(16, 16), {})
    yield Case('HDR', 'RGBE', 'a.hdr', *radiance(), planes=3)
    floats = samples_of('f4', (HEIGHT, WIDTH))
    for scale in ('-1.0', '1.0'):
        yield Case('PFM', 'f32', 'a.pfm',
                   formats.pfm(WIDTH, HEIGHT, floats.ravel().tolist(), 1, scale), *kept(floats))


def open_exr():
    for kind in ('f2', 'f4', 'u4'):
        column, samples, right = of_type(kind, False)
        yield Case('EXR', column, 'a.exr', files.exr({'Y': samples}), *right)


def tiffs():
    for bits in (1, 2, 4, 10, 12, 14):
        image = noise((HEIGHT, WIDTH), 2 ** bits - 1)
        for order in '<>':
            yield Case('TIFF', column_of(bits), 'a.tiff', files.tiff_packed(image, bits, order),
                       *whole(image, 2 ** bits - 1, True))
    for kind in (*list(NAMES)[1:], '?') if tifffile else ():
        column, samples, right = of_type(kind, True)
        for order in '<>' if kind != '?' else ():
            yield Case('TIFF', column, 'a.tiff', lambda path, s=samples, o=order: tifffile.imwrite(
                path, s, byteorder=o, photometric='minisblack'), *right)


def arrays():
    for kind in NAMES:
        column, samples, right = of_type(kind, False)
        for each in (samples, samples.astype(samples.dtype.newbyteorder('>')),
                     numpy.asfortranarray(samples)):
            yield Case('NPY', column, 'a.npy', lambda path, s=each: numpy.save(path, s), *right)
        yield Case('NPZ', column, 'a.npz', lambda path, s=samples: numpy.savez(path, s), *right)
        yield Case('NPZ', column, 'a.npz:b', lambda path, s=samples: numpy.savez_compressed(
            path, a=s[:2], b=s), *right)
        if kind in ('?', 'c8', 'c16'):
            continue
        column, samples, right = of_type(kind, False, (DEPTH, HEIGHT, WIDTH))
        for order, suffix in (('<', 'le'), ('>', 'be')):
            suffix = '' if samples.itemsize == 1 else suffix
            yield Case('raw', column, 'a.raw', samples.astype(samples.dtype.newbyteorder(order))
                       .tobytes(), *right, options=['--raw', '%dx%dx%d:%s%s' % (
                           WIDTH, HEIGHT, DEPTH, column, suffix)])


def volume_of_bits(image, path, version):
    """DT_BINARY, which nibabel does not write."""
    image.to_filename(path)
    with open(path, 'r+b') as file:
        file.seek(70 if version == 1 else 12)
        file.write(b'\1\0\1\0')


def niftis():
    """NIfTI files by nibabel, whose arrays have the axes x, y, z."""
    for row, kind, suffix, version in (('NIfTI-1', nibabel.Nifti1Image, '.nii', 1),
                                       ('NIfTI-2', nibabel.Nifti2Image, '.nii', 2),
                                       ('NIfTI-1 pair', nibabel.Nifti1Pair, '.hdr', 1),
                                       ('NIfTI-2 pair', nibabel.Nifti2Pair, '.hdr', 2)):
        def case(column, samples, right, order='<', scale=(1, 0)):
            header = kind.header_class(endianness=order)
            header.set_data_dtype(samples.dtype)
            image = kind(samples.T, numpy.eye(4), header)
            image.header.set_slope_inter(*scale)  # and samples are stored as they are
            return Case(row, column, 'a' + suffix, image.to_filename, *right)
        for each in ('u1', 'i1', 'u2', 'i2', 'u4', 'i4', 'u8', 'i8', 'f4', 'f8', 'c8', 'c16'):
            column, samples, right = of_type(each, False, (DEPTH, HEIGHT, WIDTH))
            for order in '<>':
                yield case(column, samples, right, order)
        samples = samples_of('i2', (DEPTH, HEIGHT, WIDTH))
        yield case('scaled', samples, kept(samples.astype('f8') * 0.5 + 10), scale=(0.5, 10))
        image = kind(samples_of('u1', (WIDTH, HEIGHT, DEPTH)), numpy.eye(4))
        yield Case(row, '1 bit', 'a' + suffix,
                   lambda path, i=image, v=version: volume_of_bits(i, path, v), {})


def fits_files():
    for kind in ('u1', 'i2', 'i4', 'i8', 'f4', 'f8'):
        column, samples, right = of_type(kind, False)
        yield Case('FITS', column, 'a.fits', files.fits(samples), *right)
    for kind in ('i1', 'u2', 'u4', 'u8'):
        column, samples, right = of_type(kind, False)
        zero = -128 if kind == 'i1' else 2 ** (8 * samples.itemsize - 1)
        # Modulo the range of the type: the highest bit has the opposite sign.
        highest = samples.dtype.type(zero) if kind != 'i1' else samples.dtype.type(-128)
        stored = (samples ^ highest).view('u1' if kind == 'i1' else 'i%d' % samples.itemsize)
        yield Case('FITS', column, 'a.fits', files.fits(stored, ('BSCALE', 1), ('BZERO', zero)),
                   *right)
    samples = samples_of('i2', (HEIGHT, WIDTH))
    yield Case('FITS', 'scaled', 'a.fits', files.fits(samples, ('BSCALE', 0.5), ('BZERO', 10)),
               *kept(samples.astype('f8') * 0.5 + 10))


# Color layouts.

def layout(row, column, name, data, right, shown=None, **more):
    """A cell of color layouts; `shown`, such as "RGB", has as many letters as the image has
    planes."""
    shown = shown or column
    return Case(row, column, name, data, *right, shown=shown, planes=PLANES[shown], **more)


def image_of(planes, most, kind='u1'):
    image = noise((HEIGHT, WIDTH, planes), most, kind=kind)
    return image[..., 0] if planes == 1 else image


def netpbm_and_png():
    for bits, kind in ((8, 'u1'), (16, 'u2')):
        most = 2 ** bits - 1
        for column, planes in PLANES.items():
            image = image_of(planes, most, kind)
            right, samples = whole(image, most, True), image.ravel().tolist()
            yield layout('PNG, %d bits' % bits, column, 'a.png',
                         formats.png(WIDTH, HEIGHT, samples, planes, bits), right)
            if planes % 2:
                yield layout('PNM, %d bits' % bits, column, 'a.pnm',
                             formats.pnm(WIDTH, HEIGHT, samples, planes, most), right)
            names = ('GRAYSCALE', 'GRAYSCALE_ALPHA', 'RGB', 'RGB_ALPHA')
            yield layout('PAM, %d bits' % bits, column, 'a.pam', files.pam(
                image.reshape(HEIGHT, WIDTH, planes), most, names[planes - 1]), right)
    data = files.pam(image_of(4, 255), 255, 'CMYK')
    yield layout('PAM, 8 bits', 'CMYK', 'a.pam', data, ({}, None), 'RGB')
    for bits in (1, 2, 4, 8):
        image = noise((HEIGHT, WIDTH), 2 ** bits - 1)
        row = 'PNG, 8 bits' if bits == 8 else 'PNG, 1, 2, 4 bits'
        for column, palette, right in palettes(bits, image):
            yield layout(row, column, 'a.png', files.png_packed(image, bits, palette), *right)
        if bits < 8:
            yield layout(row, 'gray', 'a.png', files.png_packed(image, bits),
                         colors(image * (255 // (2 ** bits - 1))))


def palettes(bits, image):
    """A colored and a gray palette: the column, the palette, and the image in its colors."""
    palette = numpy.random.default_rng(bits).integers(0, 256, (2 ** bits, 3))
    yield 'palette', palette, (colors(palette[image]), 'RGB')
    yield 'gray palette', palette[:, :1].repeat(3, 1), (colors(palette[image, 0]), 'gray')


def jpegs():
    rgb = numpy.kron(image_of(3, 255)[:2, :2], numpy.ones((8, 8, 1), 'u1'))
    for column, mode in (('gray', 'L'), ('YCbCr', 'RGB'), ('CMYK', 'CMYK'), ('RGB', 'RGB')):
        data = pillow(Image.fromarray(rgb).convert(mode), 'JPEG', quality=95, subsampling=0)
        if column == 'RGB':
            data = files.jpeg_of_rgb(data)
        right = decoded(data)[..., 0] if column == 'gray' else decoded(data)
        yield layout('JPEG', column, 'a.jpg', data, colors(right),
                     'gray' if column == 'gray' else 'RGB', tolerance=STEP)


def bitmaps():
    """BMP, TGA, PFM and HDR."""
    for bits in (1, 4, 8):
        image = noise((HEIGHT, WIDTH), 2 ** bits - 1)
        for column, palette, right in palettes(bits, image):
            yield layout('BMP, 1, 4, 8 bits', column, 'a.bmp', files.bmp(image, bits, palette),
                         *right)
    image = image_of(4, 255).astype('u4')
    pixels = image[..., 0] << 16 | image[..., 1] << 8 | image[..., 2] | image[..., 3] << 24
    yield layout('BMP, 24, 32 bits', 'RGB', 'a.bmp', files.bmp(pixels, 24), colors(image[..., :3]))
    yield layout('BMP, 24, 32 bits', 'RGB+A', 'a.bmp', files.bmp(
        pixels, 32, None, (0xff0000, 0xff00, 0xff, 0xff000000)), colors(image))
    small = image_of(3, 31).astype('u4')
    pixels = small[..., 0] << 10 | small[..., 1] << 5 | small[..., 2]
    right = colors(numpy.round(small * 255 / 31))
    yield layout('BMP, 16 bits', 'RGB', 'a.bmp', files.bmp(pixels, 16), right, tolerance=STEP)
    yield layout('TGA, 16 bits', 'RGB', 'a.tga', files.tga_555(pixels), right, tolerance=STEP)
    for column, planes in PLANES.items():
        image = image_of(planes, 255)
        for packed in ({}, {'compression': 'tga_rle'}) if Image else ():
            data = pillow(Image.fromarray(image), 'TGA', **packed)
            yield layout('TGA, 8, 24, 32 bits', column, 'a.tga', data, colors(image))
    if Image:
        image = noise((HEIGHT, WIDTH), 255, kind='u1')
        for column, palette, right in palettes(8, image):
            indexed = Image.frombytes('P', (WIDTH, HEIGHT), image.tobytes())
            indexed.putpalette(palette.astype('u1').tobytes())
            yield layout('TGA, 8, 24, 32 bits', column, 'a.tga', pillow(indexed, 'TGA'), *right)
    for column in ('gray', 'RGB'):
        image = samples_of('f4', (HEIGHT, WIDTH, PLANES[column])).squeeze()
        yield layout('PFM', column, 'a.pfm', formats.pfm(
            WIDTH, HEIGHT, image.ravel().tolist(), PLANES[column]), kept(image))
    data, *right = radiance()
    yield layout('HDR', 'RGB', 'a.hdr', data, right)


def exr_colors():
    for kind, row in (('f2', 'EXR, f16'), ('f4', 'EXR, f32'), ('u4', 'EXR, u32')):
        for column, names in (('gray', 'Y'), ('gray+A', 'YA'), ('RGB', 'RGB'), ('RGB+A', 'RGBA')):
            _, samples, right = of_type(kind, False, (HEIGHT, WIDTH, len(names)))
            if len(names) == 1:
                right = ({key: values[..., 0] for key, values in right[0].items()}, right[1])
            channels = {name: numpy.ascontiguousarray(samples[..., i])
                        for i, name in enumerate(names)}
            yield layout(row, column, 'a.exr', files.exr(channels), right)


def tiff_file(samples, **options):
    return lambda path: tifffile.imwrite(path, samples, **options)


def tiff_colors():
    for kind, row in (('u1', 'TIFF, u8'), ('u2', 'TIFF, u16'), ('i2', 'TIFF, i16'),
                      ('u4', 'TIFF, u32'), ('i4', 'TIFF, i32'), ('f4', 'TIFF, f32')):
        info = numpy.iinfo(kind) if kind[0] in 'ui' else None
        for column, planes in PLANES.items():
            samples = samples_of(kind, (HEIGHT, WIDTH, planes))
            image = samples[..., 0] if planes == 1 else samples
            right = whole(image, info.max, True) if info else kept(image)
            form = {'photometric': 'rgb' if planes > 2 else 'minisblack', 'planarconfig': 'contig',
                    'extrasamples': ('unassalpha',) if planes % 2 == 0 else ()}
            yield layout(row, column, 'a.tiff', tiff_file(image, **form), right)
            if planes == 1:
                inverted = image if not info else (info.max + info.min - image).astype(kind)
                yield layout(row, 'white is 0', 'a.tiff', tiff_file(inverted,
                                                                   photometric='miniswhite'),
                             right, 'gray')
            if planes == 3:
                yield layout(row, 'planar RGB', 'a.tiff', tiff_file(
                    numpy.ascontiguousarray(image.transpose(2, 0, 1)), photometric='rgb',
                    planarconfig='separate'), right, 'RGB')
    for kind, row in (('u1', 'TIFF, u8'), ('u2', 'TIFF, u16')):
        inks = samples_of(kind, (HEIGHT, WIDTH, 4)).astype('f8') / numpy.iinfo(kind).max
        right = (1 - inks[..., :3]) * (1 - inks[..., 3:]) * 255
        yield layout(row, 'CMYK', 'a.tiff', tiff_file(
            samples_of(kind, (HEIGHT, WIDTH, 4)), photometric='separated', planarconfig='contig'),
                     colors(numpy.round(right)), 'RGB', tolerance=STEP)


def tiff_palettes():
    for bits, row in ((1, 'TIFF, 1 bit'), (4, 'TIFF, 4 bits'), (8, 'TIFF, u8')):
        image = noise((HEIGHT, WIDTH), 2 ** bits - 1)
        right = whole(image, 2 ** bits - 1, True)
        for order in '<>':
            if bits < 8:
                yield layout(row, 'gray', 'a.tiff', files.tiff_packed(image, bits, order), right)
                yield layout(row, 'white is 0', 'a.tiff', files.tiff_packed(
                    2 ** bits - 1 - image, bits, order, 0), right, 'gray')
            for column, palette, seen in palettes(bits, image):
                yield layout(row, column, 'a.tiff', files.tiff_packed(
                    image, bits, order, 3, palette.T * 257), *seen)
    if Image:
        rgb = numpy.kron(image_of(3, 255)[:2, :2], numpy.ones((8, 8, 1), 'u1'))
        image = Image.fromarray(rgb).convert('YCbCr')
        for more in ({}, {'compression': 'jpeg', 'quality': 95}):
            data = pillow(image, 'TIFF', **more)
            yield layout('TIFF, u8', 'YCbCr', 'a.tiff', data,
                         colors(numpy.asarray(image.convert('RGB'))), 'RGB', tolerance=2 * STEP)


# Orientations.

def turned():
    rgb = numpy.kron(image_of(3, 255), numpy.ones((8, 8, 1), 'u1'))
    for number, turn in TURNS.items():
        orientation = int(number)
        gray = noise((HEIGHT, WIDTH), 255, kind='u1')
        yield Case('PNG', number, 'a.png', files.png_turned(
            formats.png(WIDTH, HEIGHT, gray.ravel().tolist()), orientation), *colors(turn(gray)),
                   shown='yes')
        if tifffile:
            yield Case('TIFF', number, 'a.tiff', tiff_file(gray, extratags=[
                (274, 3, 1, orientation, True)], photometric='minisblack'), *colors(turn(gray)),
                       shown='yes')
        if Image:
            data = pillow(Image.fromarray(rgb), 'JPEG', quality=95, subsampling=0,
                          exif=b'Exif\0\0' + files.exif(orientation))
            yield Case('JPEG', number, 'a.jpg', data, *colors(turn(decoded(data))),
                       shown='yes', planes=3, tolerance=STEP)


def cases(lacking, omitted):
    """Tables and their cells, without those of formats that the program does not have. Formats that
    require a missing library are added to `omitted`."""
    for library, name, loses in ((nibabel, 'nibabel', 'NIfTI'), (tifffile, 'tifffile', 'TIFF'),
                                 (Image, 'PIL', 'JPEG, TGA, TIFF of YCbCr')):
        if not library:
            omitted.append('%s: no Python package %s (scripts/setup.sh test)' % (loses, name))
    yield 'types', small_pictures()
    yield 'types', other_pictures()
    yield 'types', tiffs()
    yield 'types', arrays()
    if nibabel:
        yield 'types', niftis()
    if 'FITS' not in lacking:
        yield 'types', fits_files()
    if 'EXR' not in lacking:
        yield 'types', open_exr()
    yield 'types', luma()
    yield 'layouts', netpbm_and_png()
    if Image:
        yield 'layouts', jpegs()
    yield 'layouts', bitmaps()
    if tifffile:
        yield 'layouts', tiff_colors()
    yield 'layouts', tiff_palettes()
    if 'EXR' not in lacking:
        yield 'layouts', exr_colors()
    yield 'orientations', turned()
