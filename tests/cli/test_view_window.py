"""The viewer in a window, under Xvfb."""
import ctypes
import json
import os
import re
import subprocess
import sys
import time
import unittest

import display
import formats
import harness
from viewing import IMAGE, SMALL, PANELS, TALL, ViewTest


class XWindow:
    """A window of another process, to which the test sends the messages of a window manager."""
    NORMAL, ICONIC = 1, 3  # the values in ICCCM

    def __init__(self, screen, name):
        self.x = ctypes.CDLL('libX11.so.6')
        for function in ('XOpenDisplay', 'XDefaultRootWindow', 'XInternAtom'):
            getattr(self.x, function).restype = ctypes.c_void_p
        self.display = ctypes.c_void_p(self.x.XOpenDisplay(screen.encode()))
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
        """The pixels of the window on the screen."""
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
        """The picture that does not change for half a second."""
        last = None
        for _ in range(40):
            pixels = self.grab()
            if pixels == last:
                break
            last = pixels
            time.sleep(0.5)
        return pixels

    def hands(self):
        """The pointer and keyboard of the server; None if it has none."""
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
        """Presses at the first position and releases at the last. Buttons have the numbers of X: 4
        and 5 are the wheel."""
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
        """Presses keys with the names of X in order, and releases them in reverse order."""
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


class Screen(unittest.TestCase):
    @unittest.skipUnless(display.is_available(), 'no Xvfb')
    def test_ends_with_a_killed_test(self):
        """The socket is removed although the test was killed. With -displayfd there is no lock
        file."""
        code = ('import display, time; server = display.Display(); '
                'print(server.name[1:], flush=True); time.sleep(9)')
        with subprocess.Popen([sys.executable, '-B', '-c', code], stdout=subprocess.PIPE,
                              text=True, cwd=os.path.dirname(display.__file__)) as user:
            socket = '/tmp/.X11-unix/X%d' % int(user.stdout.readline())
            was_there = os.path.exists(socket)
            user.kill()
        self.assertTrue(was_there)
        for _ in range(200):
            if not os.path.exists(socket):
                return
            time.sleep(0.05)
        self.fail('%s is left' % socket)


class Window(ViewTest):
    def start(self, *arguments, env=None):
        self.screen = self.display()
        return subprocess.Popen([harness.PROGRAM, 'view', *arguments], cwd=self.directory,
                                env=self.environment({'XDG_STATE_HOME': self.path('none'),
                                                      **self.screen, **(env or {})}),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

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
        """Panel widths persist from window to window; pictures without a window do not depend on
        them."""
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
        # Invalid states and paths that cannot be written are ignored.
        self.write('state/wavepass/view.json', '{"left": "wide"}')
        self.assertEqual(run(), (18, 21.5, False, False))
        env['XDG_STATE_HOME'] = '/proc/none'
        self.assertEqual(run('set left 30'), (30, 21.5, False, False))
        # Without the variable the default path is used; relative paths are ignored.
        kept = 'home/.local/state/wavepass/view.json'
        for env in ({'XDG_STATE_HOME': '', 'HOME': 'home'},
                    {'XDG_STATE_HOME': 'state', 'HOME': self.path('home')}):
            self.assertFalse(os.path.exists(self.path(kept)))
            run('set left 31')
        self.assertEqual(json.loads(self.read(kept))['left'], 31)
        self.assertEqual(run()[0], 31)

    def test_controls_of_an_empty_window(self):
        """All controls and keys can be used without an image."""
        events = ['wait 3', 'facts empty.json']
        for name in ('Levels', 'Gain', 'Offset', 'Fit', 'Fit', 'Grid', 'Optimized'):
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
            used = self.settle(process.pid, lambda ticks: ticks <= 2)
            self.assertLessEqual(used, 2, 'ticks of CPU time in two seconds')
            self.assertIsNone(process.poll(), 'it has ended')
        finally:
            process.terminate()
            process.communicate()

    def test_minimised(self):
        """A minimized window draws no frames, however busy it is; afterwards it continues."""
        self.write('events.txt', 'set live true\nwait 1000000\n')
        process = self.start(IMAGE, '--window', '900x600', '--events', 'events.txt')
        try:
            window = XWindow(self.screen['DISPLAY'], 'wavepass')
            for state, busy in ((XWindow.NORMAL, True), (XWindow.ICONIC, False),
                                (XWindow.NORMAL, True)):
                window.set_state(state)
                ticks = self.settle(process.pid, lambda used: (used > 2) == busy)
                self.assertEqual(ticks > 2, busy, '%d ticks of CPU time, state %d' % (ticks, state))
            self.assertIsNone(process.poll(), 'it has ended')
        finally:
            process.terminate()
            process.communicate()

    def touchable(self, process):
        """The window of an idle program, for input."""
        self.settle(process.pid, lambda ticks: ticks <= 2)
        window = XWindow(self.screen['DISPLAY'], 'wavepass').hands()
        if not window:
            self.skipTest('no libXtst, by which a test can touch an X server')
        return window

    def touch(self, act, *events):
        """Runs `act` on a window, with the positions of controls from a picture of the same size.
        """
        self.view((*events, 'wait 2'), *TALL)
        self.places = self.facts['places']
        self.view((*events, 'wait 2', 'click controls/Scheme', 'wait 2'), *TALL)
        self.lines = self.facts['places']
        self.write('start.json', '{"times": false}')
        process = self.start(IMAGE, *TALL, '--state', 'start.json')
        try:
            window = self.touchable(process)
            window.settled()
            act(window)
        finally:
            process.terminate()
            process.communicate()

    def state_on_screen(self, window):
        """The state in a picture of the window."""
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
        """One click with the pointer at rest opens a list, and Esc closes it."""
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
            window.click(self.places['controls/Optimized'])
            window.click(self.places['controls/Grid'])
            window.click(self.places['timeline/>'])
            window.click(self.places['timeline/>'])
            window.click(self.places['timeline/>'])
            state = self.state_on_screen(window)
            self.assertEqual((state['a.scheme'], state['a.plain'], state['grid'], state['mode'],
                              state['op']), ('sep-lifting', True, True, 'pass', 2))
        self.touch(act)

    def test_typed_5_ms_apart(self):
        """The field receives the letters before Enter, the window those after it."""
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
        """Every key and button has the effect of the event; a picture after each has the state."""
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
            window = self.touchable(process)
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
            # From one field to another with the clipboard.
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
            process.terminate()
            process.communicate()

    def state_of_picture(self, window):
        """The state in the next picture of the window."""
        before = set(os.listdir(self.directory))
        window.keys('F12')
        for _ in range(1000):
            for name in set(os.listdir(self.directory)) - before:
                # It has another name until it is complete.
                if re.fullmatch('wavepass-[0-9]+.png', name):
                    found = re.search(rb'tEXtwavepass view\0({.*?})', self.read(name), re.DOTALL)
                    return json.loads(found[1])
            time.sleep(0.01)
        self.fail('no picture was written')

    def settle(self, pid, good):
        """Ticks of CPU time in two seconds, after they satisfy the condition."""
        for _ in range(30):
            before = self.cpu(pid)
            time.sleep(2)
            used = self.cpu(pid) - before
            if good(used):
                break
        return used

    def cpu(self, pid):
        with open('/proc/%d/stat' % pid) as file:
            fields = file.read().rsplit(') ', 1)[1].split()
        return int(fields[11]) + int(fields[12])
