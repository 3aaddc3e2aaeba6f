#!/usr/bin/env python3
"""Random events in the viewer: no memory errors, no growth of memory or of GL objects.

    tests/view_soak.py PROGRAM [SECONDS [SEED]]

Blocks of random events are played without a display, each block seven times. The number of GL
objects must be equal after all runs but the first, and the heap must not grow in every run: a leak
does, while memory that a driver frees late or caches goes up and down. A block whose heap grew in
every run is played longer, separately: a new program fills its caches, but not forever. Intended
for builds with AddressSanitizer (scripts/test.sh sanitize).
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, 'cli'))
import formats  # noqa: E402  (found through the line above)

SKIP = 77
EVENTS, TIMES = 20, 7
LONGER = 4  # factor of runs for a suspected block
BLOCK_SECONDS = 1  # minimum, on a fast machine
SAMPLE_SECONDS = 20  # maximum, if $WAVEPASS_SAMPLE is set
# Growth of the heap in bytes, per run. An image, plane or texture of these sizes is larger.
LEAK = 4 << 10
# In this order: backends without f16 after the precisions.
START = {
    'mode': 'mosaic', 'level': 1, 'band': 'HL', 'fit': 'true', 'scale': 'signed',
    'map': 'blue-white-orange', 'range': 'band', 'gain': 1, 'offset': 0, 'grid': 'false',
    'levels': 3, 'border': 'symmetric', 'norm': 'jpeg2000', 'channel': 'rgb',
    'direction': 'forward', 'a.precision': 'f32', 'b.precision': 'f32', 'a.wavelet': 'cdf97',
    'a.scheme': 'nonsep-polyconvolution', 'a.plain': 'false', 'a.backend': 'fragment',
    'a.file': 0, 'b.wavelet': 'cdf97',
    'b.scheme': 'sep-lifting', 'b.plain': 'false', 'b.backend': 'reference', 'b.file': 0,
    'compare': 'off', 'flipped': 'false', 'live': 'false', 'kept': -1, 'threshold': 'none',
    'impulse': 'false', 'op': 0, 'before': 'false', 'playing': 'false', 'panels': 'true',
    'inspector': 0, 'theme': 'dark', 'ui_scale': 0.5, 'pane': 'z', 'single': 'false',
    'fourth': 'bands', 'mip': 'z', 'show.y': 'same', 'levels_z': -1, 'gop': 0, 'cross.x': -1,
    'cross.y': -1, 'cross.z': -1, 'crosshair': 'true', 'z': 0,
}
SETTINGS = {
    'mode': ('mosaic', 'tree', 'band', 'mixed', 'original', 'reconstruction', 'pass'),
    'compare': ('off', 'wipe', 'side', 'flip', 'difference', 'checker'),
    'b.backend': ('fragment', 'reference', 'cuda', 'no-such'), 'b.file': (0, 1, 2, 3, 99),
    'a.wavelet': ('haar', 'cdf53', 'no-such'), 'zoom': (0.1, 1, 7, 90), 'fit': ('false', 'true'),
    'levels': (1, 2, 9), 'ui_scale': (0.5, 0.75), 'channel': ('rgb', 'luma', '0', 'blue'),
    'op': (0, 3, 500), 'impulse_x': (0, 5, 10 ** 6), 'zeroed': ('HL1', 'LL3 HH2', 'nonsense'),
    'x': (-500, 3, 10 ** 5), 'limit': (0, 0.1), 'threshold': ('hard', 'soft'), 'level': (1, 3, 9),
    'band': ('LL', 'HH', 'LLH', 'HHL'), 'split': (0, 1), 'pane': ('z', 'y', 'x', 'fourth'),
    'single': ('true', 'false'), 'fourth': ('bands', 'mip'), 'mip': ('x', 'y', 'z'),
    'show.y': ('same', 'mosaic', 'band', 'tree'), 'levels_z': (0, 1, 9), 'gop': (0, 2, 3, 99),
    'cross.z': (0, 3, 10 ** 6),
}
FILES = ('one.png', 'two.png', 'tiny.png', 'strip.png', 'broken.png', 'directory', 'missing.png',
         'text.txt', 'bad.json', 'bad.wavelet', 'shot.png', 'volume.npy',
         'volume.npy', 'thin.npy')


def keys(program):
    """All keys of the manual except the one that quits."""
    man = subprocess.run([program, 'help', '--man'], capture_output=True, text=True,
                         check=True).stdout.replace('\\-', '-').replace('\\e', '\\')
    section = man.split('.SH KEYS OF THE VIEWER')[1].split('\n.SH ')[0]
    lines = [line[3:].replace('\\&', '') for line in section.splitlines()
             if line.startswith('.B ')]
    return [key for line in lines for key in line.split(' , ') if key != 'Ctrl+Q']


def write_files(directory):
    def write(name, data):
        with open(os.path.join(directory, name), 'wb') as file:
            file.write(data)
    write('one.png', formats.png(61, 47, formats.noise(61 * 47 * 3, 255, 1), planes=3))
    write('two.png', formats.png(61, 47, formats.noise(61 * 47, 255, 2)))
    write('tiny.png', formats.png(1, 1, [7]))
    write('strip.png', formats.png(3000, 1, formats.noise(3000, 255, 3)))
    write('changing.png', formats.png(61, 47, formats.noise(61 * 47, 255, 4)))
    write('broken.png', formats.png(9, 9, [1] * 81)[:50])
    write('volume.npy', formats.npy((8, 10, 12), [n / 255 for n in formats.noise(960, 255, 5)]))
    write('thin.npy', formats.npy((2, 1, 7), range(14)))
    write('text.txt', b'hello')
    write('bad.json', b'{"mode": 3')
    write('bad.wavelet', b'nonsense')
    os.mkdir(os.path.join(directory, 'directory'))


def block(seed, every_key):
    """Events, preceded by the settings from which they start."""
    dice = random.Random(seed)
    events = ['resize 520 340', 'drop one.png', 'key Esc', 'set zeroed none']
    events += ['set %s %s' % pair for pair in START.items()]
    events += ['wait 1', 'shot shot.png']
    for _ in range(EVENTS):
        kind = dice.choice(('key', 'key', 'key', 'move', 'mouse', 'wheel', 'set', 'set', 'drop',
                            'resize', 'type', 'copy', 'lose', 'precision'))
        if kind == 'key':
            events.append('key ' + dice.choice(every_key))
        elif kind == 'move':
            events.append('move %d %d' % (dice.randrange(-20, 540), dice.randrange(-20, 360)))
        elif kind == 'mouse':
            button = dice.choice((0, 0, 1, 2))
            events += ['move %d %d' % (dice.randrange(520), dice.randrange(340)),
                       'down %d' % button,
                       'move %d %d' % (dice.randrange(520), dice.randrange(340)),
                       'up %d' % button]
        elif kind == 'wheel':
            events.append('wheel %d' % dice.randrange(-6, 7))
        elif kind == 'set':
            name = dice.choice(sorted(SETTINGS))
            events.append('try %s %s' % (name, dice.choice(SETTINGS[name])))
        elif kind == 'drop':
            events.append('drop ' + dice.choice(FILES))
        elif kind == 'resize':
            events.append('resize %d %d' % (dice.choice((1, 7, 300, 520)),
                                            dice.choice((1, 7, 200, 340))))
        elif kind == 'copy':
            # Reloads immediately, since the time until a change is detected varies.
            events += ['copy %s changing.png' % dice.choice(FILES[:5]), 'drop changing.png',
                       'do reload', 'wait 1', 'copy %s changing.png' % dice.choice(FILES[:5]),
                       'do reload', 'wait 1']
        elif kind == 'lose':
            events.append('lose ' + dice.choice('ab'))
        elif kind == 'precision':
            instance = dice.choice('ab')
            events += ['try %s.backend %s' % (instance, dice.choice(('fragment', 'reference'))),
                       'try %s.precision %s' % (instance, dice.choice(('f16', 'f16', 'f32')))]
        else:
            events.append('type ' + dice.choice(('gain 2', 'zoom', '1 2 3', 'x', 'theme light')))
    return events + ['key Esc', 'resize 520 340'] + \
        ['set %s %s' % pair for pair in START.items()] + ['wait 3']


def lost_objects(reports):
    """The error if the numbers of GL objects differ between the runs of a block, or None."""
    objects = [report[0] for report in reports]
    return 'GL objects: %s' % objects if len(set(objects[1:])) > 1 else None


def growth(reports):
    """The error if the heap grew in each run, or None."""
    heap = [report[1] for report in reports[-TIMES:]]
    grew = all(then > before + LEAK for before, then in zip(heap, heap[1:]))
    return 'bytes on the heap: %s' % heap if grew else None


def play(program, seeds, times, end):
    """Plays the blocks of these seeds in one process. Returns the reports of each, and an error of
    the process or None. Ends after the block that is being played at the time `end`."""
    with tempfile.TemporaryDirectory(prefix='wavepass-soak-') as directory:
        write_files(directory)
        return play_in(directory, program, seeds, times, end)


def play_in(directory, program, seeds, times, end):
    script = os.path.join(directory, 'events.txt')
    every_key = keys(program)
    with open(script, 'w') as file:
        for seed in seeds:
            events = '\n'.join(block(seed, every_key))
            for repeat in range(times):
                file.write('%s\nfacts %d-%d.json\n' % (events, seed, repeat))
    environment = dict(os.environ, ASAN_OPTIONS='detect_leaks=0:quarantine_size_mb=8')
    environment.pop('DISPLAY', None)
    played, reports, wrong = {}, [], None
    with open(os.path.join(directory, 'errors'), 'w+') as errors:
        process = subprocess.Popen([program, 'view', 'one.png', 'two.png', '--screenshot', 'x.png',
                                    '--window', '520x340', '--events', script], cwd=directory,
                                   stderr=errors, env=environment)
        # At least one block on slow machines, and all of them on fast ones.
        while len(played) < len(seeds) and (time.time() < end or not played):
            seed = seeds[len(played)]
            name = os.path.join(directory, '%d-%d.json' % (seed, len(reports)))
            ended = process.poll() is not None
            if not os.path.exists(name):
                if ended:
                    wrong = 'the program ended with exit code %d' % process.returncode
                    break
                time.sleep(0.05)
                continue
            with open(name) as file:
                facts = json.load(file)
            reports.append((facts['gl_objects'], facts['heap']))
            if len(reports) == times:
                print('seed %d: %s' % (seed, reports), flush=True)
                played[seed], reports = reports, []
                wrong = lost_objects(played[seed])
                if wrong or growth(played[seed]):
                    break
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait()
        errors.seek(0)
        output = errors.read()
    if wrong or 'Sanitizer' in output or 'runtime error' in output:
        wrong = '%s\n%s' % (wrong or 'the sanitizers', output)
    return played, wrong


def soak(program, seconds, first_seed):
    blocks = int(seconds / BLOCK_SECONDS) + 1
    seeds, end, count = range(first_seed, first_seed + blocks), time.time() + seconds, 0
    while seeds and (time.time() < end or count == 0):
        played, wrong = play(program, seeds, TIMES, end)
        count += max(len(played), 1)
        grown = [seed for seed, reports in played.items() if growth(reports)]
        if not wrong and grown:
            longer, wrong = play(program, grown, TIMES * LONGER, end)
            wrong = wrong or growth(longer[grown[0]])
        if wrong:
            print('block %d, of seed %d: %s' % (count, first_seed + count - 1, wrong))
            return 1
        seeds = seeds[len(played):]
    print('%d blocks of %d events, %d times each: no error' % (count, EVENTS, TIMES))
    return 0


def main():
    program = os.path.abspath(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 120
    if os.environ.get('WAVEPASS_SAMPLE'):
        seconds = min(seconds, SAMPLE_SECONDS)
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    version = subprocess.run([program, '--version', '-v'], capture_output=True, text=True,
                             check=True).stdout
    if 'viewer: yes' not in version:
        print('skipped: the viewer is not part of this build')
        return SKIP
    return soak(program, seconds, seed)


sys.exit(main())
