#!/usr/bin/env python3
"""Looks at what a build has made for what hardens it (cmake/hardening.cmake).

    hardening.py BUILD [CONFIG]

Of programs and libraries: addresses that are chosen at run time, tables of them that are read-only
before main(), no code on the stack, no empty name among the directories of libraries. Of every own
object: marks of what jumps go to. Of all objects together: canaries, checked calls, pages of the
stack that are touched in order; no single object need have a reason for these."""
import json
import os
import platform
import re
import subprocess
import sys

SKIPPED = 77


def read(tool, *arguments):
    return subprocess.run([tool, *arguments], capture_output=True, text=True, check=True,
                          env={**os.environ, 'LC_ALL': 'C'}).stdout


def check_linked(path):
    """Yields what is wrong."""
    if 'Type:                              DYN' not in read('readelf', '-h', path):
        yield 'lies at fixed addresses'
    segments = read('readelf', '-lW', path)
    if 'GNU_RELRO' not in segments:
        yield 'has no RELRO'
    if not re.search(r'GNU_STACK .* RW +0x', segments):
        yield 'has code on the stack'
    dynamic = read('readelf', '-dW', path)
    if not re.search(r'BIND_NOW|Flags:.*NOW', dynamic):
        yield 'binds names late'
    for kind, names in re.findall(r'\((RPATH|RUNPATH)\).*\[(.*)\]', dynamic):
        if '' in names.split(':') or any(not name.startswith(('/', '$ORIGIN'))
                                         for name in names.split(':')):
            yield 'has a %s of [%s]' % (kind, names)


def check_objects(objects, optimised, is_x86):
    """Yields what is wrong of the objects together."""
    names = read('nm', '-u', *objects)
    if '__stack_chk_fail' not in names:
        yield 'no canaries'
    if optimised and '__vsnprintf_chk' not in names:
        yield 'no checked calls'
    if not is_x86:
        return
    # Of a path's length, which is more than a page of the stack.
    large = [path for path in objects if path.endswith('/output_path.c.o')]
    if not re.search(r'(or|mov)q +\$0x0,(0x0)?\(%rsp\)', read('objdump', '-d', *large)):
        yield 'pages of the stack are not touched in order'
    for path in objects:
        if path.endswith('.cu.o'):  # the device's code lies in objects of its own
            continue
        notes = read('readelf', '-n', path)
        if 'IBT' not in notes or 'SHSTK' not in notes:
            yield '%s: targets of jumps are not marked' % path


def main():
    build, config = sys.argv[1], (sys.argv[2:] or [''])[0]
    with open(os.path.join(build, 'CMakeCache.txt'), encoding='utf-8') as file:
        cache = dict(re.findall(r'^(\w+):\w+=(.*)$', file.read(), re.MULTILINE))
    if cache.get('WAVEPASS_HARDENING', '').upper() not in ('ON', 'TRUE', '1'):
        print('skipped: built with WAVEPASS_HARDENING=%s' % cache.get('WAVEPASS_HARDENING'))
        return SKIPPED
    sanitized = cache.get('WAVEPASS_SANITIZE', '').upper() in ('ON', 'TRUE', '1')
    with open(os.path.join(build, 'layers.json'), encoding='utf-8') as file:
        objects = [path for layer in json.load(file) for path in layer['objects']
                   if os.path.exists(path)]
    wrong = list(check_objects(objects, config != 'Debug' and not sanitized,
                               platform.machine() == 'x86_64'))
    linked = [name for name in ('wavepass', 'libwavepass.so', 'libwavepass-reconstruct.so')
              if os.path.exists(os.path.join(build, name))]
    for name in linked:
        wrong += ['%s %s' % (name, what) for what in check_linked(os.path.join(build, name))]
    for each in wrong:
        print('FAIL: ' + each)
    print('%d objects, %s: %d faults' % (len(objects), ', '.join(linked), len(wrong)))
    return 1 if wrong or not objects or not linked else 0


sys.exit(main())
