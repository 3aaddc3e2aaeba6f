"""A row of the image in the viewer, as a signal with its subbands."""
import json

import formats
from viewing import IMAGE, SMALL, ViewTest

WIDTH, HEIGHT = 48, 40
ROW = 11


class Signal(ViewTest):
    def setUp(self):
        super().setUp()
        noise = formats.noise(WIDTH * HEIGHT, 255)
        self.image = [v / 255 for v in noise]
        self.write('a.png', formats.png(WIDTH, HEIGHT, noise))

    def row(self, *events, image='a.png', options=()):
        self.view(('set signal true', 'set signal.row %d' % ROW, *events, 'wait 2'), '--window',
                  '700x600', *options, image=image)
        return self.facts['signal']

    def energies(self, *options, shift=0):
        """Those of the coefficients that forward computes of the row."""
        samples = self.image[ROW * WIDTH:(ROW + 1) * WIDTH]
        samples = [samples[(n - shift) % WIDTH] for n in range(WIDTH)]
        self.write('row.npy', formats.npy((1, WIDTH), samples))
        self.succeed('forward', 'row.npy', '-o', 'r.npy', '-f', '-b', 'cpu', *options)
        return formats.read_npy(self.read('r.npy'))[1]

    def test_energies(self):
        for bank, names, sizes in (
                ('decimated', ['L2', 'H2', 'H1'], (12, 12, 24)),
                ('undecimated', ['L2', 'H2', 'H1'], (WIDTH,) * 3),
                ('starlet', ['C2', 'W2', 'W1'], (WIDTH,) * 3)):
            with self.subTest(bank):
                how = ('-l', '2', '--bank', bank, '--border', 'periodic', '-w', 'cdf53')
                signal = self.row('set signal.shift 1', options=how)
                self.assertEqual((signal['row'], signal['b']), (ROW, None))
                self.assertEqual([band['name'] for band in signal['a']], names)
                self.assertEqual([band['count'] for band in signal['a']], list(sizes))
                for shift in (0, 1):
                    values = self.energies(*how, shift=shift)
                    for band, count in zip(signal['a'], sizes):
                        part, values = values[:count], values[count:]
                        self.assertAlmostEqual(band['energy'][shift], sum(v * v for v in part),
                                               delta=1e-3)
                    self.assertEqual(values, [])
                changed = [abs(a - b) > 0.01 * a for a, b in (band['energy'] for band in signal['a'])]
                self.assertEqual(any(changed), bank == 'decimated')

    def test_side_by_side(self):
        """B has a column, and the keys move the row of both."""
        signal = self.row('set b.bank undecimated', 'set b.backend cpu', 'set compare side',
                          'set border periodic', 'set a.wavelet haar', 'set b.wavelet haar',
                          'wait 1', 'key Ctrl+Right', 'key Ctrl+Right', 'key Ctrl+Right',
                          'key Ctrl+Left', 'key Ctrl+Left')
        self.assertEqual(self.state['signal.shift'], 1)
        a, b = ({band['name']: band['energy'] for band in signal[of]} for of in 'ab')
        self.assertGreater(abs(a['H1'][0] - a['H1'][1]), 0.1)
        self.assertAlmostEqual(b['H1'][0], b['H1'][1], delta=1e-4)
        # Both halves of the undecimated details are decimated ones.
        self.assertAlmostEqual(a['H1'][0] + a['H1'][1], b['H1'][0], delta=1e-3)

    def test_pointer(self):
        for mode, level, row in (('original', 1, 20), ('band', 2, 20), ('band', 1, 20)):
            with self.subTest((mode, level)):
                self.view(('key F2', 'set mode ' + mode, 'set level %d' % level, 'set band HL',
                           'set fit false', 'set zoom 2', 'set x 10', 'set y %d' % (row >> (
                               level if mode == 'band' else 0)), 'wait 2', 'move 160 46', 'wait 2'),
                          '--no-ui', '--window', '320x240', image='a.png')
                pixel = self.facts['pixel']
                scale = 1 << (level if mode == 'band' else 0)
                self.assertEqual(self.facts['signal']['row'], pixel['y'] * scale)
        self.view(('set signal true', 'wait 1', 'state s.json'), *SMALL, image=IMAGE)
        self.assertEqual(json.loads(self.read('s.json'))['signal.row'], -1)
        self.assertEqual(self.facts['signal']['row'], 40)

    def test_pictures(self):
        self.view(('set mode original', 'wait 2', 'shot off.png', 'key F2', 'wait 2', 'shot on.png',
                   'key F2', 'wait 2', 'shot again.png'), image='a.png')
        self.assertEqual(self.pixels('off.png'), self.pixels('again.png'))
        self.assertTrue(self.pixels('off.png') != self.pixels('on.png'))

    def test_limits(self):
        """Images without levels have only the row; asymmetric wavelets and volumes are as elsewhere."""
        self.assertEqual(self.row('set levels 0')['a'], [])
        self.write('v.npy', formats.npy((4, 6, 8), [0.5] * 192))
        self.view(('wait 2', 'key F2', 'wait 1'), image='v.npy')
        self.assertIn('the view of a row is for images', self.facts['notice'])
        self.assertIsNone(self.facts['signal'])
        signal = self.row('set border pywt-zero', 'wait 1', 'set a.wavelet db4', 'set levels 2', 'wait 1')
        self.assertEqual([band['count'] for band in signal['a']], [17, 17, 27])
