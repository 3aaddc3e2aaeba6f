"""The interface as `interface FILE` of --events writes it, as golden texts without positions
(golden_text.py describes their form). misplaced() checks positions by rules.

To rewrite the texts after an intended change, and then to read the difference in git:

    WP_UPDATE_GOLDEN=1 ctest -R cli_view_interface
"""
import itertools
import json
import os
import re

import formats
import golden_text
import harness
from viewing import ViewTest

PLACE = re.compile(r'(.*?) (\S+) @(-?\d+),(-?\d+),(-?\d+),(-?\d+) (.*)')
# Measurements and rounding errors.
VARIES = re.compile(r'\d+(\.\d+)?(e-?\d+)? ?(ns|us|µs|ms|s|fps|GB/s|x)\b|\d+(\.\d+)?e-\d+'
                    r'|\d+\.\d+ dB|\d+ of \d+ MiB')
MISSING = re.compile(r'no (cuda|compute|fragment)\S* \(.*')  # backends with reasons
SHAPES = {'clip', 'circle', 'disc', 'frame', 'line', 'mark', 'rectangle'}
SIZED = {'panel', 'control', 'tooltip', 'clip', 'circle', 'disc', 'frame'}
POPUPS = {'help', 'notice', 'palette', 'wavelets'}  # above other panels
# Elements that may exceed the width of their panel: lists with horizontal scrolling, and the end of
# a slice's bar, which is clipped in narrow slices.
WIDER = re.compile(r'timeline (control op \d+|(rectangle|line|text|dim) .*)'
                   r'|inspector control (matrix|shader): .*'
                   r'|slice fourth (control (along [xyz]|Behind): |tooltip From the far corner).*')
TOLERANCE = 2e-3


class Item:
    """A line of the output of `interface`."""

    def __init__(self, line):
        self.panel, self.kind, *place, self.words = PLACE.fullmatch(line).groups()
        self.x, self.y, self.width, self.height = map(int, place)
        self.words = MISSING.sub('no …', VARIES.sub('~', self.words))

    def __str__(self):
        return '%s %s %s @%d,%d,%d,%d' % (self.panel, self.kind, self.words, self.x, self.y,
                                          self.width, self.height)

    def has_size(self):
        if self.kind == 'line':
            return True  # has any direction
        if self.kind == 'rectangle':
            return self.width >= 0 and self.height >= 0  # a value of 0 has a bar without height
        # For drawn text only the height is known.
        return self.height > 0 and self.width >= (self.kind in SIZED)

    def is_beside(self, panel):
        ends = self.x, self.x + self.width
        return min(ends) < panel.x or max(ends) > panel.x + panel.width

    def overlaps(self, other):
        """Whether items overlap by more than a pixel, because positions are rounded."""
        return (self.x + 1 < other.x + other.width and other.x + 1 < self.x + self.width and
                self.y + 1 < other.y + other.height and other.y + 1 < self.y + self.height)


def misplaced(items):
    """Errors in the positions of the items of a state. Items below their panel are scrolled out of
    view."""
    panels = {item.panel: item for item in items if item.kind == 'panel'}
    controls = [item for item in items if item.kind == 'control']
    fixed = [panel for name, panel in panels.items() if name not in POPUPS]
    wrong = ['no size: %s' % item for item in items if not item.has_size()]
    wrong += ['outside of its panel: %s' % item for item in items
              if item.panel != 'window' and item.is_beside(panels[item.panel]) and
              not WIDER.fullmatch('%s %s %s' % (item.panel, item.kind, item.words))]
    wrong += ['overlap: %s | %s' % (a, b)
              for a, b in itertools.chain(itertools.combinations(fixed, 2),
                                          itertools.combinations(controls, 2))
              if a.overlaps(b) and (a.kind == 'panel' or a.panel == b.panel)]
    return wrong


def plain(items):
    """Lines without positions. A drawn item follows the line before it of the same panel."""
    lines = []
    panel = None
    for (name, drawn), group in itertools.groupby(items, lambda i: (i.panel, i.kind in SHAPES)):
        words = [' '.join(filter(None, (item.kind, item.words))) for item in group]
        if not drawn:
            lines += ['%s %s' % (name, line) for line in words]
        else:
            if name != panel:
                lines.append(name)
            counted = [(shape, len(list(same))) for shape, same in itertools.groupby(words)]
            lines[-1] += ' [%s]' % '; '.join(
                shape + (' × %d' % count if count > 1 else '') for shape, count in counted)
        panel = name
    return lines


class InterfaceTest(ViewTest):
    def setUp(self):
        super().setUp()
        device = next((d for d in json.loads(self.succeed('info', '--json').out)['devices']
                       if d['available']), None)
        if not device or not device['software']:
            self.skipTest('the golden texts are of OpenGL in software')
        self.device = device['renderer']

    def golden(self, name, text):
        """The file of tests/golden; WP_UPDATE_GOLDEN=1 first writes the text to it."""
        path = os.path.join(harness.ROOT, 'tests', 'golden', name)
        if os.environ.get('WP_UPDATE_GOLDEN'):
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        with open(path, encoding='utf-8') as file:
            return file.read()

    def tell(self, name, scenes, *arguments, **how):
        """Plays the events of each scene in order, and compares the interface."""
        events = ['set times false']
        for scene, (_, more) in enumerate(scenes):
            events += [*more, 'wait 3', 'interface %d.txt' % scene]
        self.view(events, *arguments, **how)
        states = []
        for scene, (title, _) in enumerate(scenes):
            told = self.read('%d.txt' % scene).decode().replace(self.device, 'DEVICE')
            items = [Item(line) for line in told.splitlines()[1:]]
            wrong = misplaced(items)
            if wrong:
                self.fail('%s, %s:\n%s' % (name, title, '\n'.join(wrong)))
            states.append((title, plain(items)))
        file = 'interface_%s.txt' % name
        known = golden_text.read_states(self.golden(file, golden_text.write_states(states)))
        self.assertEqual([title for title, _ in states], [title for title, _ in known])
        wrong = [(title, golden_text.difference(lines, wanted, TOLERANCE))
                 for (title, lines), (_, wanted) in zip(states, known)]
        wrong = ['== %s\n%s' % (title, text) for title, text in wrong if text]
        if wrong:
            self.fail('%s: %d of %d states differ, first:\n%s' % (
                file, len(wrong), len(states), '\n'.join(wrong[:3])))


class Image(InterfaceTest):
    def test_one(self):
        self.tell('image', (
            ('at first', ()),
            ('pointed at', ('move 400 300',)),
            ('step by step', ('set mode pass', 'set op 2', 'click inspector/Pass')),
            ('as planes', ('set quads planes',)),
            ('pointed at one of them', ('move 350 280',)),
            ('matrix', ('set mode mosaic', 'click inspector/Matrix')),
            ('shader', ('click inspector/Shader',)),
            ('diagram', ('click inspector/Diagram',)),
            ('an impulse', ('click inspector/Pixel', 'set impulse true', 'set threshold soft',
                            'set limit 0.1')),
            ('large pixels', ('set impulse false', 'set fit false', 'set zoom 40', 'set grid true')),
        ), '--window', '1000x720', '-w', 'cdf53', '-s', 'sep-lifting', '-b', 'fragment')

    def test_ways(self):
        """Display modes."""
        self.tell('ways', (
            ('mixed', ('set mode mixed', 'click inspector/Pixel', 'move 401 301')),
            ('mixed, large pixels', ('set fit false', 'set zoom 40', 'move 451 361')),
            ('tree', ('set fit true', 'set mode tree', 'move 400 300')),
            ('band', ('set mode band', 'set level 2', 'set band HH', 'move 401 300')),
            ('bands left out', ('set mode reconstruction', 'set zeroed HL1 HH2', 'move 400 300')),
            ('a band back', ('set level 1', 'set band HL', 'key Z')),
            ('logarithms', ('set mode mosaic', 'set scale log', 'set range all')),
            ('large matrix', ('set large true', 'click inspector/Matrix')),
            ('large diagrams', ('click inspector/Diagram',)),
            ('a pass that gathers', ('set large false', 'set mode pass', 'set op 5',
                                     'click inspector/Pass')),
            ('an impulse where the selection is', ('set mode mosaic', 'move 5 5', 'key I')),
            ('playing', ('set impulse false', 'set live true')),
        ), '--window', '1000x720', '-w', 'cdf53', '-s', 'sep-lifting', '-l', '2', '-b', 'fragment')

    def test_two(self):
        self.tell('compare', (
            ('side by side', ('set compare side', 'set b.wavelet haar', 'move 400 300')),
            ('wipe', ('set compare wipe', 'move 300 200')),
            ('wipe of a large window', ('resize 1600 900',)),
            ('difference', ('set compare difference', 'set metric SE')),
            ('steps', ('set mode pass', 'set compare off')),
        ), '--window', '1000x640', '-b', 'fragment')

    def test_colours(self):
        self.write('c.ppm', formats.pnm(48, 40, formats.noise(48 * 40 * 3, 255), 3))
        self.tell('colour', (
            ('red, green, blue', ('move 400 300',)),
            ('luma', ('set channel luma', 'move 401 300')),
            ('integers', ('set a.wavelet cdf53', 'set a.reversible true')),
            ('light', ('set theme light', 'set ui_scale 1.5')),
            ('all planes, beside Haar', ('set theme dark', 'set ui_scale 1', 'set a.reversible false',
                                        'set channel rgb', 'set compare side',
                                        'set b.wavelet haar', 'click inspector/Pixel',
                                        'move 350 300')),
        ), '--window', '1000x640', '-b', 'fragment', image='c.ppm')

    def test_popups(self):
        self.tell('popups', (
            ('keys', ('key F1',)),
            ('palette', ('key Esc', 'key Ctrl+P')),
            ('searched', ('type wav',)),
            ('wavelets', ('key Esc', 'click controls/Wavelet')),
            ('menu', ('key Esc', 'click menu/Display')),
        ), '--window', '1000x640', '-b', 'fragment')

    def test_searched(self):
        """The results of a search, their order, and the effect of Enter."""
        open_it = 'key Esc', 'key Esc', 'wait 1', 'key Ctrl+Shift+P', 'wait 1'
        self.tell('searched', (
            ('letters with gaps', ('set panels false', *open_it, 'type gRd')),
            ('does it', ('key Enter',)),
            ('a setting', (*open_it, 'type gain')),
            ('the second', ('key Down', 'wait 1')),
            ('the last', (*9 * ('key Down',), 'wait 1')),
            ('the one before', ('key Up', 'wait 1')),
            ('the first', (*9 * ('key Up',), 'wait 1')),
            ('does the third', ('key Down', 'key Down', 'key Enter', 'wait 1')),
            ('does the last', (*open_it, 'type gain', *9 * ('key Down',), 'key Enter', 'wait 1')),
            ('a setting again', ('set gain 1', *open_it, 'type gain')),
            ('its value is written', ('click palette/gain = 1.0', 'wait 1')),
            ('what is not possible', (*open_it, 'type zoom wide', 'key Enter')),
            ('nothing', (*open_it, 'type qqq', 'key Enter')),
            ('no letters of those', ('key Esc', 'key Esc', 'key Ctrl+F', 'wait 1')),
            ('places', ('key Esc', 'key Esc', 'key Ctrl+G')),
            ('paths', ('key Esc', 'key Ctrl+O', 'wait 1', 'type nowhere.png')),
            ('not there', ('key Enter',)),
            ('a place', ('key Ctrl+O', 'wait 1', 'type 12 34', 'key Enter')),
        ), '--window', '1000x400', '-b', 'fragment')

    def test_commands(self):
        """Copied commands, for the current view and for saved data."""
        self.write("a 'b.pgm", formats.pnm(48, 40, formats.noise(48 * 40, 255), 1))
        self.tell('commands', (
            ('as it is', ('key K',)),
            ('with words', ('set mode mixed', 'set a.plain true', 'set a.precision f16',
                            'set border periodic', 'set norm orthonormal', 'key K')),
            ('edits', ('set mode mosaic', 'set threshold soft', 'set limit 0.25',
                       'set zeroed HL1 HH2', 'key K')),
            ('an impulse', ('set mode reconstruction', 'set threshold none', 'key I', 'wait 1',
                            'key K')),
            ('integers', ('set impulse false', 'set zeroed', 'set a.precision f32',
                          'set norm jpeg2000', 'set a.reversible true', 'wait 1', 'key K')),
            ('edits of integers', ('set kept 3', 'key K')),
            ('no level', ('set kept -1', 'set levels 0', 'wait 1', 'key K')),
        ), '--window', '700x300', '--no-ui', '-w', 'cdf53', '-s', 'sep-lifting', '-b', 'fragment',
            '-l', '2', image="a 'b.pgm")

    def test_reasons(self):
        """Reasons for an empty or a different view."""
        for name, width in (('a.pgm', 48), ('b.pgm', 50)):
            self.write(name, formats.pnm(width, 40, formats.noise(width * 40, 255), 1))
        self.write('v.npy', formats.npy((2, 40, 48), [s / 255 for s in formats.noise(3840, 255)]))
        self.tell('reasons', (
            ('no textures', ('set a.backend reference', 'set mode pass', 'click inspector/Pass')),
            ('no shader', ('key Esc', 'click inspector/Shader',)),
            ('no diagram', ('click inspector/Diagram',)),
            ('none of a variant', ('set a.backend fragment', 'set a.variant tile-2x2', 'key F10')),
            ('none of integers', ('set a.variant', 'set a.reversible true', 'key F10')),
            ('no level', ('set a.reversible false', 'set levels 0', 'key F10')),
            ('fewer levels', ('set levels 9', 'wait 2')),
            ('the first of the inverse', ('set levels 2', 'set mode pass', 'set direction inverse',
                                          'set op 1', 'click inspector/Diagram')),
            ('spreads', ('set op 5', 'click inspector/Pass')),
            ('its shader', ('click inspector/Shader',)),
            ('before', ('set before true', 'set op 3')),
            ('another scheme', ('set a.scheme nonsep-convolution', 'set op 1', 'wait 2',
                                'click inspector/Diagram')),
            ('a slow shader', ('set mode mosaic', 'set a.backend compute')),
            ('other sizes', ('drop b.pgm', 'wait 2', 'set a.file 0', 'set b.backend cpu',
                             'set compare side', 'set b.file 1', 'click inspector/Pixel')),
            ('a volume', ('drop v.npy', 'wait 2', 'set a.file 0', 'wait 2', 'set b.file 2')),
            ('no way of volumes', ('set compare off', 'set a.file 2', 'wait 2', 'set mode tree')),
        ), '--window', '1000x720', '-w', 'cdf53', '-s', 'sep-lifting', '-b', 'fragment',
            image='a.pgm')


class Volume(InterfaceTest):
    def test_slices(self):
        self.write('v.npy', formats.npy((6, 10, 14), [s / 255 for s in
                                                      formats.noise(6 * 10 * 14, 255)]))
        self.tell('volume', (
            ('at first', ('move 400 200',)),
            ('largest values', ('set fourth mip', 'set slab 3')),
            ('cube', ('set fourth cube', 'move 600 450')),
            ('one alone', ('set single true', 'set mode original')),
            ('compare', ('set single false', 'set compare side', 'set b.wavelet haar')),
            ('display', ('set compare off', 'set radiological true', 'set crosshair false')),
            ('gain and offset', ('set gain 2', 'set offset 0.1')),
        ), '--window', '1000x720', '-b', 'fragment', '-w', 'cdf53', '-l', '1', image='v.npy')

    def test_groups_and_bands(self):
        self.write('v.npy', formats.npy((7, 10, 14), [s / 255 for s in formats.noise(980, 255)]))
        self.tell('groups', (
            ('at first', ('move 400 200',)),
            ('another group', ('set cross.z 5', 'set pane z')),
            ('a band', ('set mode band', 'set band HLH', 'set level 1', 'move 401 201')),
            ('of two', ('set b.backend cpu', 'set b.wavelet haar', 'set compare difference',
                        'move 400 201')),
            ('all coefficients', ('set compare off', 'set mode mosaic', 'move 600 201')),
            ('largest along x', ('set mode original', 'set fourth mip', 'set mip x',
                                 'move 800 450')),
            ('from behind', ('set fourth cube', 'set behind true', 'move 800 451')),
            ('each its own', ('set show.x mosaic', 'set show.y reconstruction', 'set threshold '
                              'hard', 'set limit 0.2', 'move 420 450')),
            ('an impulse', ('set threshold none', 'key I', 'wait 2', 'set fit false',
                            'set zoom 30', 'set grid true')),
            ('its matrix', ('click inspector/Matrix',)),
            ('copied', ('key K',)),
        ), '--window', '1000x720', '-b', 'fragment', '-w', 'cdf53', '-l', '1', '--gop', '4',
            image='v.npy')

    def test_letters(self):
        """The letters of the body's directions at the four sides of each slice."""
        self.write('h.nii', formats.nifti((14, 10, 6), formats.noise(14 * 10 * 6, 255), sform=(
            1, ((-2, 0, 0, 0), (0, 2, 0, 0), (0, 0, 3, 0)))))
        self.tell('letters', (
            ('at first', ()),
            ('as seen from above', ('set radiological false',)),
        ), '--no-ui', '--window', '600x500', '-b', 'fragment', '-l', '1', image='h.nii')


class Solver(InterfaceTest):
    def test_reconstruction(self):
        self.succeed('undersample', 'pattern:shepp-logan:48x40', '--seed', '1', '--rate', '3',
                     '-o', 'k.npy', '--mask-output', 'm.npy', '--truth-output', 't.npy')
        known = ('-m', 'm.npy', '--truth', 't.npy')
        self.tell('solver', (
            ('at first', ()),
            ('after 5 iterations', ('iterate 5',)),
            ('pointed at', ('move 400 300',)),
            ('pointed at the first', ('move 340 130',)),
            ('after other weights', ('set solver.tv 0.5', 'iterate 3')),
        ), '--window', '1000x640', *known, '-b', 'cpu', image=('--reconstruct', 'k.npy'))
        self.tell('solver_alone', (('without truth', ('iterate 2',)),), '--window', '1000x640',
                  '-m', 'm.npy', '-b', 'cpu', image=('--reconstruct', 'k.npy'))

    def test_volume(self):
        self.write('u.npy', formats.npy((8, 20, 24), [s / 255 for s in formats.noise(3840, 255)]))
        self.succeed('undersample', 'u.npy', '--volume', '--seed', '1', '--rate', '2', '-o',
                     'k.npy', '--mask-output', 'm.npy')
        self.tell('solver_volume', (
            ('at first', ()),
            ('a slice', ('set pane x', 'set cross.x 7', 'iterate 2', 'move 340 430')),
            ('large pixels', ('set fit false', 'set zoom 30', 'set grid true', 'set x 10',
                              'set y 9', 'set z 3', 'move 341 430')),
            ('going on', ('set solver.keep true', 'set solver.gamma 20', 'set solver.wav 0.3',
                          'iterate 2')),
            ('copied', ('key K',)),
            ('not possible', ('try solver.tv -1',)),
            ('begun again', ('key Backspace', 'wait 1', 'key K')),
        ), '--window', '1000x640', '-m', 'm.npy', '-b', 'cpu', image=('--reconstruct', 'k.npy'))


class Pyramid(InterfaceTest):
    def test_tiles(self):
        for planes, name in ((1, 'gray'), (3, 'colour')):
            self.write('a.pnm', formats.pnm(700, 520, formats.noise(700 * 520 * planes, 255), planes))
            self.succeed('forward', 'a.pnm', '-o', 'c.tiff', '-f', '-b', 'cpu',
                         '--tile', '64', '-l', '3')
            self.tell('pyramid_' + name, (
                ('at first', ('wait tiles',)),
                ('near', ('set fit false', 'set zoom 2', 'wait tiles', 'move 500 300', 'wait 3')),
                ('far', ('set zoom 0.3', 'wait tiles', 'move 510 310', 'wait 3')),
            ), '--window', '1000x640', image='c.tiff')

    def test_made(self):
        """An image whose rows are transformed over several frames."""
        self.write('a.raw', bytes(formats.noise(1696 * 1304, 255)))
        self.tell('pyramid_made', (
            ('at first', ()),
            ('later', ('wait 3',)),
            ('stopped', ('key Esc',)),
            ('made', ('key Ctrl+R', 'wait 1', 'wait tiles')),
            ('the edge', ('set fit false', 'set zoom 0.5', 'set x 1600', 'set y 100', 'wait tiles',
                          'move 600 400', 'wait 3')),
            ('beside it', ('move 900 200', 'set range fixed')),
            ('copied', ('key K',)),
        ), '--window', '1000x640', '--memory', '16M', '-l', '2', '--raw', '1696x1304x1:u8',
            '-w', 'cdf53', '--border', 'periodic', '--norm', 'orthonormal', image='a.raw')
