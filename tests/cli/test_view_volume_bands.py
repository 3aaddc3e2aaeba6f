"""The viewer with volumes: subbands, their schemes, and edits."""
import json
import struct

import formats
import viewing
from harness import USAGE
from test_view_volume import BANDS, DEPTH, HEIGHT, SIZE, WIDTH, WINDOW, VolumeViewTest, index


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
        """A subband has the size of the volume: its samples are at the positions of the volume's
        samples."""
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

    def test_borders_of_pywavelets(self):
        """The array of coefficients is larger than the volume; a band is at the positions of its
        samples, and B may have bands of other sizes."""
        border = '-w', 'db2', '--border', 'pywt-antireflect', '-l', '1', '--norm', 'pywt'
        shape, wanted = self.coefficients('v.npy', '-b', 'cpu', *border)
        band = [(n + 3) // 2 for n in SIZE]
        extent = tuple(2 * n for n in band)
        self.assertEqual(shape[::-1], extent)
        start = '-b', 'cpu', *border, *WINDOW
        self.look(('set mode mosaic', 'wait 1'), *start)
        for sample in ((0, 0, 0), (11, 9, 7), (extent[0] - 1, 2, 3)):
            self.look(('set mode mosaic', 'set cross.z %d' % sample[2],
                       self.place('z', *sample[:2], extent), 'wait 2', 'key Ctrl+S', 'wait 1'), *start)
            with self.subTest(sample):
                self.assertEqual(tuple(self.facts['pixel']['at']), sample)
                self.assertAlmostEqual(self.facts['pixel']['values'][0],
                                       wanted[index(*sample, extent)], places=5)
        self.assertLess(self.facts['round_trip'], 1e-5)
        saved = formats.read_npy(self.read('wavepass-001.npy'))
        self.assertEqual(saved[0], shape)
        self.assertLess(max(abs(a - b) for a, b in zip(saved[1], wanted)), 1e-5)
        # Coefficient k is at samples 2k - 1 and 2k.
        for sample in ((5, 4, 3), (11, 0, 7)):
            events = ('set mode band', 'set band HLL',
                      *('set cross.%s %d' % pair for pair in zip('xyz', sample)), 'wait 1')
            self.look(events, *start)
            at = [(s + 1) // 2 for s in sample]
            self.look((*events, self.place('z', *at[:2], band), 'wait 2'), *start)
            with self.subTest(sample):
                self.assertAlmostEqual(self.facts['pixel']['values'][0],
                                       wanted[index(at[0] + band[0], *at[1:], extent)], places=5)
        # The bands of Haar are smaller.
        haar = self.coefficients('v.npy', '-b', 'cpu', '-w', 'haar', *border[2:])[1]
        small = [n // 2 for n in SIZE]
        self.look(('set b.wavelet haar', 'set b.backend cpu', 'set mode band', 'set band LL',
                   'set compare difference', 'wait 3'), *start)
        most = max(abs(wanted[index(x, y, z, extent)] - haar[index(x, y, z)])
                   for x in range(small[0]) for y in range(small[1]) for z in range(small[2]))
        self.assertAlmostEqual(self.facts['max_difference'], most, places=5)
        self.assertGreater(most, 1e-3)

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
        # The last group has two slices, so HLL1 has one.
        self.look(('set mode band', 'set band HLL', 'wait 1'), '-l', '1', '--gop', '3', *WINDOW)
        self.assertEqual([p['tiles'] for p in self.facts['panes']][2:], [3, 3])

    def test_many_groups(self):
        """Only the tile of the visible slice is created."""
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
        """The eight subbands of a level; a click selects one, and two presses open it."""
        self.look(('set levels 1', 'wait 2'))
        self.assertEqual(self.pane('fourth')['tiles'], 8)
        wanted = self.coefficients_of('v.npy', '-l', '1')
        rect, zoom = self.pane('fourth')['rect'], self.pane('fourth')['zoom']
        extent = self.pane('fourth')['extent']
        # Bands that are high-pass along z are below: slices are wider than tall.
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
        self.assertIn("view mode 'tree' is for images", self.facts['notice'])
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
                   'click controls/Optimized', 'click inspector/Matrix', 'wait 2'))
        self.assertEqual((self.state['a.scheme'], self.state['a.plain']), ('planar-lifting', True))

    def test_what_runs_and_what_is_copied(self):
        """The backend that runs the schemes of volumes, and `forward` in another process."""
        self.look(('set a.scheme planar-lifting', 'set a.plain true', 'wait 2', 'save s.npy',
                   'key K'), '-b', 'fragment', '-w', 'cdf53', '-l', '1', *WINDOW)
        self.assertEqual(self.facts['a']['name'], 'cdf53/planar-lifting/plain')
        self.assertIn(' -s planar-lifting --no-optimize ', self.facts['clipboard'])
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
        self.assertEqual(self.state['a.scheme'], 'planar-polyconvolution')  # as in forward
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
        told = 'nonsep-lifting, because planar-lifting is for volumes'
        self.look(('set a.scheme planar-lifting', 'wait 2'), image=viewing.IMAGE)
        self.assertEqual((self.state['a.scheme'], self.facts['notice']), ('nonsep-lifting', told))
        self.look(('key Ctrl+PgDn', 'wait 3'), '-s', 'planar-lifting', *WINDOW,
                  image=('v.npy', viewing.IMAGE))
        self.assertEqual((self.state['a.scheme'], self.facts['notice']), ('nonsep-lifting', told))


class Edits(VolumeViewTest):
    def inverse(self, coefficients):
        """The inverse of the saved coefficients, with their metadata."""
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
        """Statistics are updated now and then, and when the slider is released; the image is
        updated at once."""
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
