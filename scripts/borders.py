#!/usr/bin/env python3
"""Compares the borders of PyWavelets in libwavepass with PyWavelets itself.

   borders.py [--library FILE] [--backend NAME,...] [--mode NAME,...] [--type f32,f64] [--brief]
              [WAVELET ...]

All wavelets of the families in all nine modes: signals of 1..40 and of some hundreds of samples,
images and volumes of random sizes, one and more levels, with operands of floats and of doubles.
PyWavelets computes in double precision from the same samples; an error is the largest difference of
a case over its largest coefficient. The inverse starts from coefficients of noise, and from those
of the samples, which it must restore. --brief takes a few wavelets and sizes.

The exit code is 1 if an error exceeds its bound, 77 without PyWavelets. With floats the bound of
each level and axis is 1e-6, more for wavelets whose lifting steps amplify rounding errors, and for
'smooth' three times as much, with several levels F times, since it extends rounded coefficients by
lines. With doubles it is 2^-28 times as much, as PyWavelets rounds as well, plus ten times the error
with which PyWavelets' filters reconstruct: the taps of some of its wavelets have so few digits.
"""
import argparse
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy
    import pywt
except ImportError as missing:
    print('%s (scripts/setup.sh peers)' % missing, file=sys.stderr)
    sys.exit(77)

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, 'build/release')
HEADERS = [os.path.join(ROOT, 'src', name)
           for name in ('api/wavepass.h', 'transform/wavepass_operand.h')]
MODES = ('zero', 'constant', 'symmetric', 'reflect', 'periodic', 'smooth', 'antisymmetric',
         'antireflect', 'periodization')


def struct_of(name):
    """A struct of the headers whose members are numbers and pointers."""
    text = ''.join(re.sub(r'//.*', '', open(path, encoding='utf-8').read()) for path in HEADERS)
    constants = dict(re.findall(r'(WP_\w+) = (\d+)', text))
    body = re.search(r'struct %s \{(.*?)\n\};' % name, text, re.S).group(1)
    kinds = {'size_t': ctypes.c_size_t, 'ptrdiff_t': ctypes.c_ssize_t, 'int': ctypes.c_int,
             'bool': ctypes.c_bool, 'double': ctypes.c_double}
    fields = []
    for kind, pointer, member, count in re.findall(
            r'(\w[\w ]*?)\s*(\*?)(\w+)(?:\[(\w+)\])?;', body):
        base = (ctypes.c_char_p if kind == 'const char' else ctypes.c_void_p) if pointer else kinds[
            kind]
        fields.append((member, base * int(constants.get(count, count)) if count else base))
    return type(name, (ctypes.Structure,), {'_fields_': fields})


PARAMS, BAND = struct_of('wp_transform_params'), struct_of('wp_band_info')
BOUND, GROWTH = 1e-6, 2.5  # of the error, for wavelets whose steps amplify errors up to so much
DOUBLES, TAPS = 2 ** -28, 10  # factors of the bound in doubles, of the error of PyWavelets' taps
TYPES = {'f32': (0, numpy.float32), 'f64': (4, numpy.float64)}  # enum wp_element
OPERAND_BYTES = 512  # more than the struct has; members that are 0 have defaults


class Library:
    def __init__(self, path):
        self.dll = ctypes.CDLL(path)
        self.dll.wp_transform_create.restype = ctypes.c_void_p
        self.dll.wp_transform_create.argtypes = [ctypes.POINTER(PARAMS)]
        for name in ('wp_transform_forward', 'wp_transform_inverse'):
            function = getattr(self.dll, name)
            function.restype, function.argtypes = ctypes.c_bool, [ctypes.c_void_p] * 3
        self.dll.wp_transform_band_count.argtypes = [ctypes.c_void_p]
        self.dll.wp_transform_get_band.argtypes = [ctypes.c_void_p, ctypes.c_int,
                                                   ctypes.POINTER(BAND)]
        self.dll.wp_transform_destroy.argtypes = [ctypes.POINTER(ctypes.c_void_p)]
        self.dll.wp_last_error_text.restype = ctypes.c_char_p

    def fail(self):
        raise RuntimeError(self.dll.wp_last_error_text().decode())


class Transform:
    """A transform of one array, with axes z, y, x as far as it has them."""

    def __init__(self, library, shape, wavelet, mode, levels, backend, kind):
        self.binding, self.shape = library, shape
        self.element, self.dtype = TYPES[kind]
        size = (1,) * (3 - len(shape)) + shape
        params = PARAMS(struct_size=ctypes.sizeof(PARAMS), width=size[2], height=size[1],
                        depth=size[0], wavelet=wavelet.encode(), border=b'pywt-' + mode.encode(),
                        norm=b'pywt', backend=backend.encode(), levels=levels,
                        levels_z=levels if len(shape) == 3 else 0, rank=len(shape), threads=1)
        self.handle = ctypes.c_void_p(library.dll.wp_transform_create(ctypes.byref(params)))
        if not self.handle:
            library.fail()
        self.bands = []
        for i in range(library.dll.wp_transform_band_count(self.handle)):
            band = BAND()
            library.dll.wp_transform_get_band(self.handle, i, ctypes.byref(band))
            if band.width and band.height and band.depth:
                self.bands.append(band)
        self.count = 1 + max(b.offset + sum((n - 1) * s for n, s in zip(
            (b.width, b.height, b.depth), b.stride)) for b in self.bands)

    def close(self):
        self.binding.dll.wp_transform_destroy(ctypes.byref(self.handle))

    def run(self, function, source, target):
        operands = []
        for array in (source, target):
            operand = ctypes.create_string_buffer(OPERAND_BYTES)
            ctypes.c_void_p.from_buffer(operand).value = array.ctypes.data
            ctypes.c_int.from_buffer(operand, ctypes.sizeof(ctypes.c_void_p)).value = self.element
            operands.append(operand)
        if not function(self.handle, *operands):
            self.binding.fail()

    def views(self, array):
        """Bands by PyWavelets' keys, ('d' * axes, level), as views of coefficients."""
        axes, views = len(self.shape), {}
        for b in self.bands:
            shape, strides = (b.depth, b.height, b.width)[3 - axes:], list(b.stride)[::-1][3 - axes:]
            letters = b.name.decode()[:axes].ljust(axes, 'L')[::-1]
            view = numpy.lib.stride_tricks.as_strided(
                array[b.offset:], shape, [s * array.itemsize for s in strides])
            views[letters.replace('H', 'd').replace('L', 'a'), b.level] = view
        return views

    def forward(self, samples):
        coefficients = numpy.full(self.count, numpy.nan, self.dtype)
        self.run(self.binding.dll.wp_transform_forward, samples, coefficients)
        return self.views(coefficients)

    def inverse(self, bands):
        coefficients = numpy.full(self.count, numpy.nan, self.dtype)
        for key, view in self.views(coefficients).items():
            view[...] = bands[key]
        samples = numpy.full(self.shape, numpy.nan, self.dtype)
        self.run(self.binding.dll.wp_transform_inverse, coefficients, samples)
        return samples


def keyed(coefficients):
    levels = len(coefficients) - 1
    bands = {('a' * coefficients[0].ndim, levels): coefficients[0]}
    for i, details in enumerate(coefficients[1:]):
        bands.update({(key, levels - i): value for key, value in details.items()})
    return bands


def largest(bands):
    return max(numpy.abs(band).max() for band in bands.values())


def error(ours, theirs, scale):
    """Relative to the largest value, and to the largest coefficient."""
    worst = numpy.abs(ours - theirs).max() if ours.shape == theirs.shape else numpy.inf
    # NaN: a value was not written.
    return worst / max(scale, numpy.abs(theirs).max()) if worst == worst else numpy.inf


def band_error(ours, theirs):
    if ours.keys() != theirs.keys():
        return numpy.inf
    return max(error(ours[key], theirs[key], largest(theirs)) for key in theirs)


def case(library, random, shape, wavelet, path, mode, levels, backend, kind):
    """The errors of forward, inverse and both."""
    dtype = TYPES[kind][1]
    samples = random.uniform(-1, 1, shape).astype(dtype)
    theirs = pywt.wavedecn(samples.astype(float), wavelet, mode, levels)
    noise = [random.uniform(-1, 1, theirs[0].shape).astype(dtype).astype(float)]
    noise += [{key: random.uniform(-1, 1, band.shape).astype(dtype).astype(float)
               for key, band in details.items()} for details in theirs[1:]]
    restored = pywt.waverecn(noise, wavelet, mode)[tuple(slice(0, n) for n in shape)]
    transform = Transform(library, shape, path, mode, levels, backend, kind)
    try:
        ours = transform.forward(samples)
        errors = [band_error(ours, keyed(theirs))]
        errors.append(error(transform.inverse(keyed(noise)), restored, 1))
        # Of coefficients that may be much larger than the samples ('smooth').
        errors.append(error(transform.inverse(ours), samples, largest(keyed(theirs))))
    finally:
        transform.close()
    return errors


def shapes_of(random, brief):
    """Shapes and levels."""
    lengths = list(range(1, 41)) + [63, 64, 65, 127, 200, 255, 311, 512]
    if brief:
        lengths = [1, 2, 3, 4, 5, 8, 13, 16, 27, 40, 127, 200]
    for i, n in enumerate(lengths):
        yield (n,), 1
        if brief or i % 3 == 0:
            yield (n,), 2 + i % 4
    for i in range(2 if brief else 6):
        yield tuple(int(n) for n in random.integers(1, 41, 2)), 1 + i % 3
    yield tuple(int(n) for n in random.integers(41, 120, 2)), 2
    for i in range(1 if brief else 3):
        yield tuple(int(n) for n in random.integers(1, 21, 3)), 1 + i % 2


def rejected(shape, mode, levels, wavelet):
    """PyWavelets reflects no single sample."""
    taps = pywt.Wavelet(wavelet).dec_len
    for n in shape:
        for _ in range(levels):
            if n == 1 and mode in ('reflect', 'antireflect'):
                return True
            n = (n + taps - 1) // 2
    return False


def error_of_taps(name):
    """By how much a level of PyWavelets' filters and its inverse change an impulse."""
    w = pywt.Wavelet(name)
    impulse = numpy.convolve(w.dec_lo, w.rec_lo) + numpy.convolve(w.dec_hi, w.rec_hi)
    impulse[len(impulse) // 2] -= 2
    return numpy.abs(impulse).max()


def tell(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def prepare(program, wavelet, directory):
    """The bound of a level along an axis in floats, and a file of the lifting steps, so that they
    are not computed for each transform."""
    path = os.path.join(directory, 'steps-%s.wavelet' % wavelet)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(tell(program, 'explain', wavelet, '--show', 'steps'))
    factoring = json.loads(tell(program, 'explain', wavelet, '--show', 'factoring', '--json'))
    return BOUND * max(1, max(factoring['growth'][0]) / GROWTH), path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--library', dest='shared', default=os.path.join(BUILD, 'libwavepass.so'))
    parser.add_argument('--program', default=os.path.join(BUILD, 'wavepass'))
    parser.add_argument('--backend', default='reference,cpu')
    parser.add_argument('--mode', default=','.join(MODES))
    parser.add_argument('--type', default=','.join(TYPES))
    parser.add_argument('--brief', action='store_true')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('-o', '--output', default='', help='writes the table there, too')
    parser.add_argument('wavelet', nargs='*')
    options = parser.parse_args()
    options.backend, options.mode = options.backend.split(','), options.mode.split(',')
    options.type = options.type.split(',')
    warnings.simplefilter('ignore')  # more levels than PyWavelets recommends
    library = Library(options.shared)
    brief = ['haar', 'db2', 'db9', 'sym4', 'coif1', 'bior2.2', 'bior3.1', 'rbio1.3']
    most = {'db': 20, 'sym': 20, 'coif': 5}  # PyWavelets has more members of some families
    names = options.wavelet or (brief if options.brief else [
        n for f in ('haar', 'db', 'sym', 'coif', 'bior', 'rbio') for n in pywt.wavelist(f)
        if f not in most or int(n[len(f):]) <= most[f]])
    lines, bad = [], []
    cases, peak = dict.fromkeys(options.type, 0), dict.fromkeys(options.type, 0)
    columns = [(kind, backend) for kind in options.type for backend in options.backend]

    def write(line):
        lines.append(line)
        print(line, flush=True)

    write('Made by scripts/borders.py: PyWavelets %s, numpy %s, %s.\n' % (
        pywt.__version__, numpy.__version__, ', '.join(options.backend)))
    write('| wavelet | bound of f32 | error of taps | ' + ' | '.join(
        '%s %s: %s' % (*column, what) for column in columns
        for what in ('forward', 'inverse', 'both')) + ' |')
    write('|' + '---|' * (3 + 3 * len(columns)))
    directory = tempfile.TemporaryDirectory()
    for name in names:
        (bound, path), row = prepare(options.program, name, directory.name), []
        taps = error_of_taps(name)
        for kind, backend in columns:
            worst = numpy.zeros(3)
            for mode in options.mode:
                random = numpy.random.default_rng(options.seed)
                for shape, levels in shapes_of(random, options.brief):
                    if rejected(shape, mode, levels, name):
                        continue
                    errors = case(library, random, shape, name, path, mode, levels, backend, kind)
                    cases[kind] += 1
                    worst = numpy.maximum(worst, errors)
                    # From level 2 on the line is through two coefficients with errors.
                    steep = (1 if mode != 'smooth' else 3 if levels == 1
                             else pywt.Wavelet(name).dec_len)
                    allowed = (bound * steep if kind == 'f32'
                               else DOUBLES * bound * steep + TAPS * taps)
                    if max(errors) > allowed * levels * len(shape):
                        bad.append('%s %s %s, %d levels, %s %s: %s' % (
                            name, mode, 'x'.join(map(str, shape)), levels, kind, backend,
                            ' '.join('%.1e' % e for e in errors)))
            row += ['%.1e' % e for e in worst]
            peak[kind] = max(peak[kind], worst.max())
        write('| %s | %.1e | %.1e | %s |' % (name, bound, taps, ' | '.join(row)))
    write('\n%d wavelets, %d modes, %s, %d above their bounds' % (
        len(names), len(options.mode), ', '.join(
            '%d cases in %s with errors of at most %.1e' % (cases[kind], kind, peak[kind])
            for kind in options.type), len(bad)))
    for line in bad[:50]:
        write('    ' + line)
    if options.output:
        with open(options.output, 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines) + '\n')
    return int(bool(bad))


if __name__ == '__main__':
    sys.exit(main())
