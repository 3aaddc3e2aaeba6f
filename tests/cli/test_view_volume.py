"""The viewer with volumes, without a display: linked slices, bands, edits, comparisons."""
import itertools
import json
import math
import os
import random
import signal
import struct
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


def nifti(size, voxel, values, sform=None):
    """Of one piece, float32; `sform` has three rows of four."""
    head = bytearray(352)
    struct.pack_into('<i', head, 0, 348)
    struct.pack_into('<8h', head, 40, 3, *size, 1, 1, 1, 1)
    struct.pack_into('<2h', head, 70, 16, 32)
    struct.pack_into('<8f', head, 76, 1, *voxel, 0, 0, 0, 0)
    struct.pack_into('<f', head, 108, 352)
    head[123] = 2
    if sform:
        struct.pack_into('<h', head, 254, 1)
        for i, row in enumerate(sform):
            struct.pack_into('<4f', head, 280 + 16 * i, *row)
    head[344:348] = b'n+1\0'
    return bytes(head) + struct.pack('<%df' % len(values), *values)


class VolumeViewTest(viewing.ViewTest):
    def setUp(self):
        super().setUp()
        # Every sample tells where it is.
        self.values = [(x + 20 * y + 400 * z) / 4096 for z in range(DEPTH)
                       for y in range(HEIGHT) for x in range(WIDTH)]
        self.write('v.npy', formats.npy((DEPTH, HEIGHT, WIDTH), self.values))

    def look(self, events, *arguments, image='v.npy', **how):
        return self.view(events, *(arguments or WINDOW), image=image, **how)

    def pane(self, name):
        return next(p for p in self.facts['panes'] if p['pane'] == name)

    def place(self, name, across, down, size=SIZE):
        """Where a sample of a pane is on the screen, while all of the volume fits in."""
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
                # The value under the pointer is the one that the file has there.
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
        # Their middles.
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
        """What is between black and white is the same in all parts; one key resets it."""
        self.look(('move 400 200', 'down 1', 'move 480 160', 'up 1', 'wait 1', 'state dragged.json',
                   'shot dragged.png', 'key R'))
        dragged = json.loads(self.read('dragged.json'))
        self.assertAlmostEqual(dragged['gain'], 2, places=6)
        # The level was in the middle, and fell by a tenth of the window that was.
        self.assertAlmostEqual((0.5 - dragged['offset']) / dragged['gain'], 0.4, places=6)
        self.assertEqual((self.state['gain'], self.state['offset']), (1, 0))
        self.assertTrue(self.pixels('view.png') != self.pixels('dragged.png'))

    def test_one_part_alone(self):
        self.look(('set pane y', 'key Enter'))
        self.assertEqual([p['pane'] for p in self.facts['panes']], ['y'])
        self.look(('set pane y', 'key Enter', 'key Enter', 'key \\', 'wait 1'))
        self.assertEqual((len(self.facts['panes']), self.state['pane']), (4, 'x'))

    def test_playing(self):
        # 60 frames a second without a display: six of them are one of ten slices a second.
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
        """So many slices about the crosshair, and as many at the ends."""
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


class Geometry(VolumeViewTest):
    VOXEL = (1, 2, 3)
    RAS = ((1, 0, 0, 0), (0, 2, 0, 0), (0, 0, 3, 0))

    def write_head(self, sform=RAS):
        self.write('h.nii', nifti(SIZE, self.VOXEL, self.values, sform))

    def test_proportions(self):
        self.write_head(None)
        self.look((), image='h.nii')
        self.assertEqual(self.pane('z')['extent'], [12, 20])
        self.assertEqual(self.pane('y')['extent'], [12, 24])
        self.assertEqual(self.pane('x')['extent'], [20, 24])
        self.assertEqual(self.pane('z')['letters'], '')
        # On the screen, too: beside the samples the canvas is dark blue, not black.
        pane = self.pane('y')
        self.assertAlmostEqual(pane['zoom'], 0.97 * pane['rect'][3] / 24, places=3)

    def test_upright(self):
        self.write_head()
        self.look((), image='h.nii')
        told = {p['pane']: (p['name'], p['letters'], p['flip']) for p in self.facts['panes']}
        self.assertEqual(told['z'], ('axial', 'RLAP', [True, True]))
        self.assertEqual(told['y'], ('coronal', 'RLSI', [True, True]))
        self.assertEqual(told['x'], ('sagittal', 'APSI', [True, True]))
        # The patient's right has the larger x, and is on the left.
        left, top = self.place('z', 11, 9), self.place('z', 0, 0)
        self.assertLess(float(left.split()[1]), float(top.split()[1]))
        self.look((left, 'click', 'wait 2'), image='h.nii')
        self.assertEqual(self.cross(), (11, 9, 4))
        self.assertAlmostEqual(self.facts['pixel']['values'][0], self.values[index(11, 9, 4)],
                               places=6)
        self.look(('key Ctrl+Shift+H', 'wait 2'), image='h.nii')
        self.assertEqual((self.pane('z')['letters'], self.pane('z')['flip']),
                         ('LRAP', [False, True]))

    def test_other_orders_of_axes(self):
        """x to the front, y down, z to the left: the first axis of a slice along z is the front."""
        self.write_head(((0, 0, -3, 0), (1, 0, 0, 0), (0, -2, 0, 0)))
        self.look((), image='h.nii')
        told = {p['pane']: (p['name'], p['across'], p['down'], p['flip'])
                for p in self.facts['panes']}
        self.assertEqual(told['z'], ('sagittal', 'x', 'y', [True, False]))
        self.assertEqual(told['y'], ('axial', 'z', 'x', [False, True]))
        self.assertEqual(told['x'], ('coronal', 'z', 'y', [False, False]))
        self.look((self.place('y', 6, 2), 'click', 'wait 2'), image='h.nii')
        self.assertEqual(self.cross(), (2, 5, 6))
        self.assertAlmostEqual(self.facts['pixel']['values'][0], self.values[index(2, 5, 6)],
                               places=6)

    def test_qform(self):
        head = bytearray(nifti(SIZE, self.VOXEL, self.values))
        struct.pack_into('<h', head, 252, 1)
        struct.pack_into('<3f', head, 256, 0, 1, 0)  # half a turn about the axis to the front
        self.write('h.nii', bytes(head))
        self.look((), image='h.nii')
        self.assertEqual((self.pane('z')['letters'], self.pane('z')['flip']),
                         ('RLAP', [False, True]))
        self.assertEqual(self.pane('y')['flip'], [False, False])

    def test_oblique(self):
        """Each axis is that of the body to which it is nearest, whatever its voxels measure."""
        def turned(q, v):
            """By a quaternion: v + 2 a (u x v) + 2 u x (u x v)."""
            a, u = q[0], q[1:]
            cross = [u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3]
                     for i in range(3)]
            twice = [u[(i + 1) % 3] * cross[(i + 2) % 3] - u[(i + 2) % 3] * cross[(i + 1) % 3]
                     for i in range(3)]
            return [v[i] + 2 * a * cross[i] + 2 * twice[i] for i in range(3)]

        chance, wanted = random.Random(5), []
        names = ['h%d.nii' % turn for turn in range(160)]
        for turn, name in enumerate(names):
            q = [chance.gauss(0, 1) for _ in range(4)]
            length = math.copysign(math.hypot(*q), q[0])
            q = [part / length for part in q]
            last = chance.choice((1, -1))
            # In columns: where the axes of voxels go to.
            axes = [turned(q, v) for v in ((1, 0, 0), (0, 1, 0), (0, 0, last))]
            world = max(itertools.permutations(range(3)), key=lambda order: sum(
                abs(axes[c][order[c]]) for c in range(3)))
            if turn % 2:
                scale = chance.sample((1, 4, 30), 3)
                self.write(name, nifti(SIZE, self.VOXEL, self.values, [
                    [scale[c] * axes[c][r] for c in range(3)] + [0] for r in range(3)]))
            else:
                head = bytearray(nifti(SIZE, self.VOXEL, self.values))
                struct.pack_into('<f', head, 76, last)
                struct.pack_into('<h', head, 252, 1)
                struct.pack_into('<3f', head, 256, *q[1:])
                self.write(name, bytes(head))
            wanted.append({})
            for axis in range(3):
                across, down = sorted({0, 1, 2} - {axis}, key=lambda c: world[c])
                wanted[-1]['xyz'[axis]] = [
                    ('sagittal', 'coronal', 'axial')[world[axis]], 'xyz'[across], 'xyz'[down],
                    ('RL' if world[across] == 0 else 'AP') + ('SI' if world[down] == 2 else 'AP'),
                    [axes[c][world[c]] > 0 for c in (across, down)]]
        self.view([event for i in range(len(names)) for event in (
            'set a.file %d' % i, 'wait 1', 'facts %d.json' % i)], image=names)
        for i, panes in enumerate(wanted):
            told = {pane['pane']: [pane[key] for key in ('name', 'across', 'down', 'letters',
                                                         'flip')]
                    for pane in json.loads(self.read('%d.json' % i))['panes']}
            self.assertEqual({name: told[name] for name in 'xyz'}, panes, i)

    def test_a_matrix_that_says_nothing(self):
        nan = float('nan')
        for matrix in (((0, 0, 0, 0),) * 3, ((nan, nan, nan, 0),) * 3):
            self.write_head(matrix)
            self.look((), image='h.nii')
            self.assertEqual((self.pane('z')['name'], self.pane('z')['letters']), ('xy', ''))


class Coefficients(VolumeViewTest):
    def at(self, coefficients, level, band, sample, size=SIZE):
        """A coefficient of a level in the layout mallat."""
        place = []
        for axis in range(3):
            low = size[axis]
            for _ in range(level):
                low = (low + 1) // 2
            place.append(sample[axis] + (low if BANDS.index(band) >> axis & 1 else 0))
        return coefficients[index(*place, size)]

    def test_a_band_in_slices(self):
        """As large as the volume: its samples are where those of the volume are."""
        wanted = self.coefficients_of('v.npy', '-l', '2')
        for level, band, cross in ((1, 'HLL', (9, 4, 3)), (1, 'LHH', (5, 5, 5)),
                                   (2, 'HHH', (7, 3, 2)), (2, 'LLL', (11, 9, 7))):
            self.look(('set levels 2', 'wait 1'))
            self.look(('set levels 2', 'set mode band', 'set level %d' % level,
                       'set band ' + band, 'set cross.y %d' % cross[1],
                       self.place('y', cross[0], cross[2]), 'click', 'wait 2'))
            sample = [min(c >> level, -(-s >> level) - 1 if band == 'LLL' else c >> level)
                      for c, s in zip(cross, SIZE)]
            with self.subTest(level=level, band=band):
                self.assertEqual((self.facts['pixel']['band'], self.facts['pixel']['level']),
                                 (band, level))
                self.assertAlmostEqual(self.facts['pixel']['values'][0],
                                       self.at(wanted, level, band, sample), places=6)

    def test_slices_of_the_coefficients(self):
        wanted = self.coefficients_of('v.npy', '-l', '2', '--levels-z', '1')
        self.look(('set levels 2', 'set levels_z 1', 'key 0', 'wait 1'))
        for sample in ((0, 0, 0), (2, 4, 2), (7, 1, 3), (11, 9, 6), (5, 6, 7)):
            self.look(('set levels 2', 'set levels_z 1', 'key 0', 'set cross.z %d' % sample[2],
                       self.place('z', sample[0], sample[1]), 'wait 2'))
            with self.subTest(sample):
                self.assertEqual(tuple(self.facts['pixel']['at']), sample)
                self.assertAlmostEqual(self.facts['pixel']['values'][0], wanted[index(*sample)],
                                       places=6)

    def test_groups(self):
        wanted = self.coefficients_of('v.npy', '-l', '1', '--gop', '3')
        for sample in ((1, 1, 2), (7, 6, 5), (3, 2, 7), (11, 0, 6)):
            self.look(('set mode mosaic', 'wait 1'), '-l', '1', '--gop', '3', *WINDOW)
            events = ('set mode mosaic', 'set cross.y %d' % sample[1],
                      self.place('y', sample[0], sample[2]), 'wait 2')
            self.look(events, '-l', '1', '--gop', '3', *WINDOW)
            with self.subTest(sample):
                self.assertEqual(tuple(self.facts['pixel']['at']), sample)
                self.assertAlmostEqual(self.facts['pixel']['values'][0], wanted[index(*sample)],
                                       places=6)
        self.assertLess(self.facts['round_trip'], 1e-5)
        # The last group has two slices, of which HLL1 has one.
        self.look(('set mode band', 'set band HLL', 'wait 1'), '-l', '1', '--gop', '3', *WINDOW)
        self.assertEqual([p['tiles'] for p in self.facts['panes']][2:], [3, 3])

    def test_many_groups(self):
        """Of a thousand tiles one is made, and of no other slice."""
        count = 90
        self.write('long.npy', formats.npy((count, 4, 6), [n / 99 for n in range(24 * count)]))
        for mode in ('mosaic', 'band'):
            self.look(('set mode ' + mode, 'wait 2'), '--gop', '1', *WINDOW, image='long.npy')
            with self.subTest(mode):
                self.assertEqual([p['tiles'] for p in self.facts['panes']][2:], [1, 1])
                self.assertEqual(self.pane('y')['shows'], 'mosaic')
        self.look(('set mode band', 'set gop 30', 'wait 2'), image='long.npy')
        self.assertEqual([p['tiles'] for p in self.facts['panes']][2:], [3, 3])

    def test_the_cube(self):
        """Eight bands of a level, each of which a click selects and two presses go into."""
        self.look(('set levels 1', 'wait 2'))
        self.assertEqual(self.pane('fourth')['tiles'], 8)
        wanted = self.coefficients_of('v.npy', '-l', '1')
        rect, zoom = self.pane('fourth')['rect'], self.pane('fourth')['zoom']
        extent = self.pane('fourth')['extent']
        # What is high along z is below: slices are wider than they are tall.
        self.assertEqual(extent[0], WIDTH)
        self.assertGreater(extent[1], 2 * HEIGHT)
        for band in range(8):
            x = 1.5 + (6 if band & 1 else 0)
            y = 2.5 + (5 if band & 2 else 0) + (extent[1] - HEIGHT if band & 4 else 0)
            move = 'move %.1f %.1f' % (rect[0] + rect[2] / 2 + (x - extent[0] / 2) * zoom,
                                       rect[1] + rect[3] / 2 + (y - extent[1] / 2) * zoom)
            self.look(('set levels 1', 'wait 2', move, 'click', 'wait 2', 'facts one.json',
                       'click', 'wait 2'))
            pixel = json.loads(self.read('one.json'))['pixel']
            with self.subTest(BANDS[band]):
                self.assertEqual((pixel['pane'], pixel['band']), ('fourth', BANDS[band]))
                self.assertAlmostEqual(pixel['values'][0],
                                       self.at(wanted, 1, BANDS[band], (1, 2, 2)), places=6)
                self.assertEqual(self.state['band'], (BANDS[band][:2] if band < 4
                                                      else BANDS[band]))
                self.assertEqual(self.state['mode'], 'band')
                self.assertEqual(self.cross(), (6, 5, 4))

    def test_keys_select_bands(self):
        events = []
        for i in range(8):
            events += ['key %d' % (i + 1), 'wait 1', 'state %d.json' % i]
        self.look(('set levels 2', *events, 'set mode original', 'set band HHH', 'set level 1',
                   'key Right', 'wait 1', 'state right.json'))
        for i, band in enumerate(BANDS):
            self.assertEqual(json.loads(self.read('%d.json' % i))['band'],
                             band[:2] if i < 4 else band)
        right = json.loads(self.read('right.json'))
        self.assertEqual((right['band'], right['level']), ('HL', 2))

    def test_parts_show_different_things(self):
        self.look(('set show.x mosaic', 'set show.y reconstruction', 'wait 2'))
        self.assertEqual([self.pane(p)['shows'] for p in 'zyx'],
                         ['original', 'reconstruction', 'mosaic'])

    def test_ways_of_images_alone(self):
        self.look(('try mode tree', 'wait 2'))
        self.assertIn("'tree' is a way to look at images", self.facts['notice'])
        self.assertEqual(self.state['mode'], 'original')
        self.look(('key V', 'key V', 'key V', 'wait 1'))
        self.assertEqual(self.state['mode'], 'band')

    def test_saved_and_copied(self):
        self.look(('set a.wavelet cdf53', 'set levels 1', 'wait 2', 'save s.npy', 'key K',
                   'wait 1'), '--gop', '3', '--levels-z', '1', *WINDOW)
        command = self.facts['clipboard'].split()
        self.assertEqual(command[:2], ['wavepass', 'forward'])
        self.succeed(*command[1:])
        shape, saved = formats.read_npy(self.read('s.npy'))
        self.assertEqual(shape, (DEPTH, HEIGHT, WIDTH))
        self.assertEqual(saved, formats.read_npy(self.read('coefficients.npy'))[1])
        self.succeed('inverse', 's.npy', '-o', 'back.npy')
        self.assert_near(formats.read_npy(self.read('back.npy'))[1], self.values, 1e-5)


class Schemes(VolumeViewTest):
    OF_IMAGES = ('sep-convolution', 'sep-polyconvolution', 'sep-lifting', 'nonsep-convolution',
                 'nonsep-polyconvolution', 'nonsep-lifting')
    OF_VOLUMES = OF_IMAGES[:3] + ('planar-convolution', 'planar-polyconvolution',
                                  'planar-lifting') + OF_IMAGES[3:]

    def scheme_of(self, name):
        return json.loads(self.read(name))['a.scheme']

    def test_keys_go_through_all_of_them(self):
        for image, schemes in (('v.npy', self.OF_VOLUMES), (viewing.IMAGE, self.OF_IMAGES)):
            events = ['set a.backend reference', 'set a.scheme sep-convolution']
            for i in range(len(schemes) + 1):
                events += ['wait 1', 'state %d.json' % i, 'key S']
            self.look((*events, 'set a.scheme sep-convolution', 'key Shift+S'), image=image)
            self.assertEqual([self.scheme_of('%d.json' % i) for i in range(len(schemes) + 1)],
                             [*schemes, schemes[0]])
            self.assertEqual(self.state['a.scheme'], schemes[-1])

    def test_lists(self):
        for image, wanted in (('v.npy', True), (viewing.IMAGE, False)):
            self.look(('click controls/Scheme', 'wait 1', 'facts list.json', 'click sep-lifting',
                       'wait 1'), image=image)
            listed = [c.split('/')[1] for c in json.loads(self.read('list.json'))['controls']]
            for scheme in self.OF_VOLUMES:
                self.assertEqual(scheme in listed, wanted or scheme in self.OF_IMAGES, scheme)
            self.assertEqual(self.state['a.scheme'], 'sep-lifting')
        self.look(('click controls/Scheme', 'wait 1', 'click planar-lifting', 'wait 1',
                   'click controls/Optimised', 'click inspector/Matrix', 'wait 2'))
        self.assertEqual((self.state['a.scheme'], self.state['a.plain']), ('planar-lifting', True))

    def test_what_runs_and_what_is_copied(self):
        """By the backend that runs volumes by scheme, and by forward in another process."""
        self.look(('set a.scheme planar-lifting', 'set a.plain true', 'wait 2', 'save s.npy',
                   'key K'), '-b', 'fragment', '-w', 'cdf53', '-l', '1', *WINDOW)
        self.assertEqual(self.facts['a']['name'], 'cdf53/planar-lifting/plain')
        self.assertIn(' -s planar-lifting --plain ', self.facts['clipboard'])
        self.succeed(*self.facts['clipboard'].split()[1:])
        self.assertEqual(self.read('s.npy'), self.read('coefficients.npy'))

    def test_edits_are_copied(self):
        for words, events in (
                ('--zero HLL1,LLH1 --threshold soft:0.002',
                 ('set threshold soft', 'set limit 0.002', 'set zeroed HLL1 LLH1')),
                ('--impulse LLH1:3,2,1', ('set band LLH', 'key I'))):
            with self.subTest(words):
                self.look(('set levels 1', 'wait 2', *events, 'set mode reconstruction', 'wait 2',
                           'save s.npy', 'key K'), '--gop', '5', *WINDOW)
                forward, edit, inverse = self.facts['clipboard'].split(' && ')
                self.assertEqual(edit, 'wavepass edit coefficients.npy %s -o edited.npy' % words)
                for command in (forward, edit, inverse):
                    self.succeed(*command.split()[1:], '-f')
                self.assertEqual(formats.read_npy(self.read('s.npy')),
                                 formats.read_npy(self.read('edited.npy')))

    def test_options_palette_and_states(self):
        self.look(())
        self.assertEqual(self.state['a.scheme'], 'planar-polyconvolution')  # as forward's
        self.look(('key Ctrl+Shift+P', 'type b.scheme planar-convolution', 'key Enter', 'wait 1'),
                  '-s', 'pl-lift', *WINDOW)
        self.assertEqual((self.state['a.scheme'], self.state['b.scheme']),
                         ('planar-lifting', 'planar-convolution'))
        self.look((), '--state', 'state.json', *WINDOW)
        self.assertEqual((self.state['a.scheme'], self.state['b.scheme']),
                         ('planar-lifting', 'planar-convolution'))

    def test_an_image_has_none(self):
        forward = self.run_program('forward', viewing.IMAGE, '-o', 'c.npy', '-s', 'pl-lift')
        message, hint = forward.first_error()
        self.refuse(USAGE, message.split(' error: ', 1)[1], 'view', viewing.IMAGE, '-s',
                    'pl-lift', '--screenshot', 'x.png', hint=hint)
        told = 'nonsep-lifting, because planar-lifting is of volumes'
        self.look(('set a.scheme planar-lifting', 'wait 2'), image=viewing.IMAGE)
        self.assertEqual((self.state['a.scheme'], self.facts['notice']), ('nonsep-lifting', told))
        self.look(('key Ctrl+PgDn', 'wait 3'), '-s', 'planar-lifting', *WINDOW,
                  image=('v.npy', viewing.IMAGE))
        self.assertEqual((self.state['a.scheme'], self.facts['notice']), ('nonsep-lifting', told))


class Cube(VolumeViewTest):
    CUBE = ('set fourth cube', 'set levels 2')

    def low(self, axis, levels, size=SIZE):
        n = size[axis]
        for _ in range(levels):
            n = (n + 1) // 2
        return n

    def hover(self, faces, *events, **how):
        """The sample in the middle of each, in turn."""
        moves = list(events)
        for i, face in enumerate(faces):
            moves += ['move %f %f' % tuple(face['at']), 'wait 1', 'facts %d.json' % i]
        self.look(moves, **how)
        return [json.loads(self.read('%d.json' % i))['pixel'] for i in range(len(faces))]

    def check(self, face, pixel, coefficients, cross):
        """It is of the face's band, in the slice where the crosshair is, in the middle of it."""
        self.assertEqual((pixel['pane'], pixel['band'], pixel['level']),
                         ('fourth', face['band'], face['level']))
        for axis, letter in enumerate(face['band']):
            first = self.low(axis, face['level']) if letter == 'H' else 0
            count = self.low(axis, face['level'] - 1) - first if letter == 'H' else \
                self.low(axis, face['level'])
            within = min(cross[axis] >> face['level'], count - 1) \
                if AXES[axis] == face['axis'] else count // 2
            self.assertEqual(pixel['at'][axis], first + within, (face, AXES[axis]))
        self.assertAlmostEqual(pixel['values'][0], coefficients[index(*pixel['at'])], places=6)

    def test_every_band_has_its_faces(self):
        """In front all that are low across a face, from behind those of a level that are high."""
        coefficients = self.coefficients_of('v.npy', '-w', 'cdf97', '-l', '2')
        for events, levels, letter in (((), (1, 2), 'L'), (('key 9',), (1,), 'H'),
                                       (('key 9', 'set level 2'), (2,), 'H')):
            cross = ('set cross.x 9', 'set cross.y 2', 'set cross.z 5')
            self.look((*self.CUBE, *cross, *events, 'wait 2'))
            faces = self.pane('fourth')['faces']
            wanted = [(band, level, axis) for level in levels for band in BANDS
                      for i, axis in enumerate(AXES) if band[i] == letter and
                      (band != 'LLL' or level == 2)]
            with self.subTest(events):
                self.assertEqual(sorted((f['band'], f['level'], f['axis']) for f in faces),
                                 sorted(wanted))
                for face, pixel in zip(faces, self.hover(faces, *self.CUBE, *cross, *events,
                                                         'wait 2')):
                    self.check(face, pixel, coefficients, (9, 2, 5))

    def test_a_click_selects(self):
        self.look((*self.CUBE, 'wait 2'))
        face = next(f for f in self.pane('fourth')['faces']
                    if (f['band'], f['level'], f['axis']) == ('LHH', 1, 'x'))
        at = 'move %f %f' % tuple(face['at'])
        self.look((*self.CUBE, 'wait 2', 'shot before.png', at, 'wait 2', 'shot hover.png', 'click',
                   'wait 2', 'state once.json', 'shot once.png', 'click', 'wait 2'))
        once = json.loads(self.read('once.json'))
        self.assertEqual((once['band'], once['level'], once['mode'], once['pane']),
                         ('LHH', 1, 'original', 'fourth'))
        self.assertEqual(self.state['mode'], 'band')
        self.assertEqual(self.cross(), (6, 5, 4))  # it stays
        # Outlines, of one colour under the pointer and of another one where selected.
        rect = [int(n) for n in self.pane('fourth')['rect']]
        self.assertNotEqual(self.part('before.png', rect), self.part('hover.png', rect))
        self.assertNotEqual(self.part('hover.png', rect), self.part('once.png', rect))

    def part(self, name, rect):
        width, _, _, _, pixels = formats.read_png(self.read(name))
        return [pixels[3 * (y * width + rect[0]):3 * (y * width + rect[0] + rect[2])]
                for y in range(rect[1], rect[1] + rect[3])]

    def test_it_is_orthographic(self):
        """Where samples are on the screen is a linear function of where they are in the array."""
        self.look((*self.CUBE, 'set levels 1', 'wait 2'))
        faces = {(f['band'], f['axis']): f['at'] for f in self.pane('fourth')['faces']}

        def step(one, other):
            return [b - a for a, b in zip(faces[one], faces[other])]
        # From a band to its neighbour along x, on both faces along which x leads, and so on.
        for low, high, sides in (('LLL', 'HLL', 'zy'), ('LLL', 'LHL', 'zx'), ('LLL', 'LLH', 'yx')):
            one, other = (step((low, side), (high, side)) for side in sides)
            for a, b in zip(one, other):
                self.assertAlmostEqual(a, b, places=2)
        # x leads to the right, y down, z to the left and up.
        right, down = step(('LLL', 'z'), ('HLL', 'z')), step(('LLL', 'z'), ('LHL', 'z'))
        left = step(('LLL', 'y'), ('LLH', 'y'))
        self.assertTrue(right[0] > 0 > right[1] and abs(down[0]) < 1e-3 < down[1])
        self.assertTrue(left[0] < 0 and left[1] < 0)

    def test_a_head_stands_upright(self):
        """z leads down the screen as in the slices, and every band is seen as they are."""
        self.write('h.nii', nifti(SIZE, Geometry.VOXEL, self.values, Geometry.RAS))
        coefficients = self.coefficients_of('h.nii', '-w', 'cdf97', '-l', '2')
        self.look((*self.CUBE, 'wait 2'), image='h.nii')
        faces = self.pane('fourth')['faces']
        at = {(f['band'], f['axis']): f['at'] for f in faces if f['level'] == 1}
        self.assertAlmostEqual(at['HLL', 'y'][0], at['HLH', 'y'][0], delta=1)
        self.assertLess(at['HLL', 'y'][1], at['HLH', 'y'][1])
        for face, pixel in zip(faces, self.hover(faces, *self.CUBE, 'wait 2', image='h.nii')):
            self.assertEqual((pixel['band'], pixel['level']), (face['band'], face['level']))
            self.assertAlmostEqual(pixel['values'][0], coefficients[index(*pixel['at'])], places=6)

    def test_groups_and_axes_without_levels(self):
        coefficients = self.coefficients_of('v.npy', '-w', 'cdf97', '-l', '2', '--gop', '3')
        events = ('set fourth cube', 'set levels 2', 'set gop 3', 'set cross.z 4', 'wait 2')
        self.look(events)
        faces = self.pane('fourth')['faces']
        for face, pixel in zip(faces, self.hover(faces, *events)):
            self.assertIn(pixel['at'][2], (3, 4, 5))
            self.assertAlmostEqual(pixel['values'][0], coefficients[index(*pixel['at'])], places=6)
        self.look(('set fourth cube', 'set levels 1', 'set levels_z 0', 'set behind true',
                   'wait 2'))
        self.assertEqual(sorted({f['band'] for f in self.pane('fourth')['faces']
                                 if f['axis'] == 'z'}), ['HHL', 'HLL', 'LHL', 'LLL'])

    def test_beside_another_transform(self):
        events = ('set fourth cube', 'set pane fourth', 'set single true', 'set levels 1',
                  'set b.wavelet haar', 'set b.backend cpu')
        for how in ('wipe', 'difference', 'side'):
            self.look((*events, 'set compare ' + how, 'wait 2', 'shot with.png', 'set compare off',
                       'wait 2'))
            rect = [270, 30, 300, 300]
            self.assertNotEqual(self.part('with.png', rect), self.part('view.png', rect), how)

    def test_keys_and_controls(self):
        self.look(('key Ctrl+Y', 'key Ctrl+Y', 'wait 1', 'state key.json', 'click slice fourth/MIP',
                   'wait 1', 'click slice fourth/Cube', 'wait 1', 'click slice fourth/Behind',
                   'wait 1', 'click slice fourth/Level', 'wait 1'), '--window', '1280x640')
        self.assertEqual(json.loads(self.read('key.json'))['fourth'], 'cube')
        self.assertEqual((self.state['fourth'], self.state['behind'], self.state['level']),
                         ('cube', True, 2))
        faces = self.pane('fourth')['faces']
        self.look((), '--state', 'state.json', '--window', '1280x640')
        self.assertEqual(self.pane('fourth')['faces'], faces)


class Edits(VolumeViewTest):
    def inverse(self, coefficients):
        """Of what was saved, with its description."""
        data = bytearray(self.read('s.npy'))
        body = len(data) - 4 * len(coefficients)
        data[body:] = struct.pack('<%df' % len(coefficients), *coefficients)
        self.write('s.npy', bytes(data))
        self.succeed('inverse', 's.npy', '-o', 'back.npy', '-f')
        return formats.read_npy(self.read('back.npy'))[1]

    def edited(self, *events, options=()):
        self.look(('set levels 1', *events, 'set mode reconstruction', 'wait 2', 'save s.npy',
                   'move 300 150', 'wait 2'), *options, *WINDOW)
        saved = formats.read_npy(self.read('s.npy'))[1]
        plain = self.coefficients_of('v.npy', '-l', '1', *options)
        back = self.inverse(saved)
        at = self.facts['pixel']['at']
        self.assertAlmostEqual(self.facts['pixel']['values'][0], back[index(*at)], places=5)
        loss = max(abs(a - b) for a, b in zip(back, self.values))
        self.assertAlmostEqual(self.facts['round_trip'], loss, places=5)
        return plain, saved

    def test_bands_left_out(self):
        plain, saved = self.edited('set zeroed "LLH1 HLL1"'.replace('"', ''))
        for z in range(DEPTH):
            for y in range(HEIGHT):
                for x in range(WIDTH):
                    band = (x >= 6) + 2 * (y >= 5) + 4 * (z >= 4)
                    wanted = 0 if band in (1, 4) else plain[index(x, y, z)]
                    self.assertEqual(saved[index(x, y, z)], wanted)

    def test_thresholds(self):
        for kind in ('hard', 'soft'):
            plain, saved = self.edited('set threshold ' + kind, 'set limit 0.001',
                                       options=('--gop', '5', '--norm', 'orthonormal'))
            changed = 0
            for i, (before, after) in enumerate(zip(plain, saved)):
                x, y, z = i % WIDTH, i // WIDTH % HEIGHT, i // WIDTH // HEIGHT
                in_group, low = (z, 3) if z < 5 else (z - 5, 2)
                if x < 6 and y < 5 and in_group < low:
                    self.assertEqual(after, before)
                    continue
                size = max(abs(before) - 0.001, 0)
                wanted = (before if abs(before) > 0.001 else 0) if kind == 'hard' else \
                    (size if before > 0 else -size)
                self.assertAlmostEqual(after, wanted, places=6)
                changed += after != before
            self.assertGreater(changed, 10, kind)
            kept = sum(c != 0 for c in saved) / len(saved)
            self.assertAlmostEqual(self.facts['kept'], kept, places=6)

    def test_measured_while_a_slider_is_held(self):
        """Now and then, and when it is let go; what is seen follows at once."""
        start = ('set levels 1', 'set threshold hard', 'set limit 0', 'set mode reconstruction')
        over = 'move 300 150'
        self.look((*start, 'wait 2', over, 'wait 1', 'facts before.json', 'move 990 600', 'down',
                   'set limit 0.001', over, 'wait 2', 'facts held.json', 'wait 30',
                   'facts later.json', 'set limit 0.01', 'wait 1', 'facts again.json', 'up'))
        before, held, later, again = (json.loads(self.read(name + '.json'))
                                      for name in ('before', 'held', 'later', 'again'))
        self.assertNotEqual(before['pixel']['values'], held['pixel']['values'])
        self.assertEqual(before['kept'], held['kept'])
        self.assertLess(later['kept'], held['kept'])
        self.assertEqual(later['kept'], again['kept'])
        self.assertLess(self.facts['kept'], later['kept'])

    def test_bands_one_by_one(self):
        plain, saved = self.edited('set kept 2')
        for i, (before, after) in enumerate(zip(plain, saved)):
            x, y, z = i % WIDTH, i // WIDTH % HEIGHT, i // WIDTH // HEIGHT
            self.assertEqual(after, before if (y < 5 and z < 4) else 0, (x, y, z))

    def test_an_impulse(self):
        for events, at in ((('set band LLH', 'key I'), (3, 2, 4 + 2)),
                           (('set band HHL', 'key I'), (6 + 3, 5 + 2, 2))):
            self.look(('set levels 1', 'wait 2', *events, 'wait 2', 'save s.npy'))
            saved = formats.read_npy(self.read('s.npy'))[1]
            self.assertEqual([i for i, c in enumerate(saved) if c], [index(*at)])
            self.assertEqual(saved[index(*at)], 1)
            self.assertEqual((self.state['mode'], self.cross()), ('reconstruction', (6, 4, 4)))

    def test_undo(self):
        self.look(('key Z', 'key Q', 'wait 2', 'key Shift+Z', 'wait 2'))
        self.assertEqual((self.state['zeroed'], self.state['threshold']), ('', 'none'))
        self.assertLess(self.facts['round_trip'], 1e-5)

    def test_the_selected_band(self):
        self.look(('key 7', 'key Up', 'key Z', 'wait 2'))
        self.assertEqual(self.state['zeroed'], 'LHH2')


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
        # Of a band by itself, too.
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
        """At the start the program says so and ends; later it is a notice, and the next change finds
        memory again."""
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


if harness.is_sanitized():
    # Pictures of every step take minutes there, and show nothing that one run of each does not.
    del Slices.test_same_bytes_twice
