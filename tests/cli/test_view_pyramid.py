"""The viewer with images that do not fit: coefficients in tiles as a pyramid, offscreen and in a
window, with the pixels of the complete image."""
import functools
import json
import operator
import os
import resource
import shlex
import shutil
import signal
import subprocess
import time

import formats
import harness
from harness import FILE, TOO_LARGE, USAGE
from viewing import ViewTest

# Many tests use the same samples.
noise = functools.lru_cache(maxsize=8)(formats.noise)
BARE = ('--window', '500x400', '--no-ui')


def look(x, y, zoom):
    return ['set fit false', 'set zoom %r' % zoom, 'set x %r' % x, 'set y %r' % y, 'wait 3']


class PyramidTest(ViewTest):
    def forward(self, image, name, *options):
        self.succeed('forward', image, '-o', name, '-f', '-b', 'cpu', *options)

    def noise(self, name, width, height, planes=1):
        self.write(name, formats.pnm(width, height, noise(width * height * planes, 255),
                                     planes))

    def seen(self, image, places, *arguments):
        """The picture at each (x, y, zoom)."""
        events = []
        for i, place in enumerate(places):
            events += look(*place) + ['shot p%d.png' % i]
        self.view(['set mode original', *events], *BARE, *arguments, image=image)
        return [self.pixels('p%d.png' % i) for i in range(len(places))]

    def assert_near_pictures(self, got, wanted, tolerance):
        for i, (one, two) in enumerate(zip(got, wanted, strict=True)):
            self.assertEqual(len(one), len(two))
            self.assertGreater(len(set(one)), 20, 'nothing to be seen in picture %d' % i)
            self.assertLessEqual(max(map(abs, map(operator.sub, one, two))), tolerance, i)


class Pixels(PyramidTest):
    PLACES = ((350, 260, 1), (0, 0, 1), (699, 520, 2), (411.3, 77.7, 3.7), (256, 256, 16),
              (256.5, 511.25, 48), (-90, 300, 1))

    def test_full_size(self):
        """Integers are restored bit for bit."""
        for planes in 1, 3:
            with self.subTest(planes=planes):
                self.noise('a.pnm', 701, 523, planes)
                self.forward('a.pnm', 'c.tiff', '--tile', '64', '--reversible')
                wanted = self.seen('a.pnm', self.PLACES)
                self.assertEqual(self.seen('c.tiff', self.PLACES) == wanted, True)
                self.assertEqual(self.facts['scene']['level'], 0)
                self.assertEqual(self.facts['scene']['missing'], 0)

    def test_floats(self):
        self.noise('a.pnm', 701, 523, 3)
        wanted = self.seen('a.pnm', self.PLACES)
        for options in (('-w', 'cdf97', '-l', '5'), ('-w', 'dd137', '-l', '2'),
                        ('--norm', 'orthonormal')):
            self.forward('a.pnm', 'c.tiff', '--tile', '64', *options)
            self.assert_near_pictures(self.seen('c.tiff', self.PLACES), wanted, 1)

    def test_channels(self):
        self.noise('a.pnm', 301, 223, 3)
        self.forward('a.pnm', 'c.tiff', '--tile', '64', '--reversible')
        for channel in 'luma', 'green', '2':
            places = self.PLACES[:2]
            wanted = self.seen('a.pnm', places, '--channel', channel)
            self.assert_near_pictures(self.seen('c.tiff', places, '--channel', channel), wanted, 1)

    def test_levels(self):
        """A level at its own size is the low-pass subband, without the gain of the norm."""
        self.noise('a.pnm', 1700, 1301)
        self.forward('a.pnm', 'c.tiff', '--tile', '64', '-w', 'haar', '-l', '4')
        self.forward('a.pnm', 'o.tiff', '--tile', '64', '-w', 'haar', '-l', '4', '--norm',
                     'orthonormal')
        for level in 1, 2, 3:
            self.succeed('inverse', 'c.tiff', '-o', 'l.npy', '-f', '--level', str(level))
            places = ((200, 100, 1), (425 / 2 ** level, 300 / 2 ** level, 1))
            wanted = self.seen('l.npy', places)
            scaled = [(x * 2 ** level, y * 2 ** level, 0.5 ** level) for x, y, _ in places]
            for name in 'c.tiff', 'o.tiff':
                self.assert_near_pictures(self.seen(name, scaled), wanted, 1)
                self.assertEqual(self.facts['scene']['level'], level)

    def test_beyond_the_levels(self):
        """Levels coarser than the coefficients are means, which are Haar's low-pass subbands."""
        self.noise('a.pnm', 1700, 1301)
        places = ((850, 650, 0.125), (300, 900, 0.2), (850, 650, 0.06))
        self.forward('a.pnm', 'c.tiff', '--tile', '64', '-w', 'haar', '-l', '6')
        wanted = self.seen('c.tiff', places)
        self.forward('a.pnm', 'd.tiff', '--tile', '64', '-w', 'haar', '-l', '1')
        got = self.seen('d.tiff', places)
        self.assertEqual(self.facts['scene']['stored'], 1)
        self.assertGreater(self.facts['scene']['level'], 2)
        # At odd edges the low-pass band is not the mean of the samples.
        self.assert_near_pictures([[min(a, b + 1) for a, b in zip(one, two)]
                                   for one, two in zip(got, wanted)], wanted, 2)

    def test_far_and_large(self):
        """Samples far from the origin are as sharp as near it."""
        width, height = 40000, 16
        rows = [bytes((x * 7 + y * 31) % 251 for x in range(width)) for y in range(height)]
        self.write('a.pgm', b'P5\n%d %d\n255\n' % (width, height) + b''.join(rows))
        self.forward('a.pgm', 'c.tiff', '--tile', '64', '--reversible', '-l', '3')
        self.view([*look(39990, 8, 500), 'shot a.png'], *BARE, image='c.tiff')
        _, _, planes, _, samples = formats.read_png(self.read('a.png'))
        # The center of the window is the corner of four samples.
        for px, x in ((249, 39989), (250, 39990)):
            for py, y in ((199, 7), (200, 8)):
                self.assertAlmostEqual(samples[(py * 500 + px) * planes],
                                       rows[y][x], delta=1, msg=(x, y))


class Memory(PyramidTest):
    """Data that --memory forces into tiles."""
    def test_an_image(self):
        self.noise('a.pnm', 1700, 1301)
        places = ((350, 260, 1), (1500, 1200, 2.5))
        wanted = self.seen('a.pnm', places)
        os.mkdir(self.path('temporary'))
        env = {'TMPDIR': self.path('temporary')}
        events = [e for i, place in enumerate(places)
                  for e in look(*place) + ['shot p%d.png' % i]]
        self.view(['wait tiles', *events], *BARE, '--memory', '16M', image='a.pnm', env=env)
        self.assert_near_pictures([self.pixels('p%d.png' % i) for i in range(2)], wanted, 1)
        scene = self.facts['scene']
        self.assertLessEqual(scene['used'], scene['bytes'])
        self.assertLessEqual(scene['bytes'], 16 << 20)
        self.assertEqual(os.listdir(self.path('temporary')), [])

    def test_command(self):
        """The copied command of an image first makes its coefficients."""
        self.noise('a.pnm', 1700, 1301)
        self.view(['wait tiles', *look(850, 650, 1), 'key K', 'wait 1', 'key Esc', 'wait 1'], *BARE,
                  '--memory', '16M', '-w', 'haar', '-l', '2', '--norm', 'orthonormal',
                  image='a.pnm')
        forward, inverse = self.facts['clipboard'].split(' && ')
        self.succeed(*shlex.split(forward)[1:])
        self.succeed(*shlex.split(inverse)[1:])
        shape, values = formats.read_npy(self.read('part.npy'))
        self.assertEqual(shape[:2], (400, 500))
        shown = self.pixels('view.png')
        self.assertFalse(any(abs(255 * value - shown[3 * i]) > 1
                             for i, value in enumerate(values)))

    def test_wavelet_of_a_file(self):
        self.noise('a.pnm', 1700, 1301)
        self.write('mine.wavelet', 'source here\npredict 0 -1/2 1 -1/2\nupdate -1 1/4 0 1/4\n')
        pictures = [self.seen('a.pnm', ((350, 260, 1),), '--memory', '16M', '-w', wavelet)
                    for wavelet in ('mine.wavelet', 'cdf53')]
        self.assertEqual(pictures[0], pictures[1])

    def test_coefficients_of_npy(self):
        self.noise('a.pnm', 1700, 1301)
        wanted = self.seen('a.pnm', ((350, 260, 1),))
        self.forward('a.pnm', 'c.npy', '-l', '3')
        got = self.seen('c.npy', ((350, 260, 1),), '--memory', '16M')
        self.assert_near_pictures(got, wanted, 1)
        self.assertEqual(self.facts['scene']['size'], [1700, 1301])
        # Coefficients that fit are displayed without a pyramid.
        self.view((), image='c.npy')
        self.assertNotIn('scene', self.facts)

    def test_no_more_than_stated(self):
        """A level that needs more tiles than fit into the memory is not shown in any view."""
        self.noise('a.pnm', 3000, 2000)
        self.forward('a.pnm', 'c.tiff', '--tile', '64', '-w', 'haar', '-l', '3')
        window = ('--window', '1600x1200', '--no-ui')
        events = []
        for i in range(12):
            events += look(200 + 250 * i, 150 + 160 * i, 0.6 + 0.1 * i) + ['facts f%d.json' % i]
        self.view(events, *window, '--memory', '16M', image='c.tiff')
        for i in range(12):
            scene = json.loads(self.read('f%d.json' % i))['scene']
            self.assertLessEqual(scene['used'], scene['bytes'])
            self.assertLessEqual(scene['bytes'], 16 << 20)
            self.assertEqual(scene['missing'], 0)
        self.assertGreater(json.loads(self.read('f3.json'))['scene']['level'], 0)
        self.view(look(700, 600, 0.9), *window, image='c.tiff')
        self.assertEqual(self.facts['scene']['level'], 0)

    def test_stopped(self):
        """Esc while coefficients are made; Ctrl+R starts again."""
        self.noise('a.pnm', 1700, 1301)
        os.mkdir(self.path('temporary'))
        env = {'TMPDIR': self.path('temporary')}
        self.view(('wait 4', 'facts begun.json', 'key Esc', 'wait 2', 'facts stopped.json',
                   'key Ctrl+R', 'wait 1', 'wait tiles'), *BARE, '--memory', '16M', image='a.pnm',
                  env=env)
        begun = json.loads(self.read('begun.json'))['scene']
        stopped = json.loads(self.read('stopped.json'))['scene']
        self.assertTrue(begun['making'])
        self.assertGreater(begun['row'], 0)
        self.assertLess(begun['row'], 1301)
        self.assertEqual((stopped['making'], stopped['opened']), (False, 0))
        self.assertEqual(self.facts['scene']['opened'], 1)
        self.assertEqual(self.facts['scene']['size'], [1700, 1301])
        self.assertEqual(os.listdir(self.path('temporary')), [])

    def test_disk_that_fills(self):
        """While coefficients are made, a full disk gives an error, and no file remains."""
        self.noise('a.pnm', 1700, 1301)
        os.mkdir(self.path('temporary'))
        for size in 5000, 1000000, 5000000:
            self.refuse(FILE, 'cannot write …temporary (…', 'view', 'a.pnm', '--memory', '16M',
                        '--screenshot', 'x.png', env={'TMPDIR': self.path('temporary')},
                        limits=((resource.RLIMIT_FSIZE, size),))
            self.assertEqual(os.listdir(self.path('temporary')), [])

    def test_cut_off_image(self):
        """A truncated image is not shown."""
        self.noise('a.pnm', 1700, 1301)
        whole = self.read('a.pnm')
        self.write('a.pnm', whole[:-100])
        self.refuse(FILE, 'a.pnm…', 'view', 'a.pnm', '--memory', '16M', '--screenshot', 'x.png')

    def test_least_memory(self):
        """The minimal memory for an image in tiles: rows, subbands and tiles of all its planes."""
        for width, height, planes, least in ((1700, 1301, 1, '9.6'), (1700, 1301, 3, '28.9'),
                                             (20000, 64, 1, '19.4'), (20000, 64, 3, '57.0')):
            self.noise('a.pnm', width, height, planes)
            self.refuse(TOO_LARGE,
                        'a.pnm needs at least %s MiB, more than --memory (1.0 MiB)' % least,
                        'view', 'a.pnm', '--memory', '1M', '-l', '2', '--screenshot', 'x.png')

    def test_little_memory(self):
        self.noise('b.pnm', 30, 20)
        self.refuse(TOO_LARGE, 'b.pnm needs at least … MiB, more than --memory (1.0 KiB)', 'view',
                    'b.pnm', '--memory', '1K', '--screenshot', 'x.png')

    def test_refusals(self):
        self.noise('a.pnm', 1700, 1301)
        self.noise('b.pnm', 30, 20)
        self.forward('b.pnm', 'c.tiff', '--tile', '16')
        shot = ('--screenshot', 'x.png')
        self.refuse(TOO_LARGE, 'a.pnm needs at least … MiB, more than --memory (4.0 MiB)', 'view',
                    'a.pnm', '--memory', '4M', *shot)
        self.refuse(USAGE, "--memory: 'much' is not a number of bytes…", 'view', 'a.pnm',
                    '--memory', 'much', *shot)
        self.refuse(USAGE, 'c.tiff is shown in tiles, which excludes other files', 'view', 'b.pnm',
                    'c.tiff', *shot)
        for option in ('-w', 'haar'), ('-l', '2'), ('-b', 'cpu'), ('--border', 'periodic'):
            long = {'-w': 'wavelet', '-l': 'levels', '-b': 'backend'}.get(option[0],
                                                                       option[0][2:])
            self.refuse(USAGE,
                        '--%s cannot be combined with c.tiff, which is shown in tiles' % long,
                        'view', 'c.tiff', *option, *shot)
        self.refuse(FILE, '…nowhere…', 'view', 'a.pnm', '--memory', '16M', *shot,
                    env={'TMPDIR': self.path('nowhere')})
        self.assertEqual(sorted(self.files()), ['a.pnm', 'b.pnm', 'c.tiff', 'c.tiff.json'])


class Killed(PyramidTest):
    """Nothing remains of the temporary coefficient file, wherever SIGKILL occurs."""
    def setUp(self):
        super().setUp()
        self.noise('a.pnm', 1700, 1301)
        os.mkdir(self.path('temporary'))

    def arguments(self, *events):
        self.write('events.txt', '\n'.join(events) + '\n')
        return ('view', 'a.pnm', '--memory', '16M', '--screenshot', 'x.png', '--events',
                'events.txt', *BARE)

    def check_killed(self, event, fault=None):
        """Kills the program when it has written a file of facts after this event."""
        environment = self.environment({'TMPDIR': self.path('temporary')}, fault)
        with subprocess.Popen([harness.PROGRAM, *self.arguments(event, 'facts begun.json',
                                                                'wait 1000000')],
                              cwd=self.directory, env=environment,
                              stderr=subprocess.PIPE) as program:
            while not os.path.exists(self.path('begun.json')) and program.poll() is None:
                time.sleep(0.01)
            files = [os.readlink(file.path) for file in os.scandir('/proc/%d/fd' % program.pid)]
            program.kill()
            told = program.stderr.read().decode()
        self.assertEqual(program.returncode, -signal.SIGKILL, told)
        self.assertTrue(any(file.startswith(self.path('temporary')) for file in files), files)
        self.assertEqual(os.listdir(self.path('temporary')), [])
        scene = json.loads(self.read('begun.json'))['scene']
        os.remove(self.path('begun.json'))
        return scene, told

    def test_while_it_is_written(self):
        scene, _ = self.check_killed('wait 4')
        self.assertEqual((scene['making'], scene['row'] > 0), (True, True))

    def test_while_it_is_read(self):
        scene, _ = self.check_killed('wait tiles')
        self.assertEqual(scene['size'], [1700, 1301])

    def test_no_files_without_a_name(self):
        """In a file system without unnamed files the name is removed as soon as the file exists."""
        scene, told = self.check_killed('wait tiles', fault='file-named')
        self.assertIn('file fault: open', told)
        self.assertEqual(scene['size'], [1700, 1301])

    def test_at_every_end_of_a_file(self):
        for call in range(1, 100):
            result = subprocess.run(
                [harness.PROGRAM, *self.arguments('wait tiles'), '-f'], cwd=self.directory,
                env=self.environment({'TMPDIR': self.path('temporary')}, 'file-kill:%d' % call),
                capture_output=True, timeout=600, check=False)
            self.assertEqual(os.listdir(self.path('temporary')), [], call)
            if result.returncode != -signal.SIGKILL:
                break
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(call, 2)


class Interface(PyramidTest):
    def setUp(self):
        super().setUp()
        self.noise('a.pnm', 1700, 1301)
        self.forward('a.pnm', 'c.tiff', '--tile', '64', '--reversible', '-l', '3')

    def test_pixel(self):
        """The value in the image itself, also while a coarser level is shown."""
        samples = noise(1700 * 1301, 255)
        for zoom in 0.21, 1, 7:
            self.view([*look(900, 700, zoom), 'move 301 222', 'wait 3'], *BARE, image='c.tiff')
            pixel = self.facts['scene']['pixel']
            # Like the canvas: its origin is at an integer pixel.
            origin = [int(250 - 900 * zoom + 0.5 // 1), int(200 - 700 * zoom + 0.5 // 1)]
            self.assertAlmostEqual(pixel['x'], (301 - origin[0]) / zoom, delta=1 + 1 / zoom)
            self.assertAlmostEqual(pixel['y'], (222 - origin[1]) / zoom, delta=1 + 1 / zoom)
            self.assertEqual(pixel['level'], 0)
            self.assertAlmostEqual(pixel['values'][0],
                                   samples[pixel['y'] * 1700 + pixel['x']] / 255, delta=1e-6)
        self.view([*look(900, 700, 1), 'move 5 5', 'set x -2000', 'wait 3', 'facts beside.json',
                   'set x 900'], *BARE, image='c.tiff')
        self.assertIsNone(json.loads(self.read('beside.json'))['scene']['pixel'])

    def test_command(self):
        """The copied command writes what the canvas shows."""
        self.forward('a.pnm', 'c.tiff', '--tile', '64', '-l', '3')
        self.view([*look(900, 700, 0.5), 'key K', 'wait 1', 'key Esc', 'wait 1'], *BARE,
                  image='c.tiff')
        words = shlex.split(self.facts['clipboard'])
        self.assertEqual(words[:3], ['wavepass', 'inverse', 'c.tiff'])
        self.succeed(*words[1:])
        shape, values = formats.read_npy(self.read('part.npy'))
        self.assertEqual(shape[:2], (400, 500))
        shown = self.pixels('view.png')
        wrong = sum(abs(255 * min(max(value, 0), 1) - shown[3 * i]) > 1
                    for i, value in enumerate(values))
        self.assertEqual(wrong, 0)
        self.forward('a.pnm', 'c.tiff', '--tile', '64', '-l', '1')
        self.view([*look(900, 700, 0.01), 'key K', 'wait 1'], *BARE, image='c.tiff')
        self.assertIn('no command to copy', self.facts['notice'])

    def test_pan_and_zoom(self):
        self.view([*look(900, 700, 1), 'move 100 100', 'down', 'move 160 130', 'up', 'wait 2',
                   'state panned.json', 'move 250 200', 'wheel 4', 'wait 2', 'key F', 'wait 3'],
                  *BARE, image='c.tiff')
        panned = json.loads(self.read('panned.json'))
        self.assertEqual((panned['x'], panned['y']), (840, 670))
        self.assertTrue(self.state['fit'])
        self.assertEqual(self.facts['scene']['missing'], 0)

    def test_keys_of_transforms(self):
        """Keys of transforms have no effect, and the others work."""
        self.view(('do next-wavelet', 'wait 1', 'facts w.json', 'key Ctrl+0', 'key G', 'wait 2',
                   'drop a.pnm', 'wait 1'), '--window', '1000x640', image='c.tiff')
        self.assertIn("'Next wavelet' is for images and volumes",
                      json.loads(self.read('w.json'))['notice'])
        self.assertIn('an image shown in tiles excludes other files', self.facts['notice'])
        self.assertEqual((self.state['zoom'], self.state['grid']), (1, True))
        for control in 'controls/Gain', 'controls/Range':
            self.assertIn(control, self.facts['controls'])
        self.assertNotIn('controls/Wavelet', self.facts['controls'])

    def test_beside_images(self):
        """A pyramid that is dropped on an image does not replace it."""
        self.view(('wait 2', 'drop c.tiff', 'wait 2'), image='pattern:noise:60x50')
        self.assertIn('c.tiff is shown in tiles', self.facts['notice'])
        self.assertEqual(self.facts['files'], 1)

    def test_every_answer_is_complete(self):
        """If a key changes the requested tiles, the available tiles are still drawn."""
        events = ['wait 3', 'key Ctrl+0', 'wait 3', 'key F', 'wait 3', 'key Ctrl+0', 'wait 3']
        for key in 'F', 'Ctrl+0', 'Tab', '-', 'F', 'Tab', 'H':
            events.append('timed key ' + key)
        self.view((*events, 'times times.json'), *BARE, image='c.tiff')
        times = json.loads(self.read('times.json'))
        self.assertEqual([a['event'] for a in times['answers'] if not a['complete']], [])
        self.assertEqual(len(times['answers']), 7)

    def test_map(self):
        """The map is in a corner while not all of the image is visible; a press on it moves the
        view."""
        panels = ('--window', '1000x700')
        corner = [*look(850, 650, 2), 'move 900 550', 'down', 'wait 1', 'state pressed.json',
                  'move 990 660', 'up', 'wait 1', 'state dragged.json']
        self.view(corner, *panels, image='c.tiff')
        self.assertEqual(self.facts['scene']['missing'], 0)
        pressed, dragged = (json.loads(self.read(name))
                            for name in ('pressed.json', 'dragged.json'))
        self.assertLess(pressed['x'], 850)
        self.assertLess(pressed['y'], 650)
        self.assertEqual((dragged['x'], dragged['y']), (1700, 1301))
        # It shows the complete image, independent of previous views.
        self.view([*look(1600, 1250, 2), 'shot first.png', *look(900, 600, 1),
                   *look(1600, 1250, 2)], *panels, image='c.tiff')
        shown = self.pixels('view.png')
        self.assertTrue(shown == self.pixels('first.png'))
        inside = [shown[3 * (1000 * y + x)] for y in range(610, 650) for x in range(910, 980)]
        self.assertGreater(len(set(inside)), 20)
        # No overview if the image is completely visible, or without panels: the canvas is dragged.
        for zoom, options in (0.1, panels), (2, ('--window', '1000x700', '--no-ui')):
            self.view([*look(850, 650, zoom), *corner[5:]], *options, image='c.tiff')
            pressed, dragged = (json.loads(self.read(name))
                                for name in ('pressed.json', 'dragged.json'))
            self.assertEqual((pressed['x'], pressed['y']), (850, 650))
            self.assertEqual((dragged['x'], dragged['y']), (850 - 90 / zoom, 650 - 110 / zoom))


class Files(PyramidTest):
    def setUp(self):
        super().setUp()
        self.noise('a.pnm', 1700, 1301)
        self.forward('a.pnm', 'c.tiff', '--tile', '64', '--reversible', '-l', '3')

    def test_unfit(self):
        shot = ('--screenshot', 'x.png')
        whole = self.read('c.tiff')
        for part in 100, len(whole) // 2:
            self.write('c.tiff', whole[:part])
            self.refuse(FILE, '…c.tiff…', 'view', 'c.tiff', *shot)
        # No tile can be read.
        self.forward('a.pnm', 'c.tiff', '--tile', '64', '--compression', 'deflate', '-l', '3')
        packed = self.read('c.tiff')
        self.write('c.tiff', packed[:20000] + bytes(len(packed) - 40000) + packed[-20000:])
        self.refuse(FILE, '…c.tiff: damaged TIFF…', 'view', 'c.tiff', *shot)
        self.write('c.tiff', whole)
        self.noise('b.pnm', 300, 200)
        self.forward('b.pnm', 'b.tiff', '--tile', '64', '--reversible', '-l', '3')
        shutil.copy(self.path('b.tiff.json'), self.path('c.tiff.json'))
        self.refuse(FILE, '…c.tiff…but its metadata has …', 'view', 'c.tiff', *shot)
        os.remove(self.path('c.tiff'))
        self.refuse(FILE, 'c.tiff: no such file', 'view', 'c.tiff', *shot)

    def test_another_one(self):
        """A replaced file is reported, the tiles that were read remain, and Ctrl+R reads the new
        file."""
        self.noise('b.pnm', 901, 700)
        self.forward('b.pnm', 'b.tiff', '--tile', '64', '--reversible', '-l', '3')
        before = look(400, 300, 1)
        self.view([*before, 'copy b.tiff c.tiff', 'copy b.tiff.json c.tiff.json', 'wait 60',
                   'facts told.json', 'shot told.png', 'key Ctrl+R', 'wait 3', 'key Esc', 'wait 2',
                   'shot new.png'], *BARE, image='c.tiff')
        told = json.loads(self.read('told.json'))
        self.assertIn('c.tiff has changed; Ctrl+R reloads it', told['notice'])
        self.assertEqual(told['scene']['size'], [1700, 1301])
        self.assertEqual(self.facts['scene']['size'], [901, 700])
        self.assertEqual([self.pixels('new.png')], self.seen('b.pnm', ((400, 300, 1),)))

    def test_other_planes(self):
        """With more planes, fewer tiles fit into the same memory."""
        self.noise('b.pnm', 1700, 1301, 3)
        self.forward('b.pnm', 'b.tiff', '--tile', '64', '-l', '3')
        self.view([*look(850, 650, 1), 'facts gray.json', 'copy b.tiff c.tiff',
                   'copy b.tiff.json c.tiff.json', 'key Ctrl+R', 'wait 3', 'key Esc',
                   *look(600, 400, 0.3), *look(600, 500, 1)], '--window', '900x700', '--no-ui',
                  '--memory', '60M', image='c.tiff')
        gray = json.loads(self.read('gray.json'))['scene']
        for scene in gray, self.facts['scene']:
            self.assertLessEqual(scene['used'], scene['bytes'])
            self.assertLessEqual(scene['bytes'], 60 << 20)
            self.assertEqual((scene['missing'], scene['fails']), (0, 0))
        shown = self.pixels('view.png')
        self.view(look(600, 500, 1), '--window', '900x700', '--no-ui', image='b.tiff')
        self.assertTrue(shown == self.pixels('view.png'))

    def test_another_kind(self):
        """If the new file cannot be read, the old data remain."""
        self.view([*look(400, 300, 1), 'copy a.pnm c.tiff', 'key Ctrl+R', 'wait 3',
                   'facts told.json', 'set x 900', 'wait 3'], *BARE, image='c.tiff')
        self.assertIn('c.tiff', json.loads(self.read('told.json'))['notice'])
        self.assertEqual(self.facts['scene']['missing'], 0)
        self.assertEqual(self.facts['scene']['fails'], 0)
        self.assertEqual(self.facts['scene']['opened'], 1)


class Window(PyramidTest):
    """Tiles that a worker thread reads while the window draws."""
    def setUp(self):
        super().setUp()
        self.window = self.display()
        self.noise('a.pnm', 1700, 1301)
        self.forward('a.pnm', 'c.tiff', '--tile', '64', '--reversible', '-l', '3')

    def start(self, *arguments):
        return subprocess.Popen([harness.PROGRAM, 'view', *arguments, '--window', '900x700',
                                 '--events', 'events.txt'],
                                cwd=self.directory, env=self.environment(self.window),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self, process):
        _, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, err)
        self.assertNotIn(b'Sanitizer', err)
        return json.loads(self.read('facts.json'))

    def wait_for(self, name, process):
        for _ in range(6000):
            if os.path.exists(self.path(name)) or process.poll() is not None:
                return
            time.sleep(0.01)

    def test_pan(self):
        events = ['wait 3', 'wait tiles']
        for i in range(20):
            events += ['set fit false', 'set zoom 1.5', 'set x %d' % (100 + 70 * i),
                       'set y %d' % (100 + 50 * i), 'wait 1']
        # The previous frame is used, also if the viewer would delay it.
        self.write('events.txt', '\n'.join([*events, 'wait tiles', 'facts facts.json',
                                            'shot window.png']))
        facts = self.end(self.start('c.tiff'))
        self.assertEqual((facts['scene']['missing'], facts['scene']['fails'], facts['notice']),
                         (0, 0, ''))
        window = self.pixels('window.png')
        self.view([*look(1430, 1050, 1.5), 'wait 2'], '--window', '900x700', image='c.tiff')
        here = self.pixels('view.png')
        self.assertEqual(len(window), len(here))
        # The canvas, without panels and the status line.
        rows = range(60, 560)
        self.assertTrue(all(window[3 * (900 * y + 330):3 * (900 * y + 700)] ==
                            here[3 * (900 * y + 330):3 * (900 * y + 700)] for y in rows))

    def test_vanishes(self):
        """An open file that is removed is still read; its removal is reported for some time."""
        looks = ''.join('wait 10\nfacts f%d.json\n' % i for i in range(30))
        self.write('events.txt', 'wait 3\nwait tiles\nstate ready.json\n%sfacts facts.json\n' %
                   looks)
        process = self.start('c.tiff')
        self.wait_for('ready.json', process)
        os.remove(self.path('c.tiff'))
        facts = self.end(process)
        notices = [json.loads(self.read('f%d.json' % i))['notice'] for i in range(30)]
        self.assertTrue(any('c.tiff: No such file' in notice for notice in notices), notices)
        self.assertGreater(facts['tiles'], 0)

    def check_changed(self, change, told):
        """The file changes in place while it is shown: the coarser level remains, and the change is
        reported."""
        self.write('events.txt', 'wait 3\nwait tiles\nstate ready.json\nwait 150\n'
                   'set fit false\nset zoom 2\nset x 800\nwait 4\nwait tiles\nwait 4\n'
                   'facts facts.json\nshot window.png\n')
        process = self.start('c.tiff')
        self.wait_for('ready.json', process)
        change(self.path('c.tiff'))
        facts = self.end(process)
        self.assertIn('c.tiff', facts['notice'])
        self.assertIn(told, facts['notice'])
        self.assertGreater(facts['scene']['fails'], 0)
        self.assertGreater(facts['tiles'], 0)  # of the coarser levels
        self.assertGreater(len(set(self.pixels('window.png'))), 50)

    def test_cut_off(self):
        self.check_changed(lambda path: os.truncate(path, 3000), '')

    def test_written_to(self):
        def write(path):
            with open(path, 'r+b') as file:
                file.seek(5000)
                file.write(b'other')
        self.check_changed(write, 'was changed')

    def test_closed_while_it_reads(self):
        self.forward('a.pnm', 'd.tiff', '--tile', '16', '-w', 'haar', '-l', '1')
        self.write('events.txt', 'wait 1\nfacts facts.json\nkey Ctrl+Q\nwait 1\n')
        self.end(self.start('d.tiff'))

    def test_makes_beside_it(self):
        self.write('events.txt', 'wait 3\nwait tiles\nwait 3\nfacts facts.json\n')
        os.mkdir(self.path('temporary'))
        facts = self.end(self.start('a.pnm', '--memory', '16M'))
        self.assertEqual((facts['scene']['size'], facts['scene']['missing']), ([1700, 1301], 0))
