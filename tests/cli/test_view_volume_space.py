"""The viewer with volumes: the orientation of a scanner, and the cube of all subbands."""
import itertools
import json
import math
import random
import struct

import formats
from test_view_volume import AXES, BANDS, SIZE, VolumeViewTest, index


def nifti(size, voxel, values, sform=None):
    """A NIfTI in one file, float32; `sform` has three rows of four."""
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
        # Also on the screen: outside the samples the canvas is dark blue, not black.
        pane = self.pane('y')
        self.assertAlmostEqual(pane['zoom'], 0.97 * pane['rect'][3] / 24, places=3)

    def test_upright(self):
        self.write_head()
        self.look((), image='h.nii')
        told = {p['pane']: (p['name'], p['letters'], p['flip']) for p in self.facts['panes']}
        self.assertEqual(told['z'], ('axial', 'RLAP', [True, True]))
        self.assertEqual(told['y'], ('coronal', 'RLSI', [True, True]))
        self.assertEqual(told['x'], ('sagittal', 'APSI', [True, True]))
        # The patient's right has the larger x, and is displayed on the left.
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
        """x to the front, y down, z to the left: the first axis of a slice along z points to the
        front."""
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
        struct.pack_into('<3f', head, 256, 0, 1, 0)  # rotation by 180 degrees about the y axis
        self.write('h.nii', bytes(head))
        self.look((), image='h.nii')
        self.assertEqual((self.pane('z')['letters'], self.pane('z')['flip']),
                         ('RLAP', [False, True]))
        self.assertEqual(self.pane('y')['flip'], [False, False])

    def test_oblique(self):
        """Each axis is named after the nearest axis of the body, for any size of voxels."""
        def turned(q, v):
            """Rotation by a quaternion: v + 2 a (u x v) + 2 u x (u x v)."""
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
            # Columns: the directions of the voxel axes.
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


class Cube(VolumeViewTest):
    CUBE = ('set fourth cube', 'set levels 2')

    def low(self, axis, levels, size=SIZE):
        n = size[axis]
        for _ in range(levels):
            n = (n + 1) // 2
        return n

    def hover(self, faces, *events, **how):
        """Points at the middle of each face in turn."""
        moves = list(events)
        for i, face in enumerate(faces):
            moves += ['move %f %f' % tuple(face['at']), 'wait 1', 'facts %d.json' % i]
        self.look(moves, **how)
        return [json.loads(self.read('%d.json' % i))['pixel'] for i in range(len(faces))]

    def check(self, face, pixel, coefficients, cross):
        """The pixel is in the middle of the face's subband, in the slice of the crosshair."""
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
        """From the front, the faces of all subbands that are low-pass across a face; from behind,
        those of one level that are high-pass."""
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
        self.assertEqual(self.cross(), (6, 5, 4))  # unchanged
        # Outlines, with one color under the pointer and another one if selected.
        rect = [int(n) for n in self.pane('fourth')['rect']]
        self.assertNotEqual(self.part('before.png', rect), self.part('hover.png', rect))
        self.assertNotEqual(self.part('hover.png', rect), self.part('once.png', rect))

    def part(self, name, rect):
        width, _, _, _, pixels = formats.read_png(self.read(name))
        return [pixels[3 * (y * width + rect[0]):3 * (y * width + rect[0] + rect[2])]
                for y in range(rect[1], rect[1] + rect[3])]

    def test_it_is_orthographic(self):
        """The positions of samples on the screen are a linear function of their positions in the
        array."""
        self.look((*self.CUBE, 'set levels 1', 'wait 2'))
        faces = {(f['band'], f['axis']): f['at'] for f in self.pane('fourth')['faces']}

        def step(one, other):
            return [b - a for a, b in zip(faces[one], faces[other])]
        # From a band to its neighbor along x, on both faces with x as an axis, and so on.
        for low, high, sides in (('LLL', 'HLL', 'zy'), ('LLL', 'LHL', 'zx'), ('LLL', 'LLH', 'yx')):
            one, other = (step((low, side), (high, side)) for side in sides)
            for a, b in zip(one, other):
                self.assertAlmostEqual(a, b, places=2)
        # x points to the right, y down, z to the left and up.
        right, down = step(('LLL', 'z'), ('HLL', 'z')), step(('LLL', 'z'), ('LHL', 'z'))
        left = step(('LLL', 'y'), ('LLH', 'y'))
        self.assertTrue(right[0] > 0 > right[1] and abs(down[0]) < 1e-3 < down[1])
        self.assertTrue(left[0] < 0 and left[1] < 0)

    def test_a_head_stands_upright(self):
        """z points down the screen as in the slices, and every subband has the same orientation."""
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
