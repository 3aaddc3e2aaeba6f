"""The viewer without a display: pictures, scripted events, what it says about itself."""
import ctypes
import itertools
import json
import math
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import time

import formats
import harness
from harness import FILE, REFERENCE, UNAVAILABLE, USAGE, CliTest

IMAGE = 'pattern:zone-plate:96x80'
SMALL = ('--window', '320x240')
PANELS = ('--window', '1000x640')
TALL = ('--window', '1000x720')  # all of Display is in sight


class ViewTest(CliTest):
    def setUp(self):
        super().setUp()
        if not harness.has_viewer():
            self.skipTest('the viewer is not part of this build')

    def view(self, events, *arguments, image=IMAGE, **how):
        """Plays the events; then `facts` and `state` are those of the end."""
        self.write('events.txt', '\n'.join(events) + '\nwait 2\nfacts facts.json\n'
                   'state state.json\n')
        images = (image,) if isinstance(image, str) else image
        result = self.succeed('view', *images, '--screenshot', 'view.png', '-f', '--events',
                              'events.txt', *(arguments or SMALL), timeout=600, **how)
        self.facts = json.loads(self.read('facts.json'))
        self.state = json.loads(self.read('state.json'))
        return result

    def pixels(self, name):
        """Without the state that the picture holds, too."""
        return formats.read_png(self.read(name))[4]

    def coefficients(self, *arguments):
        self.succeed('forward', *arguments, '-f', '-o', 'wanted.npy')
        return formats.read_npy(self.read('wanted.npy'))


class Picture(ViewTest):
    def shoot(self, name, *arguments):
        self.succeed('view', IMAGE, '--screenshot', name, *arguments, timeout=600)
        return formats.read_png(self.read(name))

    def test_same_bytes_twice(self):
        width, height, planes, bits, first = self.shoot('one.png', *PANELS)
        self.assertEqual((width, height, planes, bits), (1000, 640, 3, 8))
        self.assertGreater(len(set(first)), 50)
        self.shoot('two.png', *PANELS)
        self.assertEqual(self.read('one.png'), self.read('two.png'))
        self.assertEqual(sorted(self.files()), ['one.png', 'two.png'])  # no imgui.ini

    def test_options_show(self):
        pictures = [self.shoot('%d.png' % i, '--no-ui', *SMALL, *options)
                    for i, options in enumerate(((), ('-w', 'haar'), ('-l', '1'),
                                                 ('--border', 'periodic')))]
        for i, picture in enumerate(pictures[1:]):
            self.assertTrue(picture[4] != pictures[0][4], i)

    def test_flat_picture(self):
        self.refuse(1, 'the picture is of one flat colour, so x.png is not written', 'view', IMAGE,
                    '--screenshot', 'x.png', '--window', '1x1', timeout=600)

    def test_refusals(self):
        self.write('bad.png', 'no image')
        self.write('bad.txt', '# comment\nkey W\njump 3\n')
        self.write('key.txt', 'key Hyper+Q\n')
        self.write('bad.json', '{"zoom": [1]}')
        self.write('there.png', '')
        shot = ('--screenshot', 'x.png')
        self.refuse(FILE, 'bad.png: …', 'view', 'bad.png', *shot)
        for images in (('missing.png',), (IMAGE, 'missing.png'), (IMAGE, 'missing.y4m'),
                       (IMAGE, 'y4m:missing.y4m')):
            self.refuse(FILE, 'missing.' + images[-1][-3:] + ': no such file', 'view', *images,
                        *shot)
        self.refuse(FILE, "bad.txt:3: no such event 'jump 3'", 'view', IMAGE, '--events',
                    'bad.txt', *shot)
        for line, message in (('move 1', 'not two numbers:'), ('resize a b', 'not two numbers:'),
                              ('wheel x', 'not a number, nor the solver or tiles:'),
                              ('iterate x', 'not a number:'), ('copy a', 'not two files:'),
                              ('lose c', 'not a or b:'), ('do nothing', 'no such action'),
                              ('click nothing', 'no such control')):
            self.write('line.txt', line + '\n')
            self.refuse(FILE, "line.txt:1: %s '%s'" % (message, line.split(' ', 1)[1]), 'view',
                        IMAGE, '--events', 'line.txt', *shot)
        self.write('line.txt', 'copy missing.png there.png\n')
        self.refuse(FILE, 'missing.png: No such file…', 'view', IMAGE, '--events', 'line.txt',
                    *shot)
        self.refuse(FILE, "key.txt:1: no such key 'Hyper+Q'", 'view', IMAGE, '--events',
                    'key.txt', *shot)
        for key in 'F0', 'F13', 'F1x', 'F01', 'F4474444444441':
            self.write('f.txt', 'key %s\n' % key)
            self.refuse(FILE, "f.txt:1: no such key '%s'" % key, 'view', IMAGE, '--events', 'f.txt',
                        *shot)
        self.refuse(FILE, "bad.json: 'zoom' is no text, number or truth value", 'view', IMAGE,
                    '--state', 'bad.json', *shot)
        self.write('bad.json', '{"zoon": 1}')
        self.refuse(USAGE, "unknown setting 'zoon'", 'view', IMAGE, '--state', 'bad.json', *shot,
                    hint="did you mean 'zoom'?")
        self.refuse(USAGE, "--window: '12' is not a size", 'view', IMAGE, '--window', '12', *shot)
        self.refuse(FILE, 'there.png exists', 'view', IMAGE, '--screenshot', 'there.png')
        self.refuse(USAGE, "unknown wavelet 'cdf79'…", 'view', IMAGE, '-w', 'cdf79', *shot)

    def test_device_of_a_window(self):
        """The window system picks it, so a number would not be what is drawn with."""
        for number in ('0', '7'):
            self.refuse(USAGE, '-d %s does not go with a window (the window system picks its '
                        'device)' % number, 'view', IMAGE, '-d', number,
                        hint='--screenshot FILE draws on device ' + number)
        self.refuse(UNAVAILABLE, 'the viewer needs OpenGL (there is no device 99)', 'view', IMAGE,
                    '-d', '99', '--screenshot', 'x.png', hint='…')

    def test_levels_are_refused_as_forward_does(self):
        self.write('film.y4m', b'YUV4MPEG2 W11 H7 F25:1 Cmono\nFRAME\n' + bytes(77))
        for image, options in (('pattern:noise:45x31', ('-l', '40')),
                               ('pattern:noise:45x31', ('-l', '7')),
                               ('pattern:noise:45x31', ('--border', 'periodic')),
                               ('pattern:noise:45x31', ('--border', 'periodic', '-l', 'max')),
                               ('pattern:noise:44x32', ('--border', 'periodic', '-l', '3'))):
            with self.subTest(image=image, options=options):
                forward = self.run_program('forward', image, '-o', 'c.npy', *options)
                message, hint = forward.first_error()
                # Before there is a window: without a display, too.
                for where in (('--screenshot', 'x.png'), ()):
                    self.refuse(USAGE, message.split(' error: ', 1)[1], 'view', image, *options,
                                *where, hint=hint, env={'DISPLAY': '', 'WAYLAND_DISPLAY': ''})
        self.refuse(USAGE, '9 levels are more than a 11x7 image takes', 'view', 'film.y4m', '-l',
                    '9')

    def test_state_makes_the_same_picture(self):
        self.view(('key 3', 'key E', 'key C', 'set channel gray', 'key W'))
        first = self.read('view.png')
        self.succeed('view', IMAGE, '--state', 'state.json', '--screenshot', 'again.png', *SMALL,
                     timeout=600)
        self.assertTrue(self.read('again.png') == first)


    def test_a_screenshot_holds_its_state(self):
        self.view(('set a.wavelet cdf53', 'key 3', 'key E', 'set map viridis', 'set x 12.5',
                   'wait 2', 'key Shift+F12', 'wait 2', 'key Esc'), *PANELS)
        shot, state = self.read('view.png'), self.state
        self.assertEqual(shot.count(b'tEXtwavepass view\0{'), 1)
        self.assertEqual(shot.index(b'tEXt') < shot.index(b'IDAT'), True)
        os.rename(self.path('view.png'), self.path('shot.png'))
        os.rename(self.path('wavepass-001.png'), self.path('key.png'))
        for events, arguments in (((), ('--state', 'shot.png')), (('drop shot.png',), ()),
                                  (('drop key.png',), ())):
            self.view(events, *arguments, *PANELS)
            times = {'times': state['times']}
            self.assertEqual({**self.state, **times}, state)
            self.assertTrue(self.read('view.png') == shot)
        # It is a picture, too, and one without a state is just that.
        self.view((), *SMALL, image='shot.png')
        self.assertEqual((self.facts['width'], self.facts['height']), (1000, 640))
        cut = shot.index(b'tEXt')
        for name, data, message in (
                ('bad.png', shot.replace(b'\0{"', b'\0["'), 'bad.png: not a state ('),
                ('cut.png', shot[:cut + 9], 'cut.png: truncated')):
            self.write(name, data)
            self.view(('drop ' + name, 'wait 2'), *SMALL)
            self.assertIn(message, self.facts['notice'])


class Canvas(ViewTest):
    def value_at(self, x, y):
        """Of the mosaic at 1:1, from a run that points there."""
        return ('set mode mosaic', 'set fit false', 'set zoom 1', 'set x 48', 'set y 40',
                'move %d %d' % (160 - 48 + x, self.middle - 40 + y), 'wait 1',
                'facts %d-%d.json' % (x, y))

    def test_values_under_the_pointer(self):
        shape, wanted = self.coefficients(IMAGE, '-l', '2', '-b', 'fragment')
        self.assertEqual(tuple(shape), (80, 96))
        self.middle = 120
        places = ((3, 5), (30, 4), (5, 35), (40, 30), (70, 10), (90, 70), (47, 39), (95, 79))
        events = [e for x, y in places for e in self.value_at(x, y)]
        self.view(events, '-l', '2', '--no-ui', *SMALL)
        for x, y in places:
            pixel = json.loads(self.read('%d-%d.json' % (x, y)))['pixel']
            self.assertIsNotNone(pixel, (x, y))
            band = ('LL', 'HL', 'LH', 'HH').index(pixel['band'])
            level = pixel['level']
            left, top = ((-(-96 >> level)) if band & 1 else 0), ((-(-80 >> level)) if band & 2
                                                                  else 0)
            self.assertEqual((pixel['x'] + left, pixel['y'] + top), (x, y))
            self.assertAlmostEqual(pixel['values'][band], wanted[96 * y + x], delta=1e-6)

    def test_values_that_there_are_not(self):
        """LL of a level before the last lies on surfaces alone, and odd edges have fewer bands."""
        self.middle = 120
        _, low = self.coefficients(IMAGE, '-l', '1', '-b', 'fragment')
        for arguments, events, has_low in (
                ((), (), True), (('-b', 'reference'), (), False),
                (('--variant', 'tile-2x2'), (), False), ((), ('set zeroed HL1',), False)):
            with self.subTest(arguments=arguments, events=events):
                self.view((*events, 'wait 1', *self.value_at(48 + 5, 40 + 7)), '-l', '2', '-w',
                          'cdf97', '--no-ui', *arguments, *SMALL)
                pixel = json.loads(self.read('53-47.json'))['pixel']
                self.assertEqual((pixel['band'], pixel['level'], pixel['x'], pixel['y']),
                                 ('HH', 1, 5, 7))
                self.assertNotIn(None, pixel['values'][1:])
                if has_low:
                    self.assertAlmostEqual(pixel['values'][0], low[96 * 7 + 5], delta=1e-6)
                else:
                    self.assertIsNone(pixel['values'][0])
        # The last column of an image of 95 has one sample of each quad, and LL and LH of them.
        for mode, x in (('original', '94.5'), ('mosaic', '47.5')):
            self.view(('set mode ' + mode, 'set fit false', 'set zoom 4', 'set y 10.5',
                       'set x ' + x, 'move 160 120'), '-l', '1', '--no-ui', *SMALL,
                      image='pattern:zone-plate:95x80')
            self.assertEqual([value is None for value in self.facts['pixel']['values']],
                             [False, True] * 2)

    def test_colours_on_the_screen(self):
        """Every pixel of the canvas at 1:1, in gray."""
        samples = formats.noise(40 * 30, 255)
        self.write('noise.png', formats.png(40, 30, samples))
        self.view(('set fit false', 'set zoom 1', 'set x 20', 'set y 15', 'set map gray',
                   'set range fixed', 'set mode original', 'wait 2', 'shot original.png',
                   'set mode mixed', 'set level 1', 'wait 2', 'shot mixed.png', 'save c.npy'),
                  '-l', '1', '--no-ui', '--window', '60x50', image='noise.png')

        def gray(name):
            shown = formats.read_png(self.read(name))[4]
            return [shown[3 * (60 * (y + 10) + x + 10)] for y in range(30) for x in range(40)]

        self.assertLessEqual(max(abs(a - b) for a, b in zip(gray('original.png'), samples)), 1)
        _, mallat = formats.read_npy(self.read('c.npy'))
        wanted = []
        for y in range(30):
            for x in range(40):
                value = mallat[40 * (y // 2 + 15 * (y % 2)) + x // 2 + 20 * (x % 2)]
                low = x % 2 == 0 and y % 2 == 0
                # LL from black to white, details about mid grey.
                shown = round(255 * (value if low else 0.5 + 0.5 * value))
                wanted.append(min(max(shown, 0), 255))
        self.assertLessEqual(max(abs(a - b) for a, b in zip(gray('mixed.png'), wanted)), 1)

    def test_a_flat_image_has_no_details(self):
        """Those of rounding, below 1e-6 here, are not as bright as can be."""
        self.write('flat.npy', formats.npy((64, 64), [0.95] * 64 ** 2))
        self.view(('set map gray', 'set band HL', 'set level 2', 'wait 2'), *PANELS,
                  image='flat.npy')
        statistics = self.facts['statistics']
        self.assertGreater(statistics['most'], 1e-7)
        self.assertLess(statistics['most'], 1e-6)
        used = [i for i, count in enumerate(statistics['bins']) if count]
        self.assertTrue(all(56 <= i < 72 for i in used), used)
        self.view(('set map gray', 'set fit false', 'set zoom 1', 'set x 32', 'set y 32',
                   'set mode mixed', 'wait 2'), '--no-ui', '-l', '3', '--window', '64x64',
                  image='flat.npy')
        shown = self.pixels('view.png')[::3]
        low = [shown[64 * y + x] for y in range(0, 64, 8) for x in range(0, 64, 8)]
        details = [v for i, v in enumerate(shown) if i % 64 % 8 or i // 64 % 8]
        self.assertEqual(set(low), {round(0.95 * 255)})
        self.assertLess(max(abs(v - 128) for v in details), 24)

    def test_wheel_zooms_about_the_pointer(self):
        self.view(('set fit false', 'set zoom 2', 'set x 48', 'set y 40', 'move 200 100',
                   'wait 1', 'facts before.json', 'wheel 3', 'wheel -1', 'wait 1'), '--no-ui',
                  *SMALL)
        before = json.loads(self.read('before.json'))['pixel']
        # The view lies on whole pixels of the screen, so by half of one it may move.
        self.assertAlmostEqual(before['x'], self.facts['pixel']['x'], delta=1)
        self.assertAlmostEqual(before['y'], self.facts['pixel']['y'], delta=1)
        self.assertAlmostEqual(self.state['zoom'], 2 * 2 ** 0.5, places=6)

    def test_drag_moves_and_click_pins(self):
        self.view(('set fit false', 'set zoom 2', 'set x 48', 'set y 40', 'move 160 120', 'down',
                   'move 180 130', 'move 200 140', 'up'), '--no-ui', *SMALL)
        self.assertAlmostEqual(self.state['x'], 48 - 20)
        self.assertAlmostEqual(self.state['y'], 40 - 10)
        self.assertFalse(self.facts['pixel']['pinned'])
        self.view(('set fit false', 'set zoom 2', 'set x 48', 'set y 40', 'move 230 190', 'click',
                   'key Right', 'key Down', 'move 10 10'), '--no-ui', *SMALL)
        self.assertTrue(self.facts['pixel']['pinned'])
        self.assertEqual((self.state['level'], self.state['band']), (1, 'HH'))

    def test_double_click_shows_the_band(self):
        self.view(('move 230 190', 'click', 'click'), '--no-ui', *SMALL)
        self.assertEqual((self.state['mode'], self.state['band']), ('band', 'HH'))

    def test_right_drag_changes_gain(self):
        self.view(('move 100 100', 'down 1', 'move 180 100', 'up 1'), '--no-ui', *SMALL)
        self.assertAlmostEqual(self.state['gain'], 2, places=6)

    def test_every_way_of_looking(self):
        seen = {}
        for scale in ('signed', 'absolute', 'log'):
            for chart in ('blue-white-orange', 'viridis', 'cividis', 'gray'):
                for mode in ('mosaic', 'mixed') if scale == 'signed' else ('mosaic',):
                    seen['%s-%s-%s.png' % (mode, scale, chart)] = (mode, scale, chart)
        for mode in ('tree', 'band', 'original', 'pass'):
            seen[mode + '.png'] = (mode, 'signed', 'gray')
        events = []
        for name, (mode, scale, chart) in seen.items():
            events += ['set mode ' + mode, 'set scale ' + scale, 'set map ' + chart, 'wait 2',
                       'shot ' + name]
        self.view(events, '--no-ui', *SMALL)
        pictures = {bytes(self.pixels(name)) for name in seen}
        self.assertEqual(len(pictures), len(seen))
        # The reconstruction is the original, to a gray level.
        self.view(('set mode original', 'wait 2', 'shot a.png', 'set mode reconstruction',
                   'wait 2', 'shot b.png'), '--no-ui', *SMALL)
        a, b = (formats.read_png(self.read(name))[4] for name in ('a.png', 'b.png'))
        self.assertLessEqual(max(abs(p - q) for p, q in zip(a, b)), 1)


class Keys(ViewTest):
    # A key, and what it changes.
    CHANGES = (
        ('W', 'a.wavelet', None), ('S', 'a.scheme', 'nonsep-lifting'), ('P', 'a.plain', True),
        ('L', 'levels', 4), ('Shift+L', 'levels', 2), ('Ctrl+B', 'border', 'periodic'),
        ('Ctrl+N', 'norm', 'orthonormal'), ('U', 'a.precision', 'f16'), ('0', 'mode', 'mosaic'),
        ('1', 'band', 'LL'), ('4', 'band', 'HH'), ('V', 'mode', 'tree'),
        ('Shift+V', 'mode', 'reconstruction'),
        ('Right', 'band', 'LH'), ('Up', 'level', 2), ('E', 'gain', 2 ** 0.5), ('O', 'offset', 0.05),
        ('Shift+O', 'offset', -0.05), ('N', 'range', 'fixed'), ('Shift+N', 'range', 'all'),
        ('A', 'scale', 'absolute'), ('C', 'map', 'viridis'), ('Shift+C', 'map', 'gray'),
        ('Ctrl+0', 'zoom', 1), ('G', 'grid', True), ('Ctrl+P', 'values', False),
        ('X', 'compare', 'wipe'), ('Shift+X', 'compare', 'checker'), ('Y', 'flipped', True),
        ('M', 'metric', 'AE'), ('Shift+M', 'metric', 'RSE'),
        ('F10', 'mode', 'pass'), ('Ctrl+D', 'direction', 'inverse'), ('D', 'before', True),
        ('Z', 'zeroed', 'HL1'), ('I', 'impulse', True), ('Q', 'threshold', 'hard'),
        ('Shift+J', 'kept', 9), ('Ctrl+T', 'theme', 'light'), ('Ctrl++', 'ui_scale', 1.125),
        ('Ctrl+I', 'inspector', 1), ('Tab', 'panels', False), ('Ctrl+L', 'live', True),
        ('Space', 'playing', True), ('F', 'fit', False),
    )

    def test_what_keys_change(self):
        self.view((), '--no-ui', *SMALL)
        start = self.state
        events = []
        for i, (key, _, _) in enumerate(self.CHANGES):
            for name in ('a.wavelet', 'a.scheme', 'levels', 'border', 'norm', 'mode', 'level',
                         'band', 'compare', 'range', 'scale', 'map', 'gain', 'offset', 'theme',
                         'ui_scale', 'inspector', 'direction', 'threshold', 'kept', 'op',
                         'metric', 'a.precision'):
                events.append('set %s %s' % (name, start[name]))
            for name in ('a.plain', 'grid', 'flipped', 'before', 'impulse', 'live', 'playing'):
                events.append('set %s false' % name)
            events += ['set values true', 'set panels true', 'set fit true', 'do restore',
                       'key ' + key, 'state %d.json' % i]
        self.view(events, '--no-ui', '--window', '64x64', image='pattern:zone-plate:32x32')
        for i, (key, name, wanted) in enumerate(self.CHANGES):
            state = json.loads(self.read('%d.json' % i))
            with self.subTest(key):
                if wanted is None:
                    self.assertNotEqual(state[name], start[name])
                elif isinstance(wanted, float):
                    self.assertAlmostEqual(state[name], wanted, places=6)
                else:
                    self.assertEqual(state[name], wanted)

    def test_backends_in_turn(self):
        """Each that is here once, from whichever one begins, and the other way round."""
        keys = 8 * ['B'] + 8 * ['Shift+B']
        self.view([event for i, key in enumerate(keys)
                   for event in ('key ' + key, 'wait 1', 'state %d.json' % i)],
                  '-b', 'fragment', '--no-ui', '--window', '64x64', image='pattern:noise:32x32')
        names = ['fragment', *(json.loads(self.read('%d.json' % i))['a.backend']
                               for i in range(len(keys)))]
        count = names.index('fragment', 1)
        self.assertEqual(len(set(names[:count])), count)
        self.assertLessEqual({'fragment', 'cpu', 'reference'}, set(names[:count]))
        self.assertEqual(names[:9], (9 * names[:count])[:9])
        self.assertEqual(names[8:], names[8::-1])

    def test_no_key_twice(self):
        for keys, least in ((self.keys_of(), 70), (self.keys_of('VIEW --RECONSTRUCT'), 40)):
            self.assertGreater(len(keys), least)
            self.assertEqual(len(keys), len(set(keys)))

    def test_every_key_is_taken(self):
        events = []
        for key in self.keys_of():
            if key not in ('Ctrl+Q',):
                events += ['key ' + key, 'key Esc']
        self.view(events, *PANELS)
        self.assertGreater(self.facts['tiles'], 0)

    def test_palette_sets_and_does(self):
        self.view(('key Ctrl+Shift+P', 'type gain 4', 'key Enter', 'wait 1', 'key Ctrl+Shift+P',
                   'type grid', 'wait 1', 'key Enter', 'wait 1', 'key Ctrl+G', 'type 10 20 8',
                   'key Enter'), *PANELS)
        self.assertEqual((self.state['gain'], self.state['x'], self.state['y'],
                          self.state['zoom']), (4, 10, 20, 8))
        self.assertFalse(self.state['fit'])
        self.assertTrue(self.state['grid'])
        self.assertEqual(self.facts['popup'], 0)

    def test_go_to_and_open(self):
        for key, popup, control in (('Ctrl+G', 5, 'go-to/Go to'), ('Ctrl+O', 3, 'prompt/Open')):
            self.view(('key ' + key, 'wait 2', 'facts open.json', 'type 10 20 8', 'wait 1',
                       'key Enter', 'wait 1'), *PANELS)
            opened = json.loads(self.read('open.json'))
            self.assertEqual(opened['popup'], popup)
            self.assertIn(control, opened['controls'])
            self.assertEqual((self.state['x'], self.state['y'], self.state['zoom']), (10, 20, 8))


class Wavelets(ViewTest):
    """The tree of families: a search field, phi and psi beside every name."""

    def find(self, *events, window='800x600'):
        self.view(('key Ctrl+F', 'wait 1', *events), '--window', window)

    def test_typed(self):
        # Asymmetric ones take periodic borders along.
        for window in ('1280x800', '640x480'):
            self.find('type sym8', 'wait 1', 'shot list.png', 'key Enter', 'wait 2',
                      'shot after.png', window=window)
            self.assertEqual((self.state['a.wavelet'], self.state['border']),
                             ('sym8', 'periodic'))
            self.assertEqual(self.facts['a']['name'].split('/')[0], 'sym8')
            self.assertEqual(self.facts['popup'], 0)
            self.assertNotEqual(self.pixels('list.png'), self.pixels('after.png'))

    def test_every_name_is_found(self):
        """One of each family, those at its ends, in any case; what is not there takes nothing."""
        for typed, name in (('DB20', 'db20'), ('sym20', 'sym20'), ('coif5', 'coif5'),
                            ('rbio6.8', 'rbio6.8'), ('bior5', 'bior5.5'), ('dd13', 'dd137')):
            self.find('type ' + typed, 'wait 1', 'key Enter', 'wait 2')
            self.assertEqual(self.state['a.wavelet'], name)
        self.find('type nothing', 'wait 1', 'key Enter', 'wait 1')
        self.assertEqual((self.state['a.wavelet'], self.facts['popup']), ('cdf97', 4))

    def test_arrows(self):
        self.find('type db', 'wait 1', 'key Down', 'key Down', 'key Up', 'wait 1', 'key Enter',
                  'wait 2')
        self.assertEqual(self.state['a.wavelet'], 'db2')
        # The present one is the chosen line; lines of the tree end where they end.
        self.find('key Down', 'wait 1', 'key Enter', 'wait 2')
        self.assertEqual(self.state['a.wavelet'], '9/7')
        self.find(*['key Up'] * 10, 'wait 1', 'key Left', 'wait 1', 'key Down', 'wait 1',
                  'key Right', 'wait 1', 'key Down', 'wait 1', 'key Enter', 'wait 2')
        self.assertEqual(self.state['a.wavelet'], 'db1')

    def test_closes(self):
        self.find('type sym8', 'wait 1', 'key Esc', 'wait 1')
        self.assertEqual((self.state['a.wavelet'], self.facts['popup']), ('cdf97', 0))
        self.find('key Ctrl+F', 'wait 1')
        self.assertEqual(self.facts['popup'], 0)

    def test_clicks(self):
        self.view(('click controls/Wavelet', 'wait 2', 'type coif', 'wait 1',
                   'click coif2', 'wait 2'),
                  '--window', '1280x800')
        self.assertEqual(self.state['a.wavelet'], 'coif2')

    def test_b_has_its_own(self):
        self.view(('set compare side', 'wait 2', 'click controls/B wavelet', 'wait 1',
                   'type cdf53', 'wait 1', 'key Enter', 'wait 2'), '--window', '1280x1000')
        self.assertEqual((self.state['a.wavelet'], self.state['b.wavelet']), ('cdf97', 'cdf53'))


class Answers(ViewTest):
    def test_every_answer_is_complete(self):
        """What a window draws for a key or a click is all there when it rests."""
        events = ['wait 3', 'set times false']
        for line in ('click controls/Scheme', 'click sep-lifting', 'click controls/Show',
                     'click tree', 'key W', 'key V', 'key ?', 'key Esc', 'key Ctrl+Shift+P',
                     'key Esc', 'click menu/View', 'click menu/Lines between pixels', 'key F10',
                     'key K', 'key F6'):
            events.append('timed ' + line)
        self.view((*events, 'times times.json'), *PANELS)
        times = json.loads(self.read('times.json'))
        self.assertEqual([a['event'] for a in times['answers'] if not a['complete']], [])
        self.assertEqual(len(times['answers']), times['complete'])
        self.assertGreater(times['p99_ms'], 0)
        self.assertGreaterEqual(times['p99_ms'], times['median_ms'])
        self.assertEqual((self.state['a.scheme'], self.state['grid'], self.facts['popup']),
                         ('sep-lifting', True, 0))

    def test_refusals(self):
        for line, message in (('timed wheel 1', 'bad.txt:1: neither a key nor a click:'),
                              ('timed key Nokey', 'bad.txt:1: neither a key nor a click:'),
                              ('timed click nothing', 'bad.txt:1: no such control'),
                              ('times', 'bad.txt:1: nothing follows')):
            self.write('bad.txt', line + '\n')
            self.refuse(FILE, message + ' …', 'view', IMAGE, '--screenshot', 'view.png',
                        '--events', 'bad.txt', *SMALL)

    def test_esc_closes_one_thing(self):
        self.view(('click controls/Scheme', 'wait 2', 'facts open.json', 'key Esc', 'wait 2',
                   'facts closed.json', 'click menu/View', 'wait 2', 'facts menu.json', 'key Esc',
                   'wait 2', 'facts no-menu.json', 'move 500 300', 'click', 'key K', 'key ?',
                   'wait 1', 'key Esc', 'wait 1', 'facts help.json', 'key Esc', 'wait 1',
                   'facts notice.json', 'key Esc', 'wait 1'), *PANELS)
        facts = {name: json.loads(self.read(name + '.json'))
                 for name in ('open', 'closed', 'menu', 'no-menu', 'help', 'notice')}
        lists = {name: len(facts[name]['controls']) for name in facts}
        self.assertGreater(lists['open'], lists['closed'])
        self.assertGreater(lists['menu'], lists['no-menu'])
        self.assertEqual(lists['closed'], lists['no-menu'])
        self.assertEqual(facts['help']['popup'], 0)
        self.assertIn('copied', facts['help']['notice'])
        self.assertEqual(facts['notice']['notice'], '')
        self.assertTrue(facts['notice']['pixel']['pinned'])
        self.assertFalse(self.facts['pixel'] and self.facts['pixel']['pinned'])


class Planes(ViewTest):
    """The quads between two passes as four planes, and what these hold by then."""
    SCHEMES = ('sep-lifting', 'sep-polyconvolution', 'sep-convolution', 'nonsep-lifting',
               'nonsep-polyconvolution', 'nonsep-convolution')
    NAMES = [x + ' x, ' + y + ' y' for y in ('even', 'odd') for x in ('even', 'odd')]
    BANDS = ['LL', 'HL', 'LH', 'HH']

    def step(self, *arguments, direction='forward', last=9):
        """The planes' texts after each operation."""
        events = ['set direction ' + direction, 'set mode pass']
        for op in range(last):
            events += ['set op %d' % op, 'wait 2', 'facts op%d.json' % op]
        self.view(events, '--no-ui', *SMALL, *arguments)
        return [json.loads(self.read('op%d.json' % op))['planes'] for op in range(last)]

    def wanted(self, done, all_, words, bands=None):
        """With so many predictions and updates done along x and y."""
        texts = []
        for c, name in enumerate(self.NAMES):
            lines = [name + (': ' + self.BANDS[c] + bands if bands else '')]
            for axis in (0, 1):
                odd = c >> axis & 1
                count = done[axis][0 if odd else 1]
                word = words[0 if count == 0 else 1][0 if odd else 1]
                lines.append('xy'[axis] + ' ' + word +
                             (' %d of %d' % (count, all_) if count and all_ > 1 else ''))
            texts.append('\n'.join(lines))
        return texts

    FORWARD = (('not yet predicted', 'not yet updated'), ('predicted', 'updated'))
    INVERSE = (('still predicted', 'still updated'), ('prediction undone', 'update undone'))

    def test_one_step_a_pass(self):
        """Separable lifting predicts along x, then y, and updates likewise; each level anew."""
        texts = self.step('-w', 'cdf53', '-s', 'sep-lifting', '-l', '2', last=10)
        along = [((0, 0), (0, 0)), ((1, 0), (0, 0)), ((1, 0), (1, 0)), ((1, 1), (1, 0)),
                 ((1, 1), (1, 1))]
        for op, done in enumerate(along):
            for level, at in (('1', op), ('2', op + 5)):
                self.assertEqual(texts[at], self.wanted(done, 1, self.FORWARD,
                                                        level if op == 4 else None), (op, level))

    def test_back(self):
        texts = self.step('-w', 'cdf53', '-s', 'sep-lifting', '-l', '1', direction='inverse',
                          last=5)
        self.assertEqual(texts[0], self.wanted(((0, 0), (0, 0)), 1, self.INVERSE, '1'))
        self.assertEqual(texts[4], self.wanted(((1, 1), (1, 1)), 1, self.INVERSE))
        self.assertEqual(texts[2], self.wanted(((0, 1), (0, 1)), 1, self.INVERSE))

    def test_every_scheme_ends_in_bands(self):
        for scheme in self.SCHEMES:
            passes = {'lifting': 4, 'polyconvolution': 2, 'convolution': 1}[scheme.split('-')[1]]
            passes *= 2 if scheme.startswith('sep') else 1
            for plain in ((), ('--plain',)):
                texts = self.step('-w', 'cdf97', '-s', scheme, '-l', '1', *plain, last=passes + 1)
                self.assertEqual(texts[0], self.wanted(((0, 0), (0, 0)), 2, self.FORWARD))
                self.assertEqual(texts[passes],
                                 self.wanted(((2, 2), (2, 2)), 2, self.FORWARD, '1'))
                part = [text for step in texts for text in step if 'in part' in text]
                if plain or scheme.endswith('-lifting') or passes == 1:
                    self.assertEqual(part, [])

    def test_before(self):
        self.view(('set mode pass', 'set op 1', 'set before true', 'wait 2'), '-w', 'cdf53', '-s',
                  'sep-lifting', '--no-ui', *SMALL)
        self.assertEqual(self.facts['planes'], self.wanted(((0, 0), (0, 0)), 1, self.FORWARD))
        self.view(('wait 1',), *SMALL)
        self.assertEqual(self.facts['planes'], [])

    def test_values(self):
        """A quad has the same values on its planes, where it is interleaved, and in files."""
        gap, at = 1, (20, 15)
        left = 96 + 2 * gap  # where the image is wide they are below it
        places = {'all': (40.5, 30.5)}
        for c in range(4):
            places[str(c)] = (left + c % 2 * (48 + gap) + at[0] + .5,
                              c // 2 * (40 + gap) + at[1] + .5)
        events = ['set mode pass', 'set op 4', 'set fit false', 'set zoom 4', 'wait 1']
        for name, (x, y) in places.items():
            events += ['set x %g' % x, 'set y %g' % y, 'move 160 120', 'wait 2',
                       'facts %s.json' % name]
        self.view(events, '-w', 'cdf53', '-s', 'sep-lifting', '-l', '1', '-b', 'fragment',
                  '--no-ui', *SMALL)
        self.assertEqual(self.facts['tiles'], 5)
        _, samples = self.coefficients(IMAGE, '-w', 'cdf53', '-s', 'sep-lifting', '-l', '1', '-b',
                                       'fragment')
        wanted = [samples[96 * (at[1] + c // 2 * 40) + at[0] + c % 2 * 48] for c in range(4)]
        for name in places:
            pixel = json.loads(self.read(name + '.json'))['pixel']
            self.assertEqual((pixel['x'], pixel['y']), (40, 30) if name == 'all' else at, name)
            self.assert_near(pixel['values'], wanted, 1e-6)
            self.assertEqual(pixel['names'], ['even even', 'odd even', 'even odd', 'odd odd'])

    def test_samples_are_no_bands(self):
        for mode, names in (('original', 'even even'), ('reconstruction', 'even even'),
                            ('pass', 'even even'), ('mosaic', 'LL'), ('mixed', 'LL')):
            self.view(('set mode ' + mode, 'wait 1', 'move 150 110', 'wait 2'), '--no-ui', *SMALL)
            self.assertEqual(self.facts['pixel']['names'][0], names, mode)

    def test_ways_of_showing(self):
        events, tiles = ['key F10', 'key F10', 'wait 2'], {}
        for name in ('both', 'interleaved', 'planes'):
            events += ['shot %s.png' % name, 'facts %s.json' % name, 'state %s-state.json' % name,
                       'key ;', 'wait 2']
        self.view(events, *PANELS)
        for name, count in (('both', 5), ('interleaved', 1), ('planes', 4)):
            self.assertEqual(json.loads(self.read(name + '-state.json'))['quads'], name)
            self.assertEqual(json.loads(self.read(name + '.json'))['tiles'], count)
            tiles[name] = bytes(self.pixels(name + '.png'))
        self.assertEqual(len(set(tiles.values())), 3)
        self.assertEqual(self.state['quads'], 'both')
        for zoom in ('0.001', '0.1', '400'):  # labels that have no room, or more than they need
            self.view(('key F10', 'set fit false', 'set zoom ' + zoom, 'wait 2'), *SMALL)
            self.assertEqual(self.facts['tiles'], 5)


class Room(ViewTest):
    WARNING = (255, 176, 84)  # the badge's colour, as ui_imgui.cpp has it

    def rows(self, name):
        width, _, planes, _, samples = formats.read_png(self.read(name))
        return [samples[at:at + planes * width] for at in range(0, len(samples), planes * width)]

    def test_small_windows(self):
        """The badge, the status line and the first control are there, and the menu is as in a wide
        window: the device's name gives way."""
        menu = None
        for window, controls in (('1280x800', {'controls', 'inspector', 'timeline'}),
                                 ('1024x640', {'controls', 'inspector', 'timeline'}),
                                 ('800x600', {'controls', 'right', 'timeline'}),
                                 ('640x480', {'controls', 'right', 'timeline'}),
                                 ('480x330', {'left', 'right'})):
            with self.subTest(window):
                self.view(('wait 2', 'shot room.png'), '--window', window)
                panels = {name.split('/')[0] for name in self.facts['controls']} - {'menu'}
                self.assertEqual(panels, controls)
                first = 'controls/Wavelet' if 'controls' in controls else 'left/open'
                width, height = (int(size) for size in window.split('x'))
                x, y = self.facts['places'][first]
                self.assertTrue(0 < x < width and 0 < y < height - 60, (x, y))
                rows = self.rows('room.png')
                badge = [x for row in rows[:22] for x in range(width)
                         if tuple(row[3 * x:3 * x + 3]) == self.WARNING]
                self.assertGreater(len(badge), 20)
                self.assertGreater(min(badge), width - 110)
                status = sum(sum(row[3 * x:3 * x + 3]) > 450 for row in rows[-24:]
                             for x in range(200))
                self.assertGreater(status, 50)
                end = 3 * 495
                menu = menu or [row[:end] for row in rows[:20]]
                if width > 600:
                    self.assertEqual([row[:end] for row in rows[:20]], menu)

    def test_large_and_back(self):
        for back in ('F9', 'Esc'):
            self.view(('wait 2', 'shot before.png', 'key Ctrl+I', 'key Ctrl+I', 'key F9', 'wait 3',
                       'shot large.png', 'facts large.json', 'state large-state.json',
                       'key ' + back, 'set inspector 0', 'wait 3', 'shot after.png'), *PANELS)
            self.assertEqual(self.pixels('before.png'), self.pixels('after.png'))
            self.assertNotEqual(self.pixels('before.png'), self.pixels('large.png'))
            self.assertTrue(json.loads(self.read('large-state.json'))['large'])
            self.assertFalse(self.state['large'])
            large = json.loads(self.read('large.json'))
            self.assertLess(large['places']['inspector/Matrix'][0], 500)
            self.assertGreater(self.facts['places']['inspector/Matrix'][0], 700)

    def test_copied(self):
        """All by one key, or what is selected; the same as explain and the shaders say."""
        scheme = ('-w', 'cdf53', '-s', 'sep-lifting')
        for tab, what in (('Matrix', 'matrix'), ('Shader', 'glsl')):
            wanted = self.succeed('explain', *scheme, '--what', what).text()
            for keys in (('key Ctrl+C',), ('click inspector/' + tab.lower(), 'wait 1',
                                           'key Ctrl+A', 'wait 1', 'key Ctrl+C')):
                self.view(('wait 2', 'click inspector/' + tab, 'wait 2', *keys, 'wait 2'), *PANELS,
                          *scheme)
                self.assertGreater(len(self.facts['clipboard']), 200, (tab, keys))
                self.assertIn(self.facts['clipboard'].strip(), wanted)
        # A word, by pressing twice on it; it is copied as it stands.
        self.view(('wait 2', 'click inspector/Matrix', 'wait 2', 'move 720 92', 'down', 'up',
                   'down', 'up', 'wait 1', 'key Ctrl+C', 'wait 2'), *PANELS, *scheme)
        line = 'cdf53/sep-lifting/optimized, forward'
        self.assertIn(self.facts['clipboard'], line)
        self.assertTrue(0 < len(self.facts['clipboard']) < len(line))
        self.view(('key Ctrl+C', 'wait 1'), *PANELS)
        self.assertEqual((self.facts['clipboard'], 'Matrix' in self.facts['notice']), ('', True))

    def test_saved_diagram(self):
        scheme = ('-w', 'cdf53', '-s', 'ns-lift')
        self.view(('key Ctrl+Shift+S', 'wait 1', 'click inspector/Diagram', 'wait 2',
                   'click inspector/SVG', 'wait 1'), *PANELS, *scheme)
        wanted = self.succeed('explain', *scheme, '--what', 'diagram', '--format', 'svg').text()
        for number in '12':
            self.assertEqual(self.read('wavepass-00%s.svg' % number).decode(), wanted)
        self.assertEqual(self.facts['notice'], 'wrote wavepass-002.svg')

    def test_dragged_and_folded(self):
        def drag(x, to):
            return ('move %d 300' % x, 'wait 1', 'down', 'wait 1', 'move %d 300' % to, 'wait 1',
                    'up', 'wait 2')
        self.view(drag(677, 500) + drag(270, 195), *PANELS)
        self.assertEqual((self.state['left'], round(self.state['right'], 3)), (13, 33.333))
        self.assertFalse(self.state['fold_left'] or self.state['fold_right'])
        # Beyond a limit it folds; what it was wide is what it opens with.
        self.view(drag(677, 960) + drag(270, 40) + ('facts folded.json', 'click left/open',
                                                    'wait 1', 'key F8', 'wait 1'), *PANELS)
        folded = json.loads(self.read('folded.json'))['controls']
        self.assertIn('left/open', folded)
        self.assertIn('right/open', folded)
        self.assertEqual((self.state['left'], self.state['right']), (18, 21.5))
        self.assertIn('controls/Wavelet', self.facts['controls'])
        self.assertIn('inspector/Pixel', self.facts['controls'])
        # A press alone moves nothing.
        self.view(('move 678 300', 'wait 1', 'down', 'wait 1', 'up', 'wait 1'), *PANELS)
        self.assertEqual(self.state['right'], 21.5)
        # Where there is room for one, opening one folds the other; a wide one leaves a canvas.
        self.view(('key F8', 'wait 2', 'facts right.json', 'key F7', 'wait 2'), '--window',
                  '640x480')
        self.assertIn('left/open', json.loads(self.read('right.json'))['controls'])
        self.assertIn('controls/Wavelet', self.facts['controls'])
        self.assertIn('right/open', self.facts['controls'])
        self.view(('set left 200', 'set right 200', 'wait 2'), *PANELS)
        self.assertGreater(self.facts['tiles'], 0)


class Controls(ViewTest):
    def test_every_control_can_be_pressed(self):
        self.view(('set compare wipe', 'set threshold hard'), *PANELS)
        controls = [c for c in self.facts['controls'] if not c.startswith('menu/')]
        for wanted in ('controls/Wavelet', 'controls/Levels', 'controls/Gain', 'controls/B backend',
                       'controls/Precision', 'controls/B precision', 'controls/Limit',
                       'inspector/Shader', 'timeline/op 3'):
            self.assertIn(wanted, controls)
        events = ['set compare wipe', 'set threshold hard']
        for control in controls:
            # A click beside it closes what a combo has opened; a section folds, and unfolds.
            events += ['set compare wipe', 'set threshold hard', 'set a.backend fragment',
                       'set levels 3', 'wait 2', 'click ' + control,
                       'wait 1', 'key Esc', 'move 500 300', 'click']
            if control.split('/')[1] in ('Transform', 'Display', 'Compare', 'Edit', 'Value',
                                         'statistics'):
                events += ['click ' + control, 'wait 1']
            if control.startswith('inspector/'):
                events += ['click inspector/Pixel', 'wait 1']
        self.view(events, '--window', '1000x1400')

    def test_the_keyboard_reaches_every_control(self):
        events = ['set compare wipe', 'set threshold hard', 'set levels 1', 'wait 3',
                  'facts all.json']
        steps = 0
        # Down the controls and along every row; the tabs, the sections below them; the buttons of
        # the timeline, the boxes below them.
        rows = 36 * ('Tab', 'Left', 'Right', 'Right')
        tabs = 4 * ('Right',) + 4 * ('Left',) + ('Tab', 'Tab')
        boxes = 3 * ('Right',) + ('Tab',) + 4 * ('Left',) + 4 * ('Right',)
        for keys in (rows, tabs, boxes):
            for key in ('F6', *keys):
                events += ['key ' + key, 'wait %d' % (6 if key == 'F6' else 1),
                           'facts %d.json' % steps]
                steps += 1
        self.view(events, '--window', '920x460')
        reached = {json.loads(self.read('%d.json' % i))['focused'] for i in range(steps)}
        wanted = {name for name in json.loads(self.read('all.json'))['controls']
                  if not name.startswith('menu/')}
        self.assertGreater(len(wanted), 40)
        self.assertEqual(wanted - reached, set())

    def test_controls_by_keyboard(self):
        self.view(('key F6', 'wait 6', 'key Tab', 'key Tab', 'key Space', 'wait 2', 'key Down',
                   'key Enter', 'wait 2', 'key Tab', 'key Space', 'wait 1', 'key Tab', 'key Space',
                   'key Right', 'key Right', 'key Enter', 'facts inside.json', 'key W', 'key Esc',
                   'facts outside.json', 'key Down', 'key Right', 'wait 2'), *PANELS)
        # The list of schemes, a check box, a slider; other keys mean what they always do.
        self.assertEqual((self.state['a.scheme'], self.state['a.plain'], self.state['levels']),
                         ('sep-polyconvolution', True, 5))
        self.assertNotEqual(self.state['a.wavelet'], 'cdf97')
        self.assertEqual(json.loads(self.read('inside.json'))['focused'], 'controls/Levels')
        # After Esc arrows are the canvas's again.
        self.assertEqual(self.facts['focused'], '')
        self.assertEqual(self.state['band'], 'LH')

    def test_combos_and_sliders(self):
        self.view(('click controls/Wavelet', 'wait 1', 'click haar', 'wait 1',
                   'click controls/Scheme', 'wait 1', 'click sep-lifting', 'wait 1',
                   'click controls/Optimised', 'wait 1', 'click controls/Show', 'wait 1',
                   'click tree', 'wait 1', 'click timeline/op 2', 'wait 1'), *PANELS)
        self.assertEqual((self.state['a.wavelet'], self.state['a.scheme'], self.state['a.plain']),
                         ('haar', 'sep-lifting', True))
        self.assertEqual((self.state['mode'], self.state['op']), ('pass', 2))
        self.assertEqual(self.facts['a']['name'], 'haar/sep-lifting/plain')

    def test_menus_open(self):
        events = []
        for menu in ('File', 'View', 'Display', 'Transform', 'Compare', 'Step', 'Edit', 'Help'):
            events += ['click menu/' + menu, 'wait 1', 'facts %s.json' % menu, 'key Esc',
                       'move 500 300', 'click', 'wait 1']
        self.view(events, *PANELS)
        labels = set()
        for menu in ('File', 'View', 'Transform', 'Help'):
            labels |= set(json.loads(self.read(menu + '.json'))['controls'])
        for label in ('menu/Quit', 'menu/Whole mosaic', 'menu/Next scheme', 'menu/Keys'):
            self.assertIn(label, labels)


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
        """Variant, backend, layout and channel, run in another process, bit for bit."""
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

    def test_no_command_to_copy(self):
        self.write('film.y4m', b'YUV4MPEG2 W11 H7 F25:1 Cmono\nFRAME\n' + bytes(77))
        for image, events, why in (
                ('film.y4m', (), 'forward takes images, not frames'),
                (IMAGE, ('set levels 0',), 'forward makes a level at least'),
                (IMAGE, ('lose a', 'set a.wavelet haar'), 'nothing is on view')):
            with self.subTest(why):
                self.view((*events, 'wait 2', 'key K'), image=image)
                self.assertEqual((self.facts['notice'], self.facts['clipboard']),
                                 ('no command to copy (%s)' % why, ''))

    def test_copied_commands_with_edits(self):
        """What they make is what the window saves, shader's arithmetic or not, bit for bit."""
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
                    # What is saved is in Mallat's layout in any case.
                    self.succeed('inverse', 'saved.npy', '-o', 'back.npy', '-f', *REFERENCE)
                    self.succeed('inverse', 'edited.npy', '-o', 'again.npy', '-f', *REFERENCE)
                    self.assert_near(formats.read_npy(self.read('back.npy'))[1],
                                     formats.read_npy(self.read('again.npy'))[1], 1e-6)
                else:
                    self.assertEqual((shape, saved), formats.read_npy(self.read('edited.npy')))
        # Names that no band has change nothing.
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
        told = json.loads(self.succeed('edit', 'c.npy', '--threshold', 'hard:0.25', '--like', IMAGE,
                                       '--json', *REFERENCE).out)
        self.assertAlmostEqual(self.facts['loss_psnr'], told['psnr'], places=2)
        self.assertAlmostEqual(100 * self.facts['kept'], told['kept']['percent'], places=4)
        self.succeed('inverse', 'edited.npy', '-o', 'again.npy', *REFERENCE)
        self.assert_near(formats.read_npy(self.read('reconstruction.npy'))[1],
                         formats.read_npy(self.read('again.npy'))[1], 1e-5)

    def test_levels_are_those_that_there_are(self):
        for image, options, events, levels, notice in (
                ('pattern:noise:45x31', (), ('set levels 31',), 6,
                 '6 levels, because 45x31 with symmetric borders takes no more'),
                ('pattern:noise:45x31', (), ('set border periodic',), 0,
                 '0 levels, because 45x31 with periodic borders takes no more'),
                ('pattern:noise:2x2', (), (), 1,
                 '1 level, because 2x2 with symmetric borders takes no more'),
                ('pattern:noise:45x31', ('-l', 'max'), (), 6, '')):
            with self.subTest(image=image, options=options, events=events):
                self.view((*events, 'wait 2'), *options, *SMALL, image=image)
                self.assertEqual((self.state['levels'], self.facts['a']['levels'],
                                  self.facts['notice']), (levels, levels, notice))

    def test_saved_coefficients_are_described(self):
        """As forward does it, and nothing that is there is written over."""
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
        # A description without its coefficients stays, too.
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
        """Between the least and the greatest value: four deviations of one among zeros are less."""
        for scheme in ('-w', 'cdf97'), ('-w', 'haar'):
            self.view(('set level 2', 'set band HL', 'key I', 'wait 2', 'save saved.npy',
                       'facts image.json', 'set mode band', 'wait 2'), *SMALL, *scheme)
            self.assertEqual(self.facts['range'][1], 1)  # the coefficient itself
            self.succeed('inverse', 'saved.npy', '-f', '-o', 'image.npy')
            _, samples = formats.read_npy(self.read('image.npy'))
            shown = json.loads(self.read('image.json'))['range'][1]
            self.assertAlmostEqual(shown, max(map(abs, samples)), delta=1e-6)

    def test_objects_are_counted_however_many_there_were(self):
        """Mesa numbers objects on and on, so these end far above the number of those there are."""
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
        # One that was measured, and lost.
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
    """What becomes of the file that is shown: a notice, and the last good view."""

    def let_on(self, name, viewer):
        """Takes what comes through a pipe, unless the viewer has ended."""
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
        """The picture before and after a change, and what is told of it. Pipes that take facts keep
        the viewer where it is: behind its first frames, and until the file is another one."""
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
    """Of three frames, flat but for their upper left pixel."""

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
                for i in range(4):  # after the last the first again
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
                (b'YUV4MPEG2 W-3 H2\n', 'a negative size'), (b'YUV4MPEG2 Wx H2\n', 'no width'),
                (b'YUV4MPEG2 W3 H2 C7\n', "colour space '7' is not known"),
                (b'YUV4MPEG2 W3 H2\n', 'no frames'),
                (b'YUV4MPEG2 W3 H2\nFRAMES', 'no frame where one should begin'),
                (b'YUV4MPEG2 W900000 H2\nFRAME\n', 'image too large (900000x2, a side may be '
                 '131072 at most)'), (good[:60], 'a frame is truncated')):
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


class Compare(ViewTest):
    def test_two_backends(self):
        for mode in ('mosaic', 'mixed', 'reconstruction'):
            self.view(('set compare difference', 'set b.backend reference', 'set mode ' + mode),
                      *SMALL)
            self.assertEqual(self.facts['b']['backend'], 'reference')
            self.assertGreater(self.facts['max_difference'], 0)
            self.assertLess(self.facts['max_difference'], 1e-5)
            self.assertGreater(self.facts['psnr'], 100)

    def test_borders_beyond_the_image(self):
        """Every kind of extension, against the backend that takes samples from the host."""
        for wavelet, border, image in (('cdf97', 'periodic', IMAGE), ('cdf53', 'periodic', IMAGE),
                                       ('haar', 'symmetric', 'pattern:noise:51x37'),
                                       ('dd137', 'symmetric', 'pattern:noise:51x37')):
            with self.subTest(wavelet):
                self.view(('set compare difference', 'set b.backend reference',
                           'set b.wavelet ' + wavelet), '-w', wavelet, '--border', border, *SMALL,
                          image=image)
                self.assertEqual(self.state['border'], border)
                self.assertLess(self.facts['max_difference'], 1e-5)
                self.assertLess(self.facts['round_trip'], 1e-5)

    def test_what_changes_among_the_passes_is_measured_after_them(self):
        self.view(('set compare side', 'set b.backend reference', 'set live true', 'wait 20',
                   'set mode pass', 'wait 1', 'set a.wavelet haar', 'set b.wavelet haar',
                   'wait 4', 'set mode mosaic', 'wait 1', 'facts after.json'), *PANELS)
        after = json.loads(self.read('after.json'))
        self.assertEqual(after['a']['name'], 'haar/nonsep-polyconvolution/optimized')
        self.assertLess(after['max_difference'], 1e-6)
        self.assertLess(after['round_trip'], 1e-6)

    def test_default_b_says_why(self):
        self.view(('key X',), *SMALL)
        self.assertIn(self.facts['b']['backend'],
                      ('cuda-gl', 'cuda', 'compute', 'cpu', 'reference'))
        a, b = (self.facts[side]['image_texture'] for side in 'ab')
        if self.facts['b']['backend'] == 'cuda-gl':
            self.assertEqual((a > 0, b), (True, a))
        else:
            self.assertIn('no cuda-gl (', self.facts['compare_note'])

    def test_both_read_one_texture(self):
        self.view(('set compare side', 'set b.backend fragment', 'set b.wavelet cdf53'), *SMALL)
        a, b = (self.facts[side]['image_texture'] for side in 'ab')
        self.assertEqual((a > 0, b), (True, a))
        self.view(('set compare side', 'set b.backend reference'), *SMALL)
        self.assertEqual(self.facts['b']['image_texture'], 0)

    def test_compute_shaders_read_it_too(self):
        """The image, edited coefficients and what the inverse made stay on the GPU."""
        for wavelet, image in (('cdf97', IMAGE), ('cdf53', 'pattern:noise:51x37')):
            for edit in ((), ('set threshold soft', 'set limit 0.02')):
                self.view(('set compare difference', 'set b.wavelet ' + wavelet,
                           'set b.backend compute', 'wait 2', *edit, 'set mode reconstruction',
                           'wait 2'), '-w', wavelet, *SMALL, image=image)
                if (self.facts.get('b') or {}).get('backend') != 'compute':
                    self.skipTest(self.facts['notice'])
                a, b = (self.facts[side]['image_texture'] for side in 'ab')
                self.assertEqual((a > 0, b), (True, a))
                self.assertLess(self.facts['max_difference'], 1e-5)
                self.assertGreater(self.facts['round_trip'], 1e-3 if edit else 0)

    def test_two_wavelets(self):
        self.view(('set compare wipe', 'set b.backend fragment', 'set b.wavelet cdf53'), *SMALL)
        self.assertGreater(self.facts['max_difference'], 0.01)

    def test_two_files(self):
        self.view(('set compare side', 'set b.file 1', 'set b.backend fragment',
                   'set mode original'), *SMALL, image=(IMAGE, 'pattern:noise:96x80'))
        self.assertGreater(self.facts['max_difference'], 0.3)
        self.view(('set compare side', 'set b.file 1', 'set b.backend fragment'), *SMALL,
                  image=(IMAGE, 'pattern:noise:64x64'))
        self.assertIn('A has 96x80 pixels and B 64x64', self.facts['notice'])

    def test_both_files_are_read_again(self):
        for name, seed in (('a.pgm', 1), ('b.pgm', 2), ('c.pgm', 3)):
            self.write(name, formats.pnm(64, 64, formats.noise(64 * 64, 255, seed=seed)))
        before = None
        for changed in '', 'b.pgm', 'a.pgm':
            change = ('copy c.pgm ' + changed, 'key Ctrl+R', 'wait 3') if changed else ()
            self.view(('set compare side', 'set b.file 1', 'set b.backend fragment',
                       'set mode original', 'wait 3', *change), *SMALL, image=('a.pgm', 'b.pgm'))
            difference = self.facts['max_difference']
            self.assertNotEqual(difference, before)
            before = difference
            if changed == 'b.pgm':
                self.write('b.pgm', self.read('c.pgm'))
        self.assertEqual(before, 0) # both are c.pgm now

    def test_captions_are_whole(self):
        """A caption takes as many lines as its pane is narrow, and stays in it."""
        names = ['long-' * 40 + side + '.png' for side in 'ab']
        for name in names:
            self.write(name, formats.png(32, 16, b'\x80' * 512, 1, 8))
        self.view(['set compare side', 'set b.file 1', 'set times true'], '--window', '900x600',
                  image=names)
        width, height, planes, _, samples = formats.read_png(self.read('view.png'))
        self.assertEqual((width, height, planes), (900, 600, 3))
        # Of A blue, of B orange, below the image; the panes meet in the middle of the canvas.
        blue, orange = {}, {}
        for y in range(330, 480):
            for x in range(272, 576):
                r, _, b = samples[3 * (900 * y + x):][:3]
                if abs(r - b) > 60:
                    side = blue if b > r else orange
                    side[x > 424] = side.get(x > 424, 0) + 1
        self.assertEqual((set(blue), set(orange)), ({False}, {True}))
        # Ten lines of the names, where one stood.
        self.assertGreater(min(blue[False], orange[True]), 1500)

    def test_ways_of_comparing(self):
        events = ['set b.backend fragment', 'set b.wavelet haar']
        ways = ('off', 'wipe', 'side', 'flip', 'difference', 'checker')
        metrics = ('E', 'AE', 'SE', 'RAE', 'RSE')
        for way in ways:
            events += ['set compare ' + way, 'wait 2', 'shot %s.png' % way]
        for metric in metrics:
            events += ['set compare difference', 'set metric ' + metric, 'wait 2',
                       'shot %s.png' % metric]
        events += ['set compare flip', 'hold Shift', 'wait 2', 'shot b.png', 'release Shift',
                   'wait 1', 'shot a.png']
        self.view(events, '--no-ui', *SMALL)
        pictures = {name: bytes(self.pixels(name + '.png')) for name in (*ways, *metrics, 'a', 'b')}
        self.assertEqual(len({pictures[way] for way in ways}), len(ways))
        # The name alone, which stands in a corner, makes no other picture.
        for one, two in itertools.combinations(metrics, 2):
            differ = sum(p != q for p, q in zip(pictures[one], pictures[two]))
            self.assertGreater(differ, len(pictures[one]) // 20, (one, two))
        self.assertTrue(pictures['E'] == pictures['difference'])
        self.assertTrue(pictures['a'] != pictures['b'])
        self.assertTrue(pictures['a'] == pictures['flip'])

    def test_gain_changes_both(self):
        shots = []
        for gain in (1, 3):
            for flipped in ('false', 'true'):
                name = '%s-%s.png' % (gain, flipped)
                shots += ['set gain %d' % gain, 'set flipped ' + flipped, 'wait 2', 'shot ' + name]
        self.view(['set compare flip', 'set b.backend reference'] + shots, '--no-ui', *SMALL)
        for gain in (1, 3):
            a, b = (formats.read_png(self.read('%s-%s.png' % (gain, f)))[4]
                    for f in ('false', 'true'))
            self.assertLessEqual(sum(abs(p - q) > 2 for p, q in zip(a, b)), len(a) // 50)
        self.assertTrue(self.pixels('1-true.png') != self.pixels('3-true.png'))

    def test_live_runs(self):
        self.view(('set compare side', 'set b.backend fragment', 'set live true', 'wait 5'),
                  *PANELS)
        self.assertLess(self.facts['max_difference'], 1e-6)

    def test_times_while_live(self):
        """One curve of A and one of B, with a point for each frame; the words say the same."""
        self.view(('set b.backend cpu', 'set b.wavelet haar', 'set times true',
                   'set compare side', 'set live true', 'wait 20', 'interface live.txt',
                   'set live false', 'wait 3', 'interface rests.txt'), '-b', 'cpu', '--window',
                  '1000x1000')
        told = self.read('live.txt').decode()
        place = r' @(-?\d+),(-?\d+),(-?\d+),(-?\d+) '
        lines = [([int(number) for number in line[:4]], line[4]) for line in
                 re.findall('controls line' + place + '([ab]),', told)]
        self.assertEqual([side for _, side in lines], 20 * ['a'] + 20 * ['b'])
        x, y, width, height = map(int, re.findall('controls rectangle' + place + 'back', told)[-1])
        for (before, side), (line, of) in itertools.pairwise(lines):
            if side == of:
                for axis in 0, 1:
                    self.assertAlmostEqual(line[axis], before[axis] + before[axis + 2], delta=2)
        for line, _ in lines[19::20]:
            self.assertAlmostEqual(line[0] + line[2], x + width, delta=2)
        # The longest takes nine tenths of the height.
        for line, _ in lines:
            for end in line[1], line[1] + line[3]:
                self.assertTrue(y + 0.1 * height - 2 <= end <= y + height, line)
        most = float(re.search('controls dim .* (\\S+) ms', told)[1])
        for side in 'ab':
            self.assertLessEqual(float(re.search('window %s .* (\\S+) ms' % side, told)[1]), most)
        rests = self.read('rests.txt').decode()
        self.assertNotIn('controls line', rests)
        for side in 'ab':
            ms = float(re.search('window %s .* (\\S+) ms' % side, rests)[1])
            self.assertAlmostEqual(1e3 * self.facts[side]['forward_seconds'], ms, delta=0.01 * ms)
        ms = float(re.search('forward (\\S+) ms', rests)[1])
        self.assertAlmostEqual(1e3 * self.facts['a']['forward_seconds'], ms, delta=0.01 * ms)

    def test_statistics_while_live(self):
        """Of the selected band, like those at rest, and of every row of a small image."""
        events = ('set compare side', 'set b.backend fragment', 'set band HH', 'set level 1')
        self.view(events, '-l', '2', *PANELS)
        at_rest = self.facts['statistics']
        self.assertEqual((at_rest['samples'], sum(at_rest['bins'])), (48 * 40, 48 * 40))
        self.view(('set live true', *events, 'wait 40', 'set gain 2'), '-l', '2', *PANELS)
        self.assertEqual(self.facts['statistics'], at_rest)
        self.assertLess(self.facts['max_difference'], 1e-6)
        self.assertLess(self.facts['round_trip'], 1e-5)
        # What changes shows at once.
        self.view(('set live true', *events, 'wait 5', 'set a.wavelet haar', 'set channel gray',
                   'wait 1', 'facts now.json'), '-l', '2', *PANELS)
        now = json.loads(self.read('now.json'))
        self.assertNotEqual(now['statistics']['deviation'], at_rest['deviation'])
        self.assertGreater(now['max_difference'], 0.01)

    def test_statistics_of_a_large_image_while_live(self):
        self.view(('set mode original', 'set live true', 'wait 40', 'facts live.json',
                   'set live false'), *PANELS, image='pattern:noise:1100x1000')
        live = json.loads(self.read('live.json'))['statistics']
        self.assertEqual(live['samples'], 1100 * 1000)
        self.assertEqual((live['rows_step'], sum(live['bins'])), (2, 1100 * 1000 // 2))
        rest = self.facts['statistics']
        self.assertEqual((rest['rows_step'], sum(rest['bins'])), (1, 1100 * 1000))
        for name in ('mean', 'deviation', 'least', 'most'):
            self.assertEqual(live[name], rest[name])

    def test_two_variants(self):
        self.view(('set compare side', 'set b.backend fragment', 'set b.variant tile-2x2',
                   'set b.scheme sep-lifting', 'wait 2', 'set mode mixed'), '--variant', 'passes',
                  '-w', 'cdf53', *SMALL)
        self.assertLess(self.facts['max_difference'], 1e-5)
        self.assertEqual(self.state['b.variant'], 'tile-2x2')

    def test_what_a_variant_counts(self):
        """As explain says it; that it has no passes to show is told of the variant."""
        table = self.succeed('explain', '--what', 'tiles').text()
        for variant in ('tile-2x2', 'tile-2x2-four'):
            operations, fetches = re.search(
                r'(?m)^fragment/%s +nonsep-polyconvolution +(\S+) +\S+ +\S+ +(\S+)$' % variant,
                table).groups()
            self.view(('set a.variant ' + variant, 'wait 2', 'facts facts-1.json', 'key F10',
                       'wait 2'), *PANELS)
            a = json.loads(self.read('facts-1.json'))['a']
            self.assertEqual((a['at_once'], a['operations'], a['fetches']),
                             (True, float(operations), float(fetches)))
            self.assertEqual(self.facts['notice'],
                             "variant '%s' has no textures between its passes" % variant)
        self.view(('wait 1',), '--variant', 'passes', *PANELS)
        a = self.facts['a']
        self.assertEqual((a['at_once'], a['operations'], a['fetches']), (False, 62, 18))
        self.view(('key F10', 'wait 1'), '-b', 'reference', *PANELS)
        self.assertEqual(self.facts['notice'],
                         "backend 'reference' has no textures between its passes")

    def test_unavailable_backend_is_a_message(self):
        self.view(('set a.backend cuda', 'wait 2'), *SMALL)
        if self.facts['a']['backend'] != 'cuda':
            self.assertIn("backend 'cuda' is not available", self.facts['notice'])
            self.assertEqual(self.state['a.backend'], 'fragment')


class Reversible(ViewTest):
    """A side whose steps round."""

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
                # What is left of them are integers still.
                kind, _, edited = formats.read_npy_of(self.read('edited.npy'))
                self.assertEqual(kind, 'i4')
                self.assertTrue(set(edited) <= set(wanted[2]) | {0} and edited != wanted[2])
                self.assertGreater(json.loads(self.read('edited.json'))['round_trip'], 0.01)

    def test_soft_thresholds_round(self):
        """To the nearest integers, of which 'inverse' makes what is on view."""
        image = self.write_noise('in.pgm', 255)
        self.view(('set threshold soft', 'set limit 0.123', 'wait 2', 'save edited.npy',
                   'set mode reconstruction', 'wait 2', 'key K'), '--reversible', *SMALL,
                  image=image)
        self.assertEqual(self.facts['notice'], 'no command to copy (edit takes no integers)')
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
        """Each is looked at anew; the luma of a colour is a fraction."""
        images = [self.write_noise('a.pgm', 255), self.write_noise('b.ppm', 255, 3),
                  self.write_noise('c.pgm', 65535)]
        self.view(('wait 1', 'set channel luma', 'key PgDn', 'wait 2', 'facts b.json',
                   'set channel red', 'wait 2', 'facts red.json', 'key PgDn', 'wait 2'),
                  '--reversible', *SMALL, image=images)
        told = json.loads(self.read('b.json'))
        self.assertRegex(told['notice'], r'^the sample in column \d+, row \d+ is .*, and a '
                         'reversible transform takes whole numbers')
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
                ((volume,), USAGE, 'a volume has no reversible transform here: …'),
                ((IMAGE,), USAGE, 'the sample in column …, and a reversible transform takes …'),
                ((large,), FILE, 'the image: samples from 0 to 4000000 are too large for 3 '
                 'reversible levels of cdf53, …'),
                (('--reconstruct', 'k.npy'), USAGE, '--reversible does not go with '
                 '--reconstruct')):
            with self.subTest(words):
                self.refuse(code, message, 'view', *words, '--reversible', '--screenshot',
                            'x.png', timeout=600)


class Precision(ViewTest):
    """A side in 16 bits."""
    BOUND = 8.2e-2  # of `verify`
    BESIDE = ('set b.backend fragment', 'set b.precision f16', 'set compare difference')

    def assert_differs(self):
        self.assertGreater(self.facts['max_difference'], 1e-4)
        self.assertLess(self.facts['max_difference'], self.BOUND)

    def assert_halves(self, samples):
        """Each is a number that 16 bits can hold."""
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
        self.assertRegex(text, r'--precision KIND +what samples are kept in')
        self.view(('key X',), '--precision', 'f16', *PANELS)
        self.assertEqual((self.state['a.precision'], self.state['b.precision']), ('f16', 'f32'))
        self.assertEqual([self.facts[side]['precision'] for side in 'ab'], ['f16', 'f32'])
        self.assert_differs()
        self.assertGreater(self.facts['round_trip'], 1e-4)
        self.view((), '--precision', 'f32', '-f', *SMALL)
        self.assertLess(self.facts['round_trip'], 1e-5)

    def test_the_caption_says_it(self):
        """Of zeros nothing else differs."""
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
        # An option goes before it.
        self.view((), '--state', 'state.json', '--precision', 'f16', *PANELS)
        self.assertEqual((self.state['a.precision'], self.facts['max_difference']), ('f16', 0))

    def test_values_are_those_of_forward(self):
        """Rounded ones, also under the pointer; uploads may round them in another way."""
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
        """The timeline draws on the same textures; other images come through them."""
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
        """What 16 bits cannot hold is shown as something, and 32 bits show it right afterwards."""
        self.write('large.pfm', b'Pf\n8 8\n-1.0\n' +
                   struct.pack('<64f', *range(0, 6400000, 100000)))
        self.view(('set compare side', 'set b.backend fragment', 'wait 2', 'set mode band',
                   'wait 2', 'set mode reconstruction', 'wait 2', 'key U', 'wait 2',
                   'set mode mosaic'), '--precision', 'f16', *PANELS, image='large.pfm')
        self.assertEqual(self.facts['max_difference'], 0)
        self.assertLess(self.facts['round_trip'], 100)

    def test_backends_without(self):
        """They say so, and who can; what was there stays."""
        message = "backend '%s' keeps no samples in 16 bits (--precision f16)"
        hint = '-b fragment does'
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
        # One that was never there is asked every time.
        self.view(('set b.backend cpu', 'set b.precision f16', 'key X', 'wait 2', 'key Esc',
                   'wait 2', 'facts quiet.json', 'key X', 'wait 2'), *SMALL)
        self.assertEqual(json.loads(self.read('quiet.json'))['notice'], '')
        self.assertIn(message % 'cpu', self.facts['notice'])
        self.assertEqual(self.state['compare'], 'off')

    def test_another_backend_has_its_own(self):
        """From the list and by key: 16 bits end with the backend that has them."""
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


class BadInput(ViewTest):
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
                              ('bad.json', "'sideways' is not possible"),
                              ('bad.wavelet', 'bad.wavelet:1: '), ('empty.png', 'empty.png')):
            with self.subTest(name):
                self.goes_on(('drop ' + name,), message)
                self.assertEqual(self.facts['files'], 1)

    def test_bad_files_are_left_out(self):
        """Of several; the others are gone through, and keep their places."""
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
        # B's, while A shows one behind it.
        self.view(('set a.file 3', 'set compare side', 'set b.file 1', 'wait 3'), image=images)
        self.assertEqual((self.facts['width'], self.facts['files']), (9, 4))
        self.assertEqual((self.state['a.file'], self.state['b.file']), (2, 2))
        # An image without the channel on view is none that is bad.
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

    def test_shaders_are_read_again(self):
        os.mkdir(self.path('shaders'))
        for name in ('display', 'load', 'edit', 'measure'):
            shutil.copy(os.path.join(harness.ROOT, 'shaders', name + '.frag'),
                        self.path('shaders'))
        display = self.read('shaders/display.frag').decode()
        self.write('broken', display.replace('void main()\n{', 'void main()\n{\n    nonsense;'))
        line = display[:display.index('void main()')].count('\n') + 3
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
        os.mkdir(self.path('shaders'))
        for name in ('display', 'load', 'edit', 'measure'):
            shutil.copy(os.path.join(harness.ROOT, 'shaders', name + '.frag'),
                        self.path('shaders'))
        good = self.read('shaders/display.frag').decode()
        red = good.replace('result = vec4(shade * c, 1.0);', 'result = vec4(1.0, 0.0, 0.0, 1.0);')
        self.assertNotEqual(red, good)
        for where in ('void main()\n{', '#if !SMALL\n', '#if ONE_SIDE\n', '#else\n'):
            with self.subTest(where):
                at = good.index(where) + len(where)
                self.write('broken', good[:at] + '\n    nonsense;\n' + good[at:])
                self.write('red', red)
                self.write('good', good)
                line = good[:at].count('\n') + 2
                # The files are looked at twice a second.
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
                                 ('read again: 1 shader is new', ''))
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
        """At the start the program says so and ends; later the last good view stays, with a notice.
        """
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
        """Either side goes on with fragment shaders, and says why."""
        self.view(('set compare side', 'set b.backend reference', 'set live true', 'wait 5',
                   'lose b', 'wait 2', 'facts b.json', 'key Esc', 'wait 30'), *PANELS)
        lost = json.loads(self.read('b.json'))
        self.assertEqual(lost['notice'], 'the device of reference is gone')
        self.assertEqual((self.state['b.backend'], self.facts['b']['backend']), ('fragment',) * 2)
        self.assertLess(self.facts['max_difference'], 1e-6)
        self.view(('set a.backend reference', 'wait 2', 'lose a', 'set a.wavelet haar', 'wait 2'),
                  *PANELS)
        self.assertEqual(self.facts['a']['name'], 'haar/nonsep-polyconvolution/optimized')
        self.assertEqual(self.facts['a']['backend'], 'fragment')
        self.assertLess(self.facts['round_trip'], 1e-5)
        # The window's own GPU fails once; after the next change it is tried again.
        self.view(('lose a', 'set a.wavelet haar', 'wait 3', 'facts lost.json', 'key W',
                   'wait 3'), *PANELS)
        self.assertEqual(json.loads(self.read('lost.json'))['a'], {})
        self.assertLess(self.facts['round_trip'], 1e-5)
        # A alone, after B of the same frame.
        self.view(('set compare side', 'set b.backend reference', 'set mode pass', 'wait 3',
                   'lose a', 'set mode mosaic', 'wait 1', 'facts lost.json', 'key W', 'wait 3'),
                  *PANELS)
        self.assertEqual(json.loads(self.read('lost.json'))['notice'],
                         'the device of fragment is gone')
        self.assertLess(self.facts['max_difference'], 1e-5)


class XWindow:
    """A window of another process, told what a window manager would tell it."""
    NORMAL, ICONIC = 1, 3  # as ICCCM numbers them

    def __init__(self, pid, name):
        with open('/proc/%d/environ' % pid, 'rb') as file:
            environment = dict(pair.split(b'=', 1) for pair in file.read().split(b'\0') if pair)
        os.environ['XAUTHORITY'] = environment.get(b'XAUTHORITY', b'').decode()
        self.x = ctypes.CDLL('libX11.so.6')
        for function in ('XOpenDisplay', 'XDefaultRootWindow', 'XInternAtom'):
            getattr(self.x, function).restype = ctypes.c_void_p
        self.display = ctypes.c_void_p(self.x.XOpenDisplay(environment[b'DISPLAY']))
        self.window = self.find(name.encode())

    def find(self, name):
        root = ctypes.c_ulong(self.x.XDefaultRootWindow(self.display))
        for _ in range(200):
            parent, children, count = ctypes.c_ulong(), ctypes.c_void_p(), ctypes.c_uint()
            self.x.XQueryTree(self.display, root, ctypes.byref(root), ctypes.byref(parent),
                              ctypes.byref(children), ctypes.byref(count))
            ids = (ctypes.c_ulong * count.value).from_address(children.value or 0) \
                if count.value else ()
            for window in ids:
                text = ctypes.c_char_p()
                self.x.XFetchName(self.display, ctypes.c_ulong(window), ctypes.byref(text))
                if text.value == name:
                    return ctypes.c_ulong(window)
            time.sleep(0.1)
        raise LookupError('no such window')

    def grab(self):
        """Its pixels, as they are on the screen."""
        class Image(ctypes.Structure):
            _fields_ = [(name, ctypes.c_int) for name in ('width', 'height', 'xoffset', 'format')]
            _fields_ += [('data', ctypes.c_void_p)]
            _fields_ += [(name, ctypes.c_int) for name in ('byte_order', 'unit', 'bit_order', 'pad',
                                                           'depth', 'line')]
        root, x, y = ctypes.c_ulong(), ctypes.c_int(), ctypes.c_int()
        size = [ctypes.c_uint() for _ in range(4)]
        self.x.XGetGeometry(self.display, self.window, ctypes.byref(root), ctypes.byref(x),
                            ctypes.byref(y), *(ctypes.byref(value) for value in size))
        self.x.XGetImage.restype = ctypes.POINTER(Image)
        image = self.x.XGetImage(self.display, self.window, 0, 0, size[0].value, size[1].value,
                                 ctypes.c_ulong(0xffffffff), 2).contents
        pixels = ctypes.string_at(image.data, image.line * image.height)
        self.x.XDestroyImage(ctypes.byref(image))
        return pixels

    def settled(self):
        """The picture that stays for half a second."""
        last = None
        for _ in range(40):
            pixels = self.grab()
            if pixels == last:
                break
            last = pixels
            time.sleep(0.5)
        return pixels

    def hands(self):
        """A server's own pointer and keyboard, as if they were touched; None where it has none."""
        try:
            test = ctypes.CDLL('libXtst.so.6')
        except OSError:
            return None
        for function in ('XTestFakeKeyEvent', 'XTestFakeButtonEvent', 'XTestFakeMotionEvent'):
            getattr(test, function).argtypes = None
        self.test = test
        return self

    def sync(self):
        self.x.XSync(self.display, 0)
        time.sleep(0.005)

    def move(self, place):
        child, x, y = ctypes.c_ulong(), ctypes.c_int(), ctypes.c_int()
        root = ctypes.c_ulong(self.x.XDefaultRootWindow(self.display))
        self.x.XTranslateCoordinates(self.display, self.window, root, int(place[0]), int(place[1]),
                                     ctypes.byref(x), ctypes.byref(y), ctypes.byref(child))
        self.test.XTestFakeMotionEvent(self.display, -1, x, y, ctypes.c_ulong(0))
        self.sync()

    def press(self, button, *places):
        """Down at the first place, up at the last one. As X numbers them: 4 and 5 are a wheel's."""
        self.move(places[0])
        self.test.XTestFakeButtonEvent(self.display, button, 1, ctypes.c_ulong(0))
        self.sync()
        for place in places[1:]:
            self.move(place)
        self.test.XTestFakeButtonEvent(self.display, button, 0, ctypes.c_ulong(0))
        self.sync()

    def click(self, place):
        self.press(1, place)

    def keys(self, *names):
        """Names as X has them, pressed one after the other and let go the other way round."""
        codes = []
        for name in names:
            self.x.XStringToKeysym.restype = ctypes.c_ulong
            symbol = ctypes.c_ulong(self.x.XStringToKeysym(name.encode()))
            codes.append(self.x.XKeysymToKeycode(self.display, symbol) & 255)
        for down, row in ((1, codes), (0, codes[::-1])):
            for code in row:
                self.test.XTestFakeKeyEvent(self.display, code, down, ctypes.c_ulong(0))
                self.sync()

    def type(self, text):
        for letter in text:
            self.keys({' ': 'space', '.': 'period'}.get(letter, letter))

    def set_state(self, state):
        atom = ctypes.c_ulong(self.x.XInternAtom(self.display, b'WM_STATE', 0))
        value = (ctypes.c_ulong * 2)(state, 0)
        self.x.XChangeProperty(self.display, self.window, atom, atom, 32, 0, value, 2)
        if state == self.ICONIC:
            self.x.XUnmapWindow(self.display, self.window)
        else:
            self.x.XMapWindow(self.display, self.window)
        self.x.XSync(self.display, 0)


class Window(ViewTest):
    def start(self, *arguments, env=None):
        if not shutil.which('xvfb-run'):
            self.skipTest('no xvfb-run')
        return subprocess.Popen(['xvfb-run', '-a', '-s', '-screen 0 1280x1024x24', harness.PROGRAM,
                                 'view', *arguments], cwd=self.directory,
                                env=self.environment({'XDG_STATE_HOME': self.path('none'),
                                                      **(env or {})}),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                start_new_session=True)

    def test_events_in_a_window(self):
        self.write('events.txt', 'wait 3\nkey W\nkey X\nwait 2\nmove 500 300\nwheel 2\nkey ?\n'
                   'wait 2\nkey Esc\nfacts facts.json\nshot window.png\n')
        process = self.start(IMAGE, '--events', 'events.txt', '--window', '900x600')
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, err)
        self.assertNotIn(b'Sanitizer', err)
        facts = json.loads(self.read('facts.json'))
        self.assertLess(facts['round_trip'], 1e-5)
        width, height, _, _, samples = formats.read_png(self.read('window.png'))
        self.assertEqual((width, height), (900, 600))
        self.assertGreater(len(set(samples)), 20)

    def test_widths_are_kept(self):
        """From window to window; pictures without one do not depend on them."""
        env = {'XDG_STATE_HOME': self.path('state')}

        def run(*events):
            events = ('wait 3', *events, 'wait 2', 'state end.json')
            self.write('events.txt', '\n'.join(events) + '\n')
            process = self.start(IMAGE, '--events', 'events.txt', '--window', '1000x640', env=env)
            _, err = process.communicate(timeout=600)
            self.assertEqual((process.returncode, err), (0, b''))
            end = json.loads(self.read('end.json'))
            return end['left'], end['right'], end['fold_left'], end['fold_right']

        self.assertEqual(run(), (18, 21.5, False, False))
        self.assertFalse(os.path.exists(self.path('state')))
        changed = (25, 30.5, True, False)
        self.assertEqual(run('set left 25', 'set right 30.5', 'do left-panel'), changed)
        self.assertEqual(run('key W'), changed)
        self.view((), *PANELS, env=env)
        self.assertEqual((self.state['left'], self.state['fold_left']), (18, False))
        # What is no state, or lies where nothing can be written, is nobody's trouble.
        self.write('state/wavepass/view.json', '{"left": "wide"}')
        self.assertEqual(run(), (18, 21.5, False, False))
        env['XDG_STATE_HOME'] = '/proc/none'
        self.assertEqual(run('set left 30'), (30, 21.5, False, False))
        # Without a place of its own it is the usual one; no relative path is one.
        kept = 'home/.local/state/wavepass/view.json'
        for env in ({'XDG_STATE_HOME': '', 'HOME': 'home'},
                    {'XDG_STATE_HOME': 'state', 'HOME': self.path('home')}):
            self.assertFalse(os.path.exists(self.path(kept)))
            run('set left 31')
        self.assertEqual(json.loads(self.read(kept))['left'], 31)
        self.assertEqual(run()[0], 31)

    def test_controls_of_an_empty_window(self):
        """They change nothing that an image would miss, and none of them needs one."""
        events = ['wait 3', 'facts empty.json']
        for name in ('Levels', 'Gain', 'Offset', 'Fit', 'Fit', 'Grid', 'Optimised'):
            events += ['click controls/' + name, 'wait 2']
        for key in ('L', 'Shift+L', 'J', 'Shift+J', 'Z', 'Shift+Z', 'I', 'F10', 'Right', 'X',
                    'Ctrl+C', 'Ctrl+Shift+S', 'F9', 'F9', 'Space', 'Space', ';'):
            events += ['key ' + key, 'wait 1']
        events += ['facts still.json', 'key R', 'set compare off', 'set mode mosaic',
                   'drop pattern:zone-plate:96x80', 'wait 3', 'facts facts.json',
                   'state state.json']
        self.write('events.txt', '\n'.join(events) + '\n')
        process = self.start('--events', 'events.txt', '--window', '1000x640')
        _, err = process.communicate(timeout=600)
        self.assertEqual((process.returncode, err), (0, b''))
        facts, state = (json.loads(self.read(name + '.json')) for name in ('facts', 'state'))
        self.assertNotIn('controls/Bands', json.loads(self.read('empty.json'))['controls'])
        self.assertEqual(json.loads(self.read('still.json'))['tiles'], 0)
        self.assertLess(facts['round_trip'], 1e-5)
        self.assertGreater(facts['a']['levels'], 1)
        self.assertEqual((state['kept'], state['zeroed'], state['impulse']), (-1, '', False))
        self.assertEqual([name for name in self.files() if name.startswith('wavepass-')], [])

    def test_rests_when_nothing_changes(self):
        process = self.start(IMAGE, '--window', '900x600', '--shaders',
                             os.path.join(harness.ROOT, 'shaders'))
        try:
            child = self.wait_for_program(process)
            used = self.settle(child, lambda ticks: ticks <= 2)
            self.assertLessEqual(used, 2, 'ticks of CPU time in two seconds')
            self.assertIsNone(process.poll(), 'it has ended')
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate()

    def test_minimised(self):
        """No frame is drawn meanwhile, however busy it is; afterwards it goes on."""
        self.write('events.txt', 'set live true\nwait 1000000\n')
        process = self.start(IMAGE, '--window', '900x600', '--events', 'events.txt')
        try:
            child = self.wait_for_program(process)
            window = XWindow(child, 'wavepass')
            for state, busy in ((XWindow.NORMAL, True), (XWindow.ICONIC, False),
                                (XWindow.NORMAL, True)):
                window.set_state(state)
                ticks = self.settle(child, lambda used: (used > 2) == busy)
                self.assertEqual(ticks > 2, busy, '%d ticks of CPU time, state %d' % (ticks, state))
            self.assertIsNone(process.poll(), 'it has ended')
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate()

    def touch(self, act, *events):
        """Runs `act` on a window, by where a picture of the same size has its controls."""
        self.view((*events, 'wait 2'), *TALL)
        self.places = self.facts['places']
        self.view((*events, 'wait 2', 'click controls/Scheme', 'wait 2'), *TALL)
        self.lines = self.facts['places']
        self.write('start.json', '{"times": false}')
        process = self.start(IMAGE, *TALL, '--state', 'start.json')
        try:
            child = self.wait_for_program(process)
            self.settle(child, lambda ticks: ticks <= 2)
            window = XWindow(child, 'wavepass').hands()
            if not window:
                self.skipTest('no libXtst, by which a test can touch an X server')
            window.settled()
            act(window)
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate()

    def state_on_screen(self, window):
        """The state that a picture of the window holds."""
        before = set(self.files())
        window.keys('F12')
        for _ in range(100):
            for name in set(self.files()) - before:
                if re.fullmatch('wavepass-[0-9]+.png', name):
                    self.write('again.txt', 'state again.json\n')
                    self.succeed('view', IMAGE, '--state', name, '--screenshot', 'again.png', '-f',
                                 '--events', 'again.txt', *SMALL, timeout=600)
                    return json.loads(self.read('again.json'))
            time.sleep(0.1)
        self.fail('no picture was written')

    def test_lists_open_and_close(self):
        """One click, the pointer at rest: the list is there, and Esc takes it away."""
        def act(window):
            closed = window.settled()
            window.click(self.places['controls/Scheme'])
            opened = window.settled()
            window.keys('Escape')
            hovered = window.settled()
            line = 4 * 1000
            first = int(self.lines['controls/sep-lifting'][1]) * line
            rows = slice(first - 4 * line, first + 4 * line)
            self.assertTrue(opened[rows] != closed[rows], 'the list is not there')
            self.assertTrue(hovered[rows] == closed[rows], 'the list is still there')
            for keys in (('question',), ('Control_L', 'f')):
                window.keys(*keys) if keys[0] != 'question' else window.keys('F1')
                self.assertTrue(window.settled() != hovered, keys)
                window.keys('Escape')
                self.assertTrue(window.settled() == hovered, keys)
        self.touch(act)

    def test_clicks_5_ms_apart(self):
        def act(window):
            window.click(self.places['controls/Scheme'])
            window.click(self.lines['controls/sep-lifting'])
            window.click(self.places['controls/Optimised'])
            window.click(self.places['controls/Grid'])
            window.click(self.places['timeline/>'])
            window.click(self.places['timeline/>'])
            window.click(self.places['timeline/>'])
            state = self.state_on_screen(window)
            self.assertEqual((state['a.scheme'], state['a.plain'], state['grid'], state['mode'],
                              state['op']), ('sep-lifting', True, True, 'pass', 2))
        self.touch(act)

    def test_typed_5_ms_apart(self):
        """The first letters are the field's, and those after Enter the window's."""
        def act(window):
            before = self.state_on_screen(window)
            window.keys('Control_L', 'Shift_L', 'p')
            window.type('gain 3')
            window.keys('Return')
            window.keys('w')
            window.keys('Control_L', 'f')
            window.type('sym8')
            window.keys('Return')
            window.keys('l')
            state = self.state_on_screen(window)
            self.assertEqual((state['gain'], state['a.wavelet'], state['levels']), (3, 'sym8', 4))
            others = {name for name in state if state[name] != before[name]}
            self.assertEqual(others, {'gain', 'a.wavelet', 'border', 'levels'})
        self.touch(act)

    def test_keyboard_and_pointer(self):
        """Every key and button does what a script's does; a picture after each tells the state."""
        self.write('v.npy', formats.npy((27, 10, 14), formats.noise(27 * 140, 1)))
        keys = (('End', 'End'), ('Page_Up', 'PgUp'), ('Home', 'Home'), ('Page_Down', 'PgDn'),
                ('Up', 'Up'), ('Right', 'Right'), ('Down', 'Down'), ('Left', 'Left'),
                ('Return', 'Enter'), ('KP_Enter', 'Enter'), ('KP_Add', '='), ('equal', '='),
                ('equal', '='), ('KP_Subtract', '-'), ('minus', '-'), ('F7', 'F7'), ('F7', 'F7'),
                ('F8', 'F8'), ('F8', 'F8'), ('Shift_R e', 'Shift+E'), ('Control_R 0', 'Ctrl+0'),
                ('w', 'W'), ('Tab', 'Tab'))
        drags = [(button, ((300, 200), (340, 190))) for button in (0, 2, 1)]
        steps = [['key ' + script] for _, script in keys]
        steps += [['move 300 200', 'wheel %d' % by] for by in (1, 1, -1)]
        steps += [['move %d %d' % way[0], 'down %d' % (button and 3 - button),
                   *('move %d %d' % place for place in way[1:]),
                   'up %d' % (button and 3 - button)] for button, way in drags]
        steps += [['key Ctrl+Shift+P', 'wait 1', 'type gain 3', 'key Enter']]
        steps += [['key Ctrl+Shift+P', 'wait 1', 'type offset 0.5', 'key Enter']]
        options = '-b', 'cpu', '-l', '1', '--window', '1000x720'
        self.view(['set times true', *(event for i, step in enumerate(steps) for event in (
            *step, 'wait 3', 'state %d.json' % i))], *options, image='v.npy')
        process = self.start('v.npy', *options)
        try:
            child = self.wait_for_program(process)
            self.settle(child, lambda ticks: ticks <= 2)
            window = XWindow(child, 'wavepass').hands()
            if not window:
                self.skipTest('no libXtst, by which a test can touch an X server')
            states = []

            def look():
                states.append(self.state_of_picture(window))

            for names, _ in keys:
                window.keys(*names.split())
                look()
            for button in 4, 4, 5:
                window.press(button, (300, 200))
                look()
            for button, way in drags:
                window.press(button + 1, *way)
                look()
            window.keys('Control_L', 'Shift_L', 'p')
            window.type('xgain 35')
            window.keys('BackSpace')
            window.keys('Home')
            window.keys('Delete')
            window.keys('Return')
            look()
            # From one field to another by the clipboard.
            window.keys('Control_L', 'Shift_L', 'p')
            window.type('offset 0.5')
            for letter in 'ac':
                window.keys('Control_L', letter)
            window.keys('Escape')
            window.keys('Control_L', 'Shift_L', 'p')
            window.keys('Control_L', 'v')
            window.keys('Return')
            look()
            for i, (step, state) in enumerate(zip(steps, states, strict=True)):
                wanted = json.loads(self.read('%d.json' % i))
                self.assertEqual({name: (state[name], wanted[name]) for name in wanted
                                  if state[name] != wanted[name]}, {}, step)
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate()

    def state_of_picture(self, window):
        """That which the next picture of the window holds."""
        before = set(os.listdir(self.directory))
        window.keys('F12')
        for _ in range(1000):
            for name in set(os.listdir(self.directory)) - before:
                # Until it is whole it has another name.
                if re.fullmatch('wavepass-[0-9]+.png', name):
                    found = re.search(rb'tEXtwavepass view\0({.*?})', self.read(name), re.DOTALL)
                    return json.loads(found[1])
            time.sleep(0.01)
        self.fail('no picture was written')

    def settle(self, pid, good):
        """Ticks of CPU time in two seconds, once they are good."""
        for _ in range(30):
            before = self.cpu(pid)
            time.sleep(2)
            used = self.cpu(pid) - before
            if good(used):
                break
        return used

    def wait_for_program(self, process):
        """The viewer among the descendants of xvfb-run."""
        name = os.path.basename(harness.PROGRAM)
        for _ in range(200):
            self.assertIsNone(process.poll(), process.stderr.read() if process.poll() else '')
            found = subprocess.run(['pgrep', '-g', str(process.pid), '-x', name],
                                   capture_output=True, text=True, check=False).stdout.split()
            if found:
                return int(found[0])
            time.sleep(0.1)
        self.fail('the viewer did not start')

    def cpu(self, pid):
        with open('/proc/%d/stat' % pid) as file:
            fields = file.read().rsplit(') ', 1)[1].split()
        return int(fields[11]) + int(fields[12])
