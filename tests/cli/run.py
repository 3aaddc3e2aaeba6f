#!/usr/bin/env python3
"""Runs the command line tests.

    tests/cli/run.py PROGRAM [--faults DIRECTORY] [--one-of N] [TEST...]

PROGRAM is the wavepass to test. A TEST is a file, class or method as unittest names it, such as
test_input or test_input.Truncated; without one, all run. DIRECTORY has the libraries of
tests/fault; by default it is tests/ beside PROGRAM, as in the build directory. --one-of: where
WAVEPASS_SAMPLE=SEED:M asks for a sample of the matrices (tests/sample.h), about one of N tests of
each file, too, by the same seed. WAVEPASS_LEAVE_ONE_OF=N with the same seed: those that it does not
take, and those that the sanitizers skip.
"""
import argparse
import os
import signal
import sys
import unittest
import zlib

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import harness  # noqa: E402  (found through the line above)


class Results(unittest.TextTestResult):
    """Says why a test was skipped, at the test."""

    def addSkip(self, test, reason):
        unittest.TestResult.addSkip(self, test, reason)
        self.stream.writeln('skipped: ' + reason)


def every_test(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from every_test(test)
        else:
            yield test


def is_not_sanitized(test):
    method = getattr(test, test.id().rsplit('.', maxsplit=1)[-1], None)
    return hasattr(test, 'not_sanitized') or hasattr(method, 'not_sanitized')


def take_sample(suite, one_of):
    """The first test, and of the others those whose names the seed chooses, or does not."""
    sample = os.environ.get('WAVEPASS_SAMPLE')
    left = int(os.environ.get('WAVEPASS_LEAVE_ONE_OF', '1'))
    if not sample or one_of == left == 1:
        return suite
    tests = list(every_test(suite))
    seed = sample.split(':')[0]

    def is_chosen(test, one_of):
        return zlib.crc32(('%s %s' % (seed, test.id())).encode()) % one_of == 0
    taken = [test for i, test in enumerate(tests)
             if i == 0 or is_chosen(test, one_of) and
             (left == 1 or not is_chosen(test, left) or is_not_sanitized(test))]
    print('a sample of %d of %d tests: WAVEPASS_SAMPLE=%s%s takes the same' % (
        len(taken), len(tests), sample, ' WAVEPASS_LEAVE_ONE_OF=%d' % left if left > 1 else ''))
    return unittest.TestSuite(taken)


def ignored(number, frame):
    """Of a signal."""


def hand_on_no_ignored_signals():
    """To programs under test: whoever starts this under nohup ignores SIGHUP, and shells ignore
    SIGINT in the background. What is handled here is the default in them."""
    for number in signal.SIGINT, signal.SIGHUP, signal.SIGTERM:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, ignored)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('program')
    parser.add_argument('--faults')
    parser.add_argument('--one-of', type=int, default=1, metavar='N')
    parser.add_argument('tests', nargs='*')
    given = parser.parse_intermixed_args()
    hand_on_no_ignored_signals()
    harness.PROGRAM = os.path.abspath(given.program)
    harness.FAULTS = os.path.abspath(
        given.faults or os.path.join(os.path.dirname(harness.PROGRAM), 'tests'))
    loader = unittest.TestLoader()
    suite = (loader.loadTestsFromNames(given.tests) if given.tests
             else loader.discover(HERE, pattern='test_*.py'))
    suite = take_sample(suite, given.one_of)
    result = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=Results).run(suite)
    # Of the parts of one test several may fail.
    failed = len({getattr(test, 'test_case', test).id()
                  for test, _ in result.failures + result.errors})
    skipped = len(result.skipped)
    passed = result.testsRun - failed - skipped
    print('%d passed, %d failed, %d skipped' % (passed, failed, skipped))
    return 1 if failed or result.testsRun == 0 else 0


sys.exit(main())
