"""Coefficients in tiles: a BigTIFF with one page per subband, and its metadata."""
import json
import os
import resource
import struct

import formats
from harness import FILE, USAGE, CliTest

CPU = ('-b', 'cpu')
TAGS = {256: 'width', 257: 'height', 258: 'bits', 259: 'compression', 277: 'planes', 284: 'planar',
        285: 'name', 322: 'columns', 323: 'rows', 324: 'offsets', 325: 'counts', 339: 'format'}
TYPES = {2: 's', 3: 'H', 4: 'I', 16: 'Q'}


def pages(data):
    """The directories of a little-endian BigTIFF."""
    assert data[:8] == b'II\x2b\0\x08\0\0\0'
    at, = struct.unpack_from('<Q', data, 8)
    found = []
    while at:
        count, = struct.unpack_from('<Q', data, at)
        page = {}
        for i in range(count):
            tag, kind, values, place = struct.unpack_from('<HHQQ', data, at + 8 + 20 * i)
            if tag not in TAGS:
                continue
            form = '%d%s' % (values, TYPES[kind])
            where = at + 8 + 20 * i + 12 if struct.calcsize('<' + form) <= 8 else place
            page[TAGS[tag]] = struct.unpack_from('<' + form, data, where)
        page = {name: value if name in ('offsets', 'counts') else value[0]
                for name, value in page.items()}
        page['name'] = page['name'].rstrip(b'\0').decode()
        found.append(page)
        at, = struct.unpack_from('<Q', data, at + 8 + 20 * count)
    return found


def samples(data, page, plane=0):
    """The rows of a plane from uncompressed tiles."""
    across = -(-page['width'] // page['columns'])
    down = -(-page['height'] // page['rows'])
    size = page['columns'] * page['rows']
    rows = [[0.0] * (across * page['columns']) for _ in range(down * page['rows'])]
    for i in range(across * down):
        tile = struct.unpack_from('<%df' % size, data, page['offsets'][plane * across * down + i])
        for y in range(page['rows']):
            x = i % across * page['columns']
            rows[i // across * page['rows'] + y][x:x + page['columns']] = \
                tile[y * page['columns']:(y + 1) * page['columns']]
    return [row[:page['width']] for row in rows[:page['height']]]


class TilesTest(CliTest):
    def refuse(self, code, message, *arguments, **how):
        return super().refuse(code, '…%s…' % message, *arguments, **how)

    def forward(self, image, name, *options):
        self.succeed('forward', image, '-o', name, '-f', *CPU, *options)

    def inverse(self, name, *options):
        self.succeed('inverse', name, '-o', 'i.npy', '-f', *CPU, *options)
        return self.read('i.npy')


class Contents(TilesTest):
    def test_pages(self):
        """Every sample is at the position that the page's name and its tiles define."""
        self.forward('pattern:noise:75x53', 'c.npy', '-l', '2')
        self.forward('pattern:noise:75x53', 'c.tif', '-l', '2', '--tile', '16')
        shape, mallat = formats.read_npy(self.read('c.npy'))
        self.assertEqual(shape, (53, 75))
        found = pages(self.read('c.tif'))
        self.assertEqual([page['name'] for page in found],
                         ['LL2', 'HL2', 'LH2', 'HH2', 'HL1', 'LH1', 'HH1'])
        for page in found:
            w, h = ((38, 27), (19, 14))[int(page['name'][2]) - 1]
            before = ((75, 53), (38, 27))[int(page['name'][2]) - 1]
            x = w if page['name'][0] == 'H' else 0
            y = h if page['name'][1] == 'H' else 0
            size = (before[0] - w if x else w, before[1] - h if y else h)
            self.assertEqual((page['width'], page['height']), size)
            self.assertEqual((page['columns'], page['rows'], page['format']), (16, 16, 3))
            self.assertEqual(samples(self.read('c.tif'), page),
                             [mallat[(y + j) * 75 + x:][:size[0]] for j in range(size[1])])

    def test_same_image(self):
        self.write('rgb.ppm', formats.pnm(90, 71, formats.noise(90 * 71 * 3, 255), 3))
        self.write('rgba.png', formats.png(37, 50, formats.noise(37 * 50 * 4, 255), 4))
        for image in ('pattern:noise:203x130', 'pattern:noise:1x70', 'pattern:noise:130x1',
                      'pattern:noise:1x1', 'rgb.ppm', 'rgba.png'):
            for options in ((), ('-w', 'cdf53', '-l', 'max'), ('--norm', 'orthonormal')):
                for tile in ('16', '64', '256'):
                    with self.subTest('%s %s %s' % (image, options, tile)):
                        self.forward(image, 'c.npy', *options)
                        self.forward(image, 'c.tiff', *options, '--tile', tile, '--compression',
                                     'deflate' if tile == '16' else 'none')
                        self.assertEqual(self.inverse('c.tiff'), self.inverse('c.npy'))

    def test_periodic(self):
        for wavelet in ('cdf97', 'db4'):
            how = ('-w', wavelet, '--border', 'periodic', '-l', '3')
            self.forward('pattern:noise:208x128', 'c.npy', *how)
            self.forward('pattern:noise:208x128', 'c.tiff', *how, '--tile', '32')
            self.assertEqual(self.inverse('c.tiff'), self.inverse('c.npy'))

    def test_integers(self):
        self.write('a.pgm', formats.pnm(90, 71, formats.noise(90 * 71, 255)))
        self.forward('a.pgm', 'c.tiff', '--reversible', '--tile', '32')
        self.assertEqual({page['format'] for page in pages(self.read('c.tiff'))}, {2})
        self.succeed('inverse', 'c.tiff', '-o', 'b.png', *CPU)
        self.succeed('compare', 'a.pgm', 'b.png', '--tol', '0')

    def test_others_read_them(self):
        self.forward('pattern:noise:75x53', 'c.npy')
        self.forward('pattern:noise:75x53', 'c.tiff', '--tile', '32')
        self.succeed('compare', 'c.npy', 'c.tiff', '--tol', '0')
        told = json.loads(self.succeed('info', 'c.tiff', '--json').text())
        self.assertEqual((told['width'], told['height'], told['kind']), (75, 53, 'image'))
        self.succeed('edit', 'c.npy', '--keep', '5', '-o', 'e.npy')
        self.succeed('edit', 'c.tiff', '--keep', '5', '-o', 'e.tiff')
        self.assertEqual(pages(self.read('e.tiff'))[0]['columns'], 32)
        self.assertEqual(self.inverse('e.tiff'), self.inverse('e.npy'))

    def test_backend_of_its_own(self):
        self.forward('pattern:noise:75x53', 'c.tif', '--tile', '16', '-b', 'auto')
        self.inverse('c.tif', '-b', 'auto')

    def test_folder(self):
        os.mkdir(self.path('out'))
        self.write('a.pgm', formats.pnm(30, 20, formats.noise(600, 255)))
        self.succeed('forward', 'a.pgm', '-o', 'out/', '--suffix', '.tiff', '--tile', '16', *CPU)
        self.assertEqual(len(pages(self.read('out/a.tiff'))), 10)


class Refused(TilesTest):
    def test_options(self):
        image = 'pattern:noise:20x16'
        self.refuse(USAGE, '--tile is for a .tiff', 'forward', image, '-o', 'c.npy', '--tile', '16')
        self.refuse(USAGE, 'not a multiple of 16', 'forward', image, '-o', 'c.tif', '--tile', '40',
                    hint='48')
        self.refuse(USAGE, '--compression is for tiles', 'forward', image, '-o', 'c.tif',
                    '--compression', 'deflate')
        self.refuse(USAGE, '--layout mixed has all subbands in one', 'forward', image, '-o', 'c.tif',
                    '--tile', '16', '--layout', 'mixed')
        self.refuse(USAGE, 'is a volume', 'forward', 'pattern:ball:8x8x8', '-o', 'c.tif', '--tile',
                    '16')

    def test_damage(self):
        """Truncated files of any length, and changed samples, give one error and no output."""
        self.forward('pattern:noise:75x53', 'c.tif', '--tile', '16', '--compression', 'deflate')
        good = self.read('c.tif')
        for size in range(0, len(good), len(good) // 40):
            self.write('c.tif', good[:size])
            self.refuse(FILE, 'c.tif', 'inverse', 'c.tif', '-o', 'i.npy', *CPU)
        page = pages(good)[6]
        self.write('c.tif', good[:page['offsets'][0] + 9] + b'\x55' +
                   good[page['offsets'][0] + 10:])
        self.refuse(FILE, 'damaged TIFF', 'inverse', 'c.tif', '-o', 'i.npy', *CPU)
        result = self.run_program('inverse', 'c.tif', '-o', 'i.npy', *CPU)
        self.assertRegex(result.err, r'damaged TIFF \(\w', "in libtiff's words")

    def test_pages_of_another_kind(self):
        """Pages of other programs: a tag in the first directory has another value."""
        self.write('a.ppm', formats.pnm(75, 53, formats.noise(75 * 53 * 3, 255), 3))
        kind = 'samples are not 32-bit floats or integers'
        planes = 'channels are interleaved or too many'
        for image, tag, value, message in (
                ('pattern:noise:75x53', 258, 16, kind), ('pattern:noise:75x53', 258, 64, kind),
                ('pattern:noise:75x53', 339, 1, kind), ('pattern:noise:75x53', 277, 33, planes),
                ('a.ppm', 284, 1, planes), ('pattern:noise:75x53', 285, 0, 'it has no name')):
            self.forward(image, 'c.tif', '--tile', '16', '-l', '1')
            data = bytearray(self.read('c.tif'))
            at, = struct.unpack_from('<Q', data, 8)
            count, = struct.unpack_from('<Q', data, at)
            place = next(entry for entry in range(at + 8, at + 8 + 20 * count, 20)
                         if struct.unpack_from('<H', data, entry)[0] == tag)
            struct.pack_into('<H', data, place + 12, value)
            self.write('c.tif', bytes(data))
            with self.subTest(tag=tag, value=value):
                self.refuse(FILE, 'page 1 of the TIFF has no tiles of coefficients (%s)' %
                            message, 'inverse', 'c.tif', '-o', 'i.npy', *CPU)

    def test_strips(self):
        self.forward('pattern:noise:75x53', 'c.tif', '--tile', '16')
        self.write('c.tif', formats.tiff(75, 53, [0.5] * (75 * 53)))
        self.refuse(FILE, 'page 1 of the TIFF has no tiles of coefficients (it has strips)',
                    'inverse', 'c.tif', '-o', 'i.npy', *CPU)

    def test_other_pairs(self):
        self.forward('pattern:noise:75x53', 'c.tif', '--tile', '16')
        self.forward('pattern:text:75x53', 'd.tif', '--tile', '16')
        self.forward('pattern:text:75x53', 'e.tif', '--tile', '16', '-l', '2')
        description = self.read('c.tif.json')
        self.write('d.tif.json', description)
        self.write('e.tif.json', description)
        self.refuse(FILE, 'd.tif.json describes other coefficients', 'inverse', 'd.tif', '-o',
                    'i.npy', *CPU)
        self.inverse('d.tif', '--ignore-changes')
        self.refuse(FILE, 'e.tif has 7 pages, but its metadata has 10 subbands', 'inverse', 'e.tif',
                    '-o', 'j.npy', *CPU)
        os.unlink(self.path('c.tif.json'))
        self.refuse(FILE, 'page 2 has another format', 'inverse', 'c.tif', '-l', '3', '-o', 'j.npy',
                    *CPU)
        self.write('c.tif.json', description.replace(b'"tile": 16', b'"tile": 7'))
        self.refuse(FILE, '"tile" is invalid', 'inverse', 'c.tif', '-o', 'j.npy', *CPU)

    def test_tiles_of_another_size(self):
        """Another program may use tiles of another size."""
        self.forward('pattern:noise:75x53', 'c.tif', '--tile', '16')
        self.forward('pattern:noise:75x53', 'd.tif', '--tile', '32')
        wanted = self.inverse('c.tif')
        self.write('d.tif.json', self.read('c.tif.json'))
        self.assertEqual(self.inverse('d.tif'), wanted)

    def test_disk_that_fills(self):
        """A disk that fills at any time leaves no file, and the error names the reason."""
        self.forward('pattern:noise:150x100', 'c.tif', '--tile', '16')
        whole = len(self.read('c.tif'))
        os.unlink(self.path('c.tif'))
        os.unlink(self.path('c.tif.json'))
        for part in range(1, 10):
            self.refuse(FILE, 'cannot write c.tif…File too large', 'forward',
                        'pattern:noise:150x100', '-o', 'c.tif', '--tile', '16', *CPU,
                        limits=((resource.RLIMIT_FSIZE, whole * part // 10),))
