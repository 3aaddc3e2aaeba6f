#!/usr/bin/env python3
"""Reconstructs a head from a part of its k-space, and compares the PSNR with a reference solver.

    scripts/csmri_table.py [--wavepass FILE] [-b NAME,NAME…] [--volumes] [--only TEXT]
                           [--keep DIRECTORY] [--json FILE]
    scripts/csmri_table.py --commands NAME --keep DIRECTORY [--volumes] [--bart]
    scripts/csmri_table.py --bart [--volumes] [-b NAME] [--keep DIRECTORY] [--json FILE]
    scripts/csmri_table.py --speed [--json FILE]

The head is ch2.nii.gz of Debian's mricron-data, with a peak of 1: its slice z = 90, padded to
224x192, and the volume padded to 224^3, of which the central 128^3 of k-space are kept. Masks keep
all samples with r < 0.06 (r is 1 at the corners of k-space), and other samples with probability
s (1 - r)^2 for a quarter and s (1 - r)^3 for an eighth. Noise has a standard deviation of 0.01 in
the real and the imaginary part. The reference is csmri_numpy.py with complex64, mu = lambda = 100,
gamma = 100 wav, four levels and periodic borders.

Prints the PSNR in dB of every backend and of the reference. Fails if they differ by more than 0.1,
or for random shifts if a backend is lower by more than 0.3: shifts change the PSNR by up to 2 dB,
and for Haar without TV the figure is the mean of twelve draws. Also fails if the PSNR of any
iteration differs by more than 0.05 from that of the first backend.
--volumes adds 128^3.

--keep stores phantoms, k-space and masks in a directory, and the curve of each run in a folder with
the name of its backend. Existing curves are not computed again, so they can come from another
machine that ran the commands which --commands prints. --json adds the figures to a file, from which
scripts/reconstruction_tables.py makes the tables of docs/lab/reconstruction.md.

--bart also runs `bart pics` (Debian's bart), and fails if its best PSNR is above that of wavepass
after all iterations. --speed times 128^3 with one thread, alternating with csmri_numpy.py, in
processor time, and compares with the time of its Fourier transforms and of its bytes. Requires
numpy 2; the exit code is 77 if numpy, the head or bart is missing.
"""
import argparse
import csv
import gzip
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEAD = '/usr/share/mricron/templates/ch2.nii.gz'
SKIPPED = 77
NOISE = 0.01

TV, HAAR, CDF97 = ('--tv', '1'), ('--wav', '1'), ('--wav', '1', '-w', 'cdf97', '--exact')
TV_HAAR_01 = ('--tv', '1', '--wav', '0.1')
TV_HAAR = ('--tv', '1', '--wav', '1')
TV_CDF97 = ('--tv', '1', '--wav', '0.3', '-w', 'cdf97', '--exact')
TV_CDF97_SPUN = ('--tv', '1', '--wav', '0.3', '-w', 'cdf97', '--cycle-spinning')
NAMES = {TV: 'TV', HAAR: 'Haar', CDF97: '9/7', TV_HAAR_01: 'TV + 0.1 Haar', TV_HAAR: 'TV + Haar',
         TV_CDF97: 'TV + 0.3 9/7', HAAR + ('--cycle-spinning',): 'Haar, spun',
         TV_HAAR + ('--cycle-spinning',): 'TV + Haar, spun', TV_CDF97_SPUN: 'TV + 0.3 9/7, spun'}
ALL = (TV, HAAR, CDF97, TV_HAAR_01, TV_HAAR, TV_CDF97)
SPUN = (HAAR + ('--cycle-spinning',), TV_HAAR + ('--cycle-spinning',), TV_CDF97_SPUN)

# Phantom, rate, noise, (outer, inner), and the reference's PSNR for each regularization.
CASES = (
    ('plane', 4, 0, (16, 32), ALL, (40.37, 32.00, 35.75, 40.50, 38.99, 41.01)),
    ('plane', 8, 0, (16, 32), ALL, (33.30, 27.21, 30.00, 33.36, 32.08, 33.40)),
    ('plane', 4, NOISE, (16, 32), ALL, (37.58, 30.53, 31.51, 37.68, 36.37, 38.08)),
    ('plane', 8, NOISE, (16, 32), ALL, (32.74, 26.88, 28.00, 32.80, 31.21, 32.84)),
    ('plane', 4, 0, (16, 8), SPUN, (36.19, 40.03, 40.80)),
    ('plane', 8, 0, (16, 8), SPUN, (31.73, 33.12, 33.19)),
    ('volume', 4, 0, (8, 4), ALL, (38.70, 32.51, 32.22, 38.79, 38.20, 38.73)),
    ('volume', 8, 0, (8, 4), ALL, (32.95, 28.24, 27.97, 32.92, 32.03, 32.58)),
    ('volume', 4, NOISE, (8, 4), ALL, (33.73, 30.95, 30.62, 33.54, 33.85, 33.00)),
    ('volume', 8, NOISE, (8, 4), ALL, (29.77, 27.55, 27.33, 29.53, 30.08, 29.03)),
    ('volume', 4, 0, (8, 4), SPUN, (36.55, 38.52, 38.65)),
    ('volume', 8, 0, (8, 4), SPUN, (30.87, 32.24, 32.54)),
    ('volume', 4, 0, (8, 16), (TV, TV_HAAR_01, TV_HAAR, SPUN[1]), (39.23, 39.35, 39.19, 39.51)),
    ('volume', 8, 0, (8, 16), (TV, TV_HAAR_01, TV_HAAR, SPUN[1]), (33.89, 33.97, 33.78, 33.95)),
)
ZERO_FILLED = {('plane', 4, 0): 28.51, ('plane', 8, 0): 25.63, ('plane', 4, NOISE): 28.41,
               ('plane', 8, NOISE): 25.61, ('volume', 4, 0): 29.37, ('volume', 8, 0): 26.70,
               ('volume', 4, NOISE): 29.23, ('volume', 8, NOISE): 26.66}
# The number of random draws of shifts, if one draw changes the PSNR by more than the tolerance.
# Only the first backend runs all of them; the others are compared with its first draw.
SEEDS = {HAAR + ('--cycle-spinning',): 12}
# After all iterations, compared with the best PSNR of BART.
FULL, FULL_WAYS = (16, 32), (TV_HAAR_01, TV_CDF97)
BART_LAMBDAS = (1e-2, 3e-3, 1e-3, 3e-4)
# The largest value is the best one for TV in every case of the slice, and a volume takes a minute.
BART_FEWER = {('volume', 'TV'): (1e-2,)}
# The axes of the phantom, as bits.
BART = {'TV': ('-R', 'T:%d:0:%g'), 'Haar, spun': ('--wavelet', 'haar', '-R', 'W:%d:0:%g')}
BART_AXES = {'plane': 3, 'volume': 7}


def read_head(numpy):
    with gzip.open(HEAD) as file:
        data = file.read()
    return numpy.frombuffer(data, numpy.uint8, offset=352).reshape(181, 217, 181).astype(float)


def pad(numpy, image, shape):
    out = numpy.zeros(shape)
    out[tuple(slice((n - m) // 2, (n - m) // 2 + m) for n, m in zip(shape, image.shape))] = image
    return out


def make_plane(numpy):
    return pad(numpy, read_head(numpy)[90], (224, 192)) / 254


def make_volume(numpy):
    fft = numpy.fft
    whole = fft.fftshift(fft.fftn(pad(numpy, read_head(numpy), (224,) * 3)))
    image = abs(fft.ifftn(fft.ifftshift(whole[48:176, 48:176, 48:176])))
    return image / image.max()


def make_mask(numpy, shape, rate, seed=7):
    """A mask of two axes with DC at index 0."""
    k = [numpy.fft.fftfreq(n) * 2 for n in shape]
    r = numpy.sqrt((k[0][:, None] ** 2 + k[1][None, :] ** 2) / 2)
    low, high = 0.0, 1e3
    for _ in range(100):
        scale = (low + high) / 2
        density = numpy.where(r < 0.06, 1, numpy.minimum(1, scale * (1 - r) ** (rate // 4 + 1)))
        low, high = (low, scale) if density.mean() > 1 / rate else (scale, high)
    return numpy.random.default_rng(seed).random(shape) < density


def centred(numpy, kspace):
    """The array with DC and the origin of the image at n/2, as in BART."""
    fft = numpy.fft
    return fft.fftshift(fft.fftn(fft.ifftshift(fft.ifftn(kspace))))


def name_of(phantom, rate, noise):
    return '%s x%d%s' % (phantom, rate, ', noise' if noise else '')


def file_name(*parts):
    return re.sub('[^a-z0-9]+', '-', ' '.join(map(str, parts)).strip().lower())


class Table:
    def __init__(self, numpy, given, directory):
        self.numpy, self.given, self.directory = numpy, given, directory
        self.truth, self.sigma, self.faults = {}, {}, []
        self.rows, self.bart_rows, self.speed_rows = [], [], []

    def path(self, *name):
        return os.path.join(self.directory, *name)

    def make(self, phantom, rate, noise):
        """Makes the files of a case and returns their names."""
        np = self.numpy
        if phantom not in self.truth:
            self.truth[phantom] = make_plane(np) if phantom == 'plane' else make_volume(np)
            np.save(self.path(phantom + '.npy'), self.truth[phantom].astype(np.float32))
        image = self.truth[phantom]
        stem = '%s-x%d%s' % (phantom, rate, '-noise' if noise else '')
        names = {'truth': phantom + '.npy', 'kspace': stem + '.npy',
                 'mask': '%s-x%d-mask.npy' % (phantom, rate)}
        mask = make_mask(np, image.shape[:2], rate)
        whole = mask if image.ndim == 2 else np.broadcast_to(mask[..., None], image.shape)
        if not os.path.exists(self.path(names['kspace'])):
            random = np.random.default_rng(11)
            k = np.fft.fftn(image, norm='ortho')
            k = k + noise * (random.normal(size=k.shape) + 1j * random.normal(size=k.shape))
            np.save(self.path(names['mask']), mask.astype(np.uint8))
            np.save(self.path(names['kspace']), (k * whole).astype(np.complex64))
        self.sigma[names['kspace']] = noise * np.sqrt(2 * whole.sum())
        return names

    def psnr(self, phantom, image):
        np = self.numpy
        return float(-10 * np.log10(np.mean((abs(image) - self.truth[phantom]) ** 2)))

    def command(self, wavepass, backend, names, loops, way, curve):
        return [wavepass, 'reconstruct', names['kspace'], '-m', names['mask'], '-o', 'u.npy', '-f',
                '-q', '-b', backend, '--truth', names['truth'], '--outer', str(loops[0]), '--inner',
                str(loops[1]), '--sigma', '%.9f' % self.sigma[names['kspace']], '--log', curve, *way]

    def curve(self, backend, phantom, rate, noise, loops, way, seed=0):
        """The PSNR of each iteration; NAN if commands are only printed."""
        names = self.make(phantom, rate, noise)
        loop_words = '%dx%d' % loops
        file = os.path.join(backend, file_name(phantom, 'x%d' % rate, 'noise' if noise else '',
                                               loop_words, NAMES[way],
                                               'seed %d' % seed if seed else '') + '.csv')
        way += ('--seed', str(seed)) if seed else ()
        if self.given.commands:
            print(shlex.join(self.command('wavepass', backend, names, loops, way, file)))
            return [float('nan')]
        if not os.path.exists(self.path(file)):
            os.makedirs(self.path(backend), exist_ok=True)
            subprocess.run(self.command(self.given.wavepass, backend, names, loops, way, file),
                           cwd=self.directory, check=True)
        with open(self.path(file), newline='', encoding='ascii') as lines:
            return [float(row['psnr']) for row in csv.DictReader(lines)]

    def judge(self, what, ours, reference, spun=False):
        off = ours - reference
        good = abs(off) <= 0.1 or (spun and off >= -0.3)
        print('%-44s %7.2f %9.2f %+6.2f%s' % (what, ours, reference, off, '' if good else '  OFF'),
              flush=True)
        if not good:
            self.faults.append(what)

    def judge_curves(self, what, one, other):
        """The largest difference of two curves. With noise one of them may end an outer iteration
        later."""
        apart = max(abs(a - b) for a, b in zip(one, other))
        good = apart <= 0.05
        print('%-44s over the iterations %.5f apart%s' % (what, apart, '' if good else '  OFF'),
              flush=True)
        if not good:
            self.faults.append(what)
        return apart

    def run_case(self, case):
        phantom, rate, noise, loops, ways, wanted = case
        label = name_of(phantom, rate, noise)
        loop_words = '%dx%d' % loops
        chosen = [(way, psnr) for way, psnr in zip(ways, wanted)
                  if re.search(self.given.only, '%s %s %s' % (label, loop_words, NAMES[way]))]
        if not chosen:
            return
        names = self.make(phantom, rate, noise)
        place = {'phantom': phantom, 'rate': rate, 'noise': noise, 'loops': loop_words}
        if not self.given.commands:
            zero_filled = self.psnr(phantom, self.numpy.fft.ifftn(
                self.numpy.load(self.path(names['kspace'])), norm='ortho'))
            reference = ZERO_FILLED[phantom, rate, noise]
            self.judge(label + ' zero-filled', zero_filled, reference)
            self.rows.append(dict(place, way='zero-filled', reference=reference,
                                  numpy=round(zero_filled, 4)))
        for way, reference in chosen:
            self.run_way(place, label, loops, way, reference)

    def run_way(self, place, label, loops, way, reference):
        row = dict(place, way=NAMES[way], reference=reference)
        first, mean = None, None
        for backend in self.given.backends:
            what = '%s %s %s, %s' % (label, place['loops'], NAMES[way], backend)
            draws = 1 if first else SEEDS.get(way, 1)
            curves = [self.curve(backend, place['phantom'], place['rate'], place['noise'], loops,
                                 way, seed) for seed in range(draws)]
            if self.given.commands:
                continue
            psnr = sum(c[-1] for c in curves) / draws
            if first:
                row[backend + '_apart'] = float('%.3g' % self.judge_curves(what, first, curves[0]))
                psnr = curves[0][-1] - first[-1] + mean
            else:
                first, mean = curves[0], psnr
            self.judge(what, psnr, reference, '--cycle-spinning' in way)
            row[backend] = round(psnr, 4)
        self.rows.append(row)

    def write_cfl(self, name, array):
        np = self.numpy
        with open(self.path(name + '.hdr'), 'w', encoding='ascii') as file:
            file.write('# Dimensions\n%s\n' % ' '.join(map(str, array.T.shape)))
        np.ascontiguousarray(array).astype(np.complex64).tofile(self.path(name + '.cfl'))

    def bart(self, names, phantom, name, weight):
        """The PSNR of the reconstruction with BART, stored as a number."""
        np = self.numpy
        file = self.path('bart', file_name(names['kspace'][:-4], name, '%g' % weight) + '.txt')
        if not os.path.exists(file):
            os.makedirs(self.path('bart'), exist_ok=True)
            shape = self.truth[phantom].shape
            self.write_cfl('k', centred(np, np.load(self.path(names['kspace']))))
            self.write_cfl('ones', np.ones(shape))
            option = [part % (BART_AXES[phantom], weight) if '%' in part else part
                      for part in BART[name]]
            subprocess.run(['bart', 'pics', '-S', '-w', '1', '-i', '100', *option, 'k', 'ones',
                            'b'], cwd=self.directory, check=True, stdout=subprocess.DEVNULL)
            image = np.fromfile(self.path('b.cfl'), np.complex64).reshape(shape)
            with open(file, 'w', encoding='ascii') as kept:
                kept.write('%.4f\n' % self.psnr(phantom, image))
        with open(file, encoding='ascii') as kept:
            return float(kept.read())

    def run_bart(self, phantom, rate, noise):
        label = name_of(phantom, rate, noise)
        backend = self.given.backends[0]
        ours = max(self.curve(backend, phantom, rate, noise, FULL, way)[-1] for way in FULL_WAYS)
        if self.given.commands:
            return
        names = self.make(phantom, rate, noise)
        row = {'phantom': phantom, 'rate': rate, 'noise': noise, 'ours': round(ours, 4)}
        for name in BART:
            for weight in BART_FEWER.get((phantom, name), BART_LAMBDAS):
                psnr = self.bart(names, phantom, name, weight)
                print('bart %s %s %g: %.2f' % (label, name, weight, psnr), flush=True)
                row[name] = max(row.get(name, float('-inf')), round(psnr, 4))
        best = max(row[name] for name in BART)
        print('%s: ours %.2f, BART at its best %.2f' % (label, ours, best), flush=True)
        self.bart_rows.append(row)
        if ours < best:
            self.faults.append(label + ': BART is above')

    def own_seconds(self, command):
        """Processor time."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, cwd=self.directory, check=True, stdout=subprocess.PIPE)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
                json.loads(done.stdout))

    def time_ours(self, names, way):
        """Seconds per iteration, from two runs of different length, and the report of the longer
        one."""
        def run(inner):
            return self.own_seconds(
                [self.given.wavepass, 'reconstruct', names['kspace'], '-m', names['mask'], '-o',
                 'u.npy', '-f', '--json', '-q', '-b', self.given.backends[0], '--threads', '1',
                 '--outer', '1', '--inner', str(inner), *way])
        short, long = run(4), run(24)
        return (long[0] - short[0]) / 20, long[1]

    def copy_rate(self):
        np = self.numpy
        a, b = np.ones(1 << 25, np.float32), np.ones(1 << 25, np.float32)
        rates = []
        for _ in range(5):
            start = time.perf_counter()
            np.copyto(b, a)
            rates.append(2 * a.nbytes / (time.perf_counter() - start))
        return max(rates)

    def machine(self):
        told = json.loads(subprocess.run([self.given.wavepass, 'info', '--json'], check=True,
                                         stdout=subprocess.PIPE).stdout)
        return {'numpy': self.numpy.__version__, 'fft': told['build']['fft']['library'],
                'source': told['build']['source'], 'cores': os.cpu_count()}

    def run_speed(self):
        names = self.make('volume', 4, 0)
        script = os.path.join(ROOT, 'scripts', 'csmri_numpy.py')
        for way in (TV, TV_HAAR):
            numpy_best = ours_best = float('inf')
            share = bound = float('inf')
            for _ in range(3):
                _, told = self.own_seconds([sys.executable, script, names['kspace'], names['mask'],
                                            '--time', '4', *way])
                numpy_best = min(numpy_best, 1 / told['iterations_per_second'])
                seconds, told = self.time_ours(names, way)
                ours_best = min(ours_best, seconds)
                # Wall-clock times of one run.
                least = (told['transform_seconds'] / told['iterations'] +
                         told['bytes'] / self.copy_rate())
                bound = min(bound, least)
                share = min(share, told['seconds'] / told['iterations'] / least)
            print('128^3 %s, one thread: numpy %.0f ms, ours %.0f ms, %.1f times as fast; bound of '
                  'transforms and %.0f MB %.0f ms, %.2f times it' % (
                      NAMES[way], numpy_best * 1e3, ours_best * 1e3, numpy_best / ours_best,
                      told['bytes'] / 1e6, bound * 1e3, share), flush=True)
            self.speed_rows.append({
                'phantom': 'volume', 'backend': self.given.backends[0], 'threads': 1,
                'way': NAMES[way], 'numpy_seconds': round(numpy_best, 5),
                'seconds': round(ours_best, 5), 'bound_seconds': round(bound, 5),
                'over_bound': round(share, 4), 'bytes': told['bytes'],
                'machine': self.machine()})
            if way == TV_HAAR and (numpy_best < 4 * ours_best or share > 2):
                self.faults.append('speed')


def put_rows(file, key, rows):
    """Replaces the rows of the same case, or appends them."""
    place = ('phantom', 'rate', 'noise', 'loops', 'way', 'backend')
    for row in rows:
        same = [i for i, old in enumerate(file[key])
                if all(old.get(name) == row.get(name) for name in place)]
        if same:
            file[key][same[0]].update(row)
        else:
            file[key].append(row)


def write_json(table):
    path = table.given.json
    file = {'figures': [], 'bart': [], 'speed': []}
    if os.path.exists(path):
        with open(path, encoding='ascii') as old:
            file.update(json.load(old))
    put_rows(file, 'figures', table.rows)
    put_rows(file, 'bart', table.bart_rows)
    put_rows(file, 'speed', table.speed_rows)
    lines = ['"%s": [\n%s\n]' % (key, ',\n'.join(map(json.dumps, file[key]))) for key in file]
    with open(path, 'w', encoding='ascii') as new:
        new.write('{\n%s\n}\n' % ',\n'.join(lines))


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument('--wavepass', default=os.path.join(ROOT, 'build/release/wavepass'))
    parser.add_argument('-b', '--backends', default='cpu', type=lambda names: names.split(','))
    parser.add_argument('--volumes', action='store_true')
    parser.add_argument('--only', default='')
    parser.add_argument('--keep')
    parser.add_argument('--commands', metavar='NAME')
    parser.add_argument('--json')
    parser.add_argument('--bart', action='store_true')
    parser.add_argument('--speed', action='store_true')
    given = parser.parse_args()
    if given.commands:
        given.backends = [given.commands]
    given.wavepass = os.path.abspath(given.wavepass)
    return given


def missing(given):
    try:
        import numpy
    except ImportError:
        return None, 'numpy is missing'
    if not os.path.exists(HEAD):
        return None, '%s is missing (mricron-data)' % HEAD
    if given.bart and not given.commands and not shutil.which('bart'):
        return None, 'bart is missing'
    return numpy, None


def run(table):
    given = table.given
    if given.commands:
        print('mkdir -p %s' % given.commands)
    if given.speed:
        table.run_speed()
    if given.bart:
        for phantom, rate, noise in ZERO_FILLED:
            if given.volumes or phantom == 'plane':
                table.run_bart(phantom, rate, noise)
    if not given.speed and (not given.bart or given.commands):
        if not given.commands:
            print('%-44s %7s %9s %6s' % ('PSNR in dB', 'ours', 'reference', 'off'))
        for case in CASES:
            if given.volumes or case[0] == 'plane':
                table.run_case(case)


def main():
    given = parse_arguments()
    numpy, reason = missing(given)
    if reason:
        print(reason)
        return SKIPPED
    with tempfile.TemporaryDirectory() as directory:
        table = Table(numpy, given, given.keep or directory)
        os.makedirs(table.directory, exist_ok=True)
        run(table)
    if given.commands:
        return 0
    if given.json:
        write_json(table)
    print('all within what is allowed' if not table.faults else 'off: ' + ', '.join(table.faults))
    return 1 if table.faults else 0


if __name__ == '__main__':
    sys.exit(main())
