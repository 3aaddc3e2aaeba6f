"""--reversible: integers to integers and back, and the comparison with OpenJPEG."""
import json
import math
import os
import random
import shutil
import subprocess

import formats
from harness import CliTest, FILE, USAGE


def low_band(samples, width, planes, level, columns, rows):
    """The samples of LL after that number of levels, by rows."""
    def size(n):
        return -(-n // (1 << level))
    return [samples[(y * width + x) * planes + p]
            for y in range(size(rows)) for x in range(size(columns)) for p in range(planes)]


class RoundTrips(CliTest):
    """The output has the values and the type of the input."""

    def there_and_back(self, name, options=(), coefficients='c.npy', back='back.npy'):
        self.succeed('forward', name, '--reversible', '-l', 'max', '-o', coefficients, '-f',
                     *options)
        self.succeed('inverse', coefficients, '-o', back, '-f', *options)
        return self.read(back)

    def test_types(self):
        width, height = 37, 23
        for kind, least, most in (('u1', 0, 255), ('u2', 0, 65535), ('i1', -128, 127),
                                  ('i2', -32768, 32767), ('i4', -200000, 200000)):
            samples = [value + least for value in formats.noise(width * height, most - least)]
            name = self.write('in.npy', formats.npy((height, width), samples,
                                                    ('|' if kind[1] == '1' else '<') + kind))
            for backend in ('reference', 'cpu', 'fragment', 'compute'):
                with self.subTest(kind=kind, backend=backend):
                    got = self.there_and_back(name, ('-b', backend))
                    self.assertEqual(formats.read_npy_of(got), (kind, (height, width), samples))

    def test_backends_agree(self):
        width, height = 45, 58
        name = self.write('in.pgm', formats.pnm(width, height,
                                                formats.noise(width * height, 4095), 1, 4095))
        for wavelet in ('cdf53', 'haar', 'dd137', 'dd97'):
            files = {}
            for backend in ('reference', 'cpu', 'fragment', 'compute'):
                self.succeed('forward', name, '-w', wavelet, '--reversible', '-b', backend, '-o',
                             backend + '.npy', '-f')
                kind, _, files[backend] = formats.read_npy_of(self.read(backend + '.npy'))
                self.assertEqual(kind, 'i4')
            for backend, samples in files.items():
                self.assertEqual(samples, files['reference'], (wavelet, backend))

    def test_files(self):
        width, height = 31, 18
        samples = formats.noise(width * height * 4, 255)
        name = self.write('in.png', formats.png(width, height, samples, 4))
        got = self.there_and_back(name, coefficients='c.tiff', back='back.png')
        self.assertEqual(formats.read_png(got), (width, height, 4, 8, samples))
        kind, *_ = formats.read_tiff_of(self.read('c.tiff'))
        self.assertEqual(kind, 'i4')
        self.succeed('inverse', 'c.tiff', '-o', 'back.tiff')
        self.assertEqual(formats.read_tiff_of(self.read('back.tiff')),
                         ('u1', width, height, 4, samples))
        sixteen = formats.noise(width * height, 65535)
        name = self.write('in.png', formats.png(width, height, sixteen, 1, 16))
        got = self.there_and_back(name, back='back.png')
        self.assertEqual(formats.read_png(got), (width, height, 1, 16, sixteen))
        got = self.there_and_back('in.png', ('--layout', 'mixed'), back='back.tiff')
        self.assertEqual(formats.read_tiff_of(got), ('u2', width, height, 1, sixteen))

    def test_description(self):
        name = self.write('in.pgm', formats.pnm(16, 16, formats.noise(256, 255)))
        self.succeed('forward', name, '--reversible', '-o', 'c.npy')
        described = json.loads(self.read('c.npy.json'))
        self.assertIs(described['reversible'], True)
        self.assertEqual((described['stored'], described['wavelet']), ('u8', 'cdf53'))
        self.assertIn('reversible', self.succeed('info', 'c.npy').text())

    def test_round_trip_is_told(self):
        name = self.write('in.pgm', formats.pnm(16, 16, formats.noise(256, 255)))
        told = self.succeed('forward', name, '--reversible', '-o', 'c.npy', '--check', '--picture',
                            'p.png').err
        self.assertIn('round trip max|err| 0', told)
        self.assertEqual(len(set(formats.read_png(self.read('p.png'))[4])) > 8, True)

    def test_zeros_have_no_sign(self):
        """Zero has no sign as an integer, and the hash in the metadata matches the samples that are
        read back."""
        name = self.write('in.npy', formats.npy((8, 8), [0, 0, -1, 0] * 16, '<i2'))
        for backend in ('reference', 'cpu', 'fragment'):
            self.there_and_back(name, ('-b', backend))


class Refused(CliTest):
    def setUp(self):
        super().setUp()
        self.write('in.pgm', formats.pnm(16, 16, formats.noise(256, 255)))

    def test_wavelets(self):
        for name in ('db4', 'cdf97'):
            self.refuse(USAGE, "wavelet '%s' has no reversible form: its steps are scaled, or have "
                        'taps that are not whole numbers over a power of two' % name, 'forward',
                        'in.pgm', '-w', name, '--reversible', '-o', 'c.npy',
                        hint='these have one: haar, cdf53, dd137, …dd97…')

    def test_combinations(self):
        for options, message in (
                (('-s', 'ns-lift'), "scheme 'nonsep-lifting' is not reversible: …"),
                (('-s', 'sep-conv'), "scheme 'sep-convolution' is not reversible: …"),
                (('--norm', 'orthonormal'), "norm 'orthonormal' is not reversible: …"),
                (('--precision', 'f16'), "precision 'f16' is not reversible: …"),
                (('--gray',), '--gray makes fractions of integers, …'),
                (('-b', 'cpu', '--variant', 'smdwt'), '…round one by one…')):
            self.refuse(USAGE, message, 'forward', 'in.pgm', '--reversible', '-o', 'c.npy',
                        *options)

    def test_volumes(self):
        name = self.write('v.npy', formats.npy((8, 8, 8), formats.noise(512, 255), '|u1'))
        self.refuse(USAGE, 'volumes have no reversible transform: …', 'forward', name,
                    '--reversible', '-o', 'c.npy')

    def test_too_large(self):
        samples = [0] * 4095 + [4000000]
        name = self.write('in.npy', formats.npy((64, 64), samples, '<i4'))
        self.refuse(FILE, 'in.npy: samples from 0 to 4000000 are too large for 3 reversible levels '
                    'of cdf53, which are exact in floats from 0 to 1…', 'forward', name,
                    '--reversible', '-o', 'c.npy', hint='use fewer levels')
        name = self.write('in.npy', formats.npy((64, 64), [0] * 4095 + [1 << 25], '<i4'))
        self.refuse(FILE, 'in.npy: the sample in column 63, row 63, plane 0 is 33554432, too large '
                    'to be exact as a float', 'forward', name, '--reversible', '-o', 'c.npy')

    def test_what_is_promised_is_exact(self):
        """The largest accepted sample is restored, at every pixel the extremes of the range."""
        wide = formats.npy((64, 64), [0] * 4095 + [1 << 23], '<i4')
        told = self.run_program('forward', self.write('in.npy', wide), '--reversible', '-l', '6',
                                '-o', 'c.npy').err
        most = int(told.split(' 0 to ')[-1].split()[0])
        samples = [0 if (x + y) % 2 else most for y in range(64) for x in range(64)]
        for samples in (samples, formats.noise(4096, most)):
            name = self.write('in.npy', formats.npy((64, 64), samples, '<i4'))
            self.succeed('forward', name, '--reversible', '-l', '6', '-o', 'c.npy', '-f')
            self.succeed('inverse', 'c.npy', '-o', 'b.npy', '-f')
            self.assertEqual(formats.read_npy_of(self.read('b.npy'))[2], samples)

    def test_edit(self):
        self.succeed('forward', 'in.pgm', '--reversible', '-o', 'c.npy')
        self.refuse(USAGE,
                    'c.npy has the integers of a reversible transform, which cannot be edited',
                    'edit', 'c.npy', '--keep', '5', '-o', 'd.npy',
                    hint='wavepass forward without --reversible')

    def test_fractions(self):
        name = self.write('in.npy', formats.npy((4, 4), [1] * 6 + [2.5] + [1] * 9))
        self.refuse(FILE, 'in.npy: the sample in column 2, row 1, plane 0 is 2.5, which is not an '
                    'integer', 'forward', name, '--reversible', '-o', 'c.npy')
        self.write('in.npy', formats.npy((4, 4), [1] * 6 + [math.nan] + [1] * 9))
        self.refuse(FILE, 'in.npy: the sample in column 2, row 1, plane 0 is nan, which is not an '
                    'integer', 'forward', name, '--reversible', '-o', 'c.npy')

    def test_inverse(self):
        self.succeed('forward', 'in.pgm', '--reversible', '-o', 'c.npy')
        kind, shape, samples = formats.read_npy_of(self.read('c.npy'))
        self.write('c.npy', formats.npy(shape, [n + 0.5 for n in samples]))
        self.refuse(FILE, 'c.npy: the sample in column 0, row 0, plane 0 is … which is not an '
                    'integer', 'inverse', 'c.npy', '-o', 'b.npy', '--ignore-changes')
        self.write('c.npy', formats.npy(shape, [n + 1000 for n in samples], '<' + kind))
        self.refuse(FILE, 'b.npy: the sample in column … too large for its type', 'inverse', 'c.npy',
                    '-o', 'b.npy', '--ignore-changes')
        self.succeed('forward', 'in.pgm', '-w', 'cdf53', '-o', 'd.npy')
        self.refuse(USAGE, '--reversible contradicts d.npy.json: …', 'inverse', 'd.npy',
                    '--reversible', '-o', 'b.npy')


class Tools(CliTest):
    """The commands that analyze transforms support --reversible."""

    def test_verify(self):
        told = self.succeed('verify', '--reversible', '-b', 'cpu,reference').text()
        self.assertNotIn('any scheme', told)
        self.assertIn('Steps round\nto integers, which must be identical.', told)
        self.assertRegex(told, r'dd97 +sep-lifting +pass 0.0e\+00 +pass 0.0e\+00')
        self.assertNotIn('cdf97', told)
        self.assertIn(' 0 failed, ', told)
        self.refuse(USAGE, "wavelet 'cdf97' has no reversible form: …", 'verify', '--reversible',
                    '-w', 'cdf53,cdf97')
        self.refuse(USAGE, "norm 'orthonormal' is not reversible: …", 'verify', '--reversible',
                    '--norm', 'orthonormal')

    def test_bench(self):
        rows = json.loads(self.succeed(
            'bench', '-w', 'cdf53,cdf97', '-b', 'cpu,reference', '--reversible', 'no,yes', '-s',
            'sep-lift', '--size', '40', '--runs', '2', '--no-ceilings', '--no-transfers', '--json',
            '-').out)['rows']
        rounded = [row for row in rows if row['form'] == 'reversible']
        self.assertEqual({(row['backend'], row['wavelet']) for row in rounded},
                         {('cpu', 'cdf53'), ('reference', 'cdf53')})
        self.assertEqual({(row['max_abs_err'], row['verified']) for row in rounded}, {(0, True)})
        self.assertEqual(len(rows), 6)
        self.refuse(USAGE, "nothing to measure (wavelet 'cdf97' has no reversible form)",
                    'bench', '-b', 'cpu', '--reversible', 'yes', '--size', '40')

    def test_explain(self):
        told = self.succeed('explain', '--reversible').text()
        self.assertIn('cdf53/sep-lifting/reversible, forward', told)
        self.assertIn('added 0.5 in T(1), 0.5 in S(1).', told)
        self.assertLess(told.index('T^V_P(1)'), told.index('T^H_P(1)'))
        told = self.succeed('explain', 'haar', '--reversible', '--show', 'glsl', '--inverse').text()
        self.assertEqual(told.count('floor('), 8)
        self.refuse(USAGE, "scheme 'nonsep-lifting' is not reversible: …", 'explain',
                    'cdf53/ns-lift', '--reversible')
        self.refuse(USAGE, '--reversible is not for --show ops', 'explain', 'cdf53', '--reversible',
                    '--show', 'ops')


class OpenJpeg(CliTest):
    """LL of every level of lossless streams is bit-identical."""

    LEVELS = 5

    def setUp(self):
        super().setUp()
        for tool in ('opj_compress', 'opj_decompress'):
            if not shutil.which(tool):
                self.skipTest('%s is not here (libopenjp2-tools)' % tool)

    def run_tool(self, *command):
        done = subprocess.run(command, cwd=self.directory, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, '%s\n%s%s' % (command, done.stdout, done.stderr))

    def read_pnm(self, name):
        data = self.read(name)
        fields, at = [], 0
        while len(fields) < 4:
            end = at
            while not data[end:end + 1].isspace():
                end += 1
            if data[at:at + 1] == b'#':
                end = data.index(b'\n', at)
            elif end > at:
                fields.append(data[at:end])
            at = end + 1
        width, height, most = (int(field) for field in fields[1:])
        size = 2 if most > 255 else 1
        body = data[at:]
        return width, height, [int.from_bytes(body[i:i + size], 'big')
                               for i in range(0, len(body), size)]

    def check_image(self, width, height, planes, most, value, backend):
        """The values avoid both ends of the range, because opj_decompress clamps there."""
        samples = [max(most // 4, min(3 * most // 4, value(x, y, p)))
                   for y in range(height) for x in range(width) for p in range(planes)]
        source = self.write('in.pgm' if planes == 1 else 'in.ppm',
                            formats.pnm(width, height, samples, planes, most))
        self.run_tool('opj_compress', '-i', source, '-o', 'in.j2k', '-n', str(self.LEVELS + 1),
                      *(('-mct', '0') if planes > 1 else ()))
        for level in range(1, self.LEVELS + 1):
            target = 'ow' + os.path.splitext(source)[1]
            self.run_tool('opj_decompress', '-i', 'in.j2k', '-o', target, '-r', str(level))
            columns, rows, theirs = self.read_pnm(target)
            self.succeed('forward', source, '--reversible', '-l', str(level), '-b', backend, '-o',
                         'c.npy', '-f')
            _, _, ours = formats.read_npy_of(self.read('c.npy'))
            ours = low_band(ours, width, planes, level, width, height)
            self.assertEqual((columns, rows), (-(-width >> level), -(-height >> level)))
            self.assertTrue(0 < min(ours) and max(ours) < most, 'clamped')
            self.assertEqual(ours, theirs, 'level %d of %dx%d' % (level, width, height))

    def test_gray(self):
        noise = random.Random(3)
        images = (
            (97, 65, 255, lambda x, y, p: noise.randint(0, 255)),
            (128, 96, 255, lambda x, y, p: (x * x + y * y) // 40 % 256),
            (131, 255, 4095, lambda x, y, p: int(2048 + 1500 * math.sin(x * y / 60.0))),
            (99, 70, 65535, lambda x, y, p: noise.randint(0, 65535)),
        )
        for width, height, most, value in images:
            for backend in ('reference', 'cpu'):
                with self.subTest(width=width, height=height, backend=backend):
                    self.check_image(width, height, 1, most, value, backend)

    def test_colour(self):
        noise = random.Random(4)
        for backend in ('reference', 'cpu'):
            self.check_image(101, 77, 3, 255, lambda x, y, p: x * (p + 1) + noise.randint(0, 90),
                             backend)

    def test_a_difference_is_found(self):
        """Another wavelet than that of the standard fails."""
        noise = random.Random(5)
        succeed = self.succeed
        self.succeed = lambda *given, **how: succeed(*given, '-w', 'dd97', **how)
        with self.assertRaisesRegex(AssertionError, 'level 1 of 97x65'):
            self.check_image(97, 65, 1, 255, lambda x, y, p: noise.randint(0, 255), 'cpu')
