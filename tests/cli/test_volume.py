"""Volumes: files, levels along the third axis, groups of slices, and errors."""
import json
import os
import struct
import subprocess
import sys

from formats import nifti, npy, read_png
from harness import FILE, REFERENCE, ROOT, USAGE, CliTest

WIDTH, HEIGHT, DEPTH = 14, 10, 9
CPU = ('-b', 'cpu')


def values_of(data):
    length = struct.unpack('<H', data[8:10])[0]
    return struct.unpack('<%df' % ((len(data) - 10 - length) // 4), data[10 + length:])


def noise(count):
    state, out = 1, []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2 ** 32
        out.append((state >> 8) / 2 ** 24)
    return out


class VolumeTest(CliTest):
    def setUp(self):
        super().setUp()
        self.values = noise(WIDTH * HEIGHT * DEPTH)
        self.write('v.npy', npy((DEPTH, HEIGHT, WIDTH), self.values))

    def worst(self, name):
        got = values_of(self.read(name))
        self.assertEqual(len(got), len(self.values))
        return max(abs(a - b) for a, b in zip(got, self.values))

    def forward(self, *options):
        return self.succeed('forward', 'v.npy', '-o', 'c.npy', '-f', *options)


class RoundTrip(VolumeTest):
    def test_there_and_back(self):
        for options in ([], ['-w', 'haar'], ['-l', 'max'], ['--levels-z', '0'],
                        ['-l', '1', '--levels-z', '3'], ['--layout', 'mixed'], ['--gop', '4'],
                        ['--gop', '1'], ['--norm', 'orthonormal', '-w', 'cdf53'],
                        ['-l', '0', '--levels-z', '2'], ['--decomposition', 'spatial-temporal'],
                        ['--decomposition', 'spatial-temporal', '--gop', '4', '--layout', 'mixed'],
                        ['--decomposition', 'spatial-temporal', '-l', 'max']):
            for backend in (CPU, REFERENCE):
                with self.subTest(options=options, backend=backend):
                    self.forward(*options, *backend)
                    self.succeed('inverse', 'c.npy', '-o', 'b.npy', '-f', *backend)
                    self.assertLess(self.worst('b.npy'), 1e-5)

    def test_spatial_temporal_is_one_axis_after_the_others(self):
        self.forward(*CPU, '-l', '2', '--levels-z', '3', '--decomposition', 'spatial-temporal')
        together = self.read('c.npy')
        told = json.loads(self.read('c.npy.json'))
        self.assertEqual((told['decomposition'], told['levels'], told['levels_z']),
                         ('spatial-temporal', 2, 3))
        self.forward(*CPU, '-l', '2', '--levels-z', '0')
        self.succeed('forward', 'c.npy', '-o', 'd.npy', '-l', '0', '--levels-z', '3', *CPU)
        self.assertEqual(values_of(self.read('d.npy')), values_of(together))
        self.forward(*CPU, '-l', '2', '--levels-z', '3')
        self.assertNotEqual(values_of(self.read('c.npy')), values_of(together))

    def test_both_decompositions_are_one_at_one_level(self):
        self.forward(*CPU, '-l', '1', '--levels-z', '1')
        dyadic = self.read('c.npy')
        self.forward(*CPU, '-l', '1', '--levels-z', '1', '--decomposition', 'spatial-temporal')
        self.assertEqual(self.read('c.npy'), dyadic)

    def test_most_levels_of_one_number(self):
        for decomposition, wanted in (('dyadic', (4, 4)), ('spatial-temporal', (4, 4))):
            told = json.loads(self.forward('--json', *CPU, '-l', 'max', '--decomposition',
                                           decomposition).text())
            self.assertEqual((told['levels'], told['levels_z']), wanted)
        told = json.loads(self.forward('--json', *CPU, '-l', 'max', '--gop', '3',
                                       '--decomposition', 'spatial-temporal').text())
        self.assertEqual((told['levels'], told['levels_z'], told['decomposition']),
                         (2, 2, 'spatial-temporal'))

    def test_auto_takes_a_backend_that_can(self):
        result = self.forward('--json')
        self.assertNotIn('warning', result.err)
        image = json.loads(self.succeed('forward', 'pattern:noise:14x10', '-o', 'i.npy',
                                        '--json').text())
        told = json.loads(result.text())
        self.assertEqual(told['backend']['used'], image['backend']['used'])
        # By the fixed rule: measurements are only made for images.
        self.assertEqual(told['chosen_by'], 'fixed rule')

    def test_says_what_it_did(self):
        told = json.loads(self.forward('--check', '--json', *CPU, '--levels-z', '2', '--gop',
                                       '5').text())
        self.assertEqual((told['depth'], told['levels'], told['levels_z'], told['gop']),
                         (DEPTH, 3, 2, 5))
        self.assertLess(told['round_trip_max_error'], 1e-5)

    def test_description_names_what_images_have_not(self):
        self.forward(*CPU, '--gop', '4')
        told = json.loads(self.read('c.npy.json'))
        wanted = {'schema': 2, 'depth': DEPTH, 'levels': 3, 'levels_z': 2, 'gop': 4,
                  'decomposition': 'dyadic'}
        self.assertEqual({key: told[key] for key in wanted}, wanted)

    def test_one_slice_is_the_image(self):
        image = self.values[:WIDTH * HEIGHT]
        self.write('flat.npy', npy((HEIGHT, WIDTH), image))
        self.write('slice.npy', npy((1, HEIGHT, WIDTH), image))
        self.succeed('forward', 'flat.npy', '-o', 'flat.c.npy', *CPU)
        self.succeed('forward', 'slice.npy', '--volume', '-o', 'slice.c.npy', *CPU)
        self.assertEqual(values_of(self.read('flat.c.npy')), values_of(self.read('slice.c.npy')))

    def test_groups_are_volumes_by_themselves(self):
        self.forward(*CPU, '--gop', '4')
        together = values_of(self.read('c.npy'))
        plane = WIDTH * HEIGHT
        self.write('part.npy', npy((4, HEIGHT, WIDTH), self.values[4 * plane:8 * plane]))
        self.succeed('forward', 'part.npy', '-o', 'part.c.npy', *CPU)
        self.assertEqual(values_of(self.read('part.c.npy')), together[4 * plane:8 * plane])


class Pictures(VolumeTest):
    def test_a_panel_for_each_band_along_z(self):
        """Panels side by side with gaps of 8, nearly square; captions if there is space."""
        for z, columns, rows in ((1, 1, 2), (2, 2, 2), (4, 2, 3)):
            self.succeed('forward', 'pattern:shepp-logan:40x30x20', '--picture', 'p.png', '-f',
                         '-l', '2', '--levels-z', str(z), *CPU)
            width, height, planes = read_png(self.read('p.png'))[:3]
            self.assertEqual((width, height, planes),
                             (columns * 48 - 8, rows * 38 - 8, 1))
        for options in (('--decomposition', 'spatial-temporal'), ('--gop', '6'),
                        ('--layout', 'mixed'), ('-l', '0'), ('--no-labels',)):
            self.succeed('forward', 'pattern:shepp-logan:300x200x20', '--picture', 'p.png', '-f',
                         '-o', 'c.npy', *CPU, *options)
            labelled = read_png(self.read('p.png'))[1]
            self.assertEqual((labelled + 8) % 208 > 0, options != ('--no-labels',))

    def test_layouts_look_alike(self):
        for layout in ('mallat', 'mixed'):
            self.succeed('forward', 'pattern:shepp-logan:64x48x20', '--picture', layout + '.png',
                         '--layout', layout, *CPU)
        self.assertEqual(self.read('mallat.png'), self.read('mixed.png'))


    def test_script_shows_a_low_band_that_is_nearly_even(self):
        values = [0.5 + value / 1000 for value in noise(16 * 12 * 8)]
        self.write('even.npy', npy((8, 12, 16), values))
        script = os.path.join(ROOT, 'scripts', 'volume_pictures.py')
        for decomposition in ('dyadic', 'spatial-temporal'):
            self.succeed('forward', 'even.npy', '-o', 'c.npy', '-f', '-l', '2', '--levels-z', '1',
                         '--decomposition', decomposition, *CPU)
            subprocess.run([sys.executable, script, 'bands', 'c.npy', 'bands.png'], check=True,
                           cwd=self.directory)
            width, height, _, _, pixels = read_png(self.read('bands.png'))
            self.assertEqual((width, height), (2 * 16 + 6, 12))
            low = [pixels[y * width + x] for y in range(3) for x in range(4)]
            self.assertEqual((min(low), max(low)), (0, 255))


class Files(VolumeTest):
    def test_nifti_header(self):
        """All 352 bytes of the header: unspecified fields are 0."""
        samples = [float(i) for i in range(24)]
        self.write('v.npy', npy((2, 3, 4), samples))
        self.succeed('forward', 'v.npy', '--volume', '-w', 'haar', '-l', '1', '-o', 'c.npy', *CPU)
        self.succeed('inverse', 'c.npy', '-o', 'a.nii', *CPU)
        header = bytearray(352)
        struct.pack_into('<i', header, 0, 348)
        struct.pack_into('<8h', header, 40, 3, 4, 3, 2, 1, 1, 1, 1)
        struct.pack_into('<2h', header, 70, 16, 32)
        struct.pack_into('<4f', header, 76, 1, 1, 1, 1)
        struct.pack_into('<2f', header, 108, 352, 1)
        header[148:156] = b'wavepass'
        header[344:347] = b'n+1'
        self.assertEqual(self.read('a.nii')[:352].hex(), header.hex())
        self.assertEqual(len(self.read('a.nii')), 352 + 4 * len(samples))

    def test_nifti_keeps_its_geometry(self):
        self.succeed('forward', 'pattern:ball:12x10x6', '-o', 'c.npy', *CPU)
        self.succeed('inverse', 'c.npy', '-o', 'a.nii', *CPU)
        header = bytearray(self.read('a.nii'))
        header[76:92] = struct.pack('<4f', 1, 0.5, 0.75, 2)  # pixdim
        self.write('a.nii', bytes(header))
        self.succeed('forward', 'a.nii', '-o', 'd.npy', *CPU)
        self.assertEqual(json.loads(self.read('d.npy.json'))['voxel_size'], [0.5, 0.75, 2])
        self.succeed('inverse', 'd.npy', '-o', 'b.nii', *CPU)
        self.assertEqual(struct.unpack('<3f', self.read('b.nii')[80:92]), (0.5, 0.75, 2))

    def test_nifti_keeps_its_orientation(self):
        """Both transforms of a header and their codes are kept in the metadata."""
        samples = noise(12 * 10 * 6)
        quaternion, offset = (0.5, -0.25, 0.125), (-7.5, 3.25, 11)
        rows = ((0.5, 0.25, 0, -7), (-0.125, 0.75, 0.5, 3), (0, -0.25, 2, 11))
        for qfac, codes in ((-1, (1, 4)), (1, (2, 0)), (1, (0, 3))):
            self.write('a.nii', nifti(
                (12, 10, 6), samples, pixdim=[qfac, 0.5, 0.75, 2, 0, 0, 0, 0], units=2,
                qform=(codes[0], quaternion, offset), sform=(codes[1], rows)))
            self.succeed('forward', 'a.nii', '-o', 'd.npy', '-f', *CPU)
            self.succeed('inverse', 'd.npy', '-o', 'b.nii', '-f', *CPU)
            a, b = (self.read(name) for name in ('a.nii', 'b.nii'))
            with self.subTest(codes):
                self.assertEqual(b[76:92] + b[252:256], a[76:92] + a[252:256])  # pixdim, codes
                # Fields without a code are zero.
                for code, begin, end in zip(codes, (256, 280), (280, 328)):
                    self.assertEqual(b[begin:end], a[begin:end] if code else bytes(end - begin))

    def test_damaged_orientation(self):
        self.write('a.nii', nifti((12, 10, 6), [0.5] * 720, sform=(1, ((1, 0, 0, 0),) * 3)))
        self.succeed('forward', 'a.nii', '-o', 'd.npy', *CPU)
        told = json.loads(self.read('d.npy.json'))
        for member, value in (('qform_code', -1), ('sform_code', 1 << 16), ('quaternion', [1, 2]),
                              ('offset', 'x'), ('sform', [0.0] * 11)):
            changed = {**told, 'nifti': {**told['nifti'], member: value}}
            self.write('d.npy.json', json.dumps(changed))
            self.refuse(FILE, 'd.npy.json: …%s…' % member, 'inverse', 'd.npy', '-o', 'x.nii',
                        *CPU)

    def test_clip_keeps_its_rate(self):
        frame = bytes(range(48))
        self.write('a.y4m', b'YUV4MPEG2 W8 H6 F30000:1001 Ip A1:1 Cmono\n' +
                   b''.join(b'FRAME\n' + frame for _ in range(5)))
        self.succeed('forward', 'a.y4m', '-o', 'c.npy', '--gop', '4', *CPU)
        self.assertEqual(json.loads(self.read('c.npy.json'))['frame_rate'], [30000, 1001])
        self.succeed('inverse', 'c.npy', '-o', 'b.y4m', *CPU)
        self.assertIn(b'F30000:1001', self.read('b.y4m').split(b'\n')[0])

    def test_raw(self):
        self.write('v.raw', b'skip' + struct.pack('<%df' % len(self.values), *self.values))
        self.succeed('forward', 'v.raw', '--raw', '%dx%dx%d:f32le:4' % (WIDTH, HEIGHT, DEPTH),
                     '-o', 'raw.npy', *CPU)
        self.forward(*CPU)
        self.assertEqual(values_of(self.read('raw.npy')), values_of(self.read('c.npy')))
        self.refuse(FILE, 'v.raw: …', 'forward', 'v.raw', '--raw', '9x9x9:f32le', '-o', 'x.npy')
        self.refuse(USAGE, '…f31…', 'forward', 'v.raw', '--raw', '9x9x9:f31', '-o', 'x.npy')

    def test_short_last_axis(self):
        self.write('thin.npy', npy((6, 5, 3), self.values[:90]))
        self.succeed('forward', 'thin.npy', '-o', 'planes.npy', *REFERENCE)
        self.assertEqual(json.loads(self.read('planes.npy.json'))['planes'], 3)
        self.succeed('forward', 'thin.npy', '--volume', '-o', 'thin.c.npy', *REFERENCE)
        self.assertEqual(json.loads(self.read('thin.c.npy.json'))['depth'], 6)
        self.succeed('inverse', 'thin.c.npy', '-o', 'thin.b.npy', *REFERENCE)
        got = values_of(self.read('thin.b.npy'))
        self.assertLess(max(abs(a - b) for a, b in zip(got, self.values)), 1e-5)


class Refused(VolumeTest):
    def refuse_forward(self, message, *options, code=USAGE):
        with self.subTest(message):
            self.refuse(code, '…' + message + '…', 'forward', 'v.npy', '-o', 'x.npy', *options)

    def test_forward(self):
        self.refuse_forward('more along z than 9 slices have', '--levels-z', '5')
        self.refuse_forward('periodic borders need even sizes', '--border', 'periodic', '-l', '1',
                            '--levels-z', '1', *CPU)
        self.refuse_forward("'0' is not an integer from 1 to …", '--gop', '0')
        self.refuse_forward('more along z than 4 slices have', '--gop', '4', '--levels-z', '4')
        self.refuse_forward('0 levels leave a volume as it is', '-l', '0', '--levels-z', '0', *CPU)
        self.refuse_forward("unknown decomposition 'packet'", '--decomposition', 'packet')
        self.refuse_forward('more along z than 4 slices have', '-l', '3', '--levels-z', '3',
                            '--gop', '4', '--decomposition', 'spatial-temporal', *CPU)

    def test_an_image_has_no_third_axis(self):
        self.write('flat.npy', npy((HEIGHT, WIDTH), self.values[:WIDTH * HEIGHT]))
        self.refuse(USAGE, '…no levels along z…', 'forward', 'flat.npy', '-o', 'x.npy',
                    '--levels-z', '1', *CPU)

    def test_inverse(self):
        self.forward(*CPU, '--gop', '4')
        for option, value, told in (('--gop', '3', '4'), ('--levels-z', '1', '2'),
                                    ('--levels', '2', '3'), ('--levels', '0', '3'),
                                    ('--decomposition', 'spatial-temporal', 'dyadic')):
            with self.subTest(option):
                self.refuse(USAGE, "%s %s contradicts c.npy.json ('%s')" % (option, value, told),
                            'inverse', 'c.npy', '-o', 'b.npy', option, value)
        self.refuse(FILE, 'b.png cannot hold a volume (9 slices)', 'inverse', 'c.npy', '-o',
                    'b.png')

    def test_descriptions_that_do_not_fit(self):
        self.forward(*CPU)
        good = json.loads(self.read('c.npy.json'))
        for message, change in (('slices', {'depth': 8}), ('"depth"', {'depth': 1}),
                                ('"levels_z"', {'levels_z': -1}),
                                ('decomposition', {'decomposition': 'packet'}),
                                ('"voxel_size"', {'voxel_size': [1, 2]}),
                                ('"frame_rate"', {'frame_rate': [0, 0]}),
                                ('no levels', {'levels': 0, 'levels_z': 0}),
                                ('schema 7', {'schema': 7})):
            with self.subTest(message):
                self.write('c.npy.json', json.dumps({**good, **change}))
                self.refuse(FILE, '…' + message + '…', 'inverse', 'c.npy', '-o', 'b.npy')
