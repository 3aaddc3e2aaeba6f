#!/usr/bin/env python3
"""Runs the command line tests.

    tests/cli/run.py PROGRAM [--faults DIRECTORY] [--sampled] [TEST...]

PROGRAM is the wavepass to test. A TEST is a file, class or method in the notation of unittest, such
as test_input or test_input.Truncated; by default all tests run. DIRECTORY has the libraries of
tests/fault; the default is tests/ next to PROGRAM, as in the build directory. With --sampled, if
WAVEPASS_SAMPLE=SEED:M requests a sample of the matrices (tests/sample.h) and PROGRAM was built with
sanitizers, about one test of eight in each file runs, selected by the same seed. A PROGRAM without
sanitizers and with WAVEPASS_LEAVE_SANITIZED runs the other tests, and those that the sanitizers skip.
"""
import argparse
import os
import signal
import sys
import unittest
import zlib

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = HERE, os.path.dirname(HERE)
import harness  # noqa: E402  (found through the line above)

ONE_OF = 8  # tests, under the sanitizers


class Results(unittest.TextTestResult):
    """Prints the reason of a skipped test next to the test."""

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


def take_sample(suite):
    """The first test, and those of the others that the seed selects, or does not select."""
    sample = os.environ.get('WAVEPASS_SAMPLE')
    sanitized, rest = harness.is_sanitized(), os.environ.get('WAVEPASS_LEAVE_SANITIZED')
    if not sample or not (sanitized or rest):
        return suite
    tests = list(every_test(suite))
    seed = sample.split(':')[0]

    def is_taken(test):
        is_chosen = zlib.crc32(('%s %s' % (seed, test.id())).encode()) % ONE_OF == 0
        return is_chosen if sanitized else not is_chosen or is_not_sanitized(test)
    taken = [test for i, test in enumerate(tests) if i == 0 or is_taken(test)]
    print('a sample of %d of %d tests: %sWAVEPASS_SAMPLE=%s takes the same' % (
        len(taken), len(tests), '' if sanitized else 'WAVEPASS_LEAVE_SANITIZED=1 ', sample))
    return unittest.TestSuite(taken)


def ignored(number, frame):
    """Whether a signal is ignored."""


def hand_on_no_ignored_signals():
    """Restores the default action of ignored signals in the programs under test: nohup ignores
    SIGHUP, and shells ignore SIGINT for processes in the background."""
    for number in signal.SIGINT, signal.SIGHUP, signal.SIGTERM:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, ignored)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('program')
    parser.add_argument('--faults')
    parser.add_argument('--sampled', action='store_true')
    parser.add_argument('tests', nargs='*')
    given = parser.parse_intermixed_args()
    hand_on_no_ignored_signals()
    harness.PROGRAM = os.path.abspath(given.program)
    harness.FAULTS = os.path.abspath(
        given.faults or os.path.join(os.path.dirname(harness.PROGRAM), 'tests'))
    loader = unittest.TestLoader()
    suite = (loader.loadTestsFromNames(given.tests) if given.tests
             else loader.discover(HERE, pattern='test_*.py'))
    if given.sampled:
        suite = take_sample(suite)
    result = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=Results).run(suite)
    # A test with subtests may fail more than once.
    failed = len({getattr(test, 'test_case', test).id()
                  for test, _ in result.failures + result.errors})
    skipped = len(result.skipped)
    passed = result.testsRun - failed - skipped
    print('%d passed, %d failed, %d skipped' % (passed, failed, skipped))
    return 1 if failed or result.testsRun == 0 else 0


sys.exit(main())
