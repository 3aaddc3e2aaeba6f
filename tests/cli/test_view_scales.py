"""Sliders of gain and threshold for levels and subbands, and denoising in the viewer."""
import json
import shlex

import formats
from viewing import IMAGE, ViewTest

LARGE = ('--window', '1100x800')
STARLET = ('set a.bank starlet',)
UNDECIMATED = ('set a.bank undecimated', 'set a.scheme sep-convolution')


def numbers(setting):
    """The numbers of subbands: {"HL1": 0.5}."""
    return {band: float(number) for band, number in
            (item.split('=') for item in setting.split())}


class Sliders(ViewTest):
    def places(self, *events, image=IMAGE):
        self.view((*events, 'do scales', 'wait 3'), *LARGE, image=image)
        return {name.split('/')[1]: at for name, at in self.facts['places'].items()
                if name.startswith('inspector/')}

    def drag(self, at, by):
        """Moves the knob under a slider's middle, frame by frame."""
        return ['move %g %g' % tuple(at), 'down', 'wait 1',
                *('move %g %g' % (at[0] + by * i / 4, at[1]) for i in range(1, 5)), 'up', 'wait 1']

    def test_drag_and_double_click(self):
        at = self.places()
        start = ('do scales', 'set mode reconstruction', 'wait 3', 'facts before.json')
        threshold = self.drag(at['threshold 1'], 5)
        gain = self.drag(at['gain 2'], -20)
        self.view((*start, *threshold, *gain), *LARGE)
        limits, gains = numbers(self.state['limits']), numbers(self.state['gains'])
        self.assertEqual(self.state['threshold'], 'soft')
        self.assertEqual(self.state['limit'], 0)  # the other levels have none
        self.assertEqual((set(limits), set(gains)), ({'HL1', 'LH1', 'HH1'}, {'HL2', 'LH2', 'HH2'}))
        self.assertEqual((len(set(limits.values())), len(set(gains.values()))), (1, 1))
        self.assertTrue(0.01 < limits['HL1'] < 1 and gains['HL2'] != 1)
        # Only the coefficients change: there is one forward transform.
        before = json.loads(self.read('before.json'))
        self.assertEqual(self.facts['a']['forward_seconds'], before['a']['forward_seconds'])
        self.assertNotEqual(self.facts['loss_psnr'], before['loss_psnr'])
        dragged = self.facts['loss_psnr']
        self.view([*start, *('set %s %s' % (name, self.state[name]) for name in
                             ('threshold', 'limit', 'limits', 'gains')), 'wait 2'], *LARGE)
        self.assertEqual(self.facts['loss_psnr'], dragged)
        again = [line for name in ('threshold 1', 'gain 2')
                 for line in 2 * ['click inspector/' + name] + ['wait 30']]
        self.view((*start, *threshold, *gain, *again), *LARGE)
        self.assertEqual((self.state['limits'], self.state['gains']), ('', ''))
        self.assertAlmostEqual(self.facts['loss_psnr'], before['loss_psnr'], places=6)

    def test_drag_is_quick_and_then_exact(self):
        """While a slider is dragged, another backend computes the image, and is measured when the
        pointer rests; afterwards the image is that of the settings."""
        for set_up, slider in (((), 'gain 2'), (UNDECIMATED, 'gain 2'), (STARLET, 'threshold W1')):
            with self.subTest(set_up):
                start = (*set_up, 'do scales', 'set mode reconstruction', 'wait 3')
                at = self.places(*set_up)[slider]
                self.view((*start, 'facts before.json', *self.drag(at, 9)[:-2], 'facts moving.json',
                           'wait 20', 'facts resting.json', 'up', 'wait 2'), *LARGE)
                before, moving, resting = (json.loads(self.read(name + '.json'))['loss_psnr']
                                           for name in ('before', 'moving', 'resting'))
                self.assertEqual(moving, before)
                self.assertAlmostEqual(resting, self.facts['loss_psnr'], delta=1e-4)
                self.assertNotAlmostEqual(resting, before, delta=1)
                dragged = self.facts['loss_psnr']
                self.view([*start, *('set %s %s' % (name, self.state[name]) for name in
                                     ('threshold', 'limit', 'limits', 'gains')), 'wait 2'], *LARGE)
                self.assertEqual(self.facts['loss_psnr'], dragged)

    def test_drag_within_memory(self):
        """The quick inverse needs textures of its own; without memory for them it is not used."""
        start = ('set a.bank undecimated', 'set levels 3', 'do scales', 'set mode reconstruction',
                 'wait 3')
        drag = self.drag(self.places(*start)['gain 2'], 9)
        for memory, same in (('1900K', True), ('8M', False)):
            with self.subTest(memory):
                self.view((*start, *drag[:-2], 'wait 20', 'facts resting.json', 'up', 'wait 2'),
                          '--memory', memory, *LARGE)
                resting = json.loads(self.read('resting.json'))['loss_psnr']
                self.assertEqual(resting == self.facts['loss_psnr'], same)

    def test_a_level_scales_its_subbands(self):
        set_up = ('set directions true', 'set threshold hard', 'set limit 0.1',
                  'set limits HL1=0.02 LH1=0.04 HH1=0.06')
        at = self.places(*set_up)
        self.assertIn('threshold HH2', at)
        self.view((*set_up, 'do scales', 'wait 3', *self.drag(at['threshold 1'], 4),
                   *self.drag(at['gain LL3'], 3)), *LARGE)
        limits = numbers(self.state['limits'])
        factor = limits['HL1'] / 0.02
        self.assertGreater(abs(factor - 1), 0.05)
        self.assertAlmostEqual(limits['LH1'] / 0.04, factor, delta=0.01 * factor)
        self.assertAlmostEqual(limits['HH1'] / 0.06, factor, delta=0.01 * factor)
        self.assertEqual(list(numbers(self.state['gains'])), ['LL3'])

    def check_command(self, words):
        """The commands give the saved coefficients bit by bit, and the image."""
        self.assertIn(words, self.facts['clipboard'])
        for command in self.facts['clipboard'].split(' && '):
            self.succeed(*shlex.split(command)[1:], '-f')
        self.assertEqual(formats.read_npy(self.read('saved.npy')),
                         formats.read_npy(self.read('edited.npy')))

    def test_copied_commands(self):
        self.write('rgb.png', formats.png(45, 31, formats.noise(45 * 31 * 3, 255), planes=3))
        edits = ('set threshold %s', 'set limit 0.05', 'set limits HH1=0.25 HL2=0',
                 'set gains HL1=1.5 LL3=0.5', 'set zeroed LH3', 'set mode reconstruction', 'wait 2',
                 'save saved.npy', 'key K')
        for image, events, rule, words in (
                (IMAGE, (), 'soft', '--zero LH3 --threshold soft:HL3=0.05,LH3=0.05,HH3=0.05,LH2=0.05'),
                ('rgb.png', ('set norm none',), 'hard', 'HH1=0.25 --scale LL3=0.5,HL1=1.5'),
                ('rgb.png', UNDECIMATED, 'soft', 'LH1=0.05,HH1=0.25'),
                (IMAGE, STARLET, 'hard', '--threshold hard:W3=0.05,W2=0.05,W1=0.25 --scale C3=0.5'),
                ('pattern:noise:20x14x9', ('set levels 3',), 'garrote', 'HLL1=0.05')):
            with self.subTest(words):
                self.view([*events, *(e % rule if '%' in e else e for e in edits)], image=image)
                self.check_command(words)

    def test_garrote(self):
        """Divisions of shaders may round differently."""
        self.view(('set threshold garrote', 'set limit 0.1', 'wait 2', 'save saved.npy', 'key K'))
        self.assertIn('--threshold garrote:0.1 ', self.facts['clipboard'])
        for command in self.facts['clipboard'].split(' && '):
            self.succeed(*shlex.split(command)[1:], '-f')
        self.assert_near(formats.read_npy(self.read('saved.npy'))[1],
                         formats.read_npy(self.read('edited.npy'))[1], 1e-6)

    def test_settings(self):
        for value, stored in (('HL1=2 HHH3=0.5', 'HL1=2.0 HHH3=0.5'), ('HLL2=0 W1=3', 'HH1=3.0 HL2=0.0'),
                              ('', '')):
            with self.subTest(value):
                self.view(('set gains LH9=7', 'set gains ' + value))
                self.assertEqual(numbers(self.state['gains']), numbers(stored))
        for value in ('HL1', 'HL1=', 'XX1=2', 'HL=2', 'HL0=2', 'HL99=2', 'HL1=-1', 'HL1=x',
                      'HL1=1e9'):
            with self.subTest(value):
                self.view(('set gains LL1=2', 'wait 1', 'try gains ' + value))
                self.assertIn("gains: invalid value '%s'" % value, self.facts['notice'])
                self.assertEqual(numbers(self.state['gains']), {'LL1': 2})

    def test_undo_all(self):
        self.view(('set gains HL1=2', 'set threshold soft', 'set limits HL1=2', 'key Shift+Z'))
        self.assertEqual((self.state['gains'], self.state['limits'], self.state['threshold']),
                         ('', '', 'none'))


class Denoise(ViewTest):
    HAAR = ('set a.wavelet haar', 'set levels 3')

    def reported(self, method, *options, channel='0'):
        """The thresholds that `edit` uses, for an orthogonal wavelet."""
        self.succeed('forward', 'noisy.png', '-w', 'haar', '-l', '3', '-f', '-o', 'c.npy', '--channel',
                     channel, '-b', 'reference')
        told = json.loads(self.succeed('edit', 'c.npy', '--threshold', 'soft:' + method, '-o',
                                       'd.npy', '-f', '--json', *options).out)
        return told['edits'][0]

    def setUp(self):
        super().setUp()
        noise = formats.noise(64 * 48 * 3, 60)
        self.write('noisy.png', formats.png(64, 48, bytes(
            v + (150 if i // 3 % 64 > 20 else 40) for i, v in enumerate(noise)), planes=3))

    def test_thresholds_are_those_of_edit(self):
        for method, name in (('bayes', 'bayes'), ('sure', 'sure'), ('visu', 'universal')):
            for sigma in ('0', '0.05'):
                with self.subTest((method, sigma)):
                    self.view(('set channel 1', 'set method ' + method, 'set sigma ' + sigma,
                               *self.HAAR, 'wait 2', 'key Shift+Q', 'wait 3'), image='noisy.png')
                    limits = numbers(self.state['limits'])
                    options = () if sigma == '0' else ('--sigma', sigma)
                    edit = self.reported(name, *options, channel='1')
                    least, most = edit['threshold']
                    self.assertEqual(len(limits), 9)
                    self.assertAlmostEqual(min(limits.values()), least, delta=2e-3 * least)
                    if most is not None:  # else all of a subband
                        self.assertAlmostEqual(max(limits.values()), most, delta=2e-3 * most)
                    self.assertEqual((self.state['threshold'], self.state['mode']),
                                     ('soft', 'reconstruction'))
                    self.assertIn('%s: noise %.3g%s' % (method, edit['sigma'][0],
                                                        ' (estimated)' if sigma == '0' else ''),
                                  self.facts['notice'])

    def test_planes_have_common_thresholds(self):
        """The harmonic mean of the thresholds of the planes."""
        self.view((*self.HAAR, 'set method visu', 'key Shift+Q', 'wait 3'), image='noisy.png')
        limits = numbers(self.state['limits'])
        inverse = [1 / self.reported('universal', channel=str(p))['threshold'][0] for p in range(3)]
        for limit in limits.values():
            self.assertAlmostEqual(limit, 3 / sum(inverse), delta=2e-3 * limit)

    def test_what_only_has_noise_is_removed(self):
        self.write('flat.png', formats.png(64, 48, formats.noise(64 * 48, 60)))
        self.view((*self.HAAR, 'key Shift+Q', 'wait 3', 'save saved.npy'), image='flat.png')
        shape, saved = formats.read_npy(self.read('saved.npy'))
        kept = sum(v != 0 for v in saved) / len(saved)
        self.assertLess(kept, 0.1)
        self.assertAlmostEqual(self.facts['kept'], kept, places=6)

    def test_edits_do_not_change_the_thresholds(self):
        """They are those of the image; also while a pass is shown, and a second time."""
        self.view((*self.HAAR, 'key Shift+Q', 'wait 3'), image='noisy.png')
        wanted = self.state['limits']
        self.view((*self.HAAR, 'set gains HH1=0.1 HL1=3', 'set zeroed LH1', 'key Shift+Q', 'wait 3',
                   'key F10', 'key F10', 'wait 1', 'key Shift+Q', 'wait 3'), image='noisy.png')
        self.assertEqual(self.state['limits'], wanted)
        self.assertEqual(self.state['mode'], 'reconstruction')

    def test_redundant_banks(self):
        for events, count in ((STARLET, 3), (UNDECIMATED, 9)):
            with self.subTest(events):
                self.view((*events, 'key Shift+Q', 'wait 3'), image='noisy.png')
                self.assertEqual(len(numbers(self.state['limits'])), count)
                self.assertLess(self.facts['kept'], 0.6)

    def test_no_levels(self):
        self.view(('set levels 0', 'wait 1', 'key Shift+Q', 'wait 2'))
        self.assertEqual(self.facts['notice'], 'denoising requires at least one level')
