"""The effects of every key and every movement of the pointer, as golden texts.

A line has an input and the changes of the state and of the facts; "twice more" has the changes if
the input is repeated three times instead of once. The first line lists the inputs that change
nothing. To rewrite the texts after an intended change, and then to read the difference in git:

    WP_UPDATE_GOLDEN=1 ctest -R cli_view_actions
"""
import json
import re

import formats
import golden_text
import harness
import test_view_interface
from test_view_interface import MISSING

# Facts that depend on the machine or the run, are tested elsewhere, or are rounding errors.
VARIES = re.compile(r'.*seconds|statistics[.]planes.*|(.*[.])?(heap|frames|gl_objects|controls'
                    r'|places|bins|device|software|round_trip|loss_psnr|psnr|rows_step|memory|reads'
                    r'|used)([.].*)?')
# Available choices differ between machines, times between runs.
LEFT_OUT = {'B', 'Shift+B', 'Space', 'Ctrl+Q'}
VARYING = '/(play|run|Live|([AB] )?[Bb]ackend)$'
# Variants that some drivers do not support.
EXTENDED = re.compile(r'controls/tile-\S+-(four|store)')
# Sections of panels, which a click only folds.
SECTIONS = ('Compare', 'Display', 'Edit', 'Image', 'Pyramid', 'Slices', 'Solver', 'Transform',
            'Value', 'Weights')
WIPE = ('set compare wipe', 'wait 1')
# The final image must not be uniform.
END = 'set fit true', 'set mode mosaic', 'set gain 1', 'set offset 0'
TOLERANCE = 2e-5


def text_of(value):
    if isinstance(value, list):
        return ' '.join(text_of(item) for item in value)
    text = '%.5f' % value if isinstance(value, float) else str(value)
    text = MISSING.sub('no …', text.replace('\n', ' / '))
    return text[1:] if re.fullmatch('-0[.]0*', text) else text


def flat(value, name=''):
    """{name with dots: number or text}"""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        value = {str(i): item for i, item in enumerate(value)}
    if isinstance(value, dict):
        return {key: leaf for part in value
                for key, leaf in flat(value[part], name + '.' + part if name else part).items()}
    return {} if VARIES.fullmatch(name) else {name: text_of(value)}


def changes(old, new):
    """The changes in one line; '' if there are none."""
    changed = {field: value for field, value in new.items()
               if not golden_text.is_near(value, old.get(field, ''), TOLERANCE)}
    copied = changed.get('clipboard')
    if copied and copied in changed.get('notice', ''):
        changed['notice'] = changed['notice'].replace(copied, '…')
    return '; '.join('%s: %s -> %s' % (field, old.get(field, '-'), value)
                     for field, value in changed.items())


class ActionsTest(test_view_interface.InterfaceTest):
    WINDOW = '--no-ui', '--window', '240x200', '-b', 'fragment'
    REST = ()  # waited for before the check

    def every_key(self, of='THE VIEWER'):
        return [(key, ('key ' + key,)) for key in self.keys_of(of) if key not in LEFT_OUT]

    def seen(self, name):
        return {**flat(json.loads(self.read('state.%s.json' % name))),
                **flat(json.loads(self.read('facts.%s.json' % name)))}

    def begin(self, before, *arguments, **how):
        """The events that restore the state after `before`, and the controls in that state."""
        self.view((*before, *self.look('begin'), *END), *arguments, **how)
        closed = 'key Esc', 'wait 1', 'key Esc', 'wait 1'
        return ([*closed, 'load state.begin.json', *before, 'wait 1'],
                json.loads(self.read('facts.begin.json'))['controls'])

    def look(self, where):
        return *self.REST, 'wait 2', 'state state.%s.json' % where, 'facts facts.%s.json' % where

    def every_control(self, before, *arguments, **how):
        """A click on each control; for a list on its first and its last word."""
        again, there = self.begin(before, *arguments, **how)
        # Menu items are tested as keys.
        names = [name for name in there if not name.startswith('menu/') and
                 name.split('/')[-1] not in SECTIONS and not re.search(VARYING, name)]
        events = []
        for number, name in enumerate(names):
            events += [*again, 'click ' + name, *self.look('open%d' % number)]
        self.view((*events, 'key Esc', 'key Esc', *again, *END), *arguments, **how)
        tried = []
        for number, name in enumerate(names):
            facts = json.loads(self.read('facts.open%d.json' % number))
            words = [word for word in facts['controls']
                     if word not in there and not EXTENDED.fullmatch(word)]
            # A click on a switch may show other controls; only a list hides its own.
            listed = words and name not in facts['controls'] and not facts['popup']
            if not listed:
                tried.append((name, ('click ' + name,)))
            else:
                tried += [('%s, %s' % (name, word), ('click ' + name, 'wait 1', 'click ' + word))
                          for word in dict.fromkeys((words[0], words[-1]))]
        return tried

    def record(self, name, tried, before, *arguments, times=(1, 3), **how):
        """Records `tried`, which are (title, events). Each starts in the state after `before`, and
        its events run `times` times."""
        again, _ = self.begin(before, *arguments, **how)
        events = []
        for number, (_, done) in enumerate(tried):
            events += [*again, *self.look('%d.0' % number)]
            for last, count in zip((0, *times), times):
                events += [*done * (count - last), *self.look('%d.%d' % (number, count))]
        self.view((*events, *END), *arguments, **how)
        idle, lines = [], []
        for number, (title, _) in enumerate(tried):
            seen = [self.seen('%d.%d' % (number, count)) for count in (0, *times)]
            told = ['%s%s: %s' % (title, more, changed) for more, changed in
                    zip(('', ', twice more'), map(changes, seen, seen[1:])) if changed]
            lines += told
            if not told:
                idle.append(title)
        self.compare(name, ['nothing changes: ' + '; '.join(idle), *lines])

    def compare(self, name, lines):
        file = 'actions_%s.txt' % name
        known = self.golden(file, '\n'.join(lines) + '\n').splitlines()
        wrong = golden_text.difference(lines, known, TOLERANCE)
        if wrong:
            self.fail('%s:\n%s' % (file, wrong))

    def click_all(self, name, before, *options, **how):
        window = '--window', '1000x1100', *options
        self.record(name, self.every_control(before, *window, **how), before, *window, times=(1,),
                    **how)

    @staticmethod
    def drag(button, *way):
        return ('move %s' % way[0], 'down %d' % button, *('move %s' % to for to in way[1:]),
                'up %d' % button)

    def moves(self, x=120, y=100):
        """Movements of the pointer about a point, short ones and the longest."""
        start, near, farther = ('%d %d' % at for at in ((x, y), (x + 10, y + 4), (x + 30, y - 10)))
        buttons = list(enumerate(('left', 'right', 'middle')))
        return [(title, ('move ' + start, *events)) for title, events in (
            ('wheel up', ('wheel 1',)), ('wheel down', ('wheel -2',)),
            ('wheel up to the end', ('wheel 60',)), ('wheel down to the end', ('wheel -60',)),
            ('click', ('click',)), ('double click', ('click', 'click')),
            *(('drag with ' + name, self.drag(button, start, near, farther))
              for button, name in buttons),
            *(('drag with %s far %s' % (name, where), self.drag(button, start, to))
              for button, name in buttons
              for where, to in (('down', '4000 3000'), ('up', '-4000 -3000'))))]


class Settings(ActionsTest):
    def test_what_they_take(self):
        """The values that each setting states, and that it accepts these and no others."""
        def set_to(value):
            self.write('s.json', json.dumps({name: value}))
            return self.run_program('view', 'pattern:ramp:8x8', '--state', 's.json', '--screenshot',
                                    'x.png', '-f', '--window', '64x64', '--no-ui')

        self.view(())
        lines = []
        for name in self.state:
            # Only the length of texts is limited.
            value = '#' * 5000 if isinstance(self.state[name], str) else '#'
            result = set_to(value)
            told = result.err.split('error: ')[1].strip()
            lines.append(told.replace(value, '#').replace('\n', ' / '))
            self.assertEqual(result.code, harness.USAGE, result.err)
            ends = re.search(r'from (\S+) to (\S+)', lines[-1])
            for end, step in zip(map(float, ends.groups() if ends else ()), (-1, 1)):
                beyond = end + step * max(1, abs(end) / 1000)
                self.assertIn('invalid value', set_to('%.12g' % beyond).err, name)
                self.assertNotIn('invalid value', set_to('%.12g' % end).err, name)
        self.compare('settings', lines)


class Image(ActionsTest):
    STEPS = '-w', 'cdf53', '-s', 'sep-lifting'

    def test_keys(self):
        self.record('image', self.every_key(), (), *self.WINDOW)

    def test_keys_elsewhere(self):
        """Keys in other states."""
        before = ('set levels 2', 'set mode band', 'set level 2', 'set band LH', 'set compare side',
                  'set b.wavelet haar', 'set gain 9e5', 'set offset 9.96', 'set split 0.99',
                  'set zeroed HL1 HH2', 'set fit false', 'set zoom 400', 'set ui_scale 3.9',
                  'set kept 1', 'set threshold soft', 'set op 3', 'move 200 100')
        self.record('image_elsewhere', self.every_key(), before, *self.WINDOW, *self.STEPS)

    def test_keys_at_the_other_end(self):
        keys = ('Shift+E', 'Shift+O', '[', '-', 'Ctrl+-', 'Shift+L', 'Shift+J', 'Shift+F10', 'Left',
                'Up', 'Down', 'Right', 'Ctrl+D', 'R', 'F', 'Home')
        before = ('set gain 2e-4', 'set offset -9.96', 'set split 0.01', 'set compare wipe',
                  'set b.scheme sep-convolution', 'set fit false', 'set zoom 0.002',
                  'set ui_scale 0.6', 'set levels 1', 'set kept 1', 'set mode pass', 'set op 0')
        self.record('image_least', [(key, ('key ' + key,)) for key in keys], before, *self.WINDOW,
                    *self.STEPS)

    def test_pointer(self):
        tried = self.moves()
        wipe = [('wipe to the %s' % side, (*WIPE, *self.drag(0, '120 100', '%d 90' % x)))
                for side, x in (('left', 60), ('very left', -500), ('right', 180),
                                ('very right', 900))]
        self.record('image_pointer', tried + wipe, ('set fit false', 'set zoom 2', 'set x 48',
                                                    'set y 40'), *self.WINDOW)

    def test_controls(self):
        self.click_all('image_controls', (), '-b', 'fragment')

    def test_controls_beside_another(self):
        self.click_all('image_controls_beside', ('set compare side', 'set b.wavelet haar'),
                       '-b', 'fragment', *self.STEPS)

    def test_edges_of_panels(self):
        """A panel with less than 6 lines of text folds, and one with less than 8 has the width of
        8; a line has 15 pixels."""
        tried = [('%s edge to %d' % (side, x),
                  self.drag(0, *('%d 300' % at for at in (start, start + 2, x))))
                 for side, start, ends in (('left', 270, (88, 90, 300, 990)),
                                           ('right', 677, (912, 910, 600, 10))) for x in ends]
        self.record('image_panels', tried, (), '--window', '1000x720', '-b', 'fragment')


class Volume(ActionsTest):
    WINDOW = *ActionsTest.WINDOW, '-w', 'cdf53', '-l', '1'

    def setUp(self):
        super().setUp()
        self.write('v.npy', formats.npy((6, 10, 14), [s / 255 for s in
                                                      formats.noise(6 * 10 * 14, 255)]))

    def test_keys(self):
        self.record('volume', self.every_key(), (), *self.WINDOW, image='v.npy')

    def test_keys_elsewhere(self):
        before = ('set mode band', 'set level 1', 'set band LLH', 'set pane x', 'set cross.x 13',
                  'set cross.y 0', 'set cross.z 2', 'set fourth mip', 'set slab 2', 'set fit false',
                  'set zoom 8', 'set compare side', 'set b.wavelet haar')
        self.record('volume_elsewhere', self.every_key(), before, *self.WINDOW, image='v.npy')

    def test_pointer(self):
        tried = [('at %d %d, %s' % (x, y, title), events)
                 for x, y in ((60, 50), (180, 50), (60, 150))
                 for title, events in self.moves(x, y)]
        self.record('volume_pointer', tried, (), *self.WINDOW, image='v.npy')


    def test_controls(self):
        self.click_all('volume_controls', (), *self.WINDOW[3:], image='v.npy')


class Solver(ActionsTest):
    REST = 'wait solver',
    IMAGE = '--reconstruct', 'k.npy'
    OPTIONS = '-m', 'm.npy', '-b', 'cpu'

    def setUp(self):
        super().setUp()
        self.succeed('undersample', 'pattern:shepp-logan:24x20', '--seed', '1', '--rate', '3', '-o',
                     'k.npy', '--mask-output', 'm.npy')

    def test_keys(self):
        self.record('solver', self.every_key('VIEW --RECONSTRUCT') + self.moves(), (),
                    *self.WINDOW[:-2], *self.OPTIONS, image=self.IMAGE)

    def test_controls(self):
        self.click_all('solver_controls', (), *self.OPTIONS, image=self.IMAGE)


class Pyramid(ActionsTest):
    REST = 'wait tiles',

    def setUp(self):
        super().setUp()
        self.write('a.pgm', formats.pnm(700, 520, formats.noise(700 * 520, 255), 1))
        self.succeed('forward', 'a.pgm', '-o', 'c.tiff', '-b', 'cpu', '--tile', '64',
                     '-l', '3')

    def test_keys(self):
        self.record('pyramid', self.every_key() + self.moves(), (), *self.WINDOW[:-2],
                    image='c.tiff')

    def test_controls(self):
        self.click_all('pyramid_controls', (), image='c.tiff')
