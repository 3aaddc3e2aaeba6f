#!/usr/bin/env python3
"""Configures builds with hidden dependencies: optional ones follow AUTO, ON and OFF of their option
(cmake/optional.cmake), and one message lists all required ones.

    dependencies_test.py SOURCE_DIR C_COMPILER
"""
import os
import re
import subprocess
import sys
import tempfile

SOURCE, COMPILER = sys.argv[1:]

# Option: Debian package, and modules of pkg-config or arguments of CMake that hide it.
OPTIONAL = {
    'TESTS': ('libcmocka-dev', 'cmocka'),
    'PYTHON': ('python3', '-DCMAKE_DISABLE_FIND_PACKAGE_Python3=ON'),
    'CUDA': ('nvidia-cuda-toolkit', '-DCMAKE_CUDA_COMPILER=NOTFOUND',
             '-DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON'),
    'VIEWER': ('libimgui-dev', 'imgui'),
    'GLFW': ('libglfw3-dev', 'glfw3'),
    'FFTW': ('libfftw3-dev', 'fftw3f'),
    'EXR': ('libopenexr-dev', 'OpenEXR'),
    'FITS': ('libcfitsio-dev', 'cfitsio'),
    'KISSFFT': ('libkissfft-dev', 'kissfft-float'),
    'MPI': ('libopenmpi-dev', '-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON'),
    'WEB': ('emscripten', '-DWAVEPASS_EM_CONFIG=/bin/false'),
}
# Packages of `scripts/setup.sh build` that CMake does not search for.
TOOLS = {'cmake', 'ninja-build', 'pkg-config', 'gcc', 'g++', 'libc6-dev'}


def fail(*lines):
    sys.exit('FAIL: ' + '\n'.join(lines))


class Build:
    """A build directory in which CMake finds none of the hidden dependencies."""

    def __init__(self, work, name, hidden, modules=True):
        self.folder = os.path.join(work, name)
        self.hidden = hidden
        self.hides = [argument for option in hidden for argument in OPTIONAL[option][1:]]
        links = os.path.join(work, name + '-modules')
        os.mkdir(links)
        path = subprocess.run(['pkg-config', '--variable', 'pc_path', 'pkg-config'], check=True,
                              capture_output=True, text=True).stdout.strip() if modules else ''
        for folder in filter(os.path.isdir, path.split(':')):
            for file in os.listdir(folder):
                link = os.path.join(links, file)
                if file.removesuffix('.pc') not in self.hides and not os.path.lexists(link):
                    os.symlink(os.path.join(folder, file), link)
        self.environment = dict(os.environ, PKG_CONFIG_LIBDIR=links, PKG_CONFIG_PATH='')

    def configure(self, *arguments):
        """Returns whether it succeeded, and the output."""
        done = subprocess.run(
            ['cmake', '-S', SOURCE, '-B', self.folder, '-G', 'Ninja',
             '-DCMAKE_C_COMPILER=' + COMPILER, *(h for h in self.hides if h.startswith('-D')),
             *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self.environment,
            check=False)
        return done.returncode == 0, done.stdout

    def check_auto(self, hidden, *arguments):
        """Expects success, and one line for each of them that it is off, with its package."""
        ok, output = self.configure(*arguments)
        lines = re.findall(r'^-- WAVEPASS_(\w+): off, .+ \(Debian: (.+)\); .+$', output, re.M)
        expected = sorted((option, OPTIONAL[option][0]) for option in hidden)
        if not ok or sorted(lines) != expected:
            fail('%s should be off, and nothing else' % expected, output)

    def check_rejected(self, arguments, *expected):
        ok, output = self.configure(*arguments)
        error = ' '.join(output.partition('CMake Error')[2].split())
        for part in expected:
            if ok or part not in error:
                fail('with %s there should be an error with "%s"' % (arguments, part), output)


def check_optional(work):
    # One of FFTW and kissfft is required, and Python is searched for if there are tests.
    first = Build(work, 'first', [o for o in OPTIONAL if o not in ('KISSFFT', 'PYTHON')])
    second = Build(work, 'second', ['KISSFFT', 'PYTHON', 'CUDA', 'WEB'])
    for build, others in (first, ['-DWAVEPASS_MPI=AUTO']), (second, ['-DWAVEPASS_VIEWER=OFF']):
        build.check_auto(build.hidden, *others)
        for option in build.hidden if build is first else ('KISSFFT', 'PYTHON'):
            name = 'WAVEPASS_' + option
            build.check_rejected([*others, '-D%s=ON' % name], '%s=ON, but ' % name,
                                OPTIONAL[option][0], '-D%s=OFF' % name)
            build.check_auto([o for o in build.hidden if o != option], '-D%s=OFF' % name)
            others = ['-D%s=AUTO' % name]
    first.check_rejected(['-DWAVEPASS_TESTS=ON_DEMAND'], 'WAVEPASS_TESTS=ON_DEMAND, but')
    first.check_rejected(['-DWAVEPASS_TESTS:BOOL=TRUE'], 'WAVEPASS_TESTS=TRUE, but')
    first.check_rejected(['-DWAVEPASS_TESTS=OFF', '-DWAVEPASS_FFTW=Auto?'], "'Auto?'")


def check_required(work):
    with open(os.path.join(SOURCE, 'scripts', 'setup.sh'), encoding='utf-8') as file:
        listed = re.search(r'^build=\((.*?)\)', file.read(), re.M | re.S)[1].split()
    build = Build(work, 'bare', ['CUDA'], modules=False)
    optional = {package for package, *_ in OPTIONAL.values()}
    build.check_rejected(
        ['-DCMAKE_IGNORE_PATH=/usr/include;/usr/share/fonts/truetype/dejavu'],
        *sorted(set(listed) - TOOLS - optional), 'libfftw3-dev or libkissfft-dev',
        'scripts/setup.sh build', '-DWAVEPASS_GL=OFF')
    build.check_rejected(['-DPKG_CONFIG_EXECUTABLE=/nonexistent'], 'pkg-config (')


with tempfile.TemporaryDirectory(prefix='wavepass-dependencies-') as scratch:
    check_optional(scratch)
    check_required(scratch)
print('all good')
