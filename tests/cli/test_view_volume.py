"""The viewer with volumes, without a display: linked slices, comparisons, backends."""
import json
import os
import signal
import subprocess

import formats
import harness
import test_view_window
import viewing
from harness import USAGE

WIDTH, HEIGHT, DEPTH = 12, 10, 8
SIZE = (WIDTH, HEIGHT, DEPTH)
WINDOW = ('--window', '1000x640')
AXES = 'xyz'
BANDS = ('LLL', 'HLL', 'LHL', 'HHL', 'LLH', 'HLH', 'LHH', 'HHH')


def index(x, y, z, size=SIZE):
    return (z * size[1] + y) * size[0] + x


class VolumeViewTest(viewing.ViewTest):
    def setUp(self):
        super().setUp()
        # Each value encodes its position.
        self.values = [(x + 20 * y + 400 * z) / 4096 for z in range(DEPTH)
                       for y in range(HEIGHT) for x in range(WIDTH)]
        self.write('v.npy', formats.npy((DEPTH, HEIGHT, WIDTH), self.values))

    def look(self, events, *arguments, image='v.npy', **how):
        return self.view(events, *(arguments or WINDOW), image=image, **how)

    def pane(self, name):
        return next(p for p in self.facts['panes'] if p['pane'] == name)

    def place(self, name, across, down, size=SIZE):
        """The position of a sample of a pane on the screen, while the complete volume fits."""
        pane = self.pane(name)
        at = []
        for i, number in enumerate((across, down)):
            unit = pane['extent'][i] / size[AXES.index(pane[('across', 'down')[i]])]
            offset = (number + 0.5) * unit - pane['extent'][i] / 2
            offset = -offset if pane['flip'][i] else offset
            middle = pane['rect'][i] + pane['rect'][2 + i] / 2
            at.append(middle + offset * pane['zoom'])
        return 'move %.1f %.1f' % tuple(at)

    def cross(self):
        return tuple(self.state['cross.' + a] for a in AXES)

    def coefficients_of(self, name='v.npy', *options):
        return self.coefficients(name, '-b', 'cpu', *options)[1]


class Slices(VolumeViewTest):
    def test_what_is_there_at_first(self):
        self.look(())
        self.assertEqual(self.cross(), (6, 5, 4))
        self.assertEqual((self.state['mode'], self.state['a.backend']), ('original', 'cpu'))
        self.assertEqual([p['pane'] for p in self.facts['panes']], ['z', 'fourth', 'y', 'x'])
        self.assertEqual([p['name'] for p in self.facts['panes']], ['xy', 'xy', 'xz', 'yz'])
        self.assertEqual((self.facts['width'], self.facts['height'], self.facts['depth']), SIZE)
        self.assertLess(self.facts['round_trip'], 1e-5)

    @harness.not_sanitized('pictures of every step take minutes, and show what one run of each does')
    def test_same_bytes_twice(self):
        self.look(())
        first = self.read('view.png')
        self.assertGreater(len(set(self.pixels('view.png'))), 50)
        self.look(())
        self.assertEqual(self.read('view.png'), first)

    def test_a_click_moves_the_others(self):
        self.look(())
        clicks = []
        for name, sample in (('z', (3, 7)), ('y', (9, 1)), ('x', (2, 6))):
            clicks += [self.place(name, *sample), 'click', 'wait 1', 'state %s.json' % name,
                       'facts %s-facts.json' % name]
        self.look(clicks)
        wanted = {'z': (3, 7, 4), 'y': (9, 7, 1), 'x': (9, 2, 6)}
        for name, cross in wanted.items():
            state = json.loads(self.read(name + '.json'))
            pixel = json.loads(self.read(name + '-facts.json'))['pixel']
            with self.subTest(name):
                self.assertEqual(tuple(state['cross.' + a] for a in AXES), cross)
                self.assertEqual(state['pane'], name)
                # The value under the pointer equals that in the file.
                self.assertEqual((pixel['pane'], tuple(pixel['at'])), (name, cross))
                self.assertAlmostEqual(pixel['values'][0], self.values[index(*cross)], places=6)

    def test_dragging_the_crosshair(self):
        self.look(())
        self.look((self.place('z', 1, 1), 'down', self.place('z', 5, 3), 'wait 1',
                   self.place('z', 10, 8), 'up'))
        self.assertEqual(self.cross(), (10, 8, 4))

    def test_stepping(self):
        self.look(())
        over_y = self.place('y', 3, 3)
        steps = (('key >', (6, 5, 5)), ('key <', (6, 5, 4)), ('key End', (6, 5, 7)),
                 ('key >', (6, 5, 7)), ('key PgUp', (6, 5, 0)), ('key PgDn', (6, 5, 7)),
                 ('key Home', (6, 5, 0)), (over_y, (6, 5, 0)), ('wheel 2', (6, 7, 0)),
                 ('wheel -3', (6, 4, 0)), ('wheel 0.5', (6, 4, 0)), ('wheel 0.5', (6, 5, 0)),
                 ('key >', (6, 6, 0)), ('set pane x', (6, 6, 0)), ('key Home', (0, 6, 0)),
                 ('set pane fourth', (0, 6, 0)), ('key >', (1, 6, 0)))
        events = []
        for i, (event, _) in enumerate(steps):
            events += [event, 'wait 1', 'state %d.json' % i]
        self.look(events)
        for i, (event, wanted) in enumerate(steps):
            state = json.loads(self.read('%d.json' % i))
            self.assertEqual(tuple(state['cross.' + a] for a in AXES), wanted, (i, event))

    def test_sliders(self):
        self.look(('set cross.x 0', 'set cross.y 0', 'wait 1', 'click slice y/y', 'wait 1',
                   'click slice x/x', 'wait 1'))
        self.assertIn('slice z/z', self.facts['controls'])
        # Their centers.
        self.assertIn(self.cross()[1], (4, 5))
        self.assertIn(self.cross()[0], (5, 6))
        self.assertEqual(self.state['pane'], 'x')

    def test_the_crosshair_is_drawn(self):
        self.look(('set crosshair false', 'wait 2', 'shot without.png', 'set crosshair true'))
        self.assertTrue(self.pixels('view.png') != self.pixels('without.png'))

    def test_zoom_and_centre_are_linked(self):
        self.look(())
        over = self.place('z', 3, 7)
        before = self.pane('x')['zoom']
        self.look((over, 'hold Ctrl', 'wheel 4', 'release Ctrl', 'wait 1', 'facts zoomed.json',
                   'down 2', 'move 400 210', 'up 2', 'wait 1', 'state panned.json',
                   'hold Ctrl', 'down', 'move 420 210', 'up', 'release Ctrl'))
        zoomed = json.loads(self.read('zoomed.json'))['panes']
        for pane in zoomed:
            if pane['pane'] != 'fourth':
                self.assertAlmostEqual(pane['zoom'], 2 * before, delta=1e-3 * before)
        panned = json.loads(self.read('panned.json'))
        self.assertFalse(panned['fit'])
        self.assertNotEqual(panned['x'], WIDTH / 2)
        self.assertEqual(panned['z'], DEPTH / 2)
        self.assertAlmostEqual(self.state['x'], panned['x'] - 20 / (2 * before), places=2)
        self.assertEqual(self.cross(), (6, 5, 4))

    def test_window_and_level(self):
        """The range from black to white is the same in all parts; one key resets it."""
        self.look(('move 400 200', 'down 1', 'move 480 160', 'up 1', 'wait 1', 'state dragged.json',
                   'shot dragged.png', 'key R'))
        dragged = json.loads(self.read('dragged.json'))
        self.assertAlmostEqual(dragged['gain'], 2, places=6)
        # The level was centered, and was lowered by a tenth of the previous window.
        self.assertAlmostEqual((0.5 - dragged['offset']) / dragged['gain'], 0.4, places=6)
        self.assertEqual((self.state['gain'], self.state['offset']), (1, 0))
        self.assertTrue(self.pixels('view.png') != self.pixels('dragged.png'))

    def test_one_part_alone(self):
        self.look(('set pane y', 'key Enter'))
        self.assertEqual([p['pane'] for p in self.facts['panes']], ['y'])
        self.look(('set pane y', 'key Enter', 'key Enter', 'key \\', 'wait 1'))
        self.assertEqual((len(self.facts['panes']), self.state['pane']), (4, 'x'))

    def test_playing(self):
        # 60 frames per second without a display: six of them show one slice at ten slices per
        # second.
        self.look(('set cross.z 6', 'key Space', 'wait 30', 'state playing.json', 'key Space',
                   'wait 20'))
        playing = json.loads(self.read('playing.json'))
        self.assertIn((playing['cross.z'] - 6) % DEPTH, (4, 5, 6))
        self.assertEqual(self.state['cross.z'], playing['cross.z'])

    def test_largest_values(self):
        noise = formats.noise(WIDTH * HEIGHT * DEPTH, 4095)
        self.write('n.npy', formats.npy((DEPTH, HEIGHT, WIDTH), [n / 4096 for n in noise]))
        for axis, (across, down) in (('z', (7, 2)), ('y', (7, 2)), ('x', (7, 2))):
            self.look(('set mip ' + axis, 'key Ctrl+Y'), image='n.npy')
            self.look(('set mip ' + axis, 'key Ctrl+Y', self.place('fourth', across, down),
                       'click', 'wait 2'), image='n.npy')
            samples = {'z': [(7, 2, i) for i in range(DEPTH)],
                       'y': [(7, i, 2) for i in range(HEIGHT)],
                       'x': [(i, 7, 2) for i in range(WIDTH)]}[axis]
            with self.subTest(axis):
                self.assertAlmostEqual(self.facts['pixel']['values'][0],
                                       max(noise[index(*s)] for s in samples) / 4096, places=6)
                self.assertEqual(self.state['pane'], 'fourth')
                self.assertEqual([c for i, c in enumerate(self.cross()) if AXES[i] != axis],
                                 [7, 2])

    def test_largest_values_of_a_slab(self):
        """That number of slices around the crosshair, also at the ends."""
        noise = formats.noise(WIDTH * HEIGHT * DEPTH, 4095)
        self.write('n.npy', formats.npy((DEPTH, HEIGHT, WIDTH), [n / 4096 for n in noise]))
        for slab, cross, slices in ((1, 4, (4, 5)), (4, 4, (3, 7)), (3, 0, (0, 3)),
                                    (4, DEPTH - 1, (DEPTH - 4, DEPTH)), (DEPTH + 5, 4, (0, DEPTH)),
                                    (0, 4, (0, DEPTH))):
            with self.subTest(slab=slab, cross=cross):
                self.look(('set fourth mip', 'set slab %d' % slab, 'set cross.z %d' % cross),
                          image='n.npy')
                self.look(('set fourth mip', 'set cross.z 6', 'set slab 2', 'wait 2',
                           'set slab %d' % slab, 'set cross.z %d' % cross,
                           self.place('fourth', 7, 2), 'wait 2'), image='n.npy')
                self.assertAlmostEqual(self.facts['pixel']['values'][0],
                                       max(noise[index(7, 2, z)] for z in range(*slices)) / 4096,
                                       places=6)

    def test_small_windows(self):
        events = []
        for size in ('640 480', '200 150', '31 40', '1 1', '5000 20', '900 600'):
            events += ['resize ' + size, 'move 3 3', 'wheel 1', 'click', 'wait 2']
        self.look(events)
        self.assertEqual(len(self.facts['panes']), 4)

    def test_bare(self):
        self.look((), '--no-ui', *WINDOW)
        self.assertEqual(self.facts['controls'], [])
        self.assertEqual(self.pane('z')['rect'], [0, 0, 499, 319])

    def test_in_a_window(self):
        test = test_view_window.Window('test_events_in_a_window')
        test.directory = self.directory
        self.write('events.txt', 'wait 3\nmove 400 200\nclick\nwheel 1\nwait 2\n'
                   'facts facts.json\nstate state.json\nshot window.png\n')
        process = test.start('v.npy', '--events', 'events.txt', '--window', '900x600')
        try:
            _, err = process.communicate(timeout=600)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            raise
        self.assertEqual(process.returncode, 0, err)
        self.assertNotIn(b'Sanitizer', err)
        self.assertEqual(json.loads(self.read('state.json'))['cross.z'], 5)
        self.assertEqual(len(json.loads(self.read('facts.json'))['panes']), 4)


class Compare(VolumeViewTest):
    def test_the_same_slice_of_two(self):
        a = self.coefficients_of('v.npy', '-w', 'cdf97', '-l', '1')
        b = self.coefficients_of('v.npy', '-w', 'haar', '-l', '1')
        events = ('set levels 1', 'set b.wavelet haar', 'set b.backend cpu', 'set mode mosaic')
        self.look((*events, 'wait 2'))
        over = self.place('z', 8, 3)
        for how in ('wipe', 'difference', 'checker', 'flip'):
            self.look((*events, over, 'set compare ' + how, 'wait 2'))
            with self.subTest(how):
                self.assertEqual(len(self.facts['panes']), 4)
                self.assertAlmostEqual(self.facts['max_difference'],
                                       max(abs(p - q) for p, q in zip(a, b)), places=6)
                for value, wanted in zip(self.facts['pixel']['values'], (a, b)):
                    self.assertAlmostEqual(value, wanted[index(8, 3, 4)], places=6)
        # A single band, too.
        self.look((*events, 'set mode band', 'set band HHL', 'set compare wipe', 'wait 2'))
        high = [index(x, y, z) for z in range(4) for y in range(5, 10) for x in range(6, 12)]
        self.assertAlmostEqual(self.facts['max_difference'], max(abs(a[i] - b[i]) for i in high),
                               places=6)
        self.look((*events, 'set compare side', 'set pane x', 'wait 2'))
        self.assertEqual([p['pane'] for p in self.facts['panes']], ['x', 'x'])

    def test_a_wipe_is_dragged_in_any_part(self):
        self.look(('set compare wipe', 'wait 2'))
        rect = self.pane('x')['rect']
        y = rect[1] + rect[3] / 2
        self.look(('set compare wipe', 'wait 2', 'move %f %f' % (rect[0] + rect[2] / 2, y), 'down',
                   'move %f %f' % (rect[0] + rect[2] / 4, y), 'up'))
        self.assertAlmostEqual(self.state['split'], 0.25, places=2)
        self.assertEqual(self.cross(), (6, 5, 4))

    def test_the_same_twice_is_no_difference(self):
        self.look(('set b.backend cpu', 'set mode reconstruction', 'set compare difference',
                   'wait 2'))
        self.assertEqual(self.facts['max_difference'], 0)

    def test_two_files(self):
        self.write('w.npy', formats.npy((DEPTH, HEIGHT, WIDTH), [v + 0.25 for v in self.values]))
        self.write('short.npy', formats.npy((DEPTH - 1, HEIGHT, WIDTH),
                                            self.values[:WIDTH * HEIGHT * (DEPTH - 1)]))
        self.look(('set b.file 1', 'set b.backend cpu', 'set compare difference', 'wait 2'),
                  image=('v.npy', 'w.npy', 'short.npy'))
        self.assertAlmostEqual(self.facts['max_difference'], 0.25, places=6)
        self.look(('set b.file 2', 'set compare difference', 'wait 2'),
                  image=('v.npy', 'w.npy', 'short.npy'))
        self.assertIn("A has 8 slices and B 7, so they can't be compared", self.facts['notice'])


class Backends(VolumeViewTest):
    def test_levels_are_refused_as_forward_does(self):
        for options in (('--levels-z', '4'), ('-l', '5'),
                        ('-l', '1', '--levels-z', '3', '--gop', '3')):
            with self.subTest(options):
                forward = self.run_program('forward', 'v.npy', '-o', 'c.npy', *options)
                message, hint = forward.first_error()
                self.refuse(USAGE, message.split(' error: ', 1)[1], 'view', 'v.npy', *options,
                            '--screenshot', 'x.png', hint=hint)
        self.look((), '-l', 'max', '--levels-z', 'max', *WINDOW)
        self.assertEqual((self.facts['a']['levels'], self.facts['levels_z']), (4, 3))
        self.look((), '--levels-z', '0', *WINDOW)
        self.assertEqual((self.facts['a']['levels'], self.facts['levels_z']), (3, 0))

    def test_the_reference(self):
        self.look(('set mode reconstruction',), '-b', 'reference', *WINDOW)
        self.assertEqual(self.facts['a']['backend'], 'reference')
        self.assertLess(self.facts['round_trip'], 1e-5)

    def test_an_image_and_then_a_volume(self):
        self.look(('wait 2', 'facts image.json', 'key PgDn', 'wait 3', 'facts volume.json',
                   'state volume-state.json', 'key Ctrl+PgDn', 'wait 3'),
                  image=(viewing.IMAGE, 'v.npy'))
        image = json.loads(self.read('image.json'))
        volume = json.loads(self.read('volume.json'))
        self.assertNotIn('panes', image)
        self.assertEqual((len(volume['panes']), volume['depth']), (4, DEPTH))
        self.assertEqual(image['a']['backend'], volume['a']['backend'])
        self.assertNotIn('panes', self.facts)
        self.assertEqual(self.facts['width'], 96)

    def test_what_images_do_not_take(self):
        shot = ('--screenshot', 'x.png')
        for option in ('--gop', '--levels-z'):
            self.refuse(USAGE, option + ' is for volumes, and this is an image', 'view',
                        viewing.IMAGE, option, '2', *shot)

    def test_files(self):
        self.write('r.raw', bytes(range(210)))
        self.look((), '--raw', '7x6x5:u8', *WINDOW, image='r.raw')
        self.assertEqual(self.facts['depth'], 5)
        self.write('film.y4m', b'YUV4MPEG2 W8 H6 F25:1 Cmono\n' + b'FRAME\n' * 0 +
                   b''.join(b'FRAME\n' + bytes([16 + 20 * i] * 48) for i in range(5)))
        self.look((), '--volume', '--gop', '2', *WINDOW, image='film.y4m')
        self.assertEqual((self.facts['depth'], self.pane('z')['name']), (5, 'frame'))
        self.look((), image='film.y4m')
        self.assertNotIn('panes', self.facts)

    def test_a_state_comes_back(self):
        self.look(('set cross.x 2', 'set pane y', 'key 6', 'set fourth mip', 'set levels_z 1'))
        first = self.read('view.png')
        os.rename(self.path('view.png'), self.path('shot.png'))
        self.look((), '--state', 'state.json', *WINDOW)
        self.assertEqual(self.read('view.png'), first)
        self.look((), '--state', 'shot.png', *WINDOW)
        self.assertEqual(self.read('view.png'), first)

    def test_a_texture_finds_no_memory(self):
        """At the start the program reports the error and ends; later it shows a notice, and the
        next change finds memory again."""
        there = ('set mode mosaic', 'wait 3', 'set mode original', 'wait 3')
        self.write('events.txt', '\n'.join((
            'wait 3', *there, 'key >', 'wait 3', 'set compare side', 'set b.wavelet cdf53',
            'wait 5', 'set compare off', 'wait 3', 'facts facts.json', 'key Esc', 'key <', 'wait 3',
            *there, 'shot end.png', 'facts end.json')))
        ends, pictures, number = [], {}, 1
        while not ends or ends[-1]:
            number += 1
            result = self.run_program('view', 'v.npy', '--screenshot', 'view.png', '-f', '--events',
                                      'events.txt', '--no-ui', *WINDOW, fault='texture:%d' % number)
            ends.append('gl fault: texture\n' in result.err)
            if result.code != 0:
                self.assertIn(result.code, (1, 6), result.err)
                self.assertIn('wavepass view: error: ', result.err)
                self.assertEqual(sorted(self.files()), ['events.txt', 'v.npy'])
                continue
            first, last = (json.loads(self.read(name))['notice'] or ''
                           for name in ('facts.json', 'end.json'))
            no_memory = 'no memory on this device for a texture'
            self.assertEqual(no_memory in result.err + first + last, ends[-1], number)
            if no_memory not in last:
                pictures[number] = self.read('end.png')
            for name in ('view.png', 'facts.json', 'end.png', 'end.json'):
                os.remove(self.path(name))
        self.assertGreater(len(pictures), 8)
        self.assertEqual(set(pictures.values()), {pictures[number]})

    def test_every_control_can_be_pressed(self):
        start = ('set compare wipe', 'set threshold hard')
        self.look((*start, 'wait 2'), '--window', '1000x1400')
        controls = [c for c in self.facts['controls'] if not c.startswith('menu/')]
        for wanted in ('controls/Levels z', 'controls/GOP', 'controls/Rate', 'slice z/z',
                       'slice fourth/MIP', 'controls/Along x'):
            self.assertIn(wanted, controls)
        events = []
        for control in controls:
            events += [*start, 'set a.backend cpu', 'set levels 3', 'set gop 0', 'set panels true',
                       'set single false', 'set fourth bands', 'set mode original',
                       'set behind false', 'set inspector 0', 'set playing false', 'wait 2',
                       'click ' + control, 'wait 1', 'key Esc', 'move 500 300', 'click']
            if control.split('/')[1] in ('Transform', 'Slices', 'Display', 'Compare', 'Edit',
                                         'Value', 'statistics'):
                events += ['click ' + control, 'wait 1']
            if control.startswith('inspector/'):
                events += ['click inspector/Pixel', 'wait 1']
        self.look(events, '--window', '1000x1400')
        self.assertEqual(len(self.facts['panes']), 4)
