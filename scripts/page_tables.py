"""Fills tables of pages for readme_tables.py, reconstruction_tables.py and format_table.py."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def filled(name, page, blocks, margin=''):
    """Returns the page with the lines of blocks[NAME]() between its lines <!-- table NAME --> and
    <!-- end -->, and `margin` before and after them."""
    new, count = re.subn(r'(<!-- table (\w+) -->\n).*?(?=<!-- end -->)',
                         lambda m: m[1] + margin + '\n'.join(blocks[m[2]]()) + '\n' + margin,
                         page, flags=re.DOTALL)
    if count != len(blocks):
        sys.exit('%s has lines for %d of %d tables' % (name, count, len(blocks)))
    return new


def fill(name, blocks, usage, margin=''):
    """Fills the tables of the page with path `name` in the project. With the argument --check the
    script writes nothing, and its exit code is 1 if the page has other figures."""
    check = sys.argv[1:] == ['--check']
    if sys.argv[1:] and not check:
        sys.exit(usage)
    path = os.path.join(ROOT, name)
    with open(path, encoding='utf-8') as file:
        page = file.read()
    new = filled(name, page, blocks, margin)
    if check and new != page:
        sys.exit('%s has other figures than docs/results; run %s' % (
            name, os.path.relpath(sys.argv[0], ROOT)))
    if not check:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(new)
