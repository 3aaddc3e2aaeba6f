"""inverse --region: the bits of that part of the complete image, from few tiles."""
import json
import os
import random
import struct

import formats
from harness import FILE, USAGE, CliTest

CPU = ('-b', 'cpu')


def level_size(size, level):
    return -(-size // (1 << level))


class RegionTest(CliTest):
    def refuse(self, code, message, *arguments, **how):
        return super().refuse(code, '…%s…' % message, *arguments, **how)

    def forward(self, image, name, *options):
        self.succeed('forward', image, '-o', name, '-f', *CPU, *options)

    def rows(self, name):
        """(height, rows), with the pixels of each row as bytes."""
        shape, _ = formats.read_npy(self.read(name))
        body = self.read(name)[-4 * shape[0] * shape[1] * (shape[2] if len(shape) > 2 else 1):]
        row = len(body) // shape[0]
        return shape, [body[i * row:(i + 1) * row] for i in range(shape[0])]

    def check(self, name, level, region, whole):
        shape, rows = whole
        x, y, w, h = region
        self.succeed('inverse', name, '-o', 'r.npy', '-f', '--region', '%d,%d,%d,%d' % region,
                     '--level', str(level))
        part_shape, part = self.rows('r.npy')
        pixel = len(rows[0]) // shape[1]
        self.assertEqual(part_shape[:2], (h, w))
        self.assertEqual(part, [row[x * pixel:(x + w) * pixel] for row in rows[y:y + h]],
                         (name, level, region))

    def regions(self, width, height, draw):
        """Regions at corners and sides, the complete image, single samples, and random ones."""
        yield 0, 0, width, height
        yield 0, 0, 1, 1
        yield width - 1, height - 1, 1, 1
        for _ in range(4):
            x, y = draw.randrange(width), draw.randrange(height)
            yield x, y, draw.randint(1, width - x), draw.randint(1, height - y)


class Exact(RegionTest):
    def low(self, name, level, size):
        """A level of the image: the low-pass subband of a transform with that number of levels."""
        self.succeed('inverse', name, '-o', 'l.npy', '-f', '--level', str(level))
        shape, rows = self.rows('l.npy')
        self.assertEqual(shape[:2], (level_size(size[1], level), level_size(size[0], level)))
        return shape, rows

    def compare(self, image, size, *options, tile='16'):
        draw = random.Random(str((image, options)))
        self.forward(image, 'c.tif', *options, '--tile', tile)
        self.forward(image, 'c.npy', *options)
        self.succeed('inverse', 'c.npy', '-o', 'i.npy', '-f', *CPU)
        whole = self.rows('i.npy')
        for name in ('c.tif', 'c.npy'):
            for region in self.regions(size[0], size[1], draw):
                self.check(name, 0, region, whole)
        levels = json.loads(self.read('c.tif.json'))['levels']
        for level in range(1, levels + 1):
            low = self.low('c.tif', level, size)
            if not {'--reversible', '-w'} & set(options) and '-l' in options:
                # The low-pass band, computed with another number of levels.
                self.forward(image, 'd.npy', *options, '-l', str(level))
                _, mallat = self.rows('d.npy')
                pixel = len(low[1][0]) // low[0][1]
                wanted = [row[:low[0][1] * pixel] for row in mallat[:low[0][0]]]
                for got, row in zip(low[1], wanted):
                    for a, b in zip(struct.iter_unpack('<f', got), struct.iter_unpack('<f', row)):
                        self.assertAlmostEqual(a[0], b[0], delta=1e-5 * 2 ** level)
            for region in self.regions(low[0][1], low[0][0], draw):
                self.check('c.tif', level, region, low)

    def test_wavelets(self):
        for wavelet in ('haar', 'cdf53', 'cdf97', 'dd137'):
            self.compare('pattern:noise:101x75', (101, 75), '-w', wavelet, '-l', '3')

    def test_borders_and_norms(self):
        for options in (('--border', 'periodic', '-l', '3'),
                        ('--border', 'periodic', '-w', 'db4', '-l', '4'),
                        ('--norm', 'orthonormal', '-l', '2'), ('--norm', 'none', '-l', '2')):
            self.compare('pattern:noise:112x80', (112, 80), *options)

    def test_small_and_deep(self):
        for size in ((1, 40), (37, 1), (1, 1), (3, 2), (33, 17)):
            self.compare('pattern:noise:%dx%d' % size, size, '-l', 'max')

    def test_many_tiles(self):
        self.compare('pattern:noise:901x533', (901, 533), '-l', '5', tile='32')

    def test_planes(self):
        self.write('rgb.ppm', formats.pnm(61, 43, formats.noise(61 * 43 * 3, 255), 3))
        self.write('rgba.png', formats.png(61, 43, formats.noise(61 * 43 * 4, 255), 4))
        self.compare('rgb.ppm', (61, 43))
        self.forward('rgba.png', 'c.tif', '--tile', '16')
        self.succeed('inverse', 'c.tif', '-o', 'i.npy', '-f', *CPU)
        self.check('c.tif', 0, (7, 9, 30, 20), self.rows('i.npy'))
        told = self.succeed('inverse', 'c.tif', '-o', 'l.npy', '-f', '--level', '1')
        self.assertIn('alpha has no levels and is omitted', told.err)
        self.assertEqual(self.rows('l.npy')[0], (22, 31, 3))

    def test_integers(self):
        self.write('a.pgm', formats.pnm(61, 43, formats.noise(61 * 43, 255)))
        self.forward('a.pgm', 'c.tif', '--tile', '16', '--reversible')
        self.succeed('inverse', 'c.tif', '-o', 'r.png', '--region', '5,7,20,30')
        self.succeed('inverse', 'c.tif', '-o', 'i.png', *CPU)
        part, whole = formats.read_png(self.read('r.png')), formats.read_png(self.read('i.png'))
        self.assertEqual(part[:2], (20, 30))
        self.assertEqual(list(part[-1]), [whole[-1][y * 61 + x] for y in range(7, 37)
                                          for x in range(5, 25)])


class Work(RegionTest):
    def test_reads_what_it_needs(self):
        """The numbers of tiles and bytes that are read are proportional to the region."""
        self.forward('pattern:noise:2048x2048', 'c.tif', '--tile', '64', '-l', '3')
        size = os.path.getsize(self.path('c.tif'))
        how = ('inverse', 'c.tif', '-o', 'r.npy', '-f', '--json', '--region')
        told = json.loads(self.succeed(*how, '1000,1000,100,100').text())
        # A region of 1 + 100/2 + 2 (2 + 1) samples overlaps 2 tiles per axis, and so on.
        self.assertLessEqual(told['tiles'], 9 * 4 + 4)
        self.assertLess(told['bytes'], size / 20)
        self.assertEqual(told['region'], {'level': 0, 'x': 1000, 'y': 1000, 'width': 100,
                                          'height': 100})
        larger = json.loads(self.succeed(*how, '0,0,2048,1024').text())
        self.assertLess(larger['bytes'], size * 0.6)
        self.assertGreater(larger['bytes'], size * 0.45)
        low = json.loads(self.succeed('inverse', 'c.tif', '-o', 'l.npy', '--level', '3',
                                      '--json').text())
        self.assertEqual(low['tiles'], 16)
        self.assertLess(low['bytes'], size / 40)
        told = self.succeed(*how[:4], '-f', '--region', '0,0,64,64')
        self.assertRegex(told.err, r'region 0,0,64,64 of level 0 of 2048x2048, cpu, .* ms, '
                         r'\d+ tiles, \d.\d MB read')


class Refused(RegionTest):
    def setUp(self):
        super().setUp()
        self.forward('pattern:noise:64x48', 'c.tif', '--tile', '16')

    def region(self, code, message, region, *options, name='c.tif'):
        self.refuse(code, message, 'inverse', name, '-o', 'r.npy', '--region', region, *options)

    def test_regions(self):
        for text in ('', '1', '1,2,3', '1,2,3,4,', '1,2,3,4,5', '-1,0,5,5', 'a,0,5,5', '0,0,0,5',
                     '0,0,5,0', '+1,0,5,5', ' 1,0,5,5', '1.5,0,5,5', '0x1,0,5,5',
                     '9999999999,0,5,5'):
            with self.subTest(text):
                self.region(USAGE, '--region', text)
        for text, level in (('0,0,65,48', 0), ('0,0,64,49', 0), ('64,0,1,1', 0), ('0,48,1,1', 0),
                            ('0,0,33,1', 1), ('0,0,9,1', 3), ('999999999,0,999999999,1', 0)):
            with self.subTest(text):
                self.region(USAGE, 'is not within the', text, '--level', str(level))
        self.region(USAGE, 'there is no level 4 (the coefficients have 3 levels)', '0,0,1,1', '--level', '4')

    def test_what_has_none(self):
        self.succeed('forward', 'pattern:noise:64x48', '-o', 'c.npz', *CPU)
        self.succeed('forward', 'pattern:noise:64x48', '-o', 'plain.tif', *CPU)
        self.succeed('forward', 'pattern:noise:64x48', '-o', 'm.npy', '--layout', 'mixed', *CPU)
        self.region(USAGE, '.npz files are read as a whole', '0,0,1,1', name='c.npz')
        self.region(USAGE, 'in TIFF strips', '0,0,1,1', name='plain.tif')
        self.region(USAGE, 'its layout is mixed', '0,0,1,1', name='m.npy')
        self.region(USAGE, 'it is not a file', '0,0,1,1', name='-')
        os.unlink(self.path('m.npy.json'))
        self.region(USAGE, 'it has no metadata file', '0,0,1,1', name='m.npy')

    def test_options(self):
        self.region(USAGE, '--backend reference: a region', '0,0,1,1', '-b', 'reference')
        self.region(USAGE, '--scheme', '0,0,1,1', '-s', 'sep-lifting')
        self.region(USAGE, '--wavelet haar contradicts', '0,0,1,1', '-w', 'haar')
        self.region(USAGE, '--raw', '0,0,1,1', '--raw', '8x8:u8')
        os.mkdir(self.path('out'))
        self.refuse(USAGE, 'for one file', 'inverse', 'c.tif', '-o', 'out/', '--level', '1')

    def test_damage(self):
        """Tiles outside the region may be damaged."""
        data = self.read('c.tif')
        self.succeed('inverse', 'c.tif', '-o', 'a.npy', '--region', '0,0,5,5')
        import test_tiles
        page = test_tiles.pages(data)[-1]
        last = page['offsets'][-1]
        self.write('c.tif', data[:last + 5])
        self.succeed('inverse', 'c.tif', '-o', 'b.npy', '--region', '0,0,5,5')
        self.assertEqual(self.read('a.npy'), self.read('b.npy'))
        self.region(FILE, 'truncated (needs %d bytes, has %d)' % (len(data), last + 5),
                    '50,40,14,8')
