"""Every script of python/examples runs, checks its own result, and makes a picture."""
import glob
import os
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'examples')
SCRIPTS = sorted(glob.glob(os.path.join(FOLDER, '[a-z]*.py')))


def read_png(path):
    """The pixels of a PNG file of _picture.py: 8 bits, three channels, no filters."""
    with open(path, 'rb') as file:
        data = file.read()
    assert data[:8] == b'\x89PNG\r\n\x1a\n'
    width, height = struct.unpack('>II', data[16:24])
    at = data.index(b'IDAT')
    size, = struct.unpack('>I', data[at - 4:at])
    rows = np.frombuffer(zlib.decompress(data[at + 4:at + 4 + size]), np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


@pytest.mark.parametrize('script', SCRIPTS, ids=[os.path.basename(script) for script in SCRIPTS])
def test_example(script, tmp_path):
    environment = dict(os.environ, OUT=str(tmp_path))
    result = subprocess.run([sys.executable, script], env=environment, cwd=tmp_path, capture_output=True, text=True)
    if result.returncode == 77:
        pytest.skip(result.stderr.strip())
    assert result.returncode == 0, result.stdout + result.stderr
    picture = read_png(tmp_path / (os.path.basename(script)[:-3] + '.png'))
    assert picture.shape[1] >= 2 * picture.shape[0] / 1.1 and picture.std() > 20
    assert len(np.unique(picture)) > 3


def test_there_are_examples():
    assert len(SCRIPTS) >= 5
