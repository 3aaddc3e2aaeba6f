#!/usr/bin/env python3
"""Times batches on the CPU: libwavepass beside Python packages, in one process.

    scripts/batch_peers.py [--library FILE] [--threads N] [--rounds N] [--small] [--json FILE]
    scripts/batch_peers.py --table FILE

Installs PyWavelets, ndwt, jaxwavelets, ptwt, pytorch_wavelets and torchwavelets from the Python
Package Index into build/batch-peers, without PyTorch, which is large: `build/batch-peers/bin/pip
install torch` adds it. A package that cannot be imported, or does not support a case, is skipped,
and the reason is printed.

Each case is one level of float32 noise with periodic borders. All libraries transform it
alternately, into memory of their own, and the shortest time of each counts; slow ones have fewer
calls. Coefficients are compared one by one, or by their root mean square if the arrangement or the
number at borders differs; the exit code is 1 if they do not agree. --json stores the times with the
environment and no samples; --table prints such a file in Markdown.
"""
import argparse
import ctypes
import datetime
import importlib.metadata
import json
import math
import os
import platform
import subprocess
import sys

import peers
from peers import timing

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HOME = os.path.join(ROOT, 'build/batch-peers')
# setuptools is for pytorch_wavelets.
PACKAGES = ('numpy', 'setuptools<81', 'PyWavelets', 'ndwt', 'jaxwavelets', 'ptwt --no-deps',
            'pytorch_wavelets --no-deps', 'torchwavelets --no-deps')
# Shapes; the last axes are transformed: two, or one of signals.
CASES = (((2048, 64, 64), 2), ((16384, 32, 32), 2), ((24, 512, 512), 2), ((1, 4096, 4096), 2),
         ((4096, 1024), 1), ((1, 4194304), 1))
WAVELETS = (('haar', 'Haar'), ('db4', 'db4'), ('bior4.4', 'CDF 9/7'))
NDWT = {'haar': 'Daubechies1', 'db4': 'Daubechies4', 'bior4.4': 'CDF9_7'}
SECONDS = 0.5  # after which a library is not called again in a case
COEFFICIENTS, MAGNITUDE = 1e-5, 0.03  # tolerances; the second one relative


class Params(ctypes.Structure):
    """struct wp_transform_params of src/api/wavepass.h."""
    _fields_ = [
        ('struct_size', ctypes.c_size_t), ('width', ctypes.c_int), ('height', ctypes.c_int),
        ('planes', ctypes.c_int), ('wavelet', ctypes.c_char_p), ('scheme', ctypes.c_char_p),
        ('plain', ctypes.c_bool), ('border', ctypes.c_char_p), ('norm', ctypes.c_char_p),
        ('layout', ctypes.c_char_p), ('precision', ctypes.c_char_p), ('backend', ctypes.c_char_p),
        ('variant', ctypes.c_char_p), ('device', ctypes.c_int), ('levels', ctypes.c_int),
        ('threads', ctypes.c_int)]
    # Members after these are 0, the defaults.


class Operand(ctypes.Structure):
    """struct wp_operand of src/transform/wavepass_operand.h."""
    _fields_ = [
        ('data', ctypes.c_void_p), ('type', ctypes.c_int), ('maximum', ctypes.c_float),
        ('stride', ctypes.c_ssize_t * 10), ('lost', ctypes.c_void_p), ('band', ctypes.c_void_p),
        ('bands', ctypes.c_int), ('location', ctypes.c_int), ('name', ctypes.c_uint),
        ('strided', ctypes.c_bool)]


class Wavepass:
    name = 'wavepass'

    def __init__(self, file, threads):
        self.calls, self.threads = ctypes.CDLL(file), threads
        self.calls.wp_transform_create.restype = ctypes.c_void_p

    def prepare(self, x, axes, wavelet):
        import numpy
        height = x.shape[-2] if axes == 2 else 1
        params = Params(struct_size=ctypes.sizeof(Params), width=x.shape[-1], height=height,
                        planes=x.size // (x.shape[-1] * height), wavelet=wavelet.encode(),
                        border=b'periodic', norm=b'pywt', backend=b'cpu', levels=1,
                        threads=self.threads)
        transform = ctypes.c_void_p(self.calls.wp_transform_create(ctypes.byref(params)))
        if not transform:
            raise RuntimeError('libwavepass rejects the transform')
        out = numpy.empty_like(x)
        operands = [Operand(data=array.ctypes.data) for array in (x, out)]

        def run():
            if not self.calls.wp_transform_forward(transform, *map(ctypes.byref, operands)):
                raise RuntimeError('libwavepass fails')
            return out
        return run


class PyWavelets:
    name = 'PyWavelets'

    def __init__(self):
        import pywt
        self.pywt = pywt

    def prepare(self, x, axes, wavelet):
        if axes == 1:
            return lambda: self.pywt.dwt(x, wavelet, 'periodization')
        return lambda: self.pywt.dwt2(x, wavelet, 'periodization')


class Ndwt:
    name = 'ndwt'

    def __init__(self):
        import ndwt
        self.ndwt = ndwt

    def prepare(self, x, axes, wavelet):
        import numpy
        kind, out = getattr(self.ndwt.Wavelet, NDWT[wavelet]), numpy.empty_like(x)
        periodic = self.ndwt.BoundaryCondition.Periodic
        last = list(range(x.ndim - axes, x.ndim))
        return lambda: self.ndwt.lwt(kind, x, bc=periodic, axes=last, level=1, out=out)


class JaxWavelets:
    name = 'jaxwavelets'

    def __init__(self):
        os.environ.setdefault('JAX_PLATFORMS', 'cpu')
        import jax
        import jaxwavelets
        self.jax, self.transforms = jax, jaxwavelets

    def prepare(self, x, axes, wavelet):
        transform = self.transforms.dwt if axes == 1 else self.transforms.dwt2
        call = self.jax.jit(self.jax.vmap(
            lambda each: transform(each, wavelet, mode='periodization')))
        data = self.jax.numpy.asarray(x)
        return lambda: self.jax.block_until_ready(call(data))


class Torch:
    """A package for PyTorch."""

    def __init__(self, threads):
        import torch
        self.torch = torch
        torch.set_num_threads(threads)


class Ptwt(Torch):
    name = 'ptwt'

    def __init__(self, threads):
        super().__init__(threads)
        import ptwt
        self.ptwt = ptwt

    def prepare(self, x, axes, wavelet):
        data = self.torch.from_numpy(x)
        if axes == 1:
            return lambda: self.ptwt.wavedec(data, wavelet, mode='periodic', level=1)
        return lambda: self.ptwt.wavedec2(data, wavelet, mode='periodic', level=1)


class PytorchWavelets(Torch):
    name = 'pytorch_wavelets'

    def __init__(self, threads):
        super().__init__(threads)
        import pytorch_wavelets
        self.package = pytorch_wavelets

    def prepare(self, x, axes, wavelet):
        kind = self.package.DWT1DForward if axes == 1 else self.package.DWTForward
        transform = kind(J=1, wave=wavelet, mode='periodization')
        data = self.torch.from_numpy(x)[:, None]
        return lambda: transform(data)


class TorchWavelets(Torch):
    name = 'torchwavelets'

    def __init__(self, threads):
        super().__init__(threads)
        import torchwavelets
        self.package = torchwavelets

    def prepare(self, x, axes, wavelet):
        kind = self.package.DWT1D if axes == 1 else self.package.DWT2D
        transform = kind(J=1, wave=wavelet, mode='periodization')
        data = self.torch.from_numpy(x)[:, None]
        return lambda: transform(data)


def numbers(result):
    """All arrays of a nested result, with their numbers as float64."""
    import numpy
    if isinstance(result, (tuple, list)):
        return [array for each in result for array in numbers(each)]
    if isinstance(result, dict):
        return numbers(list(result.values()))
    return [numpy.asarray(result, dtype=numpy.float64)]


def magnitude(result):
    """The root mean square of all coefficients: at borders packages may have more of them."""
    arrays = numbers(result)
    return math.sqrt(sum(float((array ** 2).sum()) for array in arrays) /
                     sum(array.size for array in arrays))


def bands(x, axes):
    """Coefficients of wavepass in PyWavelets' order."""
    low, high = slice(0, x.shape[-1] // 2), slice(x.shape[-1] // 2, None)
    if axes == 1:
        return x[..., low], x[..., high]
    top, bottom = slice(0, x.shape[-2] // 2), slice(x.shape[-2] // 2, None)
    return (x[..., top, low],
            (x[..., bottom, low], x[..., top, high], x[..., bottom, high]))


def difference(result, axes, reference):
    """The largest error of PyWavelets' coefficients, or the relative one of the magnitude."""
    ours, theirs = numbers(bands(reference, axes)), numbers(result)
    if [a.shape for a in ours] == [a.shape for a in theirs]:
        worst = max(abs(a - b).max() for a, b in zip(ours, theirs))
        if worst <= COEFFICIENTS:
            return worst, True
    ratio = abs(magnitude(result) / magnitude(reference) - 1)
    return ratio, ratio <= MAGNITUDE


def load_peers(threads):
    found = []
    for kind, arguments in ((PyWavelets, ()), (Ndwt, ()), (JaxWavelets, ()), (Ptwt, (threads,)),
                            (PytorchWavelets, (threads,)), (TorchWavelets, (threads,))):
        try:
            found.append(kind(*arguments))
            found[-1].version = importlib.metadata.version(kind.name)
        except (ImportError, OSError, AttributeError) as error:
            print('skipped %s: %s' % (kind.name, str(error).strip().splitlines()[0]))
    return found


def measure_case(libraries, shape, axes, wavelet, rounds):
    import numpy
    x = numpy.random.default_rng(1).random(shape, dtype=numpy.float32)
    copy, runs, errors = numpy.empty_like(x), {}, {}
    reference = None
    for library in libraries:
        try:
            runs[library.name] = library.prepare(x, axes, wavelet)
            result = runs[library.name]()
            if reference is None:
                reference = result.copy()
            else:
                errors[library.name] = difference(result, axes, reference)
        except (RuntimeError, LookupError, TypeError, ValueError) as error:
            print('\nskipped %s, %s, %s: %r' % (library.name, wavelet, shape, error))
            runs.pop(library.name, None)
    runs['memcpy'] = lambda: numpy.copyto(copy, x)
    shortest = timing.least(list(runs.values()), rounds, limit=SECONDS)
    return {'shape': list(shape), 'axes': axes, 'wavelet': wavelet,
            'ms': {name: 1e3 * seconds for name, seconds in zip(runs, shortest)},
            'error': {name: float(error) for name, (error, _) in errors.items()},
            'agree': all(right for _, right in errors.values())}


def measure(options):
    libraries = [Wavepass(options.file, options.threads), *load_peers(options.threads)]
    results = {
        'date': datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ'),
        'versions': {each.name: each.version for each in libraries[1:]},
        'machine': peers.describe_machine(), 'threads': options.threads,
        'rounds': options.rounds, 'load': [os.getloadavg()[0]], 'rows': []}
    results['machine']['os'] = platform.system()
    for shape, axes in CASES:
        if options.small:
            shape = (*shape[:-axes], *(max(size // 8, 16) for size in shape[-axes:]))
        for wavelet, _ in WAVELETS:
            results['rows'].append(measure_case(libraries, shape, axes, wavelet, options.rounds))
            print('.', end='', flush=True)
    print()
    results['load'].append(os.getloadavg()[0])
    return results


def print_table(results):
    names = [name for name in ('PyWavelets', 'ndwt', 'jaxwavelets', 'ptwt', 'pytorch_wavelets',
                          'torchwavelets')
             if name in results['versions']]
    titles = dict(WAVELETS)
    print('| array | wavelet | wavepass | in copies | %s |' % ' | '.join(
        '%s %s' % (name, results['versions'][name]) for name in names))
    print('|---' * (4 + len(names)) + '|')
    for row in results['rows']:
        ms, shape = row['ms'], [size for size in row['shape'] if size > 1]
        cells = ['%.0f' % (ms[name] / ms['wavepass']) if ms.get(name, 0) >= 10 * ms['wavepass']
                 else '%.1f' % (ms[name] / ms['wavepass']) if name in ms else '' for name in names]
        print('| %s%s | %s | %s | %.1f | %s |' % (
            'x'.join(map(str, shape)), ', signals' if row['axes'] == 1 else '',
            titles[row['wavelet']], peers.milliseconds(ms['wavepass']),
            ms['wavepass'] / ms['memcpy'], ' | '.join(cells)))
    print('\nOne level forward, float32, periodic borders, on %s with %d thread%s: the time of '
          'wavepass, the same in times of a copy of the array by NumPy, and the times of the '
          'packages in times of that of wavepass. The shortest of up to %d calls each, in turns in '
          'one process; the load of the system was %.1f.' % (
              results['machine']['cpu'], results['threads'],
              '' if results['threads'] == 1 else 's', results['rounds'], results['load'][0]))


def enter_packages():
    """Continues in the environment with the packages, which it creates first."""
    python = os.path.join(HOME, 'bin/python')
    # The environment variable: with the packages of this Python.
    if sys.prefix == HOME or os.environ.get('WAVEPASS_BATCH_PEERS') == 'here':
        return
    if not os.path.exists(python):
        subprocess.run([sys.executable, '-m', 'venv', HOME], check=True)
        for package in PACKAGES:
            done = subprocess.run([python, '-m', 'pip', 'install', '--quiet', *package.split()],
                                  capture_output=True, text=True, check=False)
            if done.returncode:
                print('skipped %s: %s' % (package, (done.stderr or '?').strip().splitlines()[-1]))
    os.execv(python, [python, os.path.abspath(__file__), *sys.argv[1:]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--library', dest='file',
                        default=os.path.join(ROOT, 'build/release/libwavepass.so'))
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--rounds', type=int, default=15)
    parser.add_argument('--small', action='store_true', help='small arrays, to test this program')
    parser.add_argument('--json', help='keep the results in this file')
    parser.add_argument('--table', help='only print those of this file')
    options = parser.parse_args()
    if options.table:
        with open(options.table, encoding='utf-8') as file:
            print_table(json.load(file))
        return 0
    # Before the packages start their threads.
    for name in ('OMP_NUM_THREADS', 'RAYON_NUM_THREADS'):
        os.environ[name] = str(options.threads)
    enter_packages()
    results = measure(options)
    if options.json:
        timing.write_results(options.json, results)
    print_table(results)
    wrong = [row for row in results['rows'] if not row['agree']]
    for row in wrong:
        print('DIFFER: %s %s: %s' % (row['wavelet'], row['shape'], row['error']))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
