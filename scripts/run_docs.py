#!/usr/bin/env python3
"""Runs the commands of the documentation: each page in a new folder, with `wavepass` on the PATH.

    scripts/run_docs.py [--wavepass FILE] [PAGE...]

A page is a path in the project, such as docs/editing.md; by default all pages run. The blocks
```sh of a page run in their order, as one bash script that ends at the first command that fails. A
block ```sh no-run does not run, and the line before it gives the reason: <!-- not run: REASON -->.
A command in any other block is an error, so that every command is either run or has a reason.
docs/coming-from.md, which has Python between its commands, is checked here and run by
scripts/coming_from.py.

The exit status is 1 if a command fails; the page, the line and the output are printed.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The changelog has commands of past versions.
HISTORY = ('docs/decisions.md',)
COMMAND = re.compile(r'\s*(wavepass(-mpi)?|scripts/\S+|mpiexec|mpicc|srun|cmake|emcmake|ctest|'
                     r'cpack|pkg-config|cc|gcc|git|cp|mkdir|printf|export|apt-get|sudo|nsys|'
                     r'apitrace|ffmpeg)\s')
REASON = re.compile(r'<!-- not run: .+ -->')
SECONDS = 120


class Failure(Exception):
    pass


class Block:
    """The lines between two fences, or of an indented block (kind None); `line` is the number of
    the first line."""

    def __init__(self, kind, line, before):
        self.kind, self.line, self.before, self.lines = kind, line, before, []


def pages():
    names = ['README.md'] + sorted(glob.glob('docs/*.md', root_dir=ROOT) +
                                   glob.glob('docs/lecture/*.md', root_dir=ROOT))
    return [name for name in names if name not in HISTORY]


def blocks(text):
    """All blocks of a page."""
    found, fence = [], None
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        before = lines[number - 2] if number > 1 else ''
        if fence:
            if line.strip() == fence:
                fence = None
            else:
                found[-1].lines.append(line)
        elif line.lstrip().startswith('```'):
            fence = '```'
            found.append(Block(line.strip()[3:].strip(), number + 1, before))
        elif line.startswith('    ') and line.strip():
            if not (found and found[-1].kind is None and
                    found[-1].line + len(found[-1].lines) == number):
                found.append(Block(None, number, before))
            found[-1].lines.append(line)
    return found


def check(name, text):
    """Raises Failure if a command is neither run nor has a reason."""
    for block in blocks(text):
        where = '%s:%d: ' % (name, block.line)
        if block.kind == 'sh no-run':
            if not REASON.fullmatch(block.before.strip()):
                raise Failure(where + 'no comment <!-- not run: REASON --> before this block')
        elif block.kind not in ('sh', 'python'):
            for i, line in enumerate(block.lines):
                if COMMAND.match(line + ' '):
                    raise Failure('%s:%d: this command is not in a block ```sh: %s' % (
                        name, block.line + i, line.strip()))


def script(text):
    """The commands of a page, each on its line of the page, so that bash reports the right line."""
    lines = [''] * (len(text.splitlines()) + 1)
    for block in blocks(text):
        if block.kind == 'sh':
            lines[block.line - 1:block.line - 1 + len(block.lines)] = block.lines
    return '\n'.join(lines) + '\n'


def environment(program, home):
    drop = ('DISPLAY', 'WAYLAND_DISPLAY', 'LD_PRELOAD', 'BASH_ENV')
    kept = {name: value for name, value in os.environ.items()
            if name not in drop and not name.startswith('WAVEPASS_')}
    return {**kept, 'HOME': home, 'XDG_CACHE_HOME': home,
            'PATH': os.path.dirname(program) + ':' + os.environ['PATH']}


def run(name, text, program):
    """Runs a page's commands. Returns how many lines of commands it has."""
    check(name, text)
    commands = script(text)
    if not commands.strip():
        return 0
    with tempfile.TemporaryDirectory(prefix='wavepass-docs-') as scratch:
        folder, file, line = (os.path.join(scratch, each) for each in ('folder', 'script', 'line'))
        os.mkdir(folder)
        with open(file, 'w', encoding='utf-8') as out:
            # The first line of a page is its title, which the trap replaces.
            out.write("trap 'echo $LINENO >%s' ERR" % line + commands)
        try:
            done = subprocess.run(['bash', '-euo', 'pipefail', file], cwd=folder, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False, timeout=SECONDS,
                                  env=environment(program, scratch))
        except subprocess.TimeoutExpired as error:
            raise Failure('%s: its commands take more than %d s' % (name, SECONDS)) from error
        if done.returncode:
            number = '?'
            if os.path.exists(line):
                with open(line, encoding='utf-8') as found:
                    number = found.read().strip()
            shown = text.splitlines()[int(number) - 1] if number.isdigit() else ''
            raise Failure('%s:%s: exit status %d: %s\n%s' % (
                name, number, done.returncode, shown,
                '\n'.join(done.stdout.splitlines()[-20:])))
    return sum(1 for each in commands.splitlines() if each.strip())


def read(name):
    with open(os.path.join(ROOT, name), encoding='utf-8') as file:
        return file.read()


def has_viewer(program):
    done = subprocess.run([program, '--version', '-v'], capture_output=True, text=True, check=True)
    return 'viewer: yes' in done.stdout


def run_or_skip(name, program):
    text = read(name)
    if name == 'docs/coming-from.md':
        check(name, text)
        return 'scripts/coming_from.py runs its commands'
    if 'wavepass view' in script(text) and not has_viewer(program):
        check(name, text)
        return 'skipped: the program is built without the viewer'
    return '%d lines of commands' % run(name, text, program)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--wavepass', default=os.path.join(ROOT, 'build/release/wavepass'))
    parser.add_argument('pages', nargs='*', metavar='PAGE')
    given = parser.parse_args()
    failed = False
    program = os.path.abspath(given.wavepass)
    for name in given.pages or pages():
        try:
            print('%s: %s' % (name, run_or_skip(name, program)), flush=True)
        except Failure as error:
            print(error, flush=True)
            failed = True
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
