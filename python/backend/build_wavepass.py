"""The build backend: that of scikit-build-core, and source distributions that contain the library."""
import os
import shutil
import tempfile

from scikit_build_core import build as _build
from scikit_build_core.build import *  # noqa: F403  (the hooks that are not replaced below)

# What a build of the module needs of the repository.
PARTS = ('CMakeLists.txt', 'LICENSE', 'cmake', 'src', 'cuda', 'shaders', 'assets/wavelets')
_unneeded = shutil.ignore_patterns('__pycache__', '*.so', '.pytest_cache', 'build')


def build_sdist(sdist_directory, config_settings=None):
    """Builds from a copy of this folder in which `library` has the sources of the library."""
    here = os.getcwd()
    if os.path.exists('library/CMakeLists.txt'):  # a source distribution
        return _build.build_sdist(sdist_directory, config_settings)
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, 'wavepass')
        shutil.copytree(here, copy, ignore=_unneeded)
        for part in PARTS:
            source, target = os.path.join(os.path.dirname(here), part), os.path.join(copy, 'library', part)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if os.path.isdir(source):
                shutil.copytree(source, target, ignore=_unneeded)
            else:
                shutil.copy2(source, target)
        project = os.path.join(copy, 'pyproject.toml')
        with open(project, encoding='utf-8') as file:
            text = file.read()
        with open(project, 'w', encoding='utf-8') as file:
            file.write(text.replace('"../src/', '"library/src/'))
        os.chdir(copy)
        try:
            return _build.build_sdist(sdist_directory, config_settings)
        finally:
            os.chdir(here)
