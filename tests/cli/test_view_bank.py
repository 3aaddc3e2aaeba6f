"""Redundant banks in the viewer: bands of the size of the image, limits, comparison of banks."""
import json
import shlex

import formats
from harness import TOO_LARGE, USAGE
from viewing import IMAGE, SMALL, ViewTest

UNDECIMATED = ('set a.bank undecimated', 'set a.scheme sep-convolution')
STARLET = ('set a.bank starlet',)


class Bank(ViewTest):
    def test_copied_command_gives_the_same_coefficients(self):
        self.write('rgb.png', formats.png(45, 31, formats.noise(45 * 31 * 3, 255), planes=3))
        for image, events, words in (
                ('rgb.png', UNDECIMATED, '--bank undecimated -w cdf97 -s sep-convolution -l 3'),
                (IMAGE, (*UNDECIMATED, 'set a.wavelet db2', 'set border periodic', 'set norm pywt',
                         'set a.scheme nonsep-lifting'), '--border periodic --norm pywt'),
                (IMAGE, (*UNDECIMATED, 'set a.backend cpu', 'set levels 7'), '-l 7'),
                ('rgb.png', (*STARLET, 'set levels 5'), '--bank starlet'),
                (IMAGE, (*STARLET, 'set adjoint true', 'set a.backend cpu'), '--adjoint')):
            with self.subTest(events):
                self.view((*events, 'wait 2', 'key K', 'save saved.npy'), image=image)
                self.assertIn(words, self.facts['clipboard'])
                self.assertLess(self.facts['round_trip'], 1e-4)
                self.succeed(*shlex.split(self.facts['clipboard'])[1:], '-f')
                self.assertEqual(self.read('saved.npy'), self.read('coefficients.npy'))

    def test_bands_and_levels(self):
        """The mosaic has the bands of a level, which the arrow keys change; of a starlet all."""
        self.view((*UNDECIMATED, 'key Ctrl+0', 'key Home', 'wait 2', 'facts one.json', 'key Up',
                   'wait 2', 'move 160 120', 'wait 1'))
        self.assertEqual((self.facts['tiles'], self.state['level']), (4, 2))
        self.view((*UNDECIMATED, 'set mode band', 'set band LL', 'set level 1', 'wait 1'))
        self.assertEqual((self.state['band'], self.state['level']), ('LL', 1))
        # A backend that keeps only the coefficients has the low band of the last level.
        self.view((*UNDECIMATED, 'set a.backend cpu', 'set level 1', 'wait 2'))
        self.assertEqual((self.facts['tiles'], self.state['level']), (3, 1))
        self.view((*UNDECIMATED, 'set mode tree', 'wait 1'))
        self.assertEqual(self.facts['tiles'], 10)
        self.view((*STARLET, 'set levels 4', 'wait 2'))
        self.assertEqual(self.facts['tiles'], 5)

    def test_values(self):
        """Values under the pointer are those that `forward` writes; the starlet has two bands."""
        for events, names, band, number in ((STARLET, ['C', 'W', 'W', 'W'], 'HH', 2),
                                            (UNDECIMATED, ['LL', 'HL', 'LH', 'HH'], 'LH', 5)):
            self.view((*events, 'set mode band', 'set level 2', 'set band ' + band, 'set fit false',
                       'set zoom 1', 'set x 48', 'set y 40', 'wait 2', 'move 170 110', 'wait 1'),
                      '--no-ui', *SMALL)
            pixel = self.facts['pixel']
            self.assertEqual((pixel['names'], pixel['level']), (names, 2))
            wanted = self.coefficients(IMAGE, '-l', '3', '--bank', self.state['a.bank'])
            width, height = 96, 80
            value = wanted[-1][(number * height + pixel['y']) * width + pixel['x']]
            shown = pixel['values'][3 if band == 'HH' else 2]
            self.assertAlmostEqual(value, shown, delta=1e-5)
            self.assertIsNone(pixel['values'][1] if band == 'HH' else None)

    def test_decimated_coefficients_are_among_the_undecimated(self):
        self.view(('set b.bank undecimated', 'set b.backend cpu', 'set compare difference',
                   'set border periodic', 'wait 3'), image='pattern:zone-plate:96x80')
        self.assertLess(self.facts['max_difference'], 2e-5)
        # In the other direction the nearest coefficients differ.
        self.view((*UNDECIMATED, 'set b.bank decimated', 'set b.backend cpu',
                   'set compare difference', 'set border periodic', 'wait 3'))
        self.assertGreater(self.facts['max_difference'], 0.5)

    def test_starlet_is_compared_by_images(self):
        events = ('set b.bank starlet', 'set b.backend cpu', 'set compare difference', 'wait 3')
        self.view(events)
        self.assertIsNone(self.facts['max_difference'])
        self.view((*events, 'set mode reconstruction', 'wait 3'))
        self.assertLess(self.facts['max_difference'], 1e-4)

    def test_limits(self):
        """What a bank lacks is reported, and the settings before it stay."""
        for events, notice, setting, value in (
                ((*UNDECIMATED, 'set border pywt-zero'), "bank 'undecimated'", 'border',
                 'symmetric'),
                (('set border pywt-zero', 'wait 1', 'key Ctrl+K'), "bank 'undecimated'", 'a.bank',
                 'decimated'),
                ((*UNDECIMATED, 'set a.wavelet db4'), 'db4', 'a.wavelet', 'cdf97'),
                ((*UNDECIMATED, 'set a.reversible true'), 'no reversible transform', 'a.reversible',
                 False),
                ((*UNDECIMATED, 'set mode mixed'), "view mode 'mixed' is for the bank 'decimated'",
                 'mode', 'mosaic'),
                ((*UNDECIMATED, 'set levels 9'), '7 levels, the most for 96x80', 'levels', 7),
                (('set a.scheme sep-lifting', 'wait 1', *STARLET),
                 "sep-convolution, because bank 'starlet' has only convolutions", 'a.scheme',
                 'sep-convolution'),
                ((*UNDECIMATED, 'set a.backend cpu', 'key F10'), "backend 'cpu' has no textures", 'mode',
                 'mosaic')):
            with self.subTest(events):
                self.view((*events, 'wait 2'))
                self.assertIn(notice, self.facts['notice'])
                self.assertEqual(self.state[setting], value)
                self.assertLess(self.facts['round_trip'], 1e-4)

    def test_refusals(self):
        self.refuse(USAGE, 'the taps of level 9 are 2^8 samples apart, and the longest axis has 96 '
                    'samples', 'view', IMAGE, '--bank', 'undecimated', '-l', '9', '--screenshot',
                    'x.png', hint='at most 7 levels here')

    def test_memory(self):
        """What the textures need is stated before they are made; a level less may fit."""
        needs = "bank 'undecimated' needs 1.8 MiB for 3 levels of 96x80 pixels in 1 channel, more " \
            'than the limit of 1.2 MiB'
        self.refuse(TOO_LARGE, needs, 'view', IMAGE, '--bank', 'undecimated', '--memory', '1200K',
                    '--screenshot', 'x.png', hint='fewer levels, one channel, or --memory')
        self.view(('set a.bank starlet', 'wait 1', 'facts more.json', 'set levels 1', 'wait 1',
                   'set a.bank starlet', 'wait 2'), '--memory', '1200K', *SMALL)
        self.assertIn("bank 'starlet' needs", json.loads(self.read('more.json'))['notice'])
        self.assertEqual((self.state['a.bank'], self.state['levels']), ('starlet', 1))

    def passes(self, number, *events, before=False, of=UNDECIMATED):
        self.view((*of, 'set levels 2', 'set mode pass', 'set op %d' % number, *events, 'wait 2',
                   'set before true' if before else 'wait 1', 'wait 2'))
        return self.facts['planes']

    def test_passes(self):
        """Between two passes the components are bands, or become them; afterwards nothing has changed."""
        bands = [name + '2' for name in ('LL', 'HL', 'LH', 'HH')]
        self.assertEqual(self.passes(0), ['samples'])
        self.assertEqual(self.passes(3), ['LL2, pass 1 of 2', 'HL2, pass 1 of 2'])
        self.assertEqual(self.passes(4), bands)
        self.assertEqual(self.passes(3, before=True), ['LL1'])
        self.assertEqual(self.passes(4, before=True), self.passes(3))
        self.assertEqual(self.passes(1, 'set direction inverse', before=True), bands)
        self.assertEqual(self.passes(2, 'set direction inverse'), ['LL1'])
        self.assertEqual(self.passes(4, 'set direction inverse'), ['samples'])
        self.assertEqual(self.passes(2, of=('set a.scheme sep-convolution', *STARLET))[-1], 'W1')
        self.view((*UNDECIMATED, 'set levels 2', 'set level 2', 'wait 2', 'shot before.png', 'key F10',
                   'key F10', 'wait 2', 'set mode mosaic', 'set op 0', 'wait 2', 'shot after.png'))
        self.assertEqual(self.pixels('before.png'), self.pixels('after.png'))

    def test_option_and_key(self):
        self.view(('wait 1',), '--bank', 'starlet', *SMALL)
        self.assertEqual((self.facts['a']['bank'], self.state['b.bank']), ('starlet', 'starlet'))
        self.assertIn('sep-convolution', self.facts['a']['name'])
        self.view(('key Ctrl+K', 'wait 1', 'key Ctrl+K', 'wait 1'))
        self.assertEqual(self.state['a.bank'], 'starlet')
