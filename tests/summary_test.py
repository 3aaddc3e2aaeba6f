#!/usr/bin/env python3
"""The output of scripts/test_summary.py for a file of results.

    tests/summary_test.py SOURCE_DIR
"""
import os
import subprocess
import sys
import tempfile

RESULTS = '''<?xml version="1.0" encoding="UTF-8"?>
<testsuite>
<testcase name="a" status="run"><system-out>skipped haar 5x7: odd
skipped cdf53 5x7: odd
test_x (test_y.Z.test_x) ... skipped: no numpy
2 passed, 0 failed, 3 skipped
</system-out></testcase>
<testcase name="b" status="run"><system-out>OK (skipped=1)</system-out></testcase>
<testcase name="c" status="fail"><failure message="Failed"/>
<system-out>skipped: no matter</system-out></testcase>
<testcase name="d" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
<system-out>skipped: no GPU</system-out></testcase>
<testcase name="e" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>wavepass: error: no cuda (why)
hint: none</system-out></testcase>
<testcase name="f" status="notrun"><skipped message="?"/><system-out></system-out></testcase>
</testsuite>
'''
EXPECTED = '''
Parts that tests left out:
       2  odd
       1  no numpy

Tests that were skipped:
       1  no GPU
       1  no cuda (why)
       1  no reason given

2 passed, 1 failed (c), 3 skipped
'''

with tempfile.NamedTemporaryFile('w', suffix='.xml') as file:
    file.write(RESULTS)
    file.flush()
    script = os.path.join(sys.argv[1], 'scripts', 'test_summary.py')
    output = subprocess.run([sys.executable, script, file.name], capture_output=True, text=True,
                           check=True).stdout
if output != EXPECTED:
    sys.exit('FAIL: expected\n%s\nbut it is\n%s' % (EXPECTED, output))
