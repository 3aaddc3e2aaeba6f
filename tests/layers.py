#!/usr/bin/env python3
"""Layers use only lower layers.

   layers.py SOURCE_DIR LAYERS_JSON NM

A layer uses symbols or headers of each layer that it USES and of no other, without circles. The
code of libwavepass uses no code of the program. Messages name options of the command only in the
layers of the command; its hints are for existing messages.
"""
import json
import os
import re
import subprocess
import sys


# These may be stubs, which use fewer layers.
MAYBE_STUBS = {'cuda', 'cuda_gl', 'viewer'}


def read_symbols(layer, nm):
    """The names that a layer's objects define, and those that they use from others."""
    lines = subprocess.run([nm, '--format=posix', '--extern-only', *layer['objects']], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    defined, undefined = set(), set()
    # Skips names of files, and the empty lines of llvm-nm.
    for name, kind in (line.split()[:2] for line in lines if line and not line.endswith(':')):
        # Weak names (w, W, v, V) are those of inline C++ functions, which many objects define.
        if kind == 'U':
            undefined.add(name)
        elif kind not in 'wWvV':
            defined.add(name)
    return defined, undefined - defined


# A folder in the folder of another layer: src/solver has its sources.
APART = 'cuda/solver'


def files_of(folder):
    """The paths of a layer's files by their names: also those in folders that are no layers."""
    found = {}
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders
                      if not os.path.exists(os.path.join(parent, name, 'CMakeLists.txt'))
                      and not os.path.join(parent, name).endswith(APART)]
        found.update((name, os.path.join(parent, name)) for name in files)
    return found


def read_includes(folder):
    """(file, header) of each #include "header" in a folder."""
    for file, path in sorted(files_of(folder).items()):
        if file.endswith(('.c', '.h', '.cpp', '.cu', '.cuh')):
            with open(path, encoding='utf-8') as text:
                for header in re.findall(r'^#include "([^"]+)"', text.read(), re.MULTILINE):
                    yield file, header


def find_symbols(layers, nm):
    """(layer, other layer, symbol) of each symbol that a layer uses from another one."""
    defined, undefined = {}, {}
    for layer in layers:
        name = layer['name']
        defines, undefined[name] = read_symbols(layer, nm)
        defined.update(dict.fromkeys(defines, name))
    for name, symbols in undefined.items():
        for symbol in sorted(symbols & defined.keys()):
            yield name, defined[symbol], symbol


def find_headers(layers, source):
    """(layer, other layer, header) of each header that a layer uses from another one.

    Layers in one folder share its headers."""
    folders = {}
    for layer in layers:
        folders.setdefault(layer['folder'], []).append(layer)
    owners = {}
    for folder in folders:
        for file in files_of(os.path.join(source, folder)):
            owners.setdefault(file, []).append(folder)
    for folder, mates in folders.items():
        for file, header in read_includes(os.path.join(source, folder)):
            candidates = owners.get(header, [folder])
            if folder in candidates:
                continue
            owned = [layer['name'] for owner in candidates for layer in folders[owner]]
            found = [(layer['name'], name) for layer in mates
                     for name in owned if name in layer['uses']]
            for name, used in found or [(mates[-1]['name'], owned[-1])]:
                yield name, used, f'{header} in {file}'


def find_circles(layers):
    """Layers in the order of their dependencies that use a later one or themselves."""
    below = set()
    for layer in layers:
        for used in layer['uses']:
            if used not in below:
                yield layer['name'], used
        below.add(layer['name'])


# Layers that parse options or show examples of the command.
COMMAND = {'cli', 'mpi_cli', 'viewer', 'bench', 'explain', 'lesson', 'report'}
OPTION = re.compile(r"""(?:^|[\s('"])(?:--[a-z][a-z-]+|-[a-z])(?=$|[\s,;:.)'"=])""")
LITERAL = re.compile(r'//[^\n]*|"((?:\\.|[^"\\\n])*)"')


def find_literals(folder):
    """(file, text) of each string in the C files of a folder, with no escapes decoded but \\n."""
    for file, path in sorted(files_of(folder).items()):
        if file.endswith(('.c', '.h')):
            with open(path, encoding='utf-8') as source:
                joined = re.sub(r'"\n *"', '', source.read())
                for match in LITERAL.finditer(joined):
                    if match[1]:
                        yield file, match[1].replace('\\n', '\n')


def find_options(layers, source):
    """Messages that name options, and hints without a message."""
    texts = ['']
    for layer in layers:
        for file, text in find_literals(os.path.join(source, layer['folder'])):
            if layer['name'] not in COMMAND:
                texts.append(text)
                # A single word is an argument of another program.
                if ' ' in text and OPTION.search(text):
                    yield f'{layer["name"]}: {file} names an option of the command: "{text}"'
            elif layer['name'] in ('explain', 'lesson', 'report'):
                texts.append(text)
    if not any(layer['name'] == 'cli' for layer in layers):
        return
    with open(os.path.join(source, 'src/cli/messages.c'), encoding='utf-8') as file:
        rows = re.search(r'\} hints\[\] = \{\n(.*?)\n\};', file.read(), re.DOTALL)[1]
    for part in re.findall(r'^    \{"([^"]+)",', rows, re.MULTILINE):
        if not any(part in text for text in texts):
            yield f'messages.c has a hint for "{part}", which no message contains'


def main():
    source, path, nm = sys.argv[1:]
    with open(path, encoding='utf-8') as file:
        layers = json.load(file)
    by_name = {layer['name']: layer for layer in layers}
    faults = [f'{name} uses {used}, which comes after it in src/CMakeLists.txt'
              for name, used in find_circles(layers)]
    faults += [f'{layer["name"]} is in libwavepass and uses {used}, which is not'
               for layer in layers if not layer['outside']
               for used in layer['uses'] if by_name[used]['outside']]
    used_pairs = set()
    links = 0
    for name, used, item in [*find_symbols(layers, nm), *find_headers(layers, source)]:
        links += 1
        used_pairs.add((name, used))
        if used not in by_name[name]['uses']:
            faults.append(f'{name} uses {item} of {used}, which is not in its USES')
    faults += [f'{layer["name"]} has {used} in its USES and uses nothing of it'
               for layer in layers if layer['name'] not in MAYBE_STUBS
               for used in layer['uses'] if (layer['name'], used) not in used_pairs]
    faults += sorted(set(find_options(layers, source)))
    print(f'{len(layers)} layers, {links} symbols and headers', *faults, sep='\n')
    return 1 if faults or not links else 0


if __name__ == '__main__':
    sys.exit(main())
