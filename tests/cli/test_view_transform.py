"""Transforms of the viewer and their effect on the image: schemes, changes, frames, types."""
import json
import math
import os
import shlex
import struct
import subprocess
import time

import formats
import harness
from harness import FILE, REFERENCE, USAGE
from viewing import IMAGE, SMALL, PANELS, ViewTest


class Transform(ViewTest):
    def test_copied_command_gives_the_same_coefficients(self):
        self.write('it\'s.png', formats.png(40, 30, formats.noise(40 * 30 * 3, 255), planes=3))
        self.view(('set a.wavelet dd137', 'set a.scheme sep-lifting', 'key P', 'set levels 2',
                   'set norm orthonormal', 'wait 2', 'key K', 'save saved.npy'),
                  image='it\'s.png')
        command = shlex.split(self.facts['clipboard'])
        self.assertEqual(command[:2], ['wavepass', 'forward'])
        self.succeed(*command[1:])
        self.assertEqual(self.read('saved.npy'), self.read('coefficients.npy'))

    def test_copied_command_names_what_was_chosen(self):
        """Variant, backend, layout and channel; the command in another process is bit-identical."""
        self.write('rgb.png', formats.png(45, 31, formats.noise(45 * 31 * 3, 255), planes=3))
        for events, words in (
                (('set a.scheme sep-lifting', 'set a.variant tile-2x2', 'set a.wavelet cdf53'),
                 ('--variant tile-2x2', '-b fragment', '--channel rgb')),
                (('set a.backend cpu', 'set norm orthonormal', 'set a.wavelet cdf97',
                  'set levels 4'), ('-b cpu', '--norm orthonormal', '-l 4')),
                (('set a.backend reference', 'set border periodic', 'set levels 1'),
                 ('-b reference', '--border periodic', '-l 1'))):
            with self.subTest(events):
                image = 'pattern:noise:48x32' if 'set border periodic' in events else 'rgb.png'
                self.view((*events, 'wait 2', 'key K', 'save saved.npy'), image=image)
                for word in words:
                    self.assertIn(word, self.facts['clipboard'])
                self.succeed(*shlex.split(self.facts['clipboard'])[1:], '-f')
                self.assertEqual(self.read('saved.npy'), self.read('coefficients.npy'))

    def test_borders_and_adjoints(self):
        self.write('rgb.png', formats.png(45, 31, formats.noise(45 * 31 * 3, 255), planes=3))
        for events, words in (
                (('set border pywt-smooth', 'set a.wavelet db4', 'set levels 2'),
                 '--border pywt-smooth'),
                (('set border pywt-antisymmetric', 'set norm pywt', 'set a.backend cpu',
                  'set adjoint true'), '--adjoint -l 1 --border pywt-antisymmetric'),
                (('set adjoint true', 'set a.wavelet cdf53'), '--adjoint -l 3 --border symmetric')):
            with self.subTest(words):
                self.view((*events, 'wait 2', 'key K', 'save saved.npy'), image='rgb.png')
                self.assertIn(words, self.facts['clipboard'])
                self.succeed(*shlex.split(self.facts['clipboard'])[1:], '-f')
                self.assertEqual(self.read('saved.npy'), self.read('coefficients.npy'))
                self.assertGreater(self.facts['loss_psnr'], 90)

    def test_edits_with_more_coefficients_than_samples(self):
        """A band of zeros, and the image that `inverse` makes of these coefficients."""
        how = ('-w', 'db2', '-l', '2', '--border', 'pywt-symmetric', '-b', 'cpu')
        shape, wanted = self.coefficients(IMAGE, *how)
        self.view(('set zeroed HL1', 'wait 2', 'save saved.npy'), *how, *SMALL)
        got, saved = formats.read_npy(self.read('saved.npy'))
        width, height = 49, 41  # of the bands of level 1
        self.assertEqual((got, shape[1] - width), (shape, 26 + 26))
        self.assert_near(saved, [0 if i % shape[1] >= 52 and i // shape[1] < height else v
                                 for i, v in enumerate(wanted)], 1e-6)
        self.assertLess(self.facts['loss_psnr'], 40)

    def test_groups_have_the_borders_of_backends(self):
        self.refuse(USAGE, "border 'pywt-zero' does not support slices in groups", 'view',
                    'pattern:noise:16x12x8', '--border', 'pywt-zero', '--gop', '4', '--screenshot',
                    'v.png', hint='…')

    def test_no_command_to_copy(self):
        self.write('film.y4m', b'YUV4MPEG2 W11 H7 F25:1 Cmono\nFRAME\n' + bytes(77))
        for image, events, why in (
                ('film.y4m', (), 'forward supports images, not frames'),
                (IMAGE, ('set levels 0',), 'forward requires at least one level'),
                (IMAGE, ('lose a', 'set a.wavelet haar'), 'no image is shown')):
            with self.subTest(why):
                self.view((*events, 'wait 2', 'key K'), image=image)
                self.assertEqual((self.facts['notice'], self.facts['clipboard']),
                                 ('no command to copy (%s)' % why, ''))

    def test_copied_commands_with_edits(self):
        """The result of the commands is bit-identical to the saved file, with and without the
        arithmetic of shaders."""
        for events, words in (
                (('set threshold hard', 'set limit 0.25', 'set zeroed HH1 HL2'),
                 '--zero HL2,HH1 --threshold hard:0.25'),
                (('set threshold soft', 'set limit 0.0123', 'set norm none', 'set mode mixed'),
                 '--threshold soft:0.0123'),
                (('set threshold soft', 'set limit 0.3', 'set a.backend reference'),
                 '--threshold soft:0.3'),
                (('set kept 4',), '--zero HL1,LH1,HH1'),
                (('set band HL', 'set level 2', 'key I', 'set impulse_x 5', 'set impulse_y 7'),
                 '--impulse HL2:5,7'),
                (('set band HL', 'set level 2', 'key I', 'set impulse_x 500'), '--keep 0')):
            with self.subTest(words):
                self.view((*events, 'wait 2', 'key K', 'save saved.npy'), '-l', '2', *SMALL)
                self.assertIn(' && wavepass edit coefficients.npy %s -o edited.npy' % words,
                              self.facts['clipboard'])
                self.run_commands()
                shape, saved = formats.read_npy(self.read('saved.npy'))
                if 'set mode mixed' in events:
                    # Saved coefficients always have the layout Mallat.
                    self.succeed('inverse', 'saved.npy', '-o', 'back.npy', '-f', *REFERENCE)
                    self.succeed('inverse', 'edited.npy', '-o', 'again.npy', '-f', *REFERENCE)
                    self.assert_near(formats.read_npy(self.read('back.npy'))[1],
                                     formats.read_npy(self.read('again.npy'))[1], 1e-6)
                else:
                    self.assertEqual((shape, saved), formats.read_npy(self.read('edited.npy')))
        # Unknown names of bands change nothing.
        self.view(('set zeroed HL9', 'wait 2', 'key K'), '-l', '2', *SMALL)
        self.assertNotIn('edit', self.facts['clipboard'])

    def run_commands(self):
        for command in self.facts['clipboard'].split(' && '):
            words = shlex.split(command)
            self.assertEqual(words[0], 'wavepass')
            self.succeed(*words[1:], '-f')

    def test_copied_commands_reconstruct(self):
        self.view(('set threshold hard', 'set limit 0.25', 'key I', 'set impulse false',
                   'set mode reconstruction', 'wait 2', 'key K'), '-l', '2', *SMALL)
        self.run_commands()
        self.succeed('forward', IMAGE, '-o', 'c.npy', '-l', '2', *REFERENCE)
        told = json.loads(self.succeed('edit', 'c.npy', '--threshold', 'hard:0.25', '--reference',
                                       IMAGE, '--json', *REFERENCE).out)
        self.assertAlmostEqual(self.facts['loss_psnr'], told['psnr'], places=2)
        self.assertAlmostEqual(100 * self.facts['kept'], told['kept']['percent'], places=4)
        self.succeed('inverse', 'edited.npy', '-o', 'again.npy', *REFERENCE)
        self.assert_near(formats.read_npy(self.read('reconstruction.npy'))[1],
                         formats.read_npy(self.read('again.npy'))[1], 1e-5)

    def test_levels_are_those_that_there_are(self):
        for image, options, events, levels, notice in (
                ('pattern:noise:45x31', (), ('set levels 31',), 6,
                 '6 levels, the most for 45x31 with symmetric borders'),
                ('pattern:noise:45x31', (), ('set border periodic',), 0,
                 '0 levels, the most for 45x31 with periodic borders'),
                ('pattern:noise:2x2', (), (), 1,
                 '1 level, the most for 2x2 with symmetric borders'),
                ('pattern:noise:45x31', ('-l', 'max'), (), 6, '')):
            with self.subTest(image=image, options=options, events=events):
                self.view((*events, 'wait 2'), *options, *SMALL, image=image)
                self.assertEqual((self.state['levels'], self.facts['a']['levels'],
                                  self.facts['notice']), (levels, levels, notice))

    def test_saved_coefficients_are_described(self):
        """The metadata are those of `forward`, and existing files are not overwritten."""
        self.write('rgb.png', formats.png(45, 31, formats.noise(45 * 31 * 3, 255), planes=3))
        self.write('wavepass-001.npy', 'mine')
        self.view(('set a.wavelet cdf53', 'set norm orthonormal', 'set levels 2', 'wait 2',
                   'key Ctrl+S', 'wait 2', 'facts saved.json', 'key Ctrl+S', 'wait 2', 'key K'),
                  image='rgb.png')
        self.assertEqual(json.loads(self.read('saved.json'))['notice'],
                         'wrote wavepass-002.npy and wavepass-002.npy.json')
        self.assertEqual(self.read('wavepass-001.npy'), b'mine')
        self.assertEqual(self.read('wavepass-003.npy'), self.read('wavepass-002.npy'))
        self.succeed(*shlex.split(self.facts['clipboard'])[1:])
        self.assertEqual(json.loads(self.read('wavepass-002.npy.json')),
                         json.loads(self.read('coefficients.npy.json')))
        for name in ('wavepass-002', 'coefficients'):
            self.succeed('inverse', name + '.npy', '-b', 'fragment', '-o', name + '.png')
        self.assertEqual(self.read('wavepass-002.png'), self.read('coefficients.png'))
        # Metadata without coefficients is not overwritten either.
        self.write('wavepass-004.npy.json', 'mine')
        self.view(('key Ctrl+S', 'wait 2'), image='rgb.png')
        self.assertEqual(self.read('wavepass-004.npy.json'), b'mine')
        self.assertEqual(self.facts['notice'],
                         'wrote wavepass-005.npy and wavepass-005.npy.json')

    def test_zeroed_bands(self):
        shape, wanted = self.coefficients(IMAGE, '-l', '2', '-b', 'fragment')
        self.view(('set zeroed HL1 LL2', 'wait 2', 'save saved.npy'), '-l', '2', *SMALL)
        _, saved = formats.read_npy(self.read('saved.npy'))
        zeroed = [v if not (x >= 48 and y < 40) and not (x < 24 and y < 20) else 0
                  for y in range(80) for x, v in enumerate(wanted[96 * y:96 * y + 96])]
        self.assert_near(saved, zeroed, 1e-6)
        self.assertLess(self.facts['loss_psnr'], 30)

    def test_thresholds(self):
        norm = ('--norm', 'orthonormal')
        _, wanted = self.coefficients(IMAGE, '-l', '2', '-b', 'fragment', *norm)
        low = {96 * y + x for y in range(20) for x in range(24)}
        for kind in ('hard', 'soft'):
            self.view(('set threshold ' + kind, 'set limit 0.25', 'wait 2', 'save saved.npy'),
                      '-l', '2', *norm, *SMALL)
            _, saved = formats.read_npy(self.read('saved.npy'))
            rule = []
            for i, v in enumerate(wanted):
                small = abs(v) <= 0.25
                shrunk = (abs(v) - 0.25) * (1 if v > 0 else -1) if kind == 'soft' else v
                rule.append(v if i in low else 0 if small else shrunk)
            self.assert_near(saved, rule, 1e-6)
            kept = sum(v != 0 for v in rule) / len(rule)
            self.assertAlmostEqual(self.facts['kept'], kept, delta=2 / len(rule))

    def test_impulse_gives_the_basis_function(self):
        self.view(('set level 2', 'set band HL', 'set impulse true', 'set impulse_x 7',
                   'set impulse_y 9', 'set mode reconstruction', 'wait 2', 'save saved.npy'),
                  '-l', '2', *SMALL)
        shape, saved = formats.read_npy(self.read('saved.npy'))
        self.assertEqual([(i % 96, i // 96) for i, v in enumerate(saved) if v != 0],
                         [(24 + 7, 9)])
        self.assertEqual(max(saved), 1)

    def test_an_impulse_has_its_own_range(self):
        """The range is from the minimum to the maximum; four standard deviations of one sample
        among zeros are smaller."""
        for scheme in ('-w', 'cdf97'), ('-w', 'haar'):
            self.view(('set level 2', 'set band HL', 'key I', 'wait 2', 'save saved.npy',
                       'facts image.json', 'set mode band', 'wait 2'), *SMALL, *scheme)
            self.assertEqual(self.facts['range'][1], 1)  # the coefficient itself
            self.succeed('inverse', 'saved.npy', '-f', '-o', 'image.npy')
            _, samples = formats.read_npy(self.read('image.npy'))
            shown = json.loads(self.read('image.json'))['range'][1]
            self.assertAlmostEqual(shown, max(map(abs, samples)), delta=1e-6)

    def test_objects_are_counted_however_many_there_were(self):
        """Mesa increments the numbers of objects, so the last ones far exceed the number of
        existing objects."""
        change = ('set levels 1', 'wait 1', 'set levels 3', 'wait 1')
        self.view(('wait 3', *change, 'facts before.json', *(500 * change)), '--no-ui', '--window',
                  '64x64', image='pattern:noise:32x32')
        self.assertEqual(self.facts['gl_objects'],
                         json.loads(self.read('before.json'))['gl_objects'])

    def test_bands_one_by_one(self):
        events = ['set kept 0', 'wait 1', 'facts 0.json']
        for i in range(1, 8):
            events += ['do add-band', 'wait 1', 'facts %d.json' % i]
        self.view(events, '-l', '2', *SMALL)
        psnr = [json.loads(self.read('%d.json' % i))['loss_psnr'] for i in range(8)]
        self.assertEqual(self.state['kept'], -1)
        self.assertGreater(psnr[7], 90)
        self.assertLess(psnr[1], psnr[7])

    def test_passes_end_in_the_coefficients(self):
        self.view(('set mode pass', 'set op 99', 'wait 2', 'set mode mosaic', 'wait 1',
                   'save after.npy', 'set direction inverse', 'set mode pass', 'set op 3',
                   'wait 2', 'set mode reconstruction'), '-l', '2', *SMALL)
        _, wanted = self.coefficients(IMAGE, '-l', '2', '-b', 'fragment')
        _, saved = formats.read_npy(self.read('after.npy'))
        self.assert_near(saved, wanted, 0)
        self.assertLess(self.facts['round_trip'], 1e-5)

    def test_round_trip_that_is_not_measured(self):
        self.write('events.txt', 'wait 2\nfacts facts.json\n')
        result = self.run_program('view', IMAGE, '--screenshot', 'x.png', '--events', 'events.txt',
                                  *PANELS, fault='high-texture')
        self.assertIn('no memory on this device for a texture of 128x768 texels', result.err)
        facts = json.loads(self.read('facts.json'))
        self.assertEqual([facts[name] for name in ('round_trip', 'loss_psnr', 'kept')], [None] * 3)
        # The measured value is discarded if the device is lost.
        self.view(('lose a', 'set a.wavelet haar', 'wait 2'), *PANELS)
        self.assertIsNone(self.facts['round_trip'])

    def test_exact_round_trip(self):
        self.write('zero.pgm', b'P5 8 8 255\n' + bytes(64))
        self.view(('set compare side', 'set b.backend reference', 'wait 2'), *PANELS,
                  image='zero.pgm')
        for name in ('round_trip', 'max_difference'):
            self.assertEqual(str(self.facts[name]), '0.0')

    def test_host_backend(self):
        self.view(('save saved.npy', 'set zeroed HH1'), '-b', 'reference', '-l', '2', *SMALL)
        _, wanted = self.coefficients(IMAGE, '-l', '2', '-b', 'reference')
        _, saved = formats.read_npy(self.read('saved.npy'))
        self.assert_near(saved, wanted, 0)
        self.assertEqual(self.facts['a']['backend'], 'reference')
        self.assertLess(self.facts['loss_psnr'], 60)


class Changing(ViewTest):
    """Changes of the displayed file: a notice, and the last good view."""

    def let_on(self, name, viewer):
        """Reads from a pipe, unless the viewer has ended."""
        pipe = os.open(self.path(name), os.O_RDONLY | os.O_NONBLOCK)
        got = b''
        while viewer.poll() is None and not got.rstrip().endswith(b'}'):
            time.sleep(0.02)
            try:
                got += os.read(pipe, 1 << 20)
            except BlockingIOError:
                pass
        os.close(pipe)

    def look(self, change):
        """The picture before and after a change, and its report. Pipes that receive facts stop the
        viewer after its first frames, and until the file has changed."""
        for name in 'first', 'second':
            if not os.path.exists(self.path(name)):
                os.mkfifo(self.path(name))
        self.write('a.pgm', formats.pnm(200, 40, formats.noise(200 * 40, 255)))
        self.write('events.txt', '\n'.join((
            'wait 3', 'shot before.png', 'facts first', 'facts second', 'key Ctrl+R',
            'wait 3', 'facts facts.json', 'key Esc', 'wait 2')))
        command = [harness.PROGRAM, 'view', 'a.pgm', '--screenshot', 'after.png', '-f', '--no-ui',
                   '--events', 'events.txt', *SMALL]
        with subprocess.Popen(command, cwd=self.directory, stderr=subprocess.PIPE,
                              env=self.environment()) as viewer:
            for name in 'first', 'second':
                if name == 'second':
                    change()
                self.let_on(name, viewer)
            told = viewer.communicate(timeout=300)[1].decode()
        self.assertEqual(viewer.returncode, 0, told)
        return self.pixels('before.png'), self.pixels('after.png'), told

    def stays(self, change, wanted):
        before, after, _ = self.look(change)
        facts = json.loads(self.read('facts.json'))
        self.assertIn(wanted, facts['notice'])
        self.assertTrue(before == after)
        self.assertEqual(facts['width'], 200)

    def test_gone(self):
        self.stays(lambda: os.remove(self.path('a.pgm')), 'a.pgm: no such file')

    def test_damaged(self):
        self.stays(lambda: self.write('a.pgm', 'P5 200 40 255\nabc'), 'a.pgm: truncated (needs ')
        self.stays(lambda: self.write('a.pgm', ''), 'a.pgm: empty file')

    def test_another_size(self):
        other = formats.pnm(80, 64, formats.noise(80 * 64, 255, seed=2))
        before, after, _ = self.look(lambda: self.write('a.pgm', other))
        self.assertTrue(before != after)
        self.assertEqual(json.loads(self.read('facts.json'))['width'], 80)

    def test_there_again(self):
        whole = formats.pnm(200, 40, formats.noise(200 * 40, 255, seed=2))

        def replace():
            os.remove(self.path('a.pgm'))
            self.write('a.pgm', whole)

        before, after, _ = self.look(replace)
        self.assertTrue(before != after)


class Frames(ViewTest):
    """Three frames that are flat except for the upper left pixel."""

    def y4m(self, space='420jpeg', full=True, bits=8, count=3):
        width, height = 11, 7
        halves = {'mono': 0, '420': 0.5, '422': 1, '444': 2}[space[:3] if space[0] == '4'
                                                            else 'mono']
        chroma = {0: 0, 0.5: 2 * 6 * 4, 1: 2 * 6 * 7, 2: 2 * 77}[halves]
        data = b'YUV4MPEG2 W%d H%d F25:1 Ip C%s%s\n' % (
            width, height, space.encode(), b' XCOLORRANGE=FULL' if full else b'')
        size = 2 if bits > 8 else 1
        for frame in range(count):
            luma = [100 << bits - 8] * (width * height)
            luma[0] = 16 + frame * 50 << bits - 8
            data += b'FRAME\n' + b''.join(v.to_bytes(size, 'little') for v in luma)
            data += b'\x80' * (chroma * size)
        return data

    def corner(self, name):
        return json.loads(self.read(name))['pixel']['values'][0]

    def test_frames_in_turn(self):
        point = ('set mode original', 'set fit false', 'set zoom 20', 'set x 5.5', 'set y 3.5',
                 'move 60 60')
        for space, full, bits in (('420jpeg', True, 8), ('420mpeg2', False, 8), ('422', True, 8),
                                  ('444', False, 8), ('mono', True, 8), ('420p10', True, 10),
                                  ('mono12', False, 12)):
            with self.subTest(space):
                self.write('film.y4m', self.y4m(space, full, bits))
                events = list(point)
                for i in range(4):
                    events += ['wait 1', 'facts %d.json' % i, 'key PgDn']
                self.view(events, '--no-ui', *SMALL, image='film.y4m')
                low, high = (0, (1 << bits) - 1) if full else (16 << bits - 8, 235 << bits - 8)
                for i in range(4):  # cycles through the list
                    wanted = ((16 + i % 3 * 50 << bits - 8) - low) / (high - low)
                    self.assertAlmostEqual(self.corner('%d.json' % i), wanted, places=5)

    def test_stdin_and_playing(self):
        self.view(('set mode original', 'do play', 'wait 30'), *SMALL, image='y4m:-',
                  stdin=self.y4m(count=5))
        self.assertIn('standard input has no more frames', self.facts['notice'])
        self.assertEqual(self.facts['width'], 11)
        self.assertGreater(self.facts['tiles'], 0)

    def test_no_new_textures_for_new_frames(self):
        self.write('film.y4m', self.y4m())
        self.view(('wait 2', 'facts first.json') + ('key PgDn', 'wait 1') * 5, *SMALL,
                  image='film.y4m')
        self.assertEqual(json.loads(self.read('first.json'))['gl_objects'],
                         self.facts['gl_objects'])

    def test_broken(self):
        good = self.y4m()
        shot = ('--screenshot', 'x.png')
        for data, message in (
                (b'', 'not a YUV4MPEG2 stream'), (b'YUV4MPEG2 W3\n', 'empty image (3x0)'),
                (b'YUV4MPEG2 W-3 H2\n', 'negative size'), (b'YUV4MPEG2 Wx H2\n', 'invalid width'),
                (b'YUV4MPEG2 W3 H2 C7\n', "unknown color space '7'"),
                (b'YUV4MPEG2 W3 H2\n', 'no frames'),
                (b'YUV4MPEG2 W3 H2\nFRAMES', 'missing FRAME header'),
                (b'YUV4MPEG2 W900000 H2\nFRAME\n', 'image too large (900000x2; the limit is '
                 '131072 per side)'), (good[:60], 'a frame is truncated')):
            with self.subTest(data[:24]):
                self.write('bad.y4m', data)
                self.refuse(FILE, 'bad.y4m: ' + message, 'view', 'bad.y4m', *shot)

    def test_numbered_files_play(self):
        names = []
        for i in range(3):
            names.append(self.write('%03d.png' % i, formats.png(8, 8, [40 * i] * 64)))
        self.view(('do play', 'wait 12'), *SMALL, image=names)
        self.assertTrue(self.state['playing'])
        self.assertEqual(self.facts['files'], 3)


class Reversible(ViewTest):
    """An instance whose steps round."""

    def write_noise(self, name, most, planes=1):
        samples = formats.noise(97 * 61 * planes, most)
        return self.write(name, formats.pnm(97, 61, samples, planes, most))

    def test_integers_as_forward_makes_them(self):
        for most in (255, 4095, 65535):
            with self.subTest(most):
                self.view(('key K', 'save saved.npy', 'wait 1', 'set threshold hard',
                           'set limit 0.1', 'wait 2', 'facts edited.json', 'save edited.npy',
                           'set threshold none', 'wait 2', 'set mode reconstruction'),
                          '--reversible', '-l', '3', *SMALL,
                          image=self.write_noise('in.pgm', most))
                self.assertEqual(self.facts['a']['name'], 'cdf53/sep-lifting/reversible')
                self.assertEqual(self.facts['round_trip'], 0)
                self.assertIn(' -s sep-lifting --reversible -l 3', self.facts['clipboard'])
                self.succeed(*shlex.split(self.facts['clipboard'])[1:], '-f')
                wanted = formats.read_npy_of(self.read('coefficients.npy'))
                self.assertEqual(formats.read_npy_of(self.read('saved.npy')), wanted)
                # The remaining ones are integers.
                kind, _, edited = formats.read_npy_of(self.read('edited.npy'))
                self.assertEqual(kind, 'i4')
                self.assertTrue(set(edited) <= set(wanted[2]) | {0} and edited != wanted[2])
                self.assertGreater(json.loads(self.read('edited.json'))['round_trip'], 0.01)

    def test_soft_thresholds_round(self):
        """Thresholded values are rounded to integers, from which `inverse` makes the displayed
        image."""
        image = self.write_noise('in.pgm', 255)
        self.view(('set threshold soft', 'set limit 0.123', 'wait 2', 'save edited.npy',
                   'set mode reconstruction', 'wait 2', 'key K'), '--reversible', *SMALL,
                  image=image)
        self.assertEqual(self.facts['notice'],
                         'no command to copy (edit does not support integers)')
        self.succeed('inverse', 'edited.npy', '-o', 'back.npy', '-b', 'reference')
        kind, _, back = formats.read_npy_of(self.read('back.npy'))
        self.assertEqual(kind, 'u1')
        before = self.read(image)[-len(back):]
        errors = [abs(a - b) for a, b in zip(back, before)]
        self.assertAlmostEqual(self.facts['round_trip'] * 255, max(errors), 3)
        self.assertAlmostEqual(self.facts['loss_psnr'], 10 * math.log10(
            255 ** 2 * len(errors) / sum(e * e for e in errors)), 3)

    def test_beside_floats(self):
        image = self.write_noise('in.pgm', 255)
        self.view(('set compare difference', 'set b.backend cpu'), '--reversible', *SMALL,
                  image=image)
        self.assertEqual([self.facts[side]['name'] for side in 'ab'],
                         ['cdf53/sep-lifting/reversible', 'cdf53/sep-lifting/optimized'])
        self.assertTrue(0.1 / 255 < self.facts['max_difference'] < 9 / 255, self.facts)
        self.view(('set compare difference', 'set b.backend cpu', 'wait 2',
                   'click controls/B reversible', 'wait 2'), '--reversible', '--window',
                  '1280x1000', image=image)
        self.assertEqual((self.state['b.reversible'], self.facts['max_difference']), (True, 0))

    def test_other_images(self):
        """Each image is checked; the luma of a color image is not an integer."""
        images = [self.write_noise('a.pgm', 255), self.write_noise('b.ppm', 255, 3),
                  self.write_noise('c.pgm', 65535)]
        self.view(('wait 1', 'set channel luma', 'key PgDn', 'wait 2', 'facts b.json',
                   'set channel red', 'wait 2', 'facts red.json', 'key PgDn', 'wait 2'),
                  '--reversible', *SMALL, image=images)
        told = json.loads(self.read('b.json'))
        self.assertRegex(told['notice'], r'^the sample in column \d+, row \d+ is .*, and a '
                         'reversible transform requires integers')
        for facts in (json.loads(self.read('red.json')), self.facts):
            self.assertEqual((facts['a']['name'], facts['round_trip']),
                             ('cdf53/sep-lifting/reversible', 0))

    def test_no_passes(self):
        self.view(('click controls/Reversible', 'wait 2', 'set mode pass', 'wait 2'), '-w',
                  'cdf53', '--window', '1280x1000', image=self.write_noise('in.pgm', 255))
        self.assertEqual((self.state['a.reversible'], self.state['a.scheme']),
                         (True, 'sep-lifting'))
        self.assertEqual(self.facts['a']['image_texture'], 0)

    def test_refused(self):
        image = self.write_noise('in.pgm', 255)
        volume = self.write('v.npy', formats.npy((8, 8, 8), formats.noise(512, 255), '|u1'))
        large = self.write('large.npy', formats.npy((64, 64), [7] * 4095 + [4000000], '<i4'))
        for words, code, message in (
                ((image, '-w', 'cdf97'), USAGE, "wavelet 'cdf97' has no reversible form: …"),
                ((image, '-s', 'ns-lift'), USAGE, "scheme 'nonsep-lifting' is not reversible: …"),
                ((image, '--norm', 'orthonormal'), USAGE,
                 "norm 'orthonormal' is not reversible: …"),
                ((volume,), USAGE, 'volumes have no reversible transform: …'),
                ((IMAGE,), USAGE, 'the sample in column …, and a reversible transform requires …'),
                ((large,), FILE, 'the image: samples from 0 to 4000000 are too large for 3 '
                 'reversible levels of cdf53, …'),
                (('--reconstruct', 'k.npy'), USAGE, '--reversible cannot be combined with '
                 '--reconstruct')):
            with self.subTest(words):
                self.refuse(code, message, 'view', *words, '--reversible', '--screenshot',
                            'x.png', timeout=600)


class Precision(ViewTest):
    """An instance in 16 bits."""
    BOUND = 8.2e-2  # of `verify`
    BESIDE = ('set b.backend fragment', 'set b.precision f16', 'set compare difference')

    def assert_differs(self):
        self.assertGreater(self.facts['max_difference'], 1e-4)
        self.assertLess(self.facts['max_difference'], self.BOUND)

    def assert_halves(self, samples):
        """Each number is representable in 16 bits."""
        kind = '<%de' % len(samples)
        self.assert_near(struct.unpack(kind, struct.pack(kind, *samples)), samples, 0)

    def test_beside_32_bits(self):
        for mode in ('mosaic', 'mixed', 'band', 'reconstruction'):
            with self.subTest(mode):
                self.view((*self.BESIDE, 'set mode ' + mode), *SMALL)
                self.assertEqual([self.facts[side]['precision'] for side in 'ab'], ['f32', 'f16'])
                self.assertEqual([self.facts[side]['backend'] for side in 'ab'], ['fragment'] * 2)
                self.assert_differs()
        # Band by band.
        events = [*self.BESIDE, 'set mode band']
        bands = ('HL 1', 'HH 1', 'LH 2', 'LL 2')
        for name in bands:
            events += ['set band ' + name[:2], 'set level ' + name[3:], 'wait 2',
                       'facts %s.json' % name.replace(' ', '')]
        self.view(events, '-l', '2', *SMALL)
        seen = {json.loads(self.read(name.replace(' ', '') + '.json'))['max_difference']
                for name in bands}
        self.assertEqual(len(seen), len(bands))
        self.assertLess(max(seen), self.BOUND)

    def test_the_option_is_of_a(self):
        text = self.succeed('help', 'view').text()
        self.assertRegex(text, r'--precision KIND +sample storage format')
        self.view(('key X',), '--precision', 'f16', *PANELS)
        self.assertEqual((self.state['a.precision'], self.state['b.precision']), ('f16', 'f32'))
        self.assertEqual([self.facts[side]['precision'] for side in 'ab'], ['f16', 'f32'])
        self.assert_differs()
        self.assertGreater(self.facts['round_trip'], 1e-4)
        self.view((), '--precision', 'f32', '-f', *SMALL)
        self.assertLess(self.facts['round_trip'], 1e-5)

    def test_the_caption_says_it(self):
        """The caption names the precision; for zeros there is no other difference."""
        self.write('black.png', formats.png(16, 16, [0] * 256))
        self.view(('set panels false', 'set compare side', 'set b.backend fragment', 'wait 2',
                   'shot 32.png', 'set b.precision f16', 'wait 2', 'shot 16.png'), '--window',
                  '800x300', image='black.png')
        self.assertEqual(self.facts['max_difference'], 0)
        whole, half = (self.pixels(name) for name in ('32.png', '16.png'))
        places = [(i // 3 % 800, i // 2400) for i in range(len(whole)) if whole[i] != half[i]]
        self.assertGreater(len(places), 20)
        self.assertGreater(min(x for x, _ in places), 400)
        self.assertGreater(min(y for _, y in places), 240)

    def test_states(self):
        self.view((*self.BESIDE, 'wait 2', 'shot 16.png', 'do swap', 'wait 2', 'shot swapped.png',
                   'do swap', 'wait 2', 'shot again.png', 'set b.precision f32', 'wait 2',
                   'shot 32.png', 'facts 32.json'), *PANELS)
        pictures = {bytes(self.pixels(name + '.png')) for name in ('16', 'swapped', '32')}
        self.assertEqual(len(pictures), 3)
        self.assertTrue(self.pixels('16.png') == self.pixels('again.png'))
        self.assertEqual(json.loads(self.read('32.json'))['max_difference'], 0)
        self.view((), '--state', '16.png', *PANELS)
        self.assertEqual((self.state['a.precision'], self.state['b.precision']), ('f32', 'f16'))
        self.assertTrue(self.pixels('view.png') == self.pixels('16.png'))
        self.view((), '--state', 'state.json', *PANELS)
        self.assertTrue(self.pixels('view.png') == self.pixels('16.png'))
        # An option takes precedence.
        self.view((), '--state', 'state.json', '--precision', 'f16', *PANELS)
        self.assertEqual((self.state['a.precision'], self.facts['max_difference']), ('f16', 0))

    def test_values_are_those_of_forward(self):
        """The values are rounded, also under the pointer; uploads may round differently."""
        for variant in ('passes', 'tile-2x2'):
            with self.subTest(variant):
                self.view(('set fit false', 'set zoom 1', 'set x 48', 'set y 40', 'move 184 95',
                           'wait 2', 'key K', 'save saved.npy'), '--variant', variant,
                          '--precision', 'f16', '--no-ui', '-l', '2', *SMALL)
                _, saved = formats.read_npy(self.read('saved.npy'))
                self.assert_halves(saved)
                pixel = self.facts['pixel']
                self.assertEqual((pixel['level'], pixel['band'], pixel['x'], pixel['y']),
                                 (1, 'HL', 24, 15))
                self.assertAlmostEqual(pixel['values'][1], saved[96 * 15 + 48 + 24], 9)
                self.assertIn(' --precision f16', self.facts['clipboard'])
                self.succeed(*shlex.split(self.facts['clipboard'])[1:], '-f')
                _, wanted = formats.read_npy(self.read('coefficients.npy'))
                self.assert_halves(wanted)
                self.assert_near(saved, wanted, 5e-3)

    def test_edits_are_rounded_too(self):
        for variant in ('passes', 'tile-2x2'):
            with self.subTest(variant):
                self.view(('set threshold soft', 'set limit 0.0123', 'wait 2', 'save saved.npy',
                           'set mode reconstruction', 'wait 2'), '--precision', 'f16',
                          '--variant', variant, *SMALL)
                _, saved = formats.read_npy(self.read('saved.npy'))
                self.assert_halves(saved)
                self.assertIn(0, saved)
                self.assertGreater(self.facts['loss_psnr'], 20)

    def test_passes_and_images(self):
        """The passes are drawn on the same textures, which other images also use."""
        self.write('other.png', formats.png(96, 80, formats.noise(96 * 80, 255)))
        self.view(('set mode pass', 'set op 99', 'wait 2', 'set mode mosaic', 'wait 2',
                   'save after.npy', 'key U', 'wait 2', 'key U', 'wait 2', 'save again.npy',
                   'facts before.json', 'key PgDn', 'wait 2'), '--precision', 'f16', *SMALL,
                  image=(IMAGE, 'other.png'))
        self.assertTrue(self.read('after.npy') == self.read('again.npy'))
        self.assertEqual(self.facts['gl_objects'],
                         json.loads(self.read('before.json'))['gl_objects'])
        self.assertTrue(1e-4 < self.facts['round_trip'] < self.BOUND, self.facts['round_trip'])

    def test_numbers_beyond_them(self):
        """Numbers beyond the range of 16 bits are shown, and 32 bits then show the right values."""
        self.write('large.pfm', b'Pf\n8 8\n-1.0\n' +
                   struct.pack('<64f', *range(0, 6400000, 100000)))
        self.view(('set compare side', 'set b.backend fragment', 'wait 2', 'set mode band',
                   'wait 2', 'set mode reconstruction', 'wait 2', 'key U', 'wait 2',
                   'set mode mosaic'), '--precision', 'f16', *PANELS, image='large.pfm')
        self.assertEqual(self.facts['max_difference'], 0)
        self.assertLess(self.facts['round_trip'], 100)

    def test_backends_without(self):
        """Backends without 16 bits report that and name the backends that have them; the view does
        not change."""
        message = "backend '%s' does not support precision 'f16'"
        hint = "'fragment' does"
        for backend in ('cpu', 'reference'):
            with self.subTest(backend):
                told = message % backend + '\nhint: ' + hint
                self.refuse(USAGE, message % backend, 'view', IMAGE, '--screenshot', 'x.png',
                            '--precision', 'f16', '-b', backend, hint=hint)
                self.view(('key U', 'wait 2'), '-b', backend, *SMALL)
                self.assertEqual(self.facts['notice'], told)
                self.assertEqual((self.state['a.precision'], self.facts['a']['precision']),
                                 ('f32', 'f32'))
                self.view(('set b.backend ' + backend, 'set compare side', 'wait 2',
                           'set b.precision f16', 'wait 2'), *SMALL)
                self.assertEqual(self.facts['notice'], told)
                self.assertEqual((self.state['b.backend'], self.state['b.precision']),
                                 (backend, 'f32'))
                self.assertLess(self.facts['max_difference'], 1e-5)
                self.view((*self.BESIDE, 'wait 2', 'set b.backend ' + backend, 'wait 2'), *SMALL)
                self.assertEqual(self.facts['notice'], told)
                self.assertEqual((self.state['b.backend'], self.state['b.precision']),
                                 ('fragment', 'f16'))
                self.assert_differs()
        # A backend that was never available is tried each time.
        self.view(('set b.backend cpu', 'set b.precision f16', 'key X', 'wait 2', 'key Esc',
                   'wait 2', 'facts quiet.json', 'key X', 'wait 2'), *SMALL)
        self.assertEqual(json.loads(self.read('quiet.json'))['notice'], '')
        self.assertIn(message % 'cpu', self.facts['notice'])
        self.assertEqual(self.state['compare'], 'off')

    def test_another_backend_has_its_own(self):
        """From the list and by key: another backend resets 16 bits."""
        self.view(('key B', 'wait 2'), '--precision', 'f16', *SMALL)
        self.assertNotEqual(self.state['a.backend'], 'fragment')
        self.assertEqual(self.state['a.precision'], 'f32')
        self.view((*self.BESIDE, 'wait 2', 'click controls/B backend', 'wait 1', 'click reference',
                   'wait 2'), '--window', '1000x1000')
        self.assertEqual((self.state['b.backend'], self.state['b.precision']),
                         ('reference', 'f32'))
        self.assertLess(self.facts['max_difference'], 1e-5)
        self.assertEqual(self.facts['notice'], '')

    def test_a_default_b_in_16_bits(self):
        self.view(('set b.precision f16', 'key X'), *SMALL)
        self.assertEqual((self.facts['b']['backend'], self.facts['b']['precision']),
                         ('fragment', 'f16'))
        self.assert_differs()
