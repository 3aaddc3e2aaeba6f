"""The panels of the viewer: their sizes, and the effects of their controls."""
import json

import formats
from viewing import PANELS, ViewTest


class Room(ViewTest):
    WARNING = (255, 176, 84)  # the badge's color in theme.c

    def rows(self, name):
        width, _, planes, _, samples = formats.read_png(self.read(name))
        return [samples[at:at + planes * width] for at in range(0, len(samples), planes * width)]

    def test_small_windows(self):
        """The badge, the status line and the first control are visible, and the menu is that of a
        wide window; the name of the device is shortened."""
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
        """All text with one key, or the selected text: the text of explain and of the shaders."""
        scheme = ('-w', 'cdf53', '-s', 'sep-lifting')
        for tab, what in (('Matrix', 'matrix'), ('Shader', 'glsl')):
            wanted = self.succeed('explain', *scheme, '--show', what).text()
            for keys in (('key Ctrl+C',), ('click inspector/' + tab.lower(), 'wait 1',
                                           'key Ctrl+A', 'wait 1', 'key Ctrl+C')):
                self.view(('wait 2', 'click inspector/' + tab, 'wait 2', *keys, 'wait 2'), *PANELS,
                          *scheme)
                self.assertGreater(len(self.facts['clipboard']), 200, (tab, keys))
                self.assertIn(self.facts['clipboard'].strip(), wanted)
        # A double click selects a word; it is copied unchanged.
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
        wanted = self.succeed('explain', *scheme, '--show', 'diagram', '--format', 'svg').text()
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
        # Below a limit it folds; it opens with its previous width.
        self.view(drag(677, 960) + drag(270, 40) + ('facts folded.json', 'click left/open',
                                                    'wait 1', 'key F8', 'wait 1'), *PANELS)
        folded = json.loads(self.read('folded.json'))['controls']
        self.assertIn('left/open', folded)
        self.assertIn('right/open', folded)
        self.assertEqual((self.state['left'], self.state['right']), (18, 21.5))
        self.assertIn('controls/Wavelet', self.facts['controls'])
        self.assertIn('inspector/Pixel', self.facts['controls'])
        # A press without motion moves nothing.
        self.view(('move 678 300', 'wait 1', 'down', 'wait 1', 'up', 'wait 1'), *PANELS)
        self.assertEqual(self.state['right'], 21.5)
        # In a narrow window, opening one panel folds the other; a wide window leaves space for the
        # canvas.
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
            # A click outside closes a combo box; a section folds, and unfolds.
            events += ['set compare wipe', 'set threshold hard', 'set a.backend fragment',
                       'set levels 3', 'set adjoint false', 'wait 2', 'click ' + control,
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
        # Down the controls and along each row; the tabs and the sections below them; the buttons of
        # the timeline and the boxes below them.
        rows = 38 * ('Tab', 'Left', 'Right', 'Right')
        tabs = 5 * ('Right',) + 5 * ('Left',) + ('Tab', 'Tab')
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
        self.view(('key F6', 'wait 6', 'key Tab', 'key Tab', 'key Tab', 'key Space', 'wait 2',
                   'key Down', 'key Enter', 'wait 2', 'key Tab', 'key Space', 'wait 1', 'key Tab', 'key Space',
                   'key Right', 'key Right', 'key Enter', 'facts inside.json', 'key W', 'key Esc',
                   'facts outside.json', 'key Down', 'key Right', 'wait 2'), *PANELS)
        # The list of schemes, a check box, a slider; other keys have their usual functions.
        self.assertEqual((self.state['a.scheme'], self.state['a.plain'], self.state['levels']),
                         ('sep-polyconvolution', True, 5))
        self.assertNotEqual(self.state['a.wavelet'], 'cdf97')
        self.assertEqual(json.loads(self.read('inside.json'))['focused'], 'controls/Levels')
        # After Esc, arrow keys apply to the canvas again.
        self.assertEqual(self.facts['focused'], '')
        self.assertEqual(self.state['band'], 'LH')

    def test_combos_and_sliders(self):
        self.view(('click controls/Wavelet', 'wait 1', 'click haar', 'wait 1',
                   'click controls/Scheme', 'wait 1', 'click sep-lifting', 'wait 1',
                   'click controls/Optimized', 'wait 1', 'click controls/Show', 'wait 1',
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
        for label in ('menu/Quit', 'menu/Mosaic', 'menu/Next scheme', 'menu/Keys'):
            self.assertIn(label, labels)
