#!/usr/bin/env python3
"""Checks that the results of a build are hardened (cmake/hardening.cmake).

    hardening.py BUILD [CONFIG]

Programs and libraries: position-independent, relocations read-only before main(), no executable
stack, no empty entry in RPATH, and marked jump targets (CET) if the compiler's start files have the
marks, without which the linker drops them. Each of the project's objects: these marks, and no
stack allocation larger than a page, which could skip the guard page. All objects together: stack
canaries, checked calls, and probed stack pages; not each object needs these.

hardening-check of Debian's devscripts checks less: for the stack it only searches for the loop of
variable-length arrays, which this project does not use, and for marks in linked files."""
import json
import os
import platform
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
PAGE = 4096


def read(tool, *arguments):
    return subprocess.run([tool, *arguments], capture_output=True, text=True, check=True,
                          env={**os.environ, 'LC_ALL': 'C'}).stdout


def is_marked(path):
    notes = read('readelf', '-n', path)
    return 'IBT' in notes and 'SHSTK' in notes


def start_files_without_marks(compiler):
    """The linker's reason why even a minimal program is not marked; None if it is."""
    with tempfile.TemporaryDirectory(prefix='wavepass-hardening-') as directory:
        source, program = (os.path.join(directory, name) for name in ('least.c', 'least'))
        with open(source, 'w', encoding='utf-8') as file:
            file.write('int main(void) { return 0; }\n')
        result = subprocess.run([compiler, '-fcf-protection=full', '-Wl,-z,cet-report=warning',
                               source, '-o', program], capture_output=True, text=True, check=False)
        if result.returncode == 0 and is_marked(program):
            return None
        files = re.findall(r'(\w+\.[oa])\W[^:]*: missing (?:IBT|SHSTK)', result.stderr)
        return ', '.join(dict.fromkeys(files)) or result.stderr.strip() or 'start files'


def check_linked(path, wants_marks):
    """Yields faults."""
    if wants_marks and not is_marked(path):
        yield 'has no marked jump targets'
    if 'Type:                              DYN' not in read('readelf', '-h', path):
        yield 'is not position-independent'
    segments = read('readelf', '-lW', path)
    if 'GNU_RELRO' not in segments:
        yield 'has no RELRO'
    if not re.search(r'GNU_STACK .* RW +0x', segments):
        yield 'has an executable stack'
    dynamic = read('readelf', '-dW', path)
    if not re.search(r'BIND_NOW|Flags:.*NOW', dynamic):
        yield 'binds symbols lazily'
    for kind, names in re.findall(r'\((RPATH|RUNPATH)\).*\[(.*)\]', dynamic):
        if '' in names.split(':') or any(not name.startswith(('/', '$ORIGIN'))
                                         for name in names.split(':')):
            yield 'has a %s of [%s]' % (kind, names)


def check_objects(objects, optimised, is_x86):
    """Yields faults of all objects together."""
    names = read('nm', '-u', *objects)
    if '__stack_chk_fail' not in names:
        yield 'no canaries'
    if optimised and '__vsnprintf_chk' not in names:
        yield 'no checked calls'
    if not is_x86:
        return
    # These have an array for a path, which is larger than a page.
    large = [path for path in objects if path.endswith('/output_path.c.o')]
    if not re.search(r'(or|mov)q +\$0x0,(0x0)?\(%rsp\)', read('objdump', '-d', *large)):
        yield 'stack pages are not probed'
    for path in objects:
        if path.endswith('.cu.o'):  # device code is in separate objects
            continue
        if not is_marked(path):
            yield '%s: jump targets are not marked' % path
        steps = re.findall(r'sub +\$0x([0-9a-f]{1,8}),%rsp', read('objdump', '-d', path))
        if any(int(step, 16) > PAGE for step in steps):
            yield '%s: a stack allocation is larger than a page' % path


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
    is_x86 = platform.machine() == 'x86_64'
    wrong = list(check_objects(objects, config != 'Debug' and not sanitized, is_x86))
    without = start_files_without_marks(cache['CMAKE_C_COMPILER']) if is_x86 else None
    if without:
        print('skipped marks of linked files: the system\'s %s have none' % without)
    linked = [name for name in ('wavepass', 'libwavepass.so', 'libwavepass-reconstruct.so')
              if os.path.exists(os.path.join(build, name))]
    for name in linked:
        wrong += ['%s %s' % (name, fault) for fault in
                  check_linked(os.path.join(build, name), is_x86 and not without)]
    for each in wrong:
        print('FAIL: ' + each)
    print('%d objects, %s: %d faults' % (len(objects), ', '.join(linked), len(wrong)))
    return 1 if wrong or not objects or not linked else 0


sys.exit(main())
