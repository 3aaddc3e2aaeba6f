#!/usr/bin/env python3
"""Runs a command and fails if it leaves files in directories for temporary files.

    tests/left_behind.py SCRATCH COMMAND...

SCRATCH is the $TMPDIR of tests (CMakeLists.txt). It is emptied before and after the command, so
that files of killed tests are removed. Programs that ignore $TMPDIR write to /tmp, /var/tmp and
/dev/shm: there must be no new files with one of NAMES. Compilers and desktops write there all the
time, so other names are ignored, and so are files of other users and files that are open.
"""
import os
import re
import shutil
import subprocess
import sys
import time

# The second one has the sockets of X servers.
DIRECTORIES = '/tmp', '/tmp/.X11-unix', '/var/tmp', '/dev/shm'
# Names of this project, X servers, Python's tempfile, mktemp, Open MPI and browsers.
NAMES = re.compile(r'.*wavepass.*|.*mutant.*|\.X\d+-lock|X\d+|xvfb-run\..*|tmp[a-z0-9_]{8}|'
                   r'tmp\.\w{10}|(ompi|pmix|prte)[.-].*|.*(chrom|mozilla|firefox).*')
PATIENCE = 10  # seconds until a terminated process has ended


def entries():
    found = set()
    for directory in filter(os.path.isdir, DIRECTORIES):
        for entry in os.scandir(directory):
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
    """Paths of files that processes have open, and of sockets."""
    links = {link for process in filter(str.isdecimal, os.listdir('/proc'))
             for link in links_of(process)}
    with open('/proc/net/unix', encoding='utf-8', errors='replace') as file:
        return links | {line.split()[-1] for line in file}


def is_used(path, links):
    if path.endswith('-lock'):  # of an X server, with its number
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
