#!/usr/bin/env python3
"""Runs a command and fails if it leaves files in directories for temporary files.

    tests/left_behind.py SCRATCH COMMAND...

SCRATCH is $TMPDIR of the tests (CMakeLists.txt). It is emptied before and after the command, which
removes files of killed tests. In /tmp, for programs that ignore $TMPDIR, /var/tmp and /dev/shm
there must be no new files that match NAMES. Other names are ignored, since compilers and desktops
create files there, and so are files of other users and files that are open.
"""
import os
import re
import shutil
import subprocess
import sys
import time

# X servers have their sockets in the second one.
FOLDERS = '/tmp', '/tmp/.X11-unix', '/var/tmp', '/dev/shm'
# Files of this project, X servers, Python's tempfile, mktemp, Open MPI and browsers.
NAMES = re.compile(r'.*wavepass.*|.*mutant.*|\.X\d+-lock|X\d+|xvfb-run\..*|tmp[a-z0-9_]{8}|'
                   r'tmp\.\w{10}|(ompi|pmix|prte)[.-].*|.*(chrom|mozilla|firefox).*')
TIMEOUT = 10  # seconds for processes to end after they were signaled


def entries():
    found = set()
    for folder in filter(os.path.isdir, FOLDERS):
        for entry in os.scandir(folder):
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
    """Returns the paths of open files and of sockets."""
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
    for _ in range(TIMEOUT):
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
