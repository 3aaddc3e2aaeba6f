"""Compares texts of the viewer with golden texts, in which numbers may differ by rounding and successive
states are stored as differences.

A file of states:

    == TITLE (from: TITLE OF AN EARLIER STATE)
      a line of that state, after which the change is
    - a removed line
    + an added line

The first state is a difference from an empty one. Positions are found by their lines and not by
numbers, so a line that is added to a state changes neither the other states nor the following lines.
"""
import difflib
import itertools
import re

NUMBER = re.compile(r'[-+]?\d+[.]\d+')
TITLE = re.compile(r'== (.*?)(?: \(from: (.*)\))?\n')
CHANGE = re.compile(r'((?:  .*\n)*)((?:- .*\n)*)((?:\+ .*\n)*)')


def is_near(text, wanted, tolerance):
    """Whether the words are equal and the numbers that are not integers are nearly equal."""
    return NUMBER.sub('#', text) == NUMBER.sub('#', wanted) and all(
        abs(float(a) - float(b)) <= tolerance + 1e-3 * abs(float(b))
        for a, b in zip(NUMBER.findall(text), NUMBER.findall(wanted)))


def opcodes(old, new):
    return difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()


def difference(lines, wanted, tolerance):
    """The difference in the form of `diff -u`; '' if all lines are nearly equal."""
    lines = list(lines)
    for tag, i, end, j, _ in opcodes(*([NUMBER.sub('#', line) for line in text]
                                       for text in (wanted, lines))):
        if tag == 'equal':
            for known, n in zip(wanted[i:end], itertools.count(j)):
                if is_near(lines[n], known, tolerance):
                    lines[n] = known
    return '\n'.join(difflib.unified_diff(wanted, lines, 'golden', 'now', n=2, lineterm=''))


def find(lines, part, start):
    """The first position of the part, from `start` on."""
    return next((i for i in range(start, len(lines) + 1) if lines[i:i + len(part)] == part), None)


def changes(old, new):
    """The lines that transform one state into the other. Each change follows as many common lines
    as identify its position."""
    text, done = [], 0
    for tag, i, end, j, new_end in opcodes(old, new):
        if tag == 'equal':
            continue
        start = max(i - 1, done)
        while find(old, old[start:end], done) != start:
            start -= 1
        text += ['  ' + line for line in old[start:i]]
        text += ['- ' + line for line in old[i:end]] + ['+ ' + line for line in new[j:new_end]]
        done = end
    return text


def apply_changes(old, text):
    new, done = [], 0
    if CHANGE.sub('', text):
        raise ValueError('no changes:\n' + CHANGE.sub('', text))
    for change in CHANGE.finditer(text):
        common, removed, added = ([line[2:] for line in part.splitlines()]
                                  for part in change.groups())
        start = find(old, common + removed, done)
        if start is None:
            raise ValueError('a change that fits nowhere:\n' + change.group())
        new += old[done:start] + common + added
        done = start + len(common + removed)
    return new + old[done:]


def write_states(states):
    """Writes `states`, which are (title, lines), each as the shortest difference from an earlier
    state."""
    text = []
    for n, (title, lines) in enumerate(states):
        candidates = [(changes(old, lines), ' (from: %s)' % name) for name, old in states[:n]]
        best, source = min(candidates or [(changes([], lines), '')], key=lambda c: len(c[0]))
        text += ['== ' + title + source, *best]
    return '\n'.join(text) + '\n'


def read_states(text):
    states = {}
    for part in re.split(r'(?m)^(?=== )', text)[1:]:
        title, source = TITLE.match(part).groups()
        states[title] = apply_changes(states[source] if source else [], part.split('\n', 1)[1])
    return list(states.items())
