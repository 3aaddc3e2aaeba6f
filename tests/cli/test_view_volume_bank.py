"""Volumes with redundant banks in the viewer: bands of the size of the volume, edits, limits."""
import json
import shlex

import formats
from harness import TOO_LARGE, USAGE
from test_view_volume import AXES, SIZE, WINDOW, VolumeViewTest, index

UNDECIMATED = ('set a.bank undecimated', 'set a.scheme sep-convolution', 'wait 1')
STARLET = ('set a.bank starlet', 'wait 1')


class Bank(VolumeViewTest):
    def band(self, coefficients, number, sample):
        """A coefficient of a band, counted from the lowest one."""
        x, y, z = sample
        return coefficients[index(x, y, z + number * SIZE[2])]

    def test_a_band_in_slices(self):
        """The coefficients at a sample are those at the same sample of every band."""
        cases = ((UNDECIMATED, 'undecimated', 1, 'HLL', 8), (UNDECIMATED, 'undecimated', 2, 'LHH', 6),
                 (UNDECIMATED, 'undecimated', 2, 'LLL', 0), (STARLET, 'starlet', 1, 'HHH', 2),
                 (STARLET, 'starlet', 2, 'LLL', 0))
        for bank, name, level, band, number in cases:
            wanted = self.coefficients_of('v.npy', '-l', '2', '--bank', name)
            events = (*bank, 'set levels 2', 'wait 1', 'set mode band', 'set level %d' % level,
                      'set band ' + band)
            self.look(events)
            for pane, sample in (('z', (9, 4, 3)), ('y', (0, 9, 7)), ('x', (11, 0, 5))):
                across, down = (AXES.index(self.pane(pane)[word]) for word in ('across', 'down'))
                self.look((*events, *('set cross.%s %d' % pair for pair in zip(AXES, sample)),
                           'wait 1', self.place(pane, sample[across], sample[down]), 'wait 1'))
                with self.subTest(bank=name, level=level, band=band, pane=pane):
                    pixel = self.facts['pixel']
                    shown = {'LLL': 'C', 'HHH': 'W'}[band] if name == 'starlet' else band
                    self.assertEqual((pixel['band'], pixel['level'], tuple(pixel['at'])),
                                     (shown, level, sample))
                    self.assertAlmostEqual(pixel['values'][0], self.band(wanted, number, sample),
                                           places=6)

    def test_bands_side_by_side(self):
        """Next to the slices, and in them in the mode mosaic, are the bands of a level."""
        for bank, events, tiles in ((UNDECIMATED, ('set level 1',), 7),
                                    (UNDECIMATED, ('set level 2', 'set band HLL'), 8),
                                    (UNDECIMATED, ('set levels_z 0', 'wait 1', 'set level 2'), 4),
                                    (STARLET, (), 3)):
            self.look((*bank, 'set levels 2', 'wait 1', *events, 'set mode mosaic', 'wait 1'))
            with self.subTest(bank=bank[0], events=events):
                self.assertEqual([p['tiles'] for p in self.facts['panes']], 4 * [tiles])
                self.assertLess(self.facts['round_trip'], 1e-5)
        # A click on a band selects it and moves the crosshair to the sample.
        events = (*UNDECIMATED, 'set levels 2', 'wait 1', 'set level 2', 'set mode mosaic')
        self.look((*events, 'wait 1'))
        pane = self.pane('y')
        zoom, (left, top, width, height) = pane['zoom'], pane['rect']
        wide, tall = SIZE[0], SIZE[2]  # HLH is in the second column and the second row
        gap = 0.02 * wide
        x = left + width / 2 + (wide + gap + 3.5 - pane['extent'][0] / 2) * zoom
        y = top + height / 2 + (tall + gap + 6.5 - pane['extent'][1] / 2) * zoom
        self.look((*events, 'wait 1', 'move %.1f %.1f' % (x, y), 'click', 'wait 1'))
        self.assertEqual((self.cross(), self.state['level'], self.state['band']),
                         ((3, 5, 6), 2, 'HLH'))
        wanted = self.coefficients_of('v.npy', '-l', '2', '--bank', 'undecimated')
        self.assertAlmostEqual(self.facts['pixel']['values'][0], self.band(wanted, 5, (3, 5, 6)),
                               places=6)

    def test_copied_commands(self):
        """The commands with sliders and denoising give the saved coefficients, whatever was edited
        before."""
        edits = ('set threshold soft', 'set limit 0.05', 'set limits HHH1=0.1', 'wait 1',
                 'set limits HHH1=0.25', 'set gains HHH1=2 LLL3=3', 'wait 1', 'set zeroed HHH2',
                 'set gains HHH2=1.5', 'wait 1', 'set zeroed ', 'wait 1')
        rgb = [(n % 17 + n % 5) / 30 for n in range(9 * 14 * 20 * 3)]
        self.write('rgb.npy', formats.npy((9, 14, 20, 3), rgb))
        for bank, image, events, words in (
                ((), 'pattern:noise:20x14x9', ('set gop 4', 'wait 1', *edits),
                 'LHH1=0.05,HHH1=0.25 --scale HHH2=1.5'),
                (UNDECIMATED, 'pattern:noise:20x14x9', edits, 'LHH1=0.05,HHH1=0.25 --scale HHH2=1.5'),
                (UNDECIMATED[:1], 'pattern:noise:20x14x9', ('set levels_z 0', *edits), '--levels-z 0'),
                (STARLET, 'rgb.npy', edits, '--threshold soft:W3=0.05,W2=0.05,W1=0.25 --scale W2=1.5'),
                (UNDECIMATED, 'pattern:noise:20x14x9', ('set border periodic', 'set a.wavelet db2',
                                                        'do denoise', 'wait 2'), '--threshold soft:'),
                (STARLET, 'pattern:noise:20x14x9', ('set method sure', 'key Shift+Q', 'wait 2'),
                 '--threshold soft:')):
            with self.subTest(words=words, bank=bank):
                self.look((*bank, *events, 'set mode reconstruction', 'wait 2', 'save saved.npy',
                           'key K'), image=image)
                self.assertIn(words, self.facts['clipboard'])
                for command in self.facts['clipboard'].split(' && '):
                    self.succeed(*shlex.split(command)[1:], '-f')
                (shape, saved), (wanted, edited) = (formats.read_npy(self.read(name)) for name in
                                                    ('saved.npy', 'edited.npy'))
                self.assertEqual(shape, wanted)
                self.assertEqual(sum(a != b for a, b in zip(saved, edited)), 0)

    def test_a_slider_of_a_plane(self):
        """The planes of a starlet sum up to the volume: a gain of 0 leaves the others."""
        self.look((*STARLET, 'set levels 2', 'set gains HHH1=0', 'set mode reconstruction', 'wait 1',
                   'set cross.z 3', 'wait 1'))
        self.look((*STARLET, 'set levels 2', 'set gains HHH1=0', 'set mode reconstruction',
                   'set cross.z 3', self.place('z', 7, 2), 'wait 2'))
        planes = self.coefficients_of('v.npy', '-l', '2', '--bank', 'starlet')
        self.assertAlmostEqual(self.facts['pixel']['values'][0],
                               sum(self.band(planes, n, (7, 2, 3)) for n in range(2)), places=5)

    def test_banks_are_compared_by_images(self):
        events = (*STARLET, 'set b.bank undecimated', 'set b.backend cpu', 'set compare difference')
        self.look((*events, 'set mode mosaic', 'wait 3'))
        self.assertIsNone(self.facts['max_difference'])
        self.look((*events, 'set mode reconstruction', 'wait 3'))
        self.assertLess(self.facts['max_difference'], 1e-5)
        self.look((*UNDECIMATED, 'set b.bank undecimated', 'set b.backend reference',
                   'set b.scheme sep-convolution', 'set compare difference', 'set mode mosaic',
                   'wait 3'))
        self.assertLess(self.facts['max_difference'], 1e-5)

    def test_limits(self):
        """What volumes lack with a bank is reported, and the settings before it stay."""
        for events, notice, setting, value in (
                ((*UNDECIMATED, 'set fourth cube'), "the cube is for the bank 'decimated' only",
                 'fourth', 'bands'),
                ((*UNDECIMATED, 'set gop 4'), "bank 'undecimated' does not support slices in groups",
                 'gop', 0),
                (('set a.backend fragment', *STARLET), "backend 'fragment' does not transform volumes "
                 "along z with bank 'starlet'", 'a.bank', 'decimated'),
                ((*STARLET, 'set border pywt-zero'), "bank 'starlet' does not support border",
                 'border', 'symmetric'),
                (('wait 1', *STARLET), "nonsep-convolution, because bank 'starlet' has only "
                 'convolutions', 'a.scheme', 'nonsep-convolution'),
                ((*STARLET, 'set levels 9'), '4 levels, the most for 12x10', 'levels', 4),
                ((*STARLET, 'set levels_z 1'), '', 'levels_z', 3)):
            with self.subTest(events):
                self.look((*events, 'wait 2'))
                self.assertIn(notice, self.facts['notice'])
                self.assertEqual(self.state[setting], value)
                self.assertLess(self.facts['round_trip'], 1e-5)

    def test_refusals(self):
        view = 'view', 'v.npy', '--screenshot', 'x.png', '--bank'
        self.refuse(USAGE, "bank 'undecimated' requires as many levels along z (1) as in the plane "
                    '(2), or none', *view, 'undecimated', '-l', '2', '--levels-z', '1')
        self.refuse(USAGE, 'the taps of level 5 are 2^4 samples apart, and the longest axis has '
                    '12 samples', *view, 'starlet', '-l', '5',
                    hint='at most 4 levels here')

    def test_memory(self):
        """What the arrays need is stated before they are made; a level less may fit."""
        # 3 volumes, and twice 22 bands.
        kib = (3 + 2 * 22) * SIZE[0] * SIZE[1] * SIZE[2] * 4 / 1024
        self.refuse(TOO_LARGE, "bank 'undecimated' needs %.1f KiB for 3 levels of 12x10x8 in 1 channel, "
                    'more than the limit of 100.0 KiB' % kib, 'view', 'v.npy', '--bank', 'undecimated',
                    '--memory', '100K', '--screenshot', 'x.png',
                    hint='fewer levels, one channel, or --memory')
        self.look((*UNDECIMATED, 'facts more.json', 'set levels 1', 'wait 1', *UNDECIMATED),
                  '--memory', '100K', *WINDOW)
        self.assertIn("bank 'undecimated' needs", json.loads(self.read('more.json'))['notice'])
        self.assertEqual((self.state['a.bank'], self.state['levels']), ('undecimated', 1))
