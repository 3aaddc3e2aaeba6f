"""--channel: the planes of a color image, its luma or one plane, in files, pictures and reports."""
import base64
import html
import re

import formats
from harness import FILE, REFERENCE, USAGE, CliTest

WORDS = ('rgb', 'luma', '0', '1', '2', '3', 'red', 'green', 'blue')
NUMBERS = {'0': 0, '1': 1, '2': 2, 'red': 0, 'green': 1, 'blue': 2}
WIDTH, HEIGHT = 24, 18
SAMPLES = formats.noise(WIDTH * HEIGHT * 3, 255)
SIDE = 64


class ChannelTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write('rgb.png', formats.png(WIDTH, HEIGHT, SAMPLES, planes=3))
        self.write('gray.png', formats.png(WIDTH, HEIGHT, SAMPLES[::3]))
        for plane in range(3):
            self.write('%d.png' % plane, formats.png(WIDTH, HEIGHT, SAMPLES[plane::3]))

    def edges(self, name):
        """Black with a white, a red, a green and a blue bar, each two pixels wide, in columns so
        far apart that no wavelet of short support combines them."""
        rows = []
        for _ in range(SIDE):
            for x in range(SIDE):
                bar, inside = divmod(x, 16)
                colours = ((255, 255, 255), (255, 0, 0), (0, 255, 0), (0, 0, 255))
                rows += colours[bar] if inside in (7, 8) else (0, 0, 0)
        self.write(name, formats.png(SIDE, SIDE, rows, planes=3))


class Coefficients(ChannelTest):
    def forward(self, name, *options):
        self.succeed('forward', name, *options, *REFERENCE, '-l', '2', '-f', '-o', 'c.npy')
        return formats.read_npy(self.read('c.npy'))

    def test_a_plane_is_that_of_a_gray_image(self):
        for word, plane in NUMBERS.items():
            with self.subTest(word):
                self.assertEqual(self.forward('rgb.png', '--channel', word),
                                 self.forward('%d.png' % plane))

    def test_rgb_is_all_and_luma_is_gray(self):
        shape, values = self.forward('rgb.png', '--channel', 'rgb')
        self.assertEqual((shape, values), self.forward('rgb.png'))
        self.assertEqual(shape, (HEIGHT, WIDTH, 3))
        shape, luma = self.forward('rgb.png', '--channel', 'luma')
        self.assertEqual((shape, luma), self.forward('rgb.png', '--gray'))
        # The transform is linear: the luma of the coefficients equals the coefficients of the luma.
        for i, wanted in enumerate(luma):
            r, g, b = values[3 * i:3 * i + 3]
            self.assertAlmostEqual(0.299 * r + 0.587 * g + 0.114 * b, wanted, places=5)
        self.assertEqual(self.forward('gray.png', '--channel', 'luma'), self.forward('gray.png'))
        self.assertEqual(self.forward('gray.png', '--channel', '0'), self.forward('gray.png'))

    def test_alpha_passes_through(self):
        samples = formats.noise(WIDTH * HEIGHT * 4, 255)
        self.write('rgba.png', formats.png(WIDTH, HEIGHT, samples, planes=4))
        shape, values = self.forward('rgba.png', '--channel', '1')
        self.assertEqual(shape, (HEIGHT, WIDTH, 2))
        for i in range(WIDTH * HEIGHT):
            self.assertAlmostEqual(values[2 * i + 1], samples[4 * i + 3] / 255, places=6)
        self.refuse(USAGE, "rgba.png has no channel '3'", 'forward', 'rgba.png', '--channel', '3',
                    '-o', 'd.npy')

    def test_planes_that_are_no_colour(self):
        values = [float(v) for v in formats.noise(12 * 10 * 4, 255)]
        self.write('four.npy', formats.npy((10, 12, 4), values))
        self.write('last.npy', formats.npy((10, 12), values[3::4]))
        self.assertEqual(self.forward('four.npy', '--channel', '3'), self.forward('last.npy'))
        for word in 'rgb', 'luma':
            self.refuse(USAGE, "four.npy has no channel '%s'" % word, 'forward', 'four.npy',
                        '--channel', word, '-o', 'd.npy',
                        hint='it has 4 planes, and color has three')

    def test_reversible(self):
        self.succeed('forward', 'rgb.png', '--reversible', '--channel', 'green', '-o', 'c.npy')
        self.succeed('forward', '1.png', '--reversible', '-o', 'd.npy')
        self.assertEqual(formats.read_npy_of(self.read('c.npy')),
                         formats.read_npy_of(self.read('d.npy')))

    def test_many(self):
        result = self.run_program('forward', 'rgb.png', 'gray.png', '--channel', 'blue', '-o', './',
                                  *REFERENCE)
        self.assertEqual(result.code, FILE)
        self.assertIn("gray.png has no channel '2' (blue)", result.err)
        self.assertIn('rgb.npy', self.files())
        self.assertNotIn('gray.npy', self.files())


class Pictures(ChannelTest):
    def picture(self, name, *options):
        """Rows of pixels, each a tuple of its planes."""
        self.succeed('forward', name, *options, *REFERENCE, '-l', '1', '--no-labels', '-f',
                     '--picture', 'p.png')
        width, height, planes, _, samples = formats.read_png(self.read('p.png'))
        pixels = [tuple(samples[i:i + planes]) for i in range(0, len(samples), planes)]
        return [pixels[y * width:(y + 1) * width] for y in range(height)]

    def test_details_are_about_grey(self):
        self.edges('edges.png')
        rows = self.picture('edges.png', '-w', 'cdf53')
        # HL1, in which each bar has eight columns, without the lines between subbands.
        bars = [rows[8][SIDE // 2 + 8 * bar:SIDE // 2 + 8 * bar + 8] for bar in range(4)]
        grey = (128, 128, 128)
        for bar, pixels in enumerate(bars):
            with self.subTest(bar=bar):
                changed = [p for p in pixels[2:-1] if p != grey]
                self.assertGreater(len(changed), 0)
                for pixel in changed:
                    for plane in range(3):
                        if bar and plane != bar - 1:
                            self.assertEqual(pixel[plane], 128)
                        else:
                            self.assertNotEqual(pixel[plane], 128)
                    if bar == 0:
                        self.assertEqual(len(set(pixel)), 1)
                self.assertIn(grey, pixels)
        # All planes have one range, so the bars have the same distance from gray.
        reach = [max(abs(p[max(0, bar - 1)] - 128) for p in pixels[2:-1])
                 for bar, pixels in enumerate(bars)]
        self.assertEqual(len(set(reach)), 1)
        # The image is constant along y.
        for row in rows[SIDE // 2 + 2:-2]:
            self.assertEqual(set(row[2:SIDE // 2 - 2] + row[SIDE // 2 + 2:-2]), {grey})

    def test_ll_is_the_image(self):
        self.edges('edges.png')
        row = self.picture('edges.png', '-w', 'haar')[8]
        seen = {pixel for pixel in row[1:SIDE // 2 - 1]}
        for plane in range(3):
            self.assertTrue(any(pixel[plane] > 200 and sum(pixel) == pixel[plane]
                                for pixel in seen), plane)

    def test_one_plane_is_gray(self):
        for word in 'luma', '2':
            self.assertEqual(len(self.picture('rgb.png', '--channel', word)[0][0]), 1)
        self.assertEqual(self.picture('rgb.png', '--channel', 'red'), self.picture('0.png'))
        self.assertEqual(self.picture('rgb.png', '--channel', 'rgb'), self.picture('rgb.png'))


class Reports(ChannelTest):
    def report(self, *options):
        """The page and its pictures."""
        self.succeed('explain', 'haar/sep-lift', '--show', 'report', *options, '-f', '-o', 'r.html')
        page = self.read('r.html').decode()
        images = re.findall(r'<img src="data:image/png;base64,([^"]*)" alt="([^"]*)"', page)
        return page, [(html.unescape(alt), formats.read_png(base64.b64decode(data)))
                      for data, alt in images]

    def test_colour(self):
        self.edges('edges.png')
        page, pictures = self.report('--input', 'edges.png', '--pixel', '8,8')
        self.assertIn('Worked calculation for pixel 8,8 (luma)', page)
        self.assertGreater(len(pictures), 2)
        self.assertEqual({png[2] for _, png in pictures}, {3})
        self.assertIn('red, green and blue of edges.png', pictures[0][0])
        # The loaded image: a white bar is neutral, and a red one differs only in red.
        alt, (width, _, _, _, samples) = pictures[1]
        self.assertIn('Red, green and blue planes in color. Zero is mid-gray', alt)
        row = [tuple(samples[3 * (8 * width + x):3 * (8 * width + x) + 3])
               for x in range(SIDE // 2)]
        self.assertEqual(row[0], (128, 128, 128))
        self.assertEqual((row[4], row[12], row[20], row[28]),
                         ((255, 255, 255), (255, 128, 128), (128, 255, 128), (128, 128, 255)))

    def test_neutral_is_as_gray(self):
        neutral = [v for v in SAMPLES[::3] for _ in range(3)]
        self.write('neutral.png', formats.png(WIDTH, HEIGHT, neutral, planes=3))
        _, colour = self.report('--input', 'neutral.png')
        _, gray = self.report('--input', 'gray.png')
        self.assertEqual(len(colour), len(gray))
        for (_, three), (_, one) in zip(colour, gray):
            for plane in range(3):
                self.assertEqual(three[4][plane::3], one[4])

    def test_one_plane(self):
        for options in (('rgb.png', '--channel', 'luma'), ('rgb.png', '--channel', '1'),
                        ('gray.png',)):
            with self.subTest(options):
                page, pictures = self.report('--input', *options, '--pixel', '8,8')
                self.assertEqual({png[2] for _, png in pictures}, {1})
                self.assertIn('Worked calculation for pixel 8,8<', page)
        _, green = self.report('--input', 'rgb.png', '--channel', 'green')
        self.assertIn('channel green of rgb.png', green[0][0])
        _, gray = self.report('--input', '1.png')
        self.assertEqual([png for _, png in green], [png for _, png in gray])

    def test_inverse_and_all(self):
        _, pictures = self.report('--input', 'rgb.png', '--inverse')
        self.assertEqual({png[2] for _, png in pictures}, {3})
        self.succeed('explain', 'haar/sep-lift', '--show', 'all', '--input', 'rgb.png', '--channel',
                     'rgb', '-o', 'all')
        self.assertIn(b'red, green and blue of rgb.png', self.read('all/report.html'))

    def test_numbers(self):
        pixel = ('explain', 'cdf53/ns-lift', '--pixel', '5,4', '--input')
        green = self.succeed(*pixel, 'rgb.png', '--channel', 'green').text()
        self.assertEqual(green, self.succeed(*pixel, '1.png').text())
        luma = self.succeed(*pixel, 'rgb.png').text()
        self.assertEqual(luma, self.succeed(*pixel, 'rgb.png', '--channel', 'luma').text())
        self.assertNotEqual(luma, green)
        self.refuse(USAGE, 'the arithmetic needs one channel, not rgb', *pixel, 'rgb.png',
                    '--channel', 'rgb', hint="channel 'luma'; --show report has pictures in color")


class Refusals(ChannelTest):
    def test_words(self):
        for command in (('forward', 'rgb.png', '-o', 'c.npy'),
                        ('view', 'rgb.png', '--screenshot', 'v.png'),
                        ('explain', 'haar', '--show', 'report', '--input', 'rgb.png')):
            for word in ('cyan', 'RGB', '4', '-1', ''):
                with self.subTest(command=command[0], word=word):
                    result = self.run_program(*command, '--channel', word)
                    self.assertEqual(result.code, USAGE, result.err)
                    self.assertIn("--channel supports %s" % ', '.join(WORDS), result.err)
            result = self.run_program(*command, '--channel', 'gren')
            self.assertIn("did you mean 'green'?", result.err)
        self.assertNotIn('c.npy', self.files())

    def test_what_is_not_there(self):
        gray = ('forward', 'gray.png', '-o', 'c.npy', '--channel')
        self.refuse(USAGE, "gray.png has no channel 'rgb'", *gray, 'rgb',
                    hint='it has 1 plane: it is gray')
        self.refuse(USAGE, "gray.png has no channel '1' (green)", *gray, 'green')
        self.refuse(USAGE, "rgb.png has no channel '3'", 'forward', 'rgb.png', '-o', 'c.npy',
                    '--channel', '3', hint='it has 3 planes: red, green and blue')
        self.refuse(USAGE, "gray.png has no channel 'rgb'", 'explain', 'haar', '--show', 'report',
                    '--input', 'gray.png', '--channel', 'rgb')

    def test_together(self):
        self.refuse(USAGE, '--gray is --channel luma and contradicts --channel 1', 'forward',
                    'rgb.png', '-o', 'c.npy', '--gray', '--channel', '1')
        self.refuse(USAGE, '--channel luma makes fractions of integers, …',
                    'forward', 'rgb.png', '-o', 'c.npy', '--reversible', '--channel', 'luma')
        self.refuse(USAGE, '--channel needs an image', 'explain', 'haar', '--show', 'report',
                    '--channel', 'luma')
        self.refuse(USAGE, '…--channel…', 'explain', 'haar', '--show', 'ops', '--channel', 'luma')
        self.write('v.npy', formats.npy((6, 12, 16), formats.noise(6 * 12 * 16, 255)))
        clip = ('forward', 'v.npy', '--volume', '--gop', '2', '-o', 'c.npy', '--channel')
        self.refuse(USAGE, "v.npy has no channel 'rgb'", *clip, 'rgb')
        self.succeed(*clip, '0')
