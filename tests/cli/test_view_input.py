"""Invalid input of the viewer: files, states, events, options."""
import json
import os
import shutil
import zipfile

import formats
import harness
from viewing import IMAGE, SMALL, PANELS, ViewTest


class BadInput(ViewTest):
    MAIN = 'vec4 texel_at(ivec2 texel)'  # of display.frag

    def goes_on(self, events, message, *arguments, image=IMAGE):
        self.view([*events, 'wait 1'], *(arguments or SMALL), image=image)
        self.assertIn(message, self.facts['notice'])
        self.assertGreater(self.facts['tiles'], 0)
        self.assertLess(self.facts['round_trip'], 1e-5)

    def test_dropped(self):
        self.write('broken.png', formats.png(8, 8, [0] * 64)[:60])
        self.write('text.txt', 'hello')
        self.write('bad.json', '{"mode": "sideways"}')
        self.write('bad.wavelet', 'nonsense\n')
        self.write('empty.png', '')
        os.mkdir(self.path('directory'))
        for name, message in (('broken.png', 'broken.png: '), ('text.txt', 'text.txt: '),
                              ('directory', 'directory: '), ('missing.png', 'missing.png: '),
                              ('bad.json', "invalid value 'sideways'"),
                              ('bad.wavelet', 'bad.wavelet:1: '), ('empty.png', 'empty.png')):
            with self.subTest(name):
                self.goes_on(('drop ' + name,), message)
                self.assertEqual(self.facts['files'], 1)

    def test_an_array_of_an_archive(self):
        with zipfile.ZipFile(self.path('m.npz'), 'w') as archive:
            archive.writestr('a.npy', formats.npy((16, 24), [0.5] * 384))
            archive.writestr('b.npy', formats.npy((8, 8), [0.5] * 64))
        self.goes_on((), '', image='m.npz:a')
        self.refuse(harness.FILE, "m.npz: no array 'c'", 'view', 'm.npz:c', '--screenshot', 'x.png',
                    hint='the archive has a, b')

    def test_bad_files_are_left_out(self):
        """Bad files in a list are skipped; the others keep their positions."""
        for i, width in enumerate((8, 9, 10)):
            self.write('%d.png' % i, formats.png(width, 8, [40 * i] * 8 * width))
        self.write('bad.png', 'no image')
        self.write('bad.y4m', 'no film')
        images = ('0.png', 'bad.png', 'bad.y4m', '1.png', '2.png')
        events = []
        for i in range(5):
            events += ['key PgDn', 'wait 2', 'facts %d.json' % i]
        self.view(events, image=images)
        seen = [json.loads(self.read('%d.json' % i)) for i in range(5)]
        self.assertEqual([(f['width'], f['files']) for f in seen],
                         [(8, 4), (8, 3), (9, 3), (10, 3), (8, 3)])
        self.assertIn('bad.y4m: ', seen[1]['notice'])
        # The file of B, while A shows the next one.
        self.view(('set a.file 3', 'set compare side', 'set b.file 1', 'wait 3'), image=images)
        self.assertEqual((self.facts['width'], self.facts['files']), (9, 4))
        self.assertEqual((self.state['a.file'], self.state['b.file']), (2, 2))
        # An image without the displayed channel is not an error.
        self.write('rgb.png', formats.png(8, 8, [40] * 192, planes=3))
        self.view(('set channel blue', 'wait 2', 'key PgDn', 'wait 2'), image=('rgb.png', '0.png'))
        self.assertIn("no channel '2' (blue)", self.facts['notice'])
        self.assertEqual(self.facts['files'], 2)

    def test_dropped_image_and_wavelet_are_taken(self):
        self.write('small.png', formats.png(9, 7, formats.noise(63, 255)))
        wavelets = os.path.join(harness.ROOT, 'assets', 'wavelets')
        name = sorted(f for f in os.listdir(wavelets) if f.endswith('.wavelet'))[0]
        self.view(('drop small.png', 'drop ' + os.path.join(wavelets, name)), *SMALL)
        self.assertEqual((self.facts['width'], self.facts['height']), (9, 7))
        self.assertEqual(self.state['a.wavelet'], os.path.join(wavelets, name))

    def test_sizes(self):
        for image in ('pattern:noise:1x1', 'pattern:noise:1x9', 'pattern:noise:5x1',
                      'pattern:noise:30000x2'):
            with self.subTest(image):
                self.view(('key V',) * 7 + ('key F10', 'key I', 'wait 1', 'key I', 'key X'),
                          *SMALL, image=image)
                self.assertLess(self.facts['round_trip'], 1e-5)

    def test_window_sizes(self):
        self.view(('resize 1 1', 'wait 2', 'resize 3 200', 'wait 2', 'resize 400 300', 'wait 2'),
                  *SMALL)
        self.assertEqual(formats.read_png(self.read('view.png'))[:2], (400, 300))
        self.view(('resize 0 0', 'wait 2', 'resize 1500 900', 'wait 2'), *SMALL)

    def test_sizes_of_the_interface(self):
        for scale in ('0.5', '4'):
            self.succeed('view', IMAGE, '--ui-scale', scale, '--screenshot', scale + '.png',
                         *PANELS, timeout=600)
        self.assertTrue(self.pixels('0.5.png') != self.pixels('4.png'))

    def test_wrong_settings_go_back(self):
        for events, message in (
                (('set a.wavelet no-such',), "unknown wavelet 'no-such'"),
                (('set a.backend no-such',), "backend 'no-such' is not available"),
                (('set a.variant no-such',), "backend 'fragment' has no variant 'no-such'"),
                (('set levels 2', 'set b.wavelet no-such', 'set compare side'),
                 "unknown wavelet 'no-such'"),
                (('set channel blue',), "the image has no channel '2' (blue)")):
            with self.subTest(events):
                self.goes_on(events, message)

    def copy_shaders(self):
        os.mkdir(self.path('shaders'))
        for name in ('display', 'load', 'edit', 'measure', 'elements'):
            shutil.copy(os.path.join(harness.ROOT, 'shaders', name + '.frag'),
                        self.path('shaders'))

    def test_shaders_are_read_again(self):
        self.copy_shaders()
        display = self.read('shaders/display.frag').decode()
        self.write('broken', display.replace(self.MAIN + '\n{', self.MAIN + '\n{\n    nonsense;'))
        line = display[:display.index(self.MAIN)].count('\n') + 3
        self.view(('wait 1',), '--shaders', 'shaders', *SMALL)
        good = self.read('view.png')
        os.rename(self.path('broken'), self.path('shaders/display.frag'))
        result = self.run_program('view', IMAGE, '--screenshot', 'x.png', '--shaders', 'shaders')
        self.assertEqual(result.code, 1)
        self.assertIn('error: a shader does not compile (', result.err)
        self.assertRegex(result.err, r'\n> +%d \|     nonsense;\n' % line)
        self.assertNotIn('x.png', self.files())
        self.write('shaders/display.frag', display)
        self.view(('wait 1',), '--shaders', 'shaders', *SMALL)
        self.assertTrue(self.read('view.png') == good)


    def test_a_shader_is_broken_and_mended_while_it_runs(self):
        self.copy_shaders()
        good = self.read('shaders/display.frag').decode()
        red = good.replace('return vec4(shade * c, 1.0);', 'return vec4(1.0, 0.0, 0.0, 1.0);')
        self.assertNotEqual(red, good)
        for where in (self.MAIN + '\n{', '#if !SMALL\n', '#if ONLY_A\n', '#else\n'):
            with self.subTest(where):
                at = good.index(where) + len(where)
                self.write('broken', good[:at] + '\n    nonsense;\n' + good[at:])
                self.write('red', red)
                self.write('good', good)
                line = good[:at].count('\n') + 2
                # The files are checked twice per second.
                self.write('events.txt', '\n'.join((
                    'wait 40', 'shot first.png', 'copy broken shaders/display.frag',
                    'wait 40', 'facts broken.json', 'key Esc', 'wait 2', 'shot broken.png',
                    'copy red shaders/display.frag', 'wait 40', 'facts red.json', 'key Esc',
                    'wait 2', 'shot red.png', 'copy good shaders/display.frag', 'wait 40',
                    'key Esc', 'wait 2', 'shot last.png')))
                result = self.run_program('view', IMAGE, '--events', 'events.txt', '--shaders',
                                          'shaders', '--no-ui', '--screenshot', 'x.png', '-f',
                                          *SMALL)
                self.assertEqual(result.code, 0, result.err)
                facts = json.loads(self.read('broken.json'))
                self.assertEqual(facts['notice'], facts['shader_error'])
                self.assertIn('a shader does not compile (', facts['notice'])
                self.assertRegex(facts['notice'], r'\n> +%d \|     nonsense;\n' % line)
                first = self.read('first.png')
                self.assertEqual(self.read('broken.png'), first)
                facts = json.loads(self.read('red.json'))
                self.assertEqual((facts['notice'], facts['shader_error']),
                                 ('reloaded, 1 shader changed', ''))
                self.assertNotEqual(self.read('red.png'), first)
                self.assertEqual(self.read('last.png'), first)

    def test_an_image_changes_on_disk(self):
        images = [formats.png(9, 7, formats.noise(63, 255, seed)) for seed in (1, 2)]
        wide = formats.png(12, 5, formats.noise(60, 255, 3))
        for name, data in (('image.png', images[0]), ('other.png', images[1]), ('wide.png', wide),
                           ('broken.png', images[1][:60])):
            self.write(name, data)
        self.view(('wait 40', 'save 0.npy', 'facts 0.json', 'copy other.png image.png', 'wait 40',
                   'save 1.npy', 'facts 1.json', 'copy broken.png image.png', 'wait 40',
                   'save 2.npy', 'facts 2.json', 'copy wide.png image.png', 'wait 40',
                   'save 3.npy', 'key Esc'), '-l', '2', *SMALL, image='image.png')
        facts = [json.loads(self.read('%d.json' % i)) for i in range(3)]
        self.assertEqual(facts[0]['gl_objects'], facts[1]['gl_objects'])
        self.assertEqual(facts[0]['a']['image_texture'], facts[1]['a']['image_texture'])
        self.assertIn('image.png: ', facts[2]['notice'])
        self.assertEqual(self.read('2.npy'), self.read('1.npy'))
        for saved, name in (('1.npy', 'other.png'), ('3.npy', 'wide.png')):
            _, wanted = self.coefficients(name, '-l', '2', '-b', 'fragment')
            self.assert_near(formats.read_npy(self.read(saved))[1], wanted, 0)
        self.assertEqual((self.facts['width'], self.facts['height']), (12, 5))

    def test_a_texture_finds_no_memory(self):
        """At the start the program reports the error and ends; later the last good view remains,
        with a notice."""
        self.write('events.txt', '\n'.join((
            'wait 3', 'set a.wavelet haar', 'wait 3', 'set compare side', 'set b.wavelet cdf53',
            'wait 5', 'set mode pass', 'wait 3', 'set mode mosaic', 'key W', 'wait 3',
            'facts facts.json')))
        ends = set()
        for number in range(2, 36, 3):
            with self.subTest(texture=number):
                result = self.run_program('view', IMAGE, '--screenshot', 'view.png', '-f', '--events',
                                          'events.txt', *PANELS, fault='texture:%d' % number)
                self.assertIn('gl fault: texture\n', result.err)
                ends.add(result.code)
                if result.code != 0:
                    self.assertIn(result.code, (1, 6), result.err)
                    self.assertIn('wavepass view: error: ', result.err)
                    self.assertEqual(sorted(self.files()), ['events.txt'])
                    continue
                facts = json.loads(self.read('facts.json'))
                self.assertIn('no memory on this device for a texture', facts['notice'] + result.err)
                self.assertLess(facts['round_trip'], 1e-5)
                for name in ('view.png', 'facts.json'):
                    os.remove(self.path(name))
        self.assertIn(6, ends)
        self.assertIn(0, ends)

    def test_a_device_is_lost(self):
        """A or B falls back to fragment shaders and reports the reason."""
        self.view(('set compare side', 'set b.backend reference', 'set live true', 'wait 5',
                   'lose b', 'wait 2', 'facts b.json', 'key Esc', 'wait 30'), *PANELS)
        lost = json.loads(self.read('b.json'))
        self.assertEqual(lost['notice'], 'the device of reference was lost')
        self.assertEqual((self.state['b.backend'], self.facts['b']['backend']), ('fragment',) * 2)
        self.assertLess(self.facts['max_difference'], 1e-6)
        self.view(('set a.backend reference', 'wait 2', 'lose a', 'set a.wavelet haar', 'wait 2'),
                  *PANELS)
        self.assertEqual(self.facts['a']['name'], 'haar/nonsep-polyconvolution/optimized')
        self.assertEqual(self.facts['a']['backend'], 'fragment')
        self.assertLess(self.facts['round_trip'], 1e-5)
        # The window's GPU fails once; it is used again after the next change.
        self.view(('lose a', 'set a.wavelet haar', 'wait 3', 'facts lost.json', 'key W',
                   'wait 3'), *PANELS)
        self.assertEqual(json.loads(self.read('lost.json'))['a'], {})
        self.assertLess(self.facts['round_trip'], 1e-5)
        # Only A loses its device; B has run in the same frame.
        self.view(('set compare side', 'set b.backend reference', 'set mode pass', 'wait 3',
                   'lose a', 'set mode mosaic', 'wait 1', 'facts lost.json', 'key W', 'wait 3'),
                  *PANELS)
        self.assertEqual(json.loads(self.read('lost.json'))['notice'],
                         'the device of fragment was lost')
        self.assertLess(self.facts['max_difference'], 1e-5)
