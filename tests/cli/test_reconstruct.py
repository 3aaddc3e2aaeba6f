"""Reconstruction from undersampled k-space: images, curves, interruption and errors."""
import cmath
import json
import math
import os
import shutil
import signal
import struct
import subprocess
import time

import harness
from formats import nifti, npy, read_npy, read_png
from harness import FILE, INTERRUPTED, NO_EGL, UNAVAILABLE, USAGE, CliTest

WIDTH, HEIGHT, DEPTH = 24, 16, 6
QUICK = ('--outer', '4', '--inner', '4')


def square(width, height, depth=1):
    return [0.8 if 6 <= x < 17 and 3 <= y < 11 else 0.1 + 0.02 * z
            for z in range(depth) for y in range(height) for x in range(width)]


def transform_axis(values, count, step, sign):
    """The unitary sum along an axis."""
    out = list(values)
    turn = [cmath.exp(sign * 2j * math.pi * k / count) / math.sqrt(count) for k in range(count)]
    for first in range(len(values)):
        if first // step % count == 0:
            line = [values[first + i * step] for i in range(count)]
            for k in range(count):
                out[first + k * step] = sum(line[i] * turn[i * k % count] for i in range(count))
    return out


def centre(values, width, height):
    """Moves index 0 to n/2, for even sizes."""
    return [values[(y + height // 2) % height * width + (x + width // 2) % width]
            for y in range(height) for x in range(width)]


def kspace_of(values, sides):
    step = 1
    for side in sides:
        values = transform_axis(values, side, step, -1)
        step *= side
    return values


def pairs(values):
    return [part for v in values for part in (complex(v).real, complex(v).imag)]


def some(count, kept=3):
    """A mask with about one of `kept` samples, including the first ones."""
    state, mask = 5, []
    for i in range(count):
        state = (state * 1664525 + 1013904223) % 2 ** 32
        mask.append(1 if i < 5 or (state >> 16) % kept == 0 else 0)
    return mask


def complex_npy(shape, values):
    """An NPY with complex64 in the header."""
    plain = npy(tuple(shape) + (2,), pairs(values))
    length = int.from_bytes(plain[8:10], 'little')
    header = "{'descr': '<c8', 'fortran_order': False, 'shape': (%s), }" % (
        ', '.join(map(str, shape)) + ',')
    return (plain[:10] + header.ljust(length - 1).encode() + b'\n' + plain[10 + length:])


def read_complex(data):
    length = int.from_bytes(data[8:10], 'little')
    real = memoryview(data)[10 + length:].cast('f')
    return [complex(real[i], real[i + 1]) for i in range(0, len(real), 2)]


def floats_of(data):
    return list(memoryview(data).cast('f'))


class ReconstructTest(CliTest):
    def setUp(self):
        super().setUp()
        self.image = square(WIDTH, HEIGHT)
        self.kspace = kspace_of(self.image, (WIDTH, HEIGHT))
        self.mask = some(WIDTH * HEIGHT)
        self.write('k.npy', complex_npy((HEIGHT, WIDTH), self.kspace))
        self.write('m.npy', npy((HEIGHT, WIDTH), self.mask, kind='|u1'))
        self.write('t.npy', npy((HEIGHT, WIDTH), self.image))

    def write_volume(self):
        image = square(WIDTH, HEIGHT, DEPTH)
        self.write('v.npy', complex_npy((DEPTH, HEIGHT, WIDTH),
                                        kspace_of(image, (WIDTH, HEIGHT, DEPTH))))
        self.write('all.npy', npy((DEPTH, HEIGHT, WIDTH), [1] * len(image), kind='|u1'))
        self.write('vt.npy', npy((DEPTH, HEIGHT, WIDTH), image))
        return image

    def run_json(self, *options):
        return json.loads(self.succeed('reconstruct', 'k.npy', '--json', '-f', *options).text())

    def values_of(self, *options):
        self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'u.npy', '-f', *QUICK, *options)
        return read_complex(self.read('u.npy'))

    def assert_same(self, values, wanted):
        """Equal except for rounding: FFTW selects its fastest algorithm by a measurement in each
        process."""
        self.assertEqual(len(values), len(wanted))
        self.assertLess(max(abs(a - b) for a, b in zip(values, wanted)), 2e-5)


class Images(ReconstructTest):
    def test_all_of_kspace_gives_the_image(self):
        self.write('ones.npy', npy((HEIGHT, WIDTH), [1] * len(self.image), kind='|u1'))
        result = self.succeed('reconstruct', 'k.npy', '-m', 'ones.npy', '-o', 'u.npy', '--inner',
                              '8')
        self.assertIn('nothing to reconstruct', result.err)
        self.assert_near([abs(v) for v in read_complex(self.read('u.npy'))], self.image, 2e-3)

    def test_a_third_of_it_does_nearly(self):
        told = self.run_json('-m', 'm.npy', '-o', 'u.npy', '--truth', 't.npy')
        self.assertGreater(told['psnr'], 80)
        self.assertEqual((told['iterations'], told['most'], told['finished']), (512, 512, True))
        self.assertAlmostEqual(told['rate'], len(self.mask) / sum(self.mask), places=5)
        told = self.run_json('-m', 'm.npy', '-o', 'u.npy', '--truth', 't.npy', *QUICK)
        got = [abs(v) for v in read_complex(self.read('u.npy'))]
        square_error = sum((a - b) ** 2 for a, b in zip(got, self.image)) / len(got)
        self.assertAlmostEqual(told['psnr'], -10 * math.log10(square_error), places=2)

    def test_iterations(self):
        """Stops after fewer iterations, at the end of an outer iteration or within one."""
        told = self.run_json('-m', 'm.npy', '-o', 'u.npy', '--inner', '4', '--iterations', '8')
        self.assertEqual((told['iterations'], told['most'], told['finished']), (8, 8, True))
        loops = self.run_json('-m', 'm.npy', '-o', 'v.npy', '--inner', '4', '--outer', '2')
        self.assertAlmostEqual(told['residual'], loops['residual'], places=5)
        self.assert_same(read_complex(self.read('u.npy')), read_complex(self.read('v.npy')))
        told = self.run_json('-m', 'm.npy', '-o', 'u.npy', *QUICK, '--iterations', '7')
        self.assertEqual((told['iterations'], told['most'], told['interrupted']), (7, 7, False))
        told = self.run_json('-m', 'm.npy', '-o', 'u.npy', *QUICK, '--iterations', '99')
        self.assertEqual((told['iterations'], told['most']), (16, 16))

    def test_mask_from_zeros(self):
        with_mask = self.values_of()
        zeroed = [v * m for v, m in zip(self.kspace, self.mask)]
        self.write('z.npy', complex_npy((HEIGHT, WIDTH), zeroed))
        self.succeed('reconstruct', 'z.npy', '-o', 'w.npy', *QUICK)
        self.assert_same(read_complex(self.read('w.npy')), with_mask)

    def test_zero_frequency_in_the_middle(self):
        """DC in the middle as in BART: the origin of the image is also at n/2."""
        plain = self.values_of()
        moved = kspace_of(centre(self.image, WIDTH, HEIGHT), (WIDTH, HEIGHT))
        self.write('k.npy', complex_npy((HEIGHT, WIDTH), centre(moved, WIDTH, HEIGHT)))
        self.write('m.npy', npy((HEIGHT, WIDTH), centre(self.mask, WIDTH, HEIGHT), kind='|u1'))
        self.assert_same(self.values_of('--centred'), plain)
        self.assert_same(self.values_of('--centered'), plain)

    def test_centred_of_odd_sides(self):
        """Odd sizes in a round trip with coils and maps, and DC at the position of numpy's
        fftshift."""
        image = [0.1 + 0.8 * (3 <= i % 13 < 9 and i // 13 > 2) for i in range(13 * 9)]
        self.write('o.npy', npy((9, 13), image))
        for coils in ((), ('--coils', '3', '--maps-output', 's.npy')):
            self.succeed('undersample', 'o.npy', '--rate', '1', '--centred', *coils, '-o', 'k.npy',
                         '-f')
            self.succeed('reconstruct', 'k.npy', '--centred', '-o', 'u.npy', '-f', '-l', '1',
                         '--truth', 'o.npy', *(('--maps', 's.npy') if coils else ()))
            self.assert_near([v.real for v in read_complex(self.read('u.npy'))], image, 2e-3)
        self.succeed('undersample', 'o.npy', '--rate', '1', '--centred', '-o', 'k.npy', '-f')
        kspace = read_complex(self.read('k.npy'))
        self.assertAlmostEqual(kspace[4 * 13 + 6], sum(image) / math.sqrt(len(image)), 4)

    def test_bart_fft(self):
        if not shutil.which('bart'):
            self.skipTest('bart is not installed')
        image = [0.1 + 0.8 * (3 <= i % 13 < 9 and i // 13 > 2) for i in range(13 * 9)]
        self.write('i.hdr', '# Dimensions\n13 9\n')
        self.write('i.cfl', struct.pack('<%df' % (2 * len(image)), *pairs(image)))
        self.write('o.npy', npy((9, 13), image))

        def bart(*words):
            subprocess.run(['bart', 'fft', '-u', *words], cwd=self.directory, check=True)
        bart('3', 'i', 'k')
        self.succeed('reconstruct', 'k.cfl', '--centred', '-o', 'u.npy', '-l', '1')
        self.assert_near([v.real for v in read_complex(self.read('u.npy'))], image, 2e-3)
        self.succeed('undersample', 'o.npy', '--rate', '1', '--centred', '-o', 'mine.cfl')
        bart('-i', '3', 'mine', 'back')
        back = struct.unpack('<%df' % (2 * len(image)), self.read('back.cfl'))
        self.assert_near(back[::2], image, 1e-5)

    def test_ways_differ_and_repeat(self):
        ways = [(), ('--tv', '1'), ('--wav', '1'), ('--wav', '1', '--cycle-spinning'),
                ('--wav', '1', '--cycle-spinning', '--seed', '7'), ('-w', 'cdf97'),
                ('-w', 'cdf97', '--exact'), ('-l', '1'), ('--mu', '50'), ('--lambda', '50'),
                ('--gamma', '50'), ('--peak', '2')]
        found = {options: self.values_of(*options) for options in ways}
        for i, one in enumerate(ways):
            for other in ways[:i]:
                difference = max(abs(a - b) for a, b in zip(found[one], found[other]))
                self.assertGreater(difference, 1e-3, '%s, %s' % (one, other))
        for options in (ways[3], ways[4]):
            self.assert_same(self.values_of(*options), found[options])
        self.assert_same(self.values_of('--tv', '1', '--wav', '0.1'), found[()])

    def test_threads_make_no_difference(self):
        self.assert_same(self.values_of('--threads', '1'), self.values_of('--threads', '3'))

    def test_coils(self):
        maps = [0.8] * len(self.image) + [0.6j] * len(self.image)
        coils = [v for s in (0.8, 0.6j) for v in
                 kspace_of([s * u for u in self.image], (WIDTH, HEIGHT))]
        self.write('c.npy', complex_npy((2, 1, HEIGHT, WIDTH), coils))
        self.write('s.npy', complex_npy((2, 1, HEIGHT, WIDTH), maps))
        told = json.loads(self.succeed(
            'reconstruct', 'c.npy', '-m', 'm.npy', '--maps', 's.npy', '-o', 'u.npy', '--truth',
            't.npy', '--json').text())
        self.assertEqual(told['coils'], 2)
        self.assertGreater(told['psnr'], 40)
        self.refuse(USAGE, 'c.npy has 2 coils and requires their sensitivity maps', 'reconstruct',
                    'c.npy', '-m', 'm.npy', '-o', 'x.npy', hint='give them with --maps FILE')
        self.write('s.npy', complex_npy((1, 1, HEIGHT, WIDTH), maps[:len(self.image)]))
        self.refuse(USAGE, 's.npy has 1 coil, and the k-space 2', 'reconstruct', 'c.npy', '-m',
                    'm.npy', '--maps', 's.npy', '-o', 'x.npy')

    def test_compute_shaders(self):
        told = self.run_json('-m', 'm.npy', '-o', 'c.npy', '-b', 'compute', *QUICK)
        self.assertEqual(told['backend'], 'compute')
        self.assert_same(read_complex(self.read('c.npy')), self.values_of('-b', 'cpu'))
        self.refuse(UNAVAILABLE, "backend 'compute' is not available (…)", 'reconstruct', 'k.npy',
                    '-m', 'm.npy', '-b', 'compute', '-o', 'x.npy', hint="backend 'cpu' needs no GPU",
                    env=NO_EGL)

    def test_weights_follow_the_peak(self):
        plain = self.values_of('--tv', '1', '--wav', '0.1')
        self.write('k.npy', complex_npy((HEIGHT, WIDTH), [512 * v for v in self.kspace]))
        result = self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'u.npy', '-f', *QUICK,
                              '--peak', '512')
        self.assertNotIn('multiplied', result.err)
        self.assert_near([abs(v) / 512 for v in read_complex(self.read('u.npy'))],
                         [abs(v) for v in plain], 1e-5)
        result = self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'u.npy', '-f', *QUICK)
        self.assertIn('weights are multiplied by', result.err)

    def test_padded(self):
        result = self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'u.npy', *QUICK)
        self.assertIn('zero-padding 24x16 to 32x16', result.err)
        result = self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'v.npy', '-l', '3',
                              *QUICK)
        self.assertNotIn('zeros around', result.err)


class Files(ReconstructTest):
    def test_magnitude(self):
        complex_values = self.values_of()
        self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'u.npy', '-f', '--magnitude',
                     *QUICK)
        shape, values = read_npy(self.read('u.npy'))
        self.assertEqual(tuple(shape), (HEIGHT, WIDTH))
        self.assert_near(values, [abs(v) for v in complex_values], 1e-5)

    def test_picture_says_what_it_is(self):
        self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'u.png', *QUICK)
        self.assertIn(b'ended after 16 of 16', self.read('u.png'))

    def test_volume_and_slice(self):
        image = self.write_volume()
        for options, z in (((), DEPTH // 2), (('--slice', '1'), 1)):
            self.succeed('reconstruct', 'v.npy', '-m', 'all.npy', '-o', 'u.png', '-f', *options,
                         '--outer', '8', '--inner', '4')
            width, height, _, _, values = read_png(self.read('u.png'))
            self.assertEqual((width, height), (WIDTH, HEIGHT))
            wanted = image[z * WIDTH * HEIGHT:(z + 1) * WIDTH * HEIGHT]
            self.assert_near([v / 255 for v in values], wanted, 0.02)
        self.refuse(USAGE, 'slice 6 is out of range (0 to 5)', 'reconstruct', 'v.npy', '-m',
                    'all.npy', '-o', 'w.png', '--slice', '6', *QUICK)

    def test_geometry(self):
        self.write_volume()
        self.write('like.nii', nifti((WIDTH, HEIGHT, DEPTH), [0] * (WIDTH * HEIGHT * DEPTH)))
        self.succeed('reconstruct', 'v.npy', '-m', 'all.npy', '-o', 'u.nii', '--template',
                     'like.nii', *QUICK)
        def told(name):
            return json.loads(self.succeed('info', name, '--json').text())
        self.assertEqual(told('u.nii').get('voxel'), told('like.nii').get('voxel'))
        self.write('small.nii', nifti((WIDTH, HEIGHT, 2), [0] * (WIDTH * HEIGHT * 2)))
        self.refuse(USAGE, 'small.nii is 24x16x2, and the k-space 24x16x6', 'reconstruct', 'v.npy',
                    '-m', 'all.npy', '-o', 'w.nii', '--template', 'small.nii', *QUICK)

    def test_curves(self):
        self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'u.npy', '--truth', 't.npy',
                     '--log', 'l.csv', '--plot', 'p.svg', *QUICK)
        rows = self.read('l.csv').decode().splitlines()
        self.assertEqual(rows[0], 'iteration,residual,seconds,psnr,ssim')
        self.assertEqual([row.split(',')[0] for row in rows[1:]], [str(i + 1) for i in range(16)])
        with_ssim = [row.split(',')[0] for row in rows[1:] if row.split(',')[4]]
        self.assertEqual(with_ssim, ['4', '8', '12', '16'])
        self.assertTrue(all(float(row.split(',')[3]) > 5 for row in rows[1:]))
        svg = self.read('p.svg').decode()
        self.assertIn('PSNR in dB', svg)
        self.assertIn('residual', svg)
        # Decibels are logarithmic: their axis is linear.
        self.assertIn('>0</text>', svg.split('residual |K u')[0])
        self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'u.npy', '-f', '--log', 'l.json',
                     '--plot', 'q.svg', *QUICK)
        rows = json.loads(self.read('l.json'))
        self.assertEqual(len(rows), 16)
        self.assertIsNone(rows[0]['psnr'])
        self.assertGreater(rows[0]['residual'], rows[-1]['residual'])
        self.assertNotIn('PSNR', self.read('q.svg').decode())


    def test_bart(self):
        """k-space, maps and image as .cfl give the values of NPY."""
        maps = [0.8] * len(self.image) + [0.6j] * len(self.image)
        coils = [v for s in (0.8, 0.6j) for v in
                 kspace_of([s * u for u in self.image], (WIDTH, HEIGHT))]
        for name, values in (('c', coils), ('s', maps)):
            self.write(name + '.npy', complex_npy((2, 1, HEIGHT, WIDTH), values))
            self.write(name + '.hdr', '# Dimensions\n%d %d 1 2\n' % (WIDTH, HEIGHT))
            self.write(name + '.cfl', self.read(name + '.npy')[-8 * len(values):])
        self.succeed('reconstruct', 'c.npy', '-m', 'm.npy', '--maps', 's.npy', '-o', 'u.npy', *QUICK)
        self.succeed('reconstruct', 'c.cfl', '-m', 'm.npy', '--maps', 's.cfl', '-o', 'u.cfl', *QUICK)
        self.assertEqual(self.read('u.hdr').decode().split('\n')[1].split()[:4],
                         [str(WIDTH), str(HEIGHT), '1', '1'])
        values = memoryview(self.read('u.cfl')).cast('f')
        self.assertEqual(len(values), 2 * WIDTH * HEIGHT)
        self.assert_same([complex(*pair) for pair in zip(values[::2], values[1::2])],
                         read_complex(self.read('u.npy')))
        # BART's name for both files, unless a file has this name.
        self.succeed('reconstruct', 'c', '-m', 'm.npy', '--maps', 's', '-o', 'w.cfl', *QUICK)
        self.assert_same(floats_of(self.read('w.cfl')), floats_of(self.read('u.cfl')))
        os.rename(self.path('s.hdr'), self.path('away.hdr'))
        self.refuse(FILE, 's.hdr: no such file', 'reconstruct', 'c', '-m', 'm.npy', '--maps', 's',
                    '-o', 'x.cfl')
        os.rename(self.path('away.hdr'), self.path('s.hdr'))
        self.write('s', 'text')
        self.refuse(FILE, 's: …', 'reconstruct', 'c', '-m', 'm.npy', '--maps', 's', '-o', 'x.cfl')
        self.refuse(FILE, 'none: no such file', 'reconstruct', 'none', '-m', 'm.npy', '-o', 'x.cfl')
        self.write('c.cfl', self.read('c.cfl')[:-8])
        self.refuse(FILE, '…c.cfl…', 'reconstruct', 'c.cfl', '-m', 'm.npy', '--maps', 's.cfl', '-o',
                    'x.cfl')


class Runs(ReconstructTest):
    def test_sigma(self):
        told = self.run_json('-m', 'm.npy', '-o', 'u.npy', '--sigma', '0.5', '--inner', '4')
        self.assertTrue(told['reached_sigma'] and told['finished'])
        self.assertLess(told['residual'], 0.5)
        self.assertLess(told['iterations'], told['most'])
        result = self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'w.npy', '--sigma',
                              '1e-9', *QUICK)
        self.assertIn('warning: --sigma 1e-09 was not reached', result.err)

    def test_goes_on(self):
        whole = self.values_of('--outer', '6')
        self.values_of('--outer', '2', '--resume', 'state')
        result = self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'u.npy', '-f',
                              '--inner', '4', '--outer', '6', '--resume', 'state')
        self.assertIn('state: resuming after 8 iterations', result.err)
        self.assert_same(read_complex(self.read('u.npy')), whole)

    def interrupt(self, *options):
        """Interrupts the program and returns its output."""
        command = [harness.PROGRAM, 'reconstruct', 'k.npy', '-m', 'm.npy', '--outer', '100000',
                   *options, '--json', '-v']
        with subprocess.Popen(command, cwd=self.directory, env=self.environment(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            # The signal handler is set before -v reports the first iteration.
            for line in run.stderr:
                if b'first iteration' in line:
                    break
            time.sleep(0.2)
            run.send_signal(signal.SIGINT)
            out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, INTERRUPTED)
        self.assertIn(b'interrupted after', err)
        told = json.loads(out)
        self.assertTrue(told['interrupted'] and not told['finished'])
        return told

    def test_interruption_stands_in_the_file(self):
        for name, begin in (('u.nii', 148), ('u.png', 0)):
            told = self.interrupt('-o', name)
            mark = b'reconstruct, interrupted after %d of ' % told['iterations']
            self.assertIn(mark, self.read(name)[begin:begin + 80 if begin else None])
        self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'w.nii', *QUICK)
        self.assertEqual(self.read('w.nii')[148:228].rstrip(b'\0'),
                         b'wavepass: reconstruct, ended after 16 of 16 iterations')

    def test_interrupted(self):
        loops = ('--inner', '5', '--threads', '1')
        told = self.interrupt('-o', 'u.npy', *loops, '--resume', 'state')
        self.assertEqual(len(read_complex(self.read('u.npy'))), WIDTH * HEIGHT)
        # To the end of the next outer iteration: as without the interruption.
        outer = str(told['iterations'] // 5 + 2)
        self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'u.npy', '-f', '--outer', outer,
                     *loops, '--resume', 'state')
        self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'w.npy', '--outer', outer,
                     *loops)
        self.assert_same(read_complex(self.read('u.npy')), read_complex(self.read('w.npy')))
        self.assertEqual(sorted(os.listdir(self.directory)),
                         ['k.npy', 'm.npy', 'state', 't.npy', 'u.npy', 'w.npy'])


class Head(ReconstructTest):
    """Tests with the head, if it is installed."""
    HEAD = '/usr/share/mricron/templates/ch2.nii.gz'

    def test_shifts_raise_haar_alone(self):
        if not os.path.exists(self.HEAD):
            self.skipTest('no %s (mricron-data)' % self.HEAD)
        for rate in ('4', '8'):
            self.succeed('undersample', self.HEAD, '--normalize', '--slice', '90', '--pad',
                         '192x224',
                         '--rate', rate, '--seed', '7', '-o', 'k.npy', '--mask-output', 'm.npy',
                         '--truth-output', 't.npy', '-f')
            # Cycle spinning needs a quarter of the iterations.
            still = self.run_json('-m', 'm.npy', '-o', 'u.npy', '--truth', 't.npy', '--wav', '1')
            spun = self.run_json('-m', 'm.npy', '-o', 'u.npy', '--truth', 't.npy', '--wav', '1',
                                 '--cycle-spinning', '--inner', '8')
            self.assertGreater(spun['psnr'] - still['psnr'], 3.5, rate)


class Refused(ReconstructTest):
    def no(self, code, message, *options, kspace='k.npy', **how):
        self.refuse(code, message, 'reconstruct', kspace, '-o', 'x.npy', *options, **how)

    def test_masks(self):
        self.write('small.npy', npy((HEIGHT, 4), [1] * (HEIGHT * 4), kind='|u1'))
        self.no(FILE, '…small.npy…', '-m', 'small.npy')
        self.write('zero.npy', npy((HEIGHT, WIDTH), [0] * len(self.image), kind='|u1'))
        self.no(FILE, '…zero.npy…', '-m', 'zero.npy')
        self.write('two.npy', npy((HEIGHT, WIDTH), [2] * len(self.image), kind='|u1'))
        self.no(FILE, '…two.npy…', '-m', 'two.npy')
        self.no(FILE, '…missing.npy…', '-m', 'missing.npy')

    def test_kspace(self):
        self.no(FILE, '…missing.npy…', '-m', 'm.npy', kspace='missing.npy')
        self.write('nan.npy', complex_npy((HEIGHT, WIDTH), [complex('nan')] + self.kspace[1:]))
        self.no(FILE, '…nan.npy…', '-m', 'm.npy', kspace='nan.npy')
        self.write('z.npy', complex_npy((HEIGHT, WIDTH), [0] * len(self.image)))
        self.no(FILE, 'z.npy: all samples are 0', kspace='z.npy')

    def test_options(self):
        for message, options in (
                ('…-1…', ('--tv', '-1')),
                ('…-1…', ('--wav', '-1')),
                ('…-1…', ('--mu', '-1')),
                ('…-1…', ('--lambda', '-1')),
                ('…-1…', ('--gamma', '-1')),
                ('…-1…', ('--sigma', '-1')),
                ('…nan…', ('--tv', 'nan')),
                ('…0…', ('--outer', '0')),
                ('the exact solution and cycle spinning exclude each other…', ('--exact',
                                                                               '--cycle-spinning')),
                ('the seed is for cycle spinning', ('--seed', '3')),
                ('--log l.txt: .json or .csv', ('--log', 'l.txt')),
                ('--template is for .nii…', ('--template', 't.npy')),
                ('--slice is for .png', ('--slice', '1')),
                ('…nosuch…', ('-w', 'nosuch'))):
            with self.subTest(options=options):
                self.no(USAGE, message, '-m', 'm.npy', *options)
        self.no(UNAVAILABLE, "backend 'glide' does not support reconstruction…", '-m', 'm.npy', '-b', 'glide')
        self.no(UNAVAILABLE, "backend 'cuda' is not available (…)", '-m', 'm.npy', '-b', 'cuda',
                env={'CUDA_VISIBLE_DEVICES': ''})
        self.refuse(USAGE, 'no output', 'reconstruct', 'k.npy', '-m', 'm.npy', hint='-o image.npy')
        self.refuse(USAGE, '-o needs the name of a file, not -', 'reconstruct', 'k.npy', '-m',
                    'm.npy', '-o', '-')
        self.refuse(USAGE, '--magnitude is for .npy; a .cfl is complex', 'reconstruct', 'k.npy',
                    '-m', 'm.npy', '-o', 'x.cfl', '--magnitude')

    def test_other_files(self):
        self.write('small.npy', npy((HEIGHT, 4), [1] * (HEIGHT * 4)))
        self.no(USAGE, 'small.npy is 4x16, and the k-space 24x16', '-m', 'm.npy', '--truth',
                'small.npy')
        self.write('state', b'something else')
        result = self.run_program('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'x.npy', '--resume',
                                  'state')
        self.assertEqual(result.code, USAGE)
        self.assertIn('the file is not a state of a reconstruction', result.err)
        self.values_of('--resume', 'good')
        result = self.run_program('reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'x.npy', '--resume',
                                  'good', '--mu', '7')
        self.assertEqual(result.code, USAGE)
        self.assertIn('other data or parameters', result.err)

    def test_nothing_is_overwritten(self):
        self.write('x.npy', b'mine')
        self.no(FILE, '…x.npy…', '-m', 'm.npy')
        self.write('l.csv', b'mine')
        self.refuse(FILE, '…l.csv…', 'reconstruct', 'k.npy', '-m', 'm.npy', '-o', 'u.npy',
                    '--log', 'l.csv')
