"""The example gallery: each script runs and makes its picture."""

import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = sorted((pathlib.Path(__file__).parent.parent / 'examples').glob('*.py'))


@pytest.mark.parametrize('example', EXAMPLES, ids=lambda path: path.stem)
def test_example(example, tmp_path):
    pytest.importorskip('matplotlib')
    for line in example.read_text(encoding='utf-8').splitlines():
        if line.strip() == 'import torch':
            pytest.importorskip('torch')
    picture = tmp_path / 'picture.png'
    subprocess.run([sys.executable, '-P', str(example), str(picture)], check=True, timeout=300,
                   env={**os.environ, 'MPLBACKEND': 'agg'}, stdout=subprocess.DEVNULL)
    assert picture.read_bytes()[:8] == b'\x89PNG\r\n\x1a\n'
    assert picture.stat().st_size > 20000
