"""`view --reconstruct` without a display: results of the solver, changes and errors."""
import json
import math
import shlex
import subprocess

import formats
import harness
from formats import npy
from harness import FILE, USAGE, CliTest

SMALL = ('--window', '640x400')
PANELS = ('--window', '1000x640')


class ViewReconstructTest(CliTest):
    def setUp(self):
        super().setUp()
        if not harness.has_viewer():
            self.skipTest('the viewer is not part of this build')
        self.succeed('undersample', 'pattern:shepp-logan:48x40', '--seed', '1', '--rate', '3',
                     '-o', 'k.npy', '--mask-output', 'm.npy', '--truth-output', 't.npy')

    def make_volume(self):
        self.succeed('undersample', 'pattern:shepp-logan:24x20x16', '--seed', '1', '--rate', '3',
                     '-o', 'v.npy', '--mask-output', 'vm.npy', '--truth-output', 'vt.npy')

    def view(self, events, *options, files=('k.npy', '-m', 'm.npy', '--truth', 't.npy'),
             window=SMALL):
        """Plays the events; then `facts` has the values at the end."""
        self.write('events.txt', '\n'.join(events) + '\nwait 1\nfacts facts.json\n'
                   'state state.json\n')
        result = self.succeed('view', '--reconstruct', *files, *options, *window, '--screenshot',
                              'view.png', '-f', '--events', 'events.txt', timeout=600)
        self.facts = json.loads(self.read('facts.json'))
        self.state = json.loads(self.read('state.json'))
        self.solver = self.facts['scene']
        return result

    def log(self, *options):
        self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '--truth', 't.npy', '-o', 'u.npy',
                     '-f', '--log', 'log.json', *options)
        return json.loads(self.read('log.json'))

    def assert_same_curve(self, curve, wanted):
        """Equal except for rounding: FFTW selects its fastest algorithm by a measurement in each
        process."""
        self.assertEqual([p['iteration'] for p in curve], [p['iteration'] for p in wanted])
        for got, want in zip(curve, wanted):
            self.assertAlmostEqual(got['psnr'], want['psnr'], places=3)
            self.assertAlmostEqual(got['residual'], want['residual'], places=4)

    def assert_same_samples(self, mine, made):
        mine, made = self.read(mine), self.read(made)
        self.assertEqual(len(mine), len(made))
        start = 10 + int.from_bytes(mine[8:10], 'little')
        worst = max(abs(a - b) for a, b in zip(memoryview(mine)[start:].cast('f'),
                                               memoryview(made)[start:].cast('f')))
        self.assertLess(worst, 2e-5)

    def pixels(self, name):
        return formats.read_png(self.read(name))

    def cell(self, name, number):
        """The pixels of a part of a canvas without panels, in two rows of three."""
        width, height, planes, _, data = self.pixels(name)
        left, top = number % 3 * width // 3, number // 3 * height // 2
        return [tuple(data[planes * (y * width + x):planes * (y * width + x + 1)])
                for y in range(top + 30, top + height // 2 - 10)
                for x in range(left + 10, left + width // 3 - 10)]


class Iterations(ViewReconstructTest):
    def test_as_reconstruct_logs(self):
        self.view(('iterate 5', 'iterate 7'))
        self.assertEqual((self.solver['iterations'], self.solver['most'], self.solver['ended']),
                         (12, 512, False))
        wanted = self.log('--iterations', '12')
        self.assert_same_curve(self.solver['curve'], wanted)
        self.assertAlmostEqual(self.solver['psnr'], wanted[-1]['psnr'], places=3)
        self.assertLess(self.solver['zero_filled_psnr'], self.solver['psnr'])

    def test_options_are_those_of_reconstruct(self):
        options = ('--tv', '0.5', '--wav', '0.3', '-w', 'cdf53', '-l', '2', '--mu', '50',
                   '--lambda', '80', '--gamma', '40', '--inner', '4', '--cycle-spinning', '--seed',
                   '3')
        self.view(('iterate 6',), *options)
        self.assert_same_curve(self.solver['curve'], self.log(*options, '--iterations', '6'))
        self.assertEqual(self.solver['form'], 'image')
        self.assertEqual((self.state['solver.tv'], self.state['solver.gamma'],
                          self.state['a.wavelet'], self.state['levels']), (0.5, 40, 'cdf53', 2))

    def test_all_of_them_without_events(self):
        """All iterations run before the picture; two runs are equal except for rounding."""
        for name in ('one.png', 'two.png'):
            self.succeed('view', '--reconstruct', 'k.npy', '-m', 'm.npy', '--iterations', '20',
                         '--screenshot', name, *PANELS, timeout=600)
        width, height, planes, _, data = self.pixels('one.png')
        self.assertEqual((width, height, planes), (1000, 640, 3))
        self.assertGreater(len(set(data)), 50)
        other = self.pixels('two.png')[4]
        self.assertLess(sum(abs(a - b) > 2 for a, b in zip(data, other)), len(data) // 1000)

    def test_ends(self):
        self.view(('iterate 1000',), '--outer', '2', '--inner', '5')
        self.assertEqual((self.solver['iterations'], self.solver['ended']), (10, True))
        self.assertIsNotNone(self.solver['ssim'])
        self.view(('key Space', 'wait 30'), '--outer', '2', '--inner', '5')
        self.assertEqual((self.solver['iterations'], self.state['playing']), (10, False))

    def test_pause_and_step(self):
        """Without a display each frame runs one iteration."""
        self.view(('key Space', 'wait 5', 'key Space', 'wait 5'))
        done = self.solver['iterations']
        self.assertIn(done, range(4, 10))
        self.view(('key .', 'wait 2', 'key F10', 'wait 2', 'click controls/Step', 'wait 4'),
                  window=PANELS)
        self.assertEqual(self.solver['iterations'], 3)


class ComputeShaders(ViewReconstructTest):
    """The contexts of the solver and of the viewer alternate in one thread."""

    def test_as_reconstruct_logs(self):
        self.view(('iterate 5', 'wait 2', 'iterate 4', 'save mine.npy'), '-b', 'compute')
        wanted = self.log('-b', 'compute', '--iterations', '9')
        self.assertEqual(self.solver['backend'], 'compute')
        self.assert_same_curve(self.solver['curve'], wanted)
        self.assert_same_samples('mine.npy', 'u.npy')

    def test_new_weights(self):
        """New solvers, which start from zeros or from the image, between drawn frames."""
        options = ('-b', 'compute', '--wav', '0.1', '--exact', '-w', 'cdf53')
        self.view(('iterate 3', 'set solver.tv 0.5', 'wait 1', 'iterate 4', 'wait 1'), '--tv', '1',
                  *options)
        self.assert_same_curve(self.solver['curve'],
                               self.log('--tv', '0.5', *options, '--iterations', '4'))
        self.view(('iterate 20', 'set solver.keep true', 'set solver.tv 0.5', 'iterate 4'),
                  '-b', 'compute')
        self.assertEqual((self.solver['iterations'], self.solver['marks']), (24, 1))
        zeros = self.log('-b', 'compute', '--tv', '0.5', '--wav', '0.1', '--iterations', '4')
        self.assertGreater(self.solver['psnr'], zeros[-1]['psnr'] + 1)

    def test_picture(self):
        """The image of the CPU, except for rounding."""
        for backend in ('cpu', 'compute'):
            self.view(('iterate 12', 'wait 2', 'shot %s.png' % backend), '-b', backend, '--no-ui')
        for part in range(6):
            pairs = zip(self.cell('cpu.png', part), self.cell('compute.png', part))
            self.assertLessEqual(max(abs(a - b) for p, q in pairs for a, b in zip(p, q)), 2)


class Weights(ViewReconstructTest):
    def test_restart(self):
        """A new parameter restarts, and the previous curve remains for comparison."""
        self.view(('iterate 6', 'set solver.tv 0.2', 'iterate 9'))
        self.assertEqual((self.solver['iterations'], self.solver['marks']), (9, 0))
        self.assert_same_curve(self.solver['curve'],
                               self.log('--tv', '0.2', '--wav', '0.1', '--iterations', '9'))
        self.assert_same_curve(self.solver['before'], self.log('--iterations', '6'))
        self.view(('iterate 6', 'key Backspace', 'wait 2'))
        self.assertEqual(self.solver['iterations'], 0)
        self.assertEqual(len(self.solver['before']), 6)

    def test_each_weight(self):
        plain = self.log('--iterations', '4')
        for name, value, option in (('solver.wav', '0.5', '--wav'), ('solver.mu', '10', '--mu'),
                                    ('solver.lambda', '30', '--lambda'),
                                    ('solver.gamma', '90', '--gamma'), ('a.wavelet', 'cdf97', '-w'),
                                    ('levels', '1', '-l')):
            with self.subTest(name=name):
                self.view(('iterate 3', 'set %s %s' % (name, value), 'iterate 4'))
                more = ('--tv', '1') if option == '--wav' else ()
                wanted = self.log('--iterations', '4', option, value, *more)
                self.assert_same_curve(self.solver['curve'], wanted)
                self.assertNotAlmostEqual(wanted[-1]['psnr'], plain[-1]['psnr'], places=3)

    def test_go_on(self):
        self.view(('iterate 20', 'click controls/Continue', 'wait 2', 'set solver.tv 0.5',
                   'iterate 4', 'key K', 'wait 1'), window=PANELS)
        self.assertEqual((self.solver['iterations'], self.solver['marks'], self.solver['most']),
                         (24, 1, 532))
        self.assertTrue(self.state['solver.keep'])
        # The run does not start from zeros.
        zeros = self.log('--tv', '0.5', '--wav', '0.1', '--iterations', '4')
        self.assertGreater(self.solver['psnr'], zeros[-1]['psnr'] + 1)
        self.assertIn('# this one continued', self.facts['clipboard'])

    def test_keys(self):
        """The keys of wavelets and levels; other keys report that they do not apply to
        reconstructions."""
        self.view(('iterate 1', 'key Shift+L', 'wait 1', 'iterate 2'))
        self.assertEqual(self.state['levels'], 3)
        self.assert_same_curve(self.solver['curve'], self.log('-l', '3', '--iterations', '2'))
        self.view(('do next-scheme', 'wait 1'))
        self.assertIn("'Next scheme' is for images and volumes", self.facts['notice'])
        self.write('events.txt', 'do run\nwait 1\nfacts facts.json\niterate 3\n')
        result = self.run_program('view', 'pattern:shepp-logan:48x40', *SMALL, '--events',
                                  'events.txt', '--screenshot', 'x.png', timeout=600)
        self.assertIn('there is no reconstruction to iterate', result.err)
        self.assertIn('is for reconstructions', json.loads(self.read('facts.json'))['notice'])

    def test_every_key_is_taken(self):
        """After each key there is a picture."""
        keys = self.keys_of('VIEW --RECONSTRUCT')
        self.assertIn('Backspace', keys)
        self.view([event for key in keys if key != 'Ctrl+Q'
                   for event in ('key ' + key, 'key Esc')])
        self.assertEqual(self.facts['tiles'], 5)

    def test_bad_ones_are_told(self):
        """Bad values are reported, and the solver does not change."""
        for events, text in ((('try solver.tv -1',), 'solver.tv: '),
                             (('set solver.wav 0', 'wait 1', 'set solver.tv 0'),
                              'the weights of total variation and of the wavelet are both 0'),
                             (('set a.wavelet no-such',), "unknown wavelet 'no-such'"),
                             (('set levels 13',), 'levels are out of range')):
            with self.subTest(text=text):
                self.view(('iterate 4',) + events + ('wait 2',))
                self.assertIn(text, self.facts['notice'])
                self.assertGreater(self.state['solver.tv'], 0)
                self.assertEqual((self.state['a.wavelet'], self.state['levels']), ('haar', 4))

    def test_state(self):
        self.view(('set solver.tv 0.3', 'set solver.wav 0.2', 'set levels 2', 'iterate 5'))
        first = self.read('state.json')
        self.write('mine.json', first)
        self.view(('iterate 5',), '--state', 'mine.json')
        self.assertEqual(self.state['solver.tv'], 0.3)
        self.assert_same_curve(self.solver['curve'],
                               self.log('--tv', '0.3', '--wav', '0.2', '-l', '2', '--iterations',
                                        '5'))
        self.view(('iterate 5',), '--state', 'mine.json', '-l', '3')
        self.assertEqual((self.state['solver.tv'], self.state['levels']), (0.3, 3))


class Pictures(ViewReconstructTest):
    def test_parts(self):
        """No part has only one color, and only the parts of the solver change."""
        bare = ('--window', '600x400')
        for name, events in (('early', ('iterate 2',)), ('late', ('iterate 40',))):
            self.view(events + ('wait 2', 'shot %s.png' % name), '--no-ui', window=bare)
        for part in range(6):
            with self.subTest(part=part):
                early, late = self.cell('early.png', part), self.cell('late.png', part)
                self.assertGreater(len(set(late)), 1)
                self.assertEqual(early == late, part in (0, 1, 3))
        # The error decreases: more of it is nearly white.
        white = [sum(min(p) > 235 for p in self.cell(n, 5)) for n in ('early.png', 'late.png')]
        self.assertGreater(white[1], 1.2 * white[0])
        # The truth is subtracted: if it were added, almost nothing would be white.
        self.assertGreater(white[1], len(self.cell('late.png', 5)) // 20)

    def test_panel_folds_and_widens(self):
        """A key or a lack of space folds the panel; a setting widens it."""
        self.view(('wait 2', 'key F7', 'wait 2'), window=PANELS)
        self.assertTrue(self.state['fold_left'])
        self.assertIn('left/open', self.facts['controls'])
        self.assertNotIn('controls/Run', ''.join(self.facts['controls']))
        self.view(('key F7', 'wait 2', 'click left/open', 'wait 2'), window=PANELS)
        self.assertFalse(self.state['fold_left'])
        self.assertIn('controls/TV', self.facts['controls'])
        self.view(('wait 2',), window=('--window', '500x400'))
        self.assertFalse(self.state['fold_left'])
        self.assertIn('left/open', self.facts['controls'])
        usual = self.view_width('wait 2')
        self.assertGreater(self.view_width('set left 30', 'wait 2'), usual + 50)

    def view_width(self, *events):
        """The distance of the middle of a slider from the left."""
        self.view(events, window=PANELS)
        return self.facts['places']['controls/TV'][0]

    def test_without_truth(self):
        self.view(('iterate 3', 'wait 1', 'shot s.png'), '--no-ui', files=('k.npy', '-m', 'm.npy'))
        self.assertIsNone(self.solver['psnr'])
        self.assertGreater(len(set(self.cell('s.png', 4))), 20)
        self.assertEqual(self.facts['tiles'], 4)

    def test_slices(self):
        self.make_volume()
        volume = ('v.npy', '-m', 'vm.npy', '--truth', 'vt.npy')
        self.view(('iterate 10', 'wait 1', 'shot a.png', 'key >', 'wait 1', 'shot b.png',
                   'key PgUp', 'wait 1', 'shot c.png', 'key \\', 'wait 1', 'shot d.png'),
                  '--no-ui', files=volume)
        self.assertEqual(self.solver['size'], [24, 20, 16])
        self.assertEqual(self.state['cross.z'], 8)
        for part in (0, 3, 4, 5):
            with self.subTest(part=part):
                shots = [self.cell(n + '.png', part) for n in 'abcd']
                self.assertTrue(shots[0] == shots[2])
                self.assertFalse(shots[0] == shots[1])
                self.assertFalse(shots[0] == shots[3])
        # The result does not depend on previous slices of another size.
        self.view(('set pane x', 'iterate 10', 'wait 1', 'set pane z', 'wait 1', 'shot e.png'),
                  '--no-ui', files=volume)
        for part in (0, 3, 4, 5):
            self.assertTrue(self.cell('a.png', part) == self.cell('e.png', part), part)
        # The wheel and the slider change the slice.
        self.view(('move 700 500', 'wheel 1', 'wait 1'), files=volume, window=PANELS)
        self.assertEqual(self.state['cross.z'], 9)
        self.assertIn('controls/Slice', self.facts['controls'])

    def test_slices_of_kspace(self):
        """Slices of k-space correspond to those of the images, with DC in the middle of all three
        axes."""
        self.make_volume()
        data = self.read('v.npy')
        numbers = memoryview(data)[10 + int.from_bytes(data[8:10], 'little'):].cast('f')
        kspace = [math.hypot(*numbers[2 * i:2 * i + 2]) for i in range(24 * 20 * 16)]
        mask = self.read('vm.npy')[-20 * 16:]  # equal for all x
        for axis, at in ((2, 8), (2, 6), (0, 12), (0, 13), (1, 9)):
            with self.subTest(axis=axis, at=at):
                self.view(('set pane ' + 'xyz'[axis], 'set cross.%s %d' % ('xyz'[axis], at),
                           'wait 1', 'move 100 95', 'wait 2', 'facts k.json', 'move 313 95',
                           'wait 2'), '--no-ui', files=('v.npy', '-m', 'vm.npy'))
                for facts, of in ((json.loads(self.read('k.json')), 'k'), (self.facts, 'mask')):
                    place = facts['pixel']['at']
                    self.assertEqual(place[axis], at)
                    x, y, z = [(p - n // 2) % n for p, n in zip(place, (24, 20, 16))]
                    value = mask[z * 20 + y]
                    if of == 'k' and value:
                        part = kspace[(z * 20 + y) * 24 + x] / max(kspace)
                        value = max(0, 1 + math.log10(part) / 4)
                    self.assertAlmostEqual(facts['pixel']['values'][0], value, places=4)

    def test_pixel(self):
        self.view(('iterate 5', 'wait 1', 'move 320 300', 'wait 2'), '--no-ui')
        self.assertEqual(self.facts['pixel']['level'], 0)
        self.assertEqual(len(self.facts['pixel']['values']), 1)


class Window(ViewReconstructTest):
    def test_runs_beside_it(self):
        """In a thread: restarted, paused, and continued; the curve is that without a thread."""
        self.check_window('cpu')

    def test_compute_shaders_beside_it(self):
        """The solver's context is current in its thread, and the window's in its own."""
        self.check_window('compute')

    def check_window(self, backend):
        self.write('events.txt', 'wait 2\nkey Space\nwait 2\nwait solver\nset solver.tv 0.4\n'
                   'wait 2\nwait solver\nkey Space\nwait 2\nwait solver\nfacts halted.json\n'
                   'iterate 5\nwait 2\nsave mine.npy\nfacts facts.json\nshot window.png\n')
        result = subprocess.run(
            [harness.PROGRAM, 'view', '--reconstruct', 'k.npy', '-m', 'm.npy', '--truth', 't.npy', '--outer', '9999',
             '-b', backend, '--events', 'events.txt', '--window', '900x600'],
            cwd=self.directory, env=self.environment(self.display()), capture_output=True,
            timeout=600, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn(b'Sanitizer', result.stderr)
        halted = json.loads(self.read('halted.json'))['scene']
        ended = json.loads(self.read('facts.json'))['scene']
        self.assertGreater(halted['iterations'], 0)
        self.assertGreater(len(ended['before']), 0)
        self.assertEqual(ended['iterations'], halted['iterations'] + 5)
        count = min(ended['iterations'], 40)
        weights = ('-b', backend, '--tv', '0.4', '--wav', '0.1')
        self.assertEqual(ended['backend'], backend)
        self.assert_same_curve(ended['curve'][:count],
                               self.log(*weights, '--iterations', str(count)))
        self.assertEqual(self.pixels('window.png')[:2], (900, 600))
        # The saved image is that of the latest iteration.
        self.log(*weights, '--outer', '9999', '--iterations', str(ended['iterations']))
        self.assert_same_samples('mine.npy', 'u.npy')


class Files(ViewReconstructTest):
    def test_copied_command(self):
        """The copied command makes the saved image, whatever the options of the window."""
        self.view(('set solver.tv 0.6', 'set a.wavelet cdf53', 'iterate 11', 'save mine.npy',
                   'key K', 'wait 1'), '--lambda', '70', '--inner', '4')
        words = shlex.split(self.facts['clipboard'])
        self.assertEqual(words[:2], ['wavepass', 'reconstruct'])
        self.succeed(*words[1:])
        self.assert_same_samples('mine.npy', 'image.npy')
        self.view(('key K', 'wait 1'))
        self.assertIn('no command to copy (no iteration was done)', self.facts['notice'])

    def test_copied_command_of_a_name_with_a_dash(self):
        self.write('-k.npy', self.read('k.npy'))
        self.view(('iterate 1', 'key K', 'wait 1'), files=('-k.npy', '-m', 'm.npy'))
        self.assertIn('reconstruct ./-k.npy -m m.npy ', self.facts['clipboard'])

    def test_copied_options(self):
        """All options that were given, unchanged."""
        weights = ('--tv', '0.5', '--wav', '0.25', '-w', 'cdf53', '-l', '2', '--mu', '90.5',
                   '--lambda', '70.5', '--gamma', '30.5')
        given = ('--peak', '2.5', '--sigma', '0.125', '--outer', '3', '--inner', '4')
        for flags in (('--seed', '5', '--threads', '2', '--centred', '--cycle-spinning'),
                      ('--threads', '2', '--exact')):
            last = (*flags, '-b', 'cpu', '--iterations', '2')
            self.view(('iterate 2', 'key K', 'wait 1'), *weights, *given, *last)
            self.assertEqual(self.facts['clipboard'], ' '.join((
                'wavepass reconstruct k.npy -m m.npy', *weights, '--truth t.npy', *given, *last,
                '-o image.npy')))

    def test_save(self):
        self.view(('iterate 9', 'save mine.png', 'key Ctrl+S', 'wait 1'))
        self.assertEqual(self.facts['notice'], 'wrote wavepass-001.npy')
        self.succeed('reconstruct', 'k.npy', '-m', 'm.npy', '--iterations', '9', '-o', 'made.png')
        mine, made = self.pixels('mine.png'), self.pixels('made.png')
        self.assertEqual(mine[:4], made[:4])
        self.assertLessEqual(max(abs(a - b) for a, b in zip(mine[4], made[4])), 1)

    def test_refusals(self):
        shot = ('--screenshot', 'x.png')
        start = ('view', '--reconstruct', 'k.npy')
        self.write('other.npy', npy((4, 5), [1] * 20, kind='|u1'))
        self.write('none.npy', npy((40, 48), [0] * 1920, kind='|u1'))
        self.refuse(FILE, 'missing.npy: …', 'view', '--reconstruct', 'missing.npy', *shot)
        self.refuse(FILE, 'other.npy: …', *start, '-m', 'other.npy', *shot)
        self.refuse(FILE, 'none.npy: …', *start, '-m', 'none.npy', *shot)
        self.refuse(USAGE, 'other.npy is 5x4, and the k-space 48x40', *start, '--truth',
                    'other.npy', *shot)
        self.refuse(USAGE, "unknown wavelet 'cdf79'…", *start, '-w', 'cdf79', *shot, hint='…')
        self.refuse(USAGE, 'the exact solution and cycle spinning exclude each other (random '
                    'shifts have no single solution)', *start, '--exact', '--cycle-spinning', *shot)
        self.refuse(USAGE, '--no-optimize cannot be combined with --reconstruct', *start,
                    '--no-optimize', *shot)
        self.refuse(USAGE, '--border cannot be combined with --reconstruct', *start, '--border',
                    'periodic', *shot)
        self.refuse(USAGE, "'t.npy' cannot be combined with --reconstruct, which shows only the "
                    'reconstruction of k.npy', *start, 't.npy', *shot)
        self.refuse(USAGE, '--mask is for --reconstruct KSPACE', 'view', 't.npy', '-m', 'm.npy',
                    *shot)
        self.refuse(USAGE, '13 levels are out of range (1 to 12)', *start, '-l', '13',
                    *shot)
        self.refuse(USAGE, '-l max is for images; the wavelet of a reconstruction has 1 to 12 '
                    'levels', *start, '-l', 'max', *shot)
        self.refuse(harness.UNAVAILABLE, "backend 'abacus' does not support reconstruction…",
                    *start, '-b', 'abacus', *shot)
        self.write('bad.txt', 'iterate many\n')
        self.refuse(FILE, "bad.txt:1: not a number: 'many'", *start, '--events', 'bad.txt', *shot)
