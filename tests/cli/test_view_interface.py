"""What the interface shows, as `interface` of --events tells it: texts under tests/golden.

To rewrite them after a wanted change, and then read the difference in git:

    WP_UPDATE_GOLDEN=1 ctest -R cli_view_interface
"""
import itertools
import json
import os
import re

import formats
import harness
from viewing import ViewTest

GOLDEN = os.path.join(harness.ROOT, 'tests', 'golden')
PLACE = re.compile(r' @(-?\d+),(-?\d+),(-?\d+),(-?\d+) ')
NEAR = 3  # pixels: rounding in a font, or a value's last digit
# Measured, or rounding errors.
VARIES = re.compile(r'\d+(\.\d+)?(e-?\d+)? ?(ns|us|µs|ms|s|fps|GB/s|x)\b|\d+(\.\d+)?e-\d+'
                    r'|\d+\.\d+ dB|\d+ of \d+ MiB')
MISSING = re.compile(r'no (cuda|compute|fragment)\S* \(.*')  # backends, why
NUMBER = re.compile(r'[-+]?\d+\.\d+')


def is_near(text, wanted):
    """Words are the same, and numbers that are no integers nearly so."""
    if NUMBER.sub('#', text) != NUMBER.sub('#', wanted):
        return False
    return all(abs(float(a) - float(b)) <= 2e-3 + 1e-3 * abs(float(b))
               for a, b in zip(NUMBER.findall(text), NUMBER.findall(wanted)))


def shorten(lines):
    """Of many lines or bars in a row, as curves have, the first, the last and how many."""
    groups = itertools.groupby(lines, lambda line: PLACE.split(line)[0])
    for kind, group in groups:
        group = list(group)
        if len(group) > 4 and kind.split()[-1] in ('line', 'rectangle', 'clip'):
            group[1:-1] = ['… %d more' % (len(group) - 2)]
        yield from group


def unplace(lines):
    """What stands in a panel below backends that are not here, whose reasons take more lines or
    fewer, is somewhere."""
    below = None
    for line in lines:
        panel = line.split(' ', 1)[0]
        below = below if panel == below else None
        if MISSING.search(line):
            below = panel
            line = MISSING.sub('no …', line)
        yield PLACE.sub(' @ ', line) if below else line


class InterfaceTest(ViewTest):
    def setUp(self):
        super().setUp()
        device = next((d for d in json.loads(self.succeed('info', '--json').out)['devices']
                       if d['available']), None)
        if not device or not device['software']:
            self.skipTest('the golden texts are of OpenGL in software')
        self.device = device['renderer']

    def tell(self, name, scenes, *arguments, **how):
        """Plays each scene's events, one after the other, and compares what is shown then."""
        events = ['set times false']
        for scene, (_, more) in enumerate(scenes):
            events += [*more, 'wait 3', 'interface %d.txt' % scene]
        self.view(events, *arguments, **how)
        lines = []
        for scene, (title, _) in enumerate(scenes):
            told = self.read('%d.txt' % scene).decode().replace(self.device, 'DEVICE')
            version, *rest = VARIES.sub('~', told).splitlines()
            lines += ['== ' + title, *shorten(unplace(rest))]
        path = os.path.join(GOLDEN, 'interface_%s.txt' % name)
        if os.environ.get('WP_UPDATE_GOLDEN'):
            with open(path, 'w') as file:
                file.write('\n'.join([version, *lines]) + '\n')
            return
        with open(path) as file:
            known, *wanted = file.read().splitlines()
        if known != version:
            print('places are not compared: they are of %s, this is %s' % (known, version))
        wrong = [(a, b) for a, b in zip(lines, wanted) if not self.is_same(a, b, known == version)]
        if wrong or len(lines) != len(wanted):
            self.fail('%s: %d lines, %d wanted\n%s' % (path, len(lines), len(wanted), '\n'.join(
                '- %s\n+ %s' % (b, a) for a, b in wrong[:5])))

    def is_same(self, line, wanted, placed):
        a, b = PLACE.search(line), PLACE.search(wanted)
        if not is_near(PLACE.sub(' @ ', line), PLACE.sub(' @ ', wanted)) or (a is None) != (b is None):
            return False
        count = 2 if '~' in line else 4  # what varies is wider or not
        return not placed or not a or all(abs(int(x) - int(y)) <= NEAR
                                          for x, y in list(zip(a.groups(), b.groups()))[:count])


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
        """Of looking."""
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
        """What is found by letters, what stands first, and what Enter does with it."""
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
        """That are copied, of a view as it is, and of what is saved."""
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
        """Why there is nothing to be seen, or something else."""
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
        """Of where the patient's left is, and so on, at the four sides of each slice."""
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
            self.succeed('forward', 'a.pnm', '-o', 'c.tiff', '-f', '--no-check', '-b', 'cpu',
                         '--tile', '64', '-l', '3')
            self.tell('pyramid_' + name, (
                ('at first', ('wait tiles',)),
                ('near', ('set fit false', 'set zoom 2', 'wait tiles', 'move 500 300', 'wait 3')),
                ('far', ('set zoom 0.3', 'wait tiles', 'move 510 310', 'wait 3')),
            ), '--window', '1000x640', image='c.tiff')

    def test_made(self):
        """Of an image, whose rows become coefficients in so many frames."""
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
