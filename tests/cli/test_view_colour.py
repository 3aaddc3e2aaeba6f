"""The viewer with color images: three planes around gray, luma, single channels."""
import json
import shlex

import formats
import viewing
from harness import REFERENCE, USAGE

WIDTH, HEIGHT = 40, 32
NAMES = ('red', 'green', 'blue')
PANELS = viewing.PANELS
# Only the canvas, one screen pixel per sample, details from -1 to 1.
EXACT = ('set fit false', 'set zoom 1', 'set range fixed')


def level(value):
    """A detail in 8 bits."""
    return min(max(round(128 + 127 * value), 0), 255)


class ColourTest(viewing.ViewTest):
    def setUp(self):
        super().setUp()
        self.samples = formats.noise(WIDTH * HEIGHT * 3, 255)
        self.write('rgb.png', formats.png(WIDTH, HEIGHT, self.samples, planes=3))
        self.write('gray.png', formats.png(WIDTH, HEIGHT, self.samples[::3]))

    def look(self, events, *arguments, image='rgb.png', **how):
        return self.view(events, *(arguments or ('-l', '1', *PANELS)), image=image, **how)

    def shot(self, name, width):
        """Rows of (r, g, b)."""
        values = self.pixels(name)
        pixels = [tuple(values[i:i + 3]) for i in range(0, len(values), 3)]
        return [pixels[i:i + width] for i in range(0, len(pixels), width)]

    def band(self, name='c.npy', planes=3):
        """HL1 of coefficients in the Mallat layout, rows of one value per plane."""
        shape, values = formats.read_npy(self.read(name))
        self.assertEqual(shape, (HEIGHT, WIDTH, planes) if planes > 1 else (HEIGHT, WIDTH))
        return [[tuple(values[(y * WIDTH + x) * planes:(y * WIDTH + x + 1) * planes])
                 for x in range(WIDTH // 2, WIDTH)] for y in range(HEIGHT // 2)]


class Pixels(ColourTest):
    def shoot_band(self, *events, image='rgb.png'):
        """Fills the window with HL1."""
        self.view((*EXACT, *events, 'set mode band', 'set band HL', 'set level 1',
                   'set x %d' % (WIDTH // 4), 'set y %d' % (HEIGHT // 4), 'wait 3', 'save c.npy'),
                  '--no-ui', '-l', '1', '--window', '%dx%d' % (WIDTH // 2, HEIGHT // 2),
                  image=image)
        return self.shot('view.png', WIDTH // 2)

    def test_details_are_red_green_blue_about_grey(self):
        shown, band = self.shoot_band(), self.band()
        for row, values in zip(shown, band):
            for pixel, value in zip(row, values):
                for p in range(3):
                    self.assertLessEqual(abs(pixel[p] - level(value[p])), 1)
        self.assertGreater(len({p for row in shown for p in row}), 50)

    def test_neutral_stays_neutral_and_zero_is_grey(self):
        gray = formats.noise(WIDTH * HEIGHT, 255)
        flat = [100] * (WIDTH * HEIGHT // 2)
        self.write('neutral.png', formats.png(WIDTH, HEIGHT,
                                              [v for v in flat + gray[len(flat):]
                                               for _ in range(3)], planes=3))
        shown = self.shoot_band(image='neutral.png')
        self.assertTrue(all(len(set(pixel)) == 1 for row in shown for pixel in row))
        self.assertEqual({pixel for row in shown[:4] for pixel in row}, {(128, 128, 128)})
        self.assertGreater(len({pixel for row in shown for pixel in row}), 20)
        # In all scales and ranges.
        for scale, zero in (('absolute', 0), ('log', 0), ('signed', 128)):
            for how in 'band', 'all':
                shown = self.shoot_band('set scale ' + scale, 'set range ' + how,
                                        image='neutral.png')
                self.assertTrue(all(max(p) - min(p) <= 1 for row in shown for p in row))
                self.assertEqual({pixel for row in shown[:4] for pixel in row}, {(zero,) * 3})

    def test_luma_and_one_channel_take_the_map(self):
        for word in 'luma', 'green':
            with self.subTest(word):
                shown = self.shoot_band('set channel ' + word, 'set map gray')
                for row, values in zip(shown, self.band(planes=1)):
                    for pixel, (value,) in zip(row, values):
                        self.assertEqual(len(set(pixel)), 1)
                        self.assertLessEqual(abs(pixel[0] - level(value)), 1)
                orange = self.shoot_band('set channel ' + word)
                self.assertTrue(any(p[0] > p[2] + 20 for row in orange for p in row))

    def test_image_and_reconstruction(self):
        for mode in 'original', 'reconstruction':
            self.view((*EXACT, 'set mode ' + mode, 'set x 20', 'set y 16', 'wait 3'), '--no-ui',
                      '-l', '2', '--window', '%dx%d' % (WIDTH, HEIGHT), image='rgb.png')
            for a, b in zip(self.pixels('view.png'), self.samples):
                self.assertLessEqual(abs(a - b), 1)

    def test_mixed_bands(self):
        """Coefficients of all subbands as neighbors: LL as the image, details around gray."""
        self.view((*EXACT, 'set mode mixed', 'set x 20', 'set y 16', 'wait 3', 'save c.npy'),
                  '--no-ui', '-l', '1', '--window', '%dx%d' % (WIDTH, HEIGHT), image='rgb.png')
        shown = self.shot('view.png', WIDTH)
        _, values = formats.read_npy(self.read('c.npy'))
        for y in range(HEIGHT):
            for x in range(WIDTH):
                at = 3 * (WIDTH * (y // 2 + HEIGHT // 2 * (y % 2)) + x // 2 + WIDTH // 2 * (x % 2))
                for p, value in enumerate(values[at:at + 3]):
                    low = x % 2 == 0 and y % 2 == 0
                    wanted = min(max(round(255 * value), 0), 255) if low else level(value)
                    self.assertLessEqual(abs(shown[y][x][p] - wanted), 1)

    def test_values_that_are_not_finite(self):
        values = [0.5] * (WIDTH * HEIGHT * 3)
        values[3 * (16 * WIDTH + 20) + 1] = float('nan')
        self.write('nan.npy', formats.npy((HEIGHT, WIDTH, 3), values))
        self.view((*EXACT, 'set mode original', 'set x 20', 'set y 16', 'wait 3'), '--no-ui', '-l',
                  '1', '--window', '%dx%d' % (WIDTH, HEIGHT), image='nan.npy')
        shown = self.shot('view.png', WIDTH)
        self.assertEqual(shown[16][20], (219, 51, 140))
        self.assertEqual(len(set(shown[15])), 1)

    def test_quads_of_a_pass_are_their_planes(self):
        """Interleaved, a sample is drawn as in the plane of its component."""
        half = (WIDTH // 2, HEIGHT // 2)
        gap = 1  # two per hundred of 20, rounded up
        for channel in 'rgb', 'luma':
            for op in range(4):
                with self.subTest(channel=channel, op=op):
                    common = (*EXACT[:2], 'set channel ' + channel, 'set a.wavelet haar',
                              'set a.scheme sep-lifting', 'set mode pass', 'set op %d' % op)
                    where = 'set x %g', 'set y %g'
                    window = ('--no-ui', '-l', '1', '--window')
                    self.view((*common, 'set quads interleaved', where[0] % half[0],
                               where[1] % half[1], 'wait 3'), *window, '%dx%d' % (WIDTH, HEIGHT),
                              image='rgb.png')
                    one = self.shot('view.png', WIDTH)
                    width, height = WIDTH + gap, HEIGHT + gap
                    self.view((*common, 'set quads planes', where[0] % (width / 2),
                               where[1] % (height / 2), 'wait 3'), *window,
                              '%dx%d' % (width, height), image='rgb.png')
                    self.assertEqual(self.facts['tiles'], 4)
                    apart = self.shot('view.png', width)
                    for y in range(HEIGHT):
                        for x in range(WIDTH):
                            if x < 12 and y < 12:
                                continue  # labels, if there is space
                            plane = apart[y % 2 * (half[1] + gap) + y // 2]
                            if (y // 2 < 12) and (x // 2 < 12):
                                continue
                            self.assertEqual(one[y][x], plane[x % 2 * (half[0] + gap) + x // 2])


class Controls(ColourTest):
    def test_key_goes_through_them(self):
        seen = []
        self.look(['wait 2', 'state 0.json'] +
                  [e for i in range(1, 6) for e in ('key H', 'wait 2', 'state %d.json' % i)])
        for i in range(6):
            seen.append(json.loads(self.read('%d.json' % i))['channel'])
        self.assertEqual(seen, ['rgb', 'luma', '0', '1', '2', 'rgb'])

    def test_words_of_states(self):
        for given, kept in (('red', '0'), ('gray', 'luma'), ('2', '2'), ('rgb', 'rgb')):
            self.look(('set channel ' + given, 'wait 2'))
            self.assertEqual(self.state['channel'], kept)
        self.look(('wait 2',), '--channel', 'green', *PANELS)
        self.assertEqual(self.state['channel'], '1')
        self.write('old.json', '{"channel": "gray"}')
        self.look(('wait 2',), '--state', 'old.json', *PANELS)
        self.assertEqual(self.state['channel'], 'luma')
        self.look(('wait 2',), '--state', 'old.json', '--channel', 'rgb', *PANELS)
        self.assertEqual(self.state['channel'], 'rgb')
        self.refuse(USAGE, "channel: invalid value 'cyan'", 'view', 'rgb.png', '--screenshot',
                    'x.png', '--events', '-', stdin=b'set channel cyan\n')

    def test_map_is_of_one_plane(self):
        self.look(('key C', 'wait 2'))
        self.assertEqual(self.state['map'], 'blue-white-orange')
        self.assertIn('color maps are for single channels', self.facts['notice'])
        self.assertNotIn('controls/Color map', self.facts['controls'])
        self.look(('key H', 'wait 2', 'key C', 'wait 2'))
        self.assertEqual(self.state['map'], 'viridis')
        self.assertIn('controls/Color map', self.facts['controls'])

    def test_who_has_a_channel(self):
        self.look(('wait 2',))
        self.assertIn('controls/Channel', self.facts['controls'])
        self.look(('key H', 'wait 2'), image='gray.png')
        self.assertNotIn('controls/Channel', self.facts['controls'])
        self.assertEqual((self.state['channel'], self.facts['notice']),
                         ('rgb', 'the image is gray and has one channel'))
        # An image of two planes is not a color image: the first one is shown, and luma is not
        # available.
        self.write('two.npy', formats.npy((HEIGHT, WIDTH, 2),
                                          formats.noise(WIDTH * HEIGHT * 2, 255)))
        self.look(('wait 2', 'key K', 'key H', 'wait 2', 'state one.json', 'key H', 'wait 2',
                   'set channel luma', 'wait 2'), image='two.npy')
        self.assertIn('controls/Channel', self.facts['controls'])
        self.assertIn(' --channel 0 ', self.facts['clipboard'])
        self.assertEqual(json.loads(self.read('one.json'))['channel'], '1')
        self.assertIn("the image has no channel 'luma'", self.facts['notice'])
        self.assertEqual(self.state['channel'], '0')

    def test_first_image_without_it(self):
        for image, word in (('rgb.png', '3'), ('gray.png', 'green')):
            self.refuse(USAGE, 'the image has no channel …', 'view', image, '--channel', word,
                        '--screenshot', 'x.png')
        self.assertNotIn('x.png', self.files())

    def test_files_of_both_kinds(self):
        """The color setting has no effect until an image has color."""
        self.look(('wait 2', 'facts 0.json', 'key PgDn', 'wait 2', 'facts 1.json', 'key PgDn',
                   'wait 2'), image=('rgb.png', 'gray.png'))
        counts = [len(json.loads(self.read(name))['statistics']['planes'])
                  for name in ('0.json', '1.json', 'facts.json')]
        self.assertEqual(counts, [3, 1, 3])
        self.assertEqual(self.facts['notice'], '')


class Numbers(ColourTest):
    def test_statistics_name_their_channels(self):
        self.look(('set band HL', 'set level 1', 'wait 3', 'save c.npy'))
        told, band = self.facts['statistics'], self.band()
        values = [[v[p] for row in band for v in row] for p in range(3)]
        self.assertEqual([p['channel'] for p in told['planes']], list(NAMES))
        for plane, mine in zip(told['planes'], values):
            self.assertEqual(plane['samples'], len(mine))
            self.assertAlmostEqual(plane['least'], min(mine), places=6)
            self.assertAlmostEqual(plane['most'], max(mine), places=6)
            self.assertAlmostEqual(plane['mean'], sum(mine) / len(mine), places=5)
            self.assertEqual(sum(plane['bins']), len(mine))
        every = sum(values, [])
        mean = sum(every) / len(every)
        self.assertEqual((told['channel'], told['samples']), ('rgb', len(every)))
        self.assertAlmostEqual(told['least'], min(every), places=6)
        self.assertAlmostEqual(told['deviation'],
                               (sum((v - mean) ** 2 for v in every) / len(every)) ** 0.5, places=5)
        self.assertEqual(sum(told['bins']), len(every))
        for word, name in (('luma', 'luma'), ('1', 'green')):
            self.look(('set channel ' + word, 'wait 3'))
            self.assertEqual([p['channel'] for p in self.facts['statistics']['planes']], [name])

    def test_one_range_and_one_loss_of_all_planes(self):
        """Red has no details, green few, blue many."""
        noise = formats.noise(WIDTH * HEIGHT, 255)
        self.write('blue.png', formats.png(WIDTH, HEIGHT, [v for n in noise
                                                           for v in (90, n // 8, n)], planes=3))
        self.look(('set mode band', 'set band HL', 'set level 1', 'wait 3', 'save c.npy'),
                  image='blue.png')
        every = [v for row in self.band() for pixel in row for v in pixel]
        mean = sum(every) / len(every)
        spread = 4 * (sum((v - mean) ** 2 for v in every) / len(every)) ** 0.5
        self.assertAlmostEqual(self.facts['range'][1], spread, places=5)
        self.look(('set zeroed HL1', 'wait 3'), '-l', '1', *PANELS, image='blue.png')
        self.succeed('forward', 'blue.png', '-l', '1', *REFERENCE, '-o', 'all.npy')
        told = self.succeed('edit', 'all.npy', '--zero', 'HL1', '--reference', 'blue.png', '--json')
        self.assertAlmostEqual(self.facts['loss_psnr'], json.loads(told.text())['psnr'], places=2)

    def test_pixel_has_all(self):
        self.look(('set mode original', *EXACT[:2], 'set zoom 8', 'set x 10.5', 'set y 7.5',
                   'move 150 120'), '-l', '1', '--no-ui', '--window', '300x240')
        pixel = self.facts['pixel']
        at = 3 * (pixel['y'] * WIDTH + pixel['x'])
        self.assertEqual([round(255 * v) for v in pixel['planes']], self.samples[at:at + 3])

    def test_statistics_follow_the_timeline(self):
        self.look(('set mode pass', 'set op 0', 'wait 3', 'facts 0.json', 'key .', 'wait 3'))
        before = json.loads(self.read('0.json'))['statistics']
        self.assertGreaterEqual(before['least'], 0)
        self.assertLess(self.facts['statistics']['least'], 0)


class Elsewhere(ColourTest):
    def test_copied_command_makes_what_is_saved(self):
        for channel in 'rgb', 'luma', 'red', '2':
            with self.subTest(channel):
                self.look(('set channel ' + channel, 'set levels 2', 'wait 2', 'key K',
                           'save saved.npy'))
                number = {'red': '0'}.get(channel, channel)
                self.assertIn(' --channel %s ' % number, self.facts['clipboard'])
                self.succeed(*shlex.split(self.facts['clipboard'])[1:], '-f')
                self.assertEqual(self.read('saved.npy'), self.read('coefficients.npy'))

    def test_copied_command_of_a_name_with_a_dash(self):
        self.write('-dash.png', self.read('rgb.png'))
        self.look(('wait 2', 'key K', 'save saved.npy'), '-l', '2', '--', '-dash.png', image=())
        words = shlex.split(self.facts['clipboard'])
        self.assertEqual(words[:3], ['wavepass', 'forward', './-dash.png'])
        self.succeed(*words[1:], '-f')
        self.assertEqual(self.read('saved.npy'), self.read('coefficients.npy'))

    def test_copied_command_with_edits(self):
        self.look(('set threshold hard', 'set limit 0.25', 'set zeroed HH1', 'wait 2', 'key K',
                   'save saved.npy'))
        for command in self.facts['clipboard'].split(' && '):
            self.succeed(*shlex.split(command)[1:], '-f')
        shape, values = formats.read_npy(self.read('saved.npy'))
        self.assertEqual((shape, values), formats.read_npy(self.read('edited.npy')))
        self.assertEqual(shape, (HEIGHT, WIDTH, 3))

    def test_backends_agree(self):
        for backend in 'cpu', 'reference':
            self.look(('set b.backend ' + backend, 'set compare difference', 'wait 4'), '-l', '2',
                      *PANELS)
            self.assertLess(self.facts['max_difference'], 1e-5)
            self.assertLess(self.facts['round_trip'], 1e-5)

    def test_reversible(self):
        self.look(('set a.wavelet cdf53', 'set a.scheme sep-lifting', 'set a.reversible true',
                   'wait 3', 'save c.npy'))
        self.assertTrue(self.state['a.reversible'], self.facts['notice'])
        self.assertEqual(self.facts['round_trip'], 0)
        self.succeed('forward', 'rgb.png', '--reversible', '-l', '1', *REFERENCE, '-o', 'd.npy')
        self.assertEqual(formats.read_npy_of(self.read('c.npy')),
                         formats.read_npy_of(self.read('d.npy')))

    def test_colour_beside_gray(self):
        self.look(('set compare side', 'set b.file 1', 'wait 3'), image=('rgb.png', 'gray.png'))
        self.assertIn("A is in color and B is gray, so they can't be compared",
                      self.facts['notice'])
        self.assertEqual(self.state['b.file'], 0)
        self.look(('set channel luma', 'set compare side', 'set b.file 1', 'wait 3'),
                  image=('rgb.png', 'gray.png'))
        self.assertEqual((self.state['b.file'], self.facts['notice']), (1, ''))

    def test_files_of_each_size_and_channel(self):
        """Textures are deleted and created again, and none remains."""
        self.write('small.png', formats.png(9, 7, formats.noise(9 * 7 * 3, 255), planes=3))
        images = ('rgb.png', 'small.png', 'gray.png')
        events = []
        for i in range(4):
            events += ['key PgDn', 'wait 2', 'key H', 'wait 2', 'key H', 'wait 2'] * 3
            events += ['set channel rgb', 'wait 2', 'facts %d.json' % i]
        self.look(events, image=images)
        counts = [json.loads(self.read('%d.json' % i))['gl_objects'] for i in range(4)]
        self.assertEqual(counts[1:], counts[1:2] * 3)

    def test_volume(self):
        depth = 6
        samples = [v / 255 for v in formats.noise(WIDTH * HEIGHT * depth * 3, 255)]
        self.write('v.npy', formats.npy((depth, HEIGHT, WIDTH, 3), samples))
        left, top = 80, 64  # labels are next to it
        self.look(('set mode original', 'set cross.z 2', 'set pane z', 'set single true',
                   'set crosshair false', *EXACT, 'set x 20', 'set y 16', 'wait 3', 'save c.npy',
                   'shot slice.png', 'move %d %d' % (left + 11, top + 9), 'wait 2'), '--no-ui',
                  '-l', '1', '--window', '%dx%d' % (WIDTH + 2 * left, HEIGHT + 2 * top),
                  image='v.npy')
        first = 2 * WIDTH * HEIGHT * 3
        wanted = samples[first:first + WIDTH * HEIGHT * 3]
        shown = self.shot('slice.png', WIDTH + 2 * left)
        for y in range(HEIGHT):
            for x in range(WIDTH):
                for p in range(3):
                    self.assertLessEqual(abs(shown[top + y][left + x][p] -
                                             255 * wanted[3 * (y * WIDTH + x) + p]), 1)
        x, y, z = self.facts['pixel']['at']
        at = 3 * ((z * HEIGHT + y) * WIDTH + x)
        for told, value in zip(self.facts['pixel']['planes'], samples[at:at + 3]):
            self.assertAlmostEqual(told, value, places=6)
        self.assertLess(self.facts['round_trip'], 1e-5)
        self.succeed('forward', 'v.npy', '--volume', '-l', '1', *REFERENCE, '-o', 'd.npy')
        (shape, mine), (other, theirs) = (formats.read_npy(self.read(name))
                                          for name in ('c.npy', 'd.npy'))
        self.assertEqual((shape, other), ((depth, HEIGHT, WIDTH, 3),) * 2)
        self.assertLess(max(abs(a - b) for a, b in zip(mine, theirs)), 1e-5)
