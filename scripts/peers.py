#!/usr/bin/python3
"""Times the cpu backend, PyWavelets and the GNU Scientific Library in one run.

    scripts/peers.py [--wavepass FILE] [--size N] [--rounds N] [--runs N] [--json FILE]
    scripts/peers.py --table FILE

Installs Debian's packages of the peers (scripts/setup.sh peers), and the newest PyWavelets from the
Python Package Index into build/peers. Checks that all compute the same coefficients, and times them
alternately: one call of each peer, then several runs of wavepass with all processors and with one
thread. PyWavelets computes one level of CDF 9/7 in float32. GSL has neither single precision nor
CDF 9/7 nor single levels, so it computes all levels of CDF 5/3 and of Haar in double precision. The
exit code is 1 if values differ. --json stores the times with versions, machine and load; --table
prints such a file in Markdown (scripts/readme_tables.py writes it into the README). Requires
Debian's own Python, which finds Debian's packages.

Not measured: OpenJPEG, whose library exports no transform, so only the time of transform and coding
together is available; ptwt and jaxwt, which require PyTorch and JAX; dtcwt and kymatio, which
compute other transforms.
"""
import argparse
import ctypes
import datetime
import ctypes.util
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(ROOT, 'python/benchmarks'))
import timing  # noqa: E402  pylint: disable=wrong-import-position

NEWEST = os.path.join(ROOT, 'build/peers')
TOLERANCE = 1e-5  # for wavepass, relative to the gain of the orthonormal norm, which is 2 per level


class Gsl:
    """One wavelet of GSL, transformed in place through ctypes."""

    def __init__(self, family, member, size):
        self.gsl = ctypes.CDLL(ctypes.util.find_library('gsl'))
        pointer, number = ctypes.c_void_p, ctypes.c_size_t
        for name, arguments in (('gsl_wavelet_alloc', [pointer, number]),
                                ('gsl_wavelet_workspace_alloc', [number])):
            getattr(self.gsl, name).restype = pointer
            getattr(self.gsl, name).argtypes = arguments
        self.run = self.gsl.gsl_wavelet2d_nstransform_forward
        self.run.argtypes = [pointer, pointer, number, number, number, pointer]
        kind = pointer.in_dll(self.gsl, 'gsl_wavelet_' + family)
        self.wavelet = self.gsl.gsl_wavelet_alloc(kind, member)
        self.space = self.gsl.gsl_wavelet_workspace_alloc(size)

    def version(self):
        return ctypes.c_char_p.in_dll(self.gsl, 'gsl_version').value.decode()

    def seconds(self, image):
        image = image.copy()
        start = time.perf_counter()
        self.forward(image)
        return time.perf_counter() - start

    def forward(self, image):
        size = image.shape[0]
        if self.run(self.wavelet, image.ctypes.data, size, size, size, self.space):
            raise RuntimeError('GSL refuses the transform')
        return image


# The program for a Python with another PyWavelets: it transforms the image once per line of input.
# The first line names the file of the image, the second line that of the coefficients.
WORKER = '''
import sys, time
import numpy, pywt
image = numpy.load(input()).astype(numpy.float32)
wanted = input()
print(pywt.__version__, flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    low, (high_y, high_x, both) = pywt.dwt2(image, 'bior4.4', 'periodization')
    seconds = time.perf_counter() - start
    if line.strip() == 'save':
        numpy.save(wanted, numpy.block([[low, high_x], [high_y, both]]))
    print(seconds, flush=True)
'''


class PyWavelets:
    """One level of CDF 9/7 in a process of its own."""

    def __init__(self, python, directory):
        self.kept = os.path.join(directory, 'theirs.npy')
        self.process = subprocess.Popen([*python, '-c', WORKER], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.newest = self.ask(os.path.join(directory, 'image.npy') + '\n' + self.kept)

    def ask(self, line):
        self.process.stdin.write(line + '\n')
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise RuntimeError('PyWavelets ends with %s' % self.process.wait())
        return answer

    def version(self):
        return self.newest

    def seconds(self, _):
        return float(self.ask('time'))

    def forward(self, _):
        import numpy
        self.ask('save')
        return numpy.load(self.kept)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def newest_python():
    """A command with the newest PyWavelets of the Python Package Index, or None and the reason."""
    python = os.path.join(NEWEST, 'bin/python')
    if not os.path.exists(python):
        for command in ([sys.executable, '-m', 'venv', NEWEST],
                        [python, '-m', 'pip', 'install', '--quiet', 'PyWavelets']):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                subprocess.run(['rm', '-rf', NEWEST], check=True)
                return None, (done.stderr or done.stdout).strip().splitlines()[-1]
    return [python], None


def details(size):
    """Slices of HL, LH and HH of the finest level, and whether their sign is that of the
    high-pass."""
    low, high = slice(0, size // 2), slice(size // 2, size)
    return ((low, high, -1), (high, low, -1), (high, high, 1))


def opposite(coefficients, levels):
    """The coefficients for a high-pass of the opposite sign, which differs by library and
    version."""
    result, edge = coefficients.copy(), coefficients.shape[0]
    for _ in range(levels):
        for rows, columns, sign in details(edge):
            result[rows, columns] *= sign
        edge //= 2
    return result


def summary(seconds):
    times = [1e3 * each for each in seconds]
    return {'median': statistics.median(times), 'min': min(times), 'max': max(times),
            'count': len(times)}


class Case:
    """A transform of a peer and the same transform of wavepass."""

    def __init__(self, name, origin, wavelet, levels, options, peer, differ):
        self.name, self.origin, self.wavelet, self.levels = name, origin, wavelet, levels
        self.options, self.peer, self.differ = options, peer, differ
        self.theirs, self.mine, self.one_thread, self.error = [], [], [], None

    def result(self):
        return {'library': self.name, 'version': self.peer.version(), 'origin': self.origin,
                'precision': 'double' if self.name == 'GSL' else 'float',
                'wavelet': self.wavelet, 'levels': self.levels, 'error': float(self.error),
                'peer_ms': summary(self.theirs), 'wavepass_ms': summary(self.mine),
                'wavepass_one_thread_ms': summary(self.one_thread)}


def make_cases(size, pythons, directory):
    levels = size.bit_length() - 1

    def differ_all(theirs, mine, depth):
        return min(abs(any_sign - mine).max()
                   for any_sign in (theirs, opposite(theirs, depth))) / 2 ** depth

    def differ_finest(theirs, mine):
        # GSL's filters are shifted by one sample. So its finest subbands are shifted by one,
        # coarser ones are on another grid, and only three quarters of all values can be compared.
        import numpy
        return min(max(abs(numpy.roll(any_sign[rows, columns], (1, 1), (0, 1)) -
                           mine[rows, columns]).max() for rows, columns, _ in details(size))
                   for any_sign in (theirs, opposite(theirs, 1)))

    return [
        *(Case('PyWavelets', origin, 'CDF 9/7', 1, ['-w', 'cdf97', '-l', '1'],
               PyWavelets(python, directory), lambda theirs, mine: differ_all(theirs, mine, 1))
          for origin, python in pythons),
        Case('GSL', 'Debian', 'CDF 5/3', levels, ['-w', 'cdf53', '-l', 'max'],
             Gsl('bspline', 202, size), differ_finest),
        Case('GSL', 'Debian', 'Haar', levels, ['-w', 'haar', '-l', 'max'], Gsl('haar', 2, size),
             lambda theirs, mine: differ_all(theirs, mine, levels)),
    ]


def describe_machine():
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        found = re.search(r'model name\s*: (.*)', file.read())
    return {'cpu': found[1] if found else platform.machine(), 'python': platform.python_version(),
            'cores': len(os.sched_getaffinity(0)), 'os': platform.platform()}


def milliseconds(value):
    return '%.*f ms' % (0 if value >= 100 else 1, value)


def print_table(results):
    machine = results['machine']
    columns = [('wavepass_ms', 'wavepass, %d threads' % machine['cores'])]
    if 'wavepass_one_thread_ms' in results['rows'][0]:
        columns.insert(0, ('wavepass_one_thread_ms', 'wavepass, 1 thread'))
    print('| library, 1 thread | transform | time | %s |' % ' | '.join(
        '%s | ratio' % title for _, title in columns))
    print('|---|---|---' + '|---|---' * len(columns) + '|')
    for row in results['rows']:
        theirs = row['peer_ms']['median']
        times = [row[name]['median'] for name, _ in columns]
        print('| %s %s (%s), %s | %s, %d level%s | %s | %s |' % (
            row['library'], row['version'], row['origin'], row['precision'], row['wavelet'],
            row['levels'], '' if row['levels'] == 1 else 's', milliseconds(theirs),
            ' | '.join('%s | %.0f' % (milliseconds(time), theirs / time) for time in times)))
    size = results['size']
    print('\nMedians for the forward transform of %dx%d samples on %s. The other libraries have no '
          'threads%s. A memcpy of the image by %d threads takes %s; the load of the system before '
          'the run was %.1f.' % (
              size, size, machine['cpu'], '' if len(columns) > 1 else
              '; wavepass %s with one thread was not measured in this run' % results['wavepass'],
              machine['cores'], milliseconds(results['memcpy_ms']['median']),
              results['load'][0]))


class Wavepass:
    def __init__(self, program, directory, size, runs):
        self.program, self.directory, self.size, self.runs = program, directory, size, runs

    def path(self, name):
        return os.path.join(self.directory, name)

    def call(self, *arguments):
        subprocess.run([self.program, *arguments, '-b', 'cpu', '--border', 'periodic', '--norm',
                        'orthonormal', '-s', 'sep-lifting'], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def forward(self, options):
        self.call('forward', self.path('image.npy'), '-f', '-o', self.path('c.npy'), *options)
        return self.path('c.npy')

    def seconds(self, options):
        """Samples of the transform, and of memcpy of the image."""
        self.call('bench', '--size', str(self.size), '--runs', str(self.runs), '--no-verify',
                  '--no-transfers', '-f', '--json', self.path('bench.json'), *options)
        with open(self.path('bench.json'), encoding='utf-8') as file:
            rows = json.load(file)['rows']
        return [[1e-9 * ns for row in rows if row['kind'] == kind for ns in row['samples_ns']]
                for kind in ('transform', 'ceiling')]


def measure(options):
    subprocess.run([os.path.join(ROOT, 'scripts/setup.sh'), 'peers'], check=True)
    import numpy
    image = numpy.random.default_rng(1).random((options.size, options.size))
    pythons = [('Debian', [sys.executable])]
    newest, why = newest_python()
    if newest:
        pythons.append(('PyPI', newest))
    else:
        print('skipped PyWavelets of the Python Package Index: %s' % why)
    version = subprocess.run([options.wavepass, '--version'], capture_output=True, text=True,
                             check=True).stdout.split()[1]
    results = {'date': datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ'),
               'wavepass': version, 'size': options.size, 'machine': describe_machine(),
               'load': [os.getloadavg()[0]]}
    memcpy = []
    with tempfile.TemporaryDirectory(prefix='wavepass-peers-') as directory:
        wavepass = Wavepass(options.wavepass, directory, options.size, options.runs)
        numpy.save(wavepass.path('image.npy'), image.astype(numpy.float32))
        cases = make_cases(options.size, pythons, directory)
        for case in cases:
            theirs = case.peer.forward(image.copy())
            case.error = case.differ(theirs, numpy.load(wavepass.forward(case.options)))
        for _ in range(options.rounds):
            for case in cases:
                case.theirs.append(case.peer.seconds(image))
                transform, copy = wavepass.seconds(case.options)
                case.mine += transform
                case.one_thread += wavepass.seconds([*case.options, '--threads', '1'])[0]
                memcpy += copy
        for case in cases:
            if isinstance(case.peer, PyWavelets):
                case.peer.close()
    results['load'].append(os.getloadavg()[0])
    results['memcpy_ms'] = summary(memcpy)
    results['rows'] = [case.result() for case in cases]
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--wavepass', default=os.path.join(ROOT, 'build/release/wavepass'))
    parser.add_argument('--size', type=int, default=4096, help='a power of two')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--runs', type=int, default=10, help='of wavepass in each round')
    parser.add_argument('--json', help='keep the results in this file')
    parser.add_argument('--table', help='only print those of this file')
    options = parser.parse_args()
    if options.size < 2 or options.size & (options.size - 1):
        parser.error('GSL transforms powers of two')
    if options.table:
        with open(options.table, encoding='utf-8') as file:
            print_table(json.load(file))
        return 0
    results = measure(options)
    if options.json:
        timing.write_results(options.json, results)
    print_table(results)
    wrong = [row for row in results['rows'] if not row['error'] <= TOLERANCE]
    for row in results['rows']:
        print('%s %s, %s: values %s (%.1e)' % (
            row['library'], row['version'], row['wavelet'],
            'DIFFER' if row in wrong else 'agree', row['error']))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
