"""A viewer without a display that plays events and reports its state."""
import json

import formats
import harness
from harness import CliTest

IMAGE = 'pattern:zone-plate:96x80'
SMALL = ('--window', '320x240')
PANELS = ('--window', '1000x640')
TALL = ('--window', '1000x720')  # all of Display is visible


class ViewTest(CliTest):
    def setUp(self):
        super().setUp()
        if not harness.has_viewer():
            self.skipTest('the viewer is not part of this build')

    def view(self, events, *arguments, image=IMAGE, **how):
        """Plays the events; then `facts` and `state` have the values at the end."""
        self.write('events.txt', '\n'.join(events) + '\nwait 2\nfacts facts.json\n'
                   'state state.json\n')
        images = (image,) if isinstance(image, str) else image
        result = self.succeed('view', *images, '--screenshot', 'view.png', '-f', '--events',
                              'events.txt', *(arguments or SMALL), timeout=600, **how)
        self.facts = json.loads(self.read('facts.json'))
        self.state = json.loads(self.read('state.json'))
        return result

    def pixels(self, name):
        """The pixels, without the state in the picture."""
        return formats.read_png(self.read(name))[4]

    def coefficients(self, *arguments):
        self.succeed('forward', *arguments, '-f', '-o', 'wanted.npy')
        return formats.read_npy(self.read('wanted.npy'))
