"""The viewer without a display: pictures, canvas, keys and reports."""
import json
import os

import formats
from harness import FILE, UNAVAILABLE, USAGE
from viewing import IMAGE, SMALL, PANELS, ViewTest


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
        self.refuse(1, 'the screenshot has only one color, so x.png is not written', 'view', IMAGE,
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
        self.refuse(FILE, "bad.txt:3: unknown event 'jump 3'", 'view', IMAGE, '--events',
                    'bad.txt', *shot)
        for line, message in (('move 1', 'not two numbers:'), ('resize a b', 'not two numbers:'),
                              ('wheel x', 'not a number, nor the solver or tiles:'),
                              ('iterate x', 'not a number:'), ('copy a', 'not two files:'),
                              ('lose c', 'not a or b:'), ('do nothing', 'no such action'),
                              ('click nothing', 'no such control')):
            self.write('line.txt', line + '\n')
            self.refuse(FILE, "line.txt:1: %s '%s'" % (message, line.split(' ', 1)[1]), 'view',
                        IMAGE, '--events', 'line.txt', *shot)
        for name, message in (('missing.json', '…'), ('bad.json', 'bad.json: …')):
            self.write('line.txt', 'load %s\n' % name)
            self.refuse(FILE, message, 'view', IMAGE, '--events', 'line.txt', *shot)
        self.write('line.txt', 'copy missing.png there.png\n')
        self.refuse(FILE, 'missing.png: No such file…', 'view', IMAGE, '--events', 'line.txt',
                    *shot)
        self.refuse(FILE, "key.txt:1: no such key 'Hyper+Q'", 'view', IMAGE, '--events',
                    'key.txt', *shot)
        for key in 'F0', 'F13', 'F1x', 'F01', 'F4474444444441':
            self.write('f.txt', 'key %s\n' % key)
            self.refuse(FILE, "f.txt:1: no such key '%s'" % key, 'view', IMAGE, '--events', 'f.txt',
                        *shot)
        self.refuse(FILE, "bad.json: 'zoom' is not a text, number or Boolean", 'view', IMAGE,
                    '--state', 'bad.json', *shot)
        self.write('bad.json', '{"zoon": 1}')
        self.refuse(USAGE, "unknown setting 'zoon'", 'view', IMAGE, '--state', 'bad.json', *shot,
                    hint="did you mean 'zoom'?")
        self.refuse(USAGE, "--window: '12' is not a size", 'view', IMAGE, '--window', '12', *shot)
        self.refuse(FILE, 'there.png exists', 'view', IMAGE, '--screenshot', 'there.png')
        self.refuse(USAGE, "unknown wavelet 'cdf79'…", 'view', IMAGE, '-w', 'cdf79', *shot)

    def test_device_of_a_window(self):
        """The window system selects the device, so a device number is rejected."""
        for number in ('0', '7'):
            self.refuse(USAGE,
                        '-d %s cannot be combined with a window (the window system selects its '
                        'device)' % number, 'view', IMAGE, '-d', number,
                        hint='--screenshot FILE draws on device ' + number)
        self.refuse(UNAVAILABLE, 'the viewer needs OpenGL (there is no device 99, the last one is …',
                    'view', IMAGE, '-d', '99', '--screenshot', 'x.png', hint='…')

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
                # Before a window is opened, so also without a display.
                for where in (('--screenshot', 'x.png'), ()):
                    self.refuse(USAGE, message.split(' error: ', 1)[1], 'view', image, *options,
                                *where, hint=hint, env={'DISPLAY': '', 'WAYLAND_DISPLAY': ''})
        self.refuse(USAGE, '9 levels are more than a 11x7 image has', 'view', 'film.y4m', '-l',
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
        # It is an image, too; without a state it is opened as an image only.
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
        """The value of the mosaic at 1:1, from a run that points at it."""
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
        """LL of a level before the last exists only on surfaces, and odd edges have fewer subbands.
        """
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
        # The last column of an image of width 95 has one sample of each quad, and coefficients in
        # LL and LH.
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
                # LL from black to white, details around mid-gray.
                shown = round(255 * (value if low else 0.5 + 0.5 * value))
                wanted.append(min(max(shown, 0), 255))
        self.assertLessEqual(max(abs(a - b) for a, b in zip(gray('mixed.png'), wanted)), 1)

    def test_a_flat_image_has_no_details(self):
        """The details of a flat image are rounding errors, below 1e-6 here, and are not drawn
        bright."""
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
        # The view is aligned to screen pixels, so it may move by half a pixel.
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
        # The reconstruction equals the original to one gray level.
        self.view(('set mode original', 'wait 2', 'shot a.png', 'set mode reconstruction',
                   'wait 2', 'shot b.png'), '--no-ui', *SMALL)
        a, b = (formats.read_png(self.read(name))[4] for name in ('a.png', 'b.png'))
        self.assertLessEqual(max(abs(p - q) for p, q in zip(a, b)), 1)


class Keys(ViewTest):
    # A key, and the setting that it changes.
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
        """Each available backend in turn, from any first one, in both orders."""
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
    """The tree of families: a search field, and phi and psi next to every name."""

    def find(self, *events, window='800x600'):
        self.view(('key Ctrl+F', 'wait 1', *events), '--window', window)

    def test_typed(self):
        # Asymmetric wavelets switch to periodic borders.
        for window in ('1280x800', '640x480'):
            self.find('type sym8', 'wait 1', 'shot list.png', 'key Enter', 'wait 2',
                      'shot after.png', window=window)
            self.assertEqual((self.state['a.wavelet'], self.state['border']),
                             ('sym8', 'periodic'))
            self.assertEqual(self.facts['a']['name'].split('/')[0], 'sym8')
            self.assertEqual(self.facts['popup'], 0)
            self.assertNotEqual(self.pixels('list.png'), self.pixels('after.png'))

    def test_every_name_is_found(self):
        """One wavelet of each family, those at its ends, in any case; an unknown name selects
        nothing."""
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
        # The current one is the selected row; rows of the tree are not wrapped.
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
        """After a key or a click, the window has drawn all changes when it is idle."""
        events = ['wait 3', 'set times false']
        for line in ('click controls/Scheme', 'click sep-lifting', 'click controls/Show',
                     'click tree', 'key W', 'key V', 'key ?', 'key Esc', 'key Ctrl+Shift+P',
                     'key Esc', 'click menu/View', 'click menu/Pixel grid', 'key F10',
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
        for line, message in (('timed wheel 1', 'bad.txt:1: neither a key, a click nor a motion:'),
                              ('timed key Nokey', 'bad.txt:1: neither a key, a click nor a motion:'),
                              ('timed click nothing', 'bad.txt:1: no such control'),
                              ('times', 'bad.txt:1: missing argument:')):
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
    """The quads between two passes as four planes, and the labels of their content."""
    SCHEMES = ('sep-lifting', 'sep-polyconvolution', 'sep-convolution', 'nonsep-lifting',
               'nonsep-polyconvolution', 'nonsep-convolution')
    NAMES = [x + ' x, ' + y + ' y' for y in ('even', 'odd') for x in ('even', 'odd')]
    BANDS = ['LL', 'HL', 'LH', 'HH']

    def step(self, *arguments, direction='forward', last=9):
        """The texts of the planes after each operation."""
        events = ['set direction ' + direction, 'set mode pass']
        for op in range(last):
            events += ['set op %d' % op, 'wait 2', 'facts op%d.json' % op]
        self.view(events, '--no-ui', *SMALL, *arguments)
        return [json.loads(self.read('op%d.json' % op))['planes'] for op in range(last)]

    def wanted(self, done, all_, words, bands=None):
        """The labels after that number of predict and update steps along x and y."""
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
        """Separable lifting predicts along x, then along y, and updates likewise, at each level."""
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
            for plain in ((), ('--no-optimize',)):
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
        """A quad has the same values in its planes, interleaved, and in files."""
        gap, at = 1, (20, 15)
        left = 96 + 2 * gap  # in a wide image they are below it
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
        for zoom in ('0.001', '0.1', '400'):  # labels without or with more than enough space
            self.view(('key F10', 'set fit false', 'set zoom ' + zoom, 'wait 2'), *SMALL)
            self.assertEqual(self.facts['tiles'], 5)
