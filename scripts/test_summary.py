#!/usr/bin/env python3
"""Prints which tests of a ctest run passed, failed and were skipped, with the reasons.

    scripts/test_summary.py RESULTS

RESULTS is the file of `ctest --output-junit`. Tests print "skipped: REASON", or "skipped PART:
REASON" for a part. If a backend is not available, its error is the reason.
"""
import collections
import re
import sys
import xml.etree.ElementTree

PART = re.compile(r'(?m)^(?:.*\.\.\. )?skipped\b(?:(?!: ).)*: (.+)$')
ERROR = re.compile(r'(?m)^(?:\S+ )?error: (.+)$|^\S+: error: (.+)$')


def reasons(output):
    return [reason.strip() for reason in PART.findall(output)]


def reason_of_all(output):
    """The reason of a test that was skipped completely."""
    found = reasons(output)
    if found:
        return found[-1]
    error = ERROR.search(output)
    return next(filter(None, error.groups())) if error else 'no reason given'


def print_counts(counts):
    for reason, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        print('  %6d  %s' % (count, reason))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    failed, whole, parts = [], collections.Counter(), collections.Counter()
    passed = 0
    for case in xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter('testcase'):
        output = case.findtext('system-out') or ''
        if case.get('status') == 'run':
            passed += 1
            parts.update(reasons(output))
        elif case.find('skipped') is not None:
            whole[reason_of_all(output)] += 1
        else:
            failed.append(case.get('name'))
    if parts:
        print('\nParts that tests left out:')
        print_counts(parts)
    if whole:
        print('\nTests that were skipped:')
        print_counts(whole)
    print('\n%d passed, %d failed%s, %d skipped' % (
        passed, len(failed), ' (%s)' % ', '.join(failed) if failed else '', sum(whole.values())))


main()
