#!/usr/bin/env python3
"""Runs a command and fails if it leaves something behind in directories for temporary files.

    tests/left_behind.py SCRATCH COMMAND...

SCRATCH is the directory that is $TMPDIR to tests (CMakeLists.txt). It is emptied before and after
the command, so that nothing stays of tests that were killed. In /tmp, where programs put files
that do not look at $TMPDIR, /var/tmp and /dev/shm nothing may be new afterwards that has one of
NAMES. Compilers and desktops put files there all the time, so other names are not counted, nor
what belongs to another user or is open in a process that runs.
"""
import os
import re
import shutil
import subprocess
import sys
import time

# X servers have their sockets in the second one.
PLACES = '/tmp', '/tmp/.X11-unix', '/var/tmp', '/dev/shm'
# Of this project, X servers, Python's tempfile, mktemp, Open MPI and browsers.
NAMES = re.compile(r'.*wavepass.*|.*mutant.*|\.X\d+-lock|X\d+|xvfb-run\..*|tmp[a-z0-9_]{8}|'
                   r'tmp\.\w{10}|(ompi|pmix|prte)[.-].*|.*(chrom|mozilla|firefox).*')
PATIENCE = 10  # seconds until a process that has been told to end has ended


def entries():
    found = set()
    for place in filter(os.path.isdir, PLACES):
        for entry in os.scandir(place):
            try:
                if (NAMES.fullmatch(entry.name) and
                        entry.stat(follow_symlinks=False).st_uid == os.getuid()):
                    found.add(entry.path)
            except FileNotFoundError:
                pass
    return found


def links_of(process):
    folder = os.path.join('/proc', process)
    paths = [os.path.join(folder, name) for name in ('cwd', 'exe')]
    try:
        paths += [entry.path for entry in os.scandir(os.path.join(folder, 'fd'))]
    except OSError:
        pass
    for path in paths:
        try:
            yield os.readlink(path)
        except OSError:
            pass


def in_use():
    """Paths that processes have open, and those of sockets."""
    links = {link for process in filter(str.isdecimal, os.listdir('/proc'))
             for link in links_of(process)}
    with open('/proc/net/unix', encoding='utf-8', errors='replace') as file:
        return links | {line.split()[-1] for line in file}


def is_used(path, links):
    if path.endswith('-lock'):  # of an X server, by its number
        path = '/tmp/.X11-unix/' + os.path.basename(path)[1:-len('-lock')]
    return any(link == path or link.startswith(path + '/') for link in links)


def contents(scratch):
    return {os.path.join(scratch, name) for name in os.listdir(scratch)}


def left_since(before, scratch):
    for _ in range(PATIENCE):
        links = in_use()
        left = sorted(contents(scratch) | {path for path in entries() - before
                                           if not is_used(path, links)})
        if not left:
            break
        time.sleep(1)
    return left


def empty(scratch):
    os.makedirs(scratch, exist_ok=True)
    for path in contents(scratch):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.remove(path)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    scratch, command = sys.argv[1], sys.argv[2:]
    empty(scratch)
    before = entries()
    status = subprocess.run(command, check=False).returncode
    left = left_since(before, scratch)
    empty(scratch)
    if left:
        print('left behind:\n  ' + '\n  '.join(left), file=sys.stderr)
    return status or bool(left)


sys.exit(main())
