"""Files that compare and info read by rows: the results of reading them completely."""
import json

import formats
import test_tiles
from harness import FILE, MISMATCH, TOO_LARGE, USAGE, CliTest

CPU = ('-b', 'cpu')


class LinesTest(CliTest):
    def refuse(self, code, message, *arguments, **how):
        return super().refuse(code, '…%s…' % message, *arguments, **how)

    def make(self):
        """Writes files that can be read by rows."""
        w, h = 301, 211
        gray = formats.noise(w * h, 255)
        self.write('gray.pgm', formats.pnm(w, h, gray))
        self.write('gray16.pgm', formats.pnm(w, h, formats.noise(w * h, 65535), most=65535))
        self.write('rgb.png', formats.png(w, h, formats.noise(w * h * 3, 255), 3))
        self.write('rgba.png', formats.png(w, h, formats.noise(w * h * 4, 255), 4))
        self.write('float.npy', formats.npy((h, w), [v / 7 - 3 for v in gray]))
        self.write('float.pfm', formats.pfm(w, h, [v / 7 - 3 for v in gray]))
        self.write('float.tiff', formats.tiff(w, h, [v / 7 - 3 for v in gray]))
        return ['gray.pgm', 'gray16.pgm', 'rgb.png', 'rgba.png', 'float.npy', 'float.pfm',
                'float.tiff']


class Looks(LinesTest):
    """compare and info, by rows and with the complete file."""

    def both_ways(self, *arguments, memory='100K'):
        whole = self.run_program(*arguments)
        rows = self.run_program(*arguments, '--memory', memory, '-v')
        self.assertEqual((whole.code, whole.out), (rows.code, rows.out), rows.err)
        if arguments[0] == 'compare':
            self.assertIn('in rows: ', rows.err)
        return rows

    def test_compare(self):
        names = self.make()
        self.write('gray-b.pgm', formats.pnm(301, 211, formats.noise(301 * 211, 255, 2)))
        self.write('rgb-b.png', formats.png(301, 211, formats.noise(301 * 211 * 3, 255, 7), 3))
        for name in names:
            self.both_ways('compare', name, name)
        for pair in (('gray.pgm', 'gray-b.pgm'), ('rgb.png', 'rgb-b.png'),
                     ('gray.pgm', 'float.npy')):
            for options in ((), ('--json',), ('--metric', 'max'), ('--metric', 'ssim'),
                            ('--tol', '0.1'), ('--metric', 'psnr', '--tol', '3', '--json')):
                self.both_ways('compare', *pair, *options)
        self.refuse(MISMATCH, 'gray.pgm is gray, rgb.png is in color', 'compare', 'gray.pgm',
                    'rgb.png', '--memory', '100K')

    def test_compare_nonfinite(self):
        values = [0.25] * 60000
        self.write('a.npy', formats.npy((200, 300), values))
        values[7000] = float('nan')
        values[45001] = 3
        self.write('b.npy', formats.npy((200, 300), values))
        self.both_ways('compare', 'a.npy', 'b.npy')
        self.both_ways('compare', 'b.npy', 'b.npy', '--json')

    def test_coefficients(self):
        """Coefficients in tiles, and in an array of the same layout."""
        self.make()
        self.succeed('forward', 'rgba.png', '-o', 'c.npy', *CPU)
        self.succeed('forward', 'rgba.png', '-o', 'c.tiff', '--tile', '64', *CPU)
        self.assertIn('max   0.0', self.both_ways('compare', 'c.npy', 'c.tiff').text())
        self.both_ways('info', 'c.tiff')
        self.both_ways('info', 'c.npy', '--json')

    def test_info(self):
        for name in self.make():
            with self.subTest(name):
                told = json.loads(self.both_ways('info', name, '--json').text())
                self.assertEqual((told['width'], told['height']), (301, 211))
                self.both_ways('info', name)

    def test_refused(self):
        self.make()
        self.write('a.jpg', formats.jpeg(301, 211))
        little = ('--memory', '100K')
        self.refuse(TOO_LARGE, 'strips: this file format', 'compare', 'gray.pgm', 'a.jpg', *little)
        self.refuse(TOO_LARGE, 'strips: -o needs the whole image', 'compare', 'gray.pgm',
                    'gray.pgm', '-o', 'd.png', *little)
        self.refuse(TOO_LARGE, 'strips: this file format', 'info', 'a.jpg', *little)
        self.refuse(USAGE, '--memory and --plan are for a file', 'info', *little)
        data = self.read('gray.pgm')
        self.write('cut.pgm', data[:-100])
        self.refuse(FILE, 'cut.pgm: truncated', 'info', 'cut.pgm', *little)
        self.refuse(FILE, 'cut.pgm: truncated', 'compare', 'gray.pgm', 'cut.pgm', *little)
        self.succeed('forward', 'gray.pgm', '-o', 'c.tiff', '--tile', '16', *CPU)
        page = bytearray(self.read('c.tiff'))
        page[test_tiles.pages(bytes(page))[4]['offsets'][1]] ^= 1
        self.write('c.tiff', bytes(page))
        for how in (little, ()):
            self.refuse(FILE, 'describes other coefficients', 'info', 'c.tiff', *how)
