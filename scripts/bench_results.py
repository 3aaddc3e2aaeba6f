#!/usr/bin/env python3
"""Results of 'wavepass bench --json' without their raw samples, as docs/results has them.

  scripts/bench_results.py FILE.json...

Rewrites the files. Each row keeps its configuration, the median with its relative confidence
interval (noise), min_ns, p05_ns, p95_ns, wall_ns, the number of samples (sample_count), the check,
and the ceiling. The script removes samples, warnings about them, figures that follow from the
remaining ones, and fields that are null. The environment stays. 'wavepass compare' needs samples:
for such files it prints the medians, the mark "no samples" and the verdict UNDECIDED.

Other scripts read results with read(), where a field that a row lacks is None.
"""
import json
import sys

REMOVED = ('samples_ns', 'wall_samples_ns', 'mean_ns', 'max_ns', 'stdev_ns', 'gpu_ns',
           'payload_gbps', 'traffic_gbps', 'mpel_s', 'shader_sha256', 'warnings')


class Row(dict):
    def __missing__(self, key):
        return None


def read(path):
    with open(path, encoding='utf-8') as file:
        results = json.load(file)
    results['rows'] = [Row(row) for row in results['rows']]
    return results


def known(fields):
    """Without the fields that are null or empty; 14952.0 as 14952."""
    values = {key: known(value) if isinstance(value, dict) else
              int(value) if isinstance(value, float) and value.is_integer() else value
              for key, value in fields.items()}
    return {key: value for key, value in values.items() if value not in (None, {}, [])}


def stripped_row(row):
    kept = known({key: value for key, value in row.items() if key not in REMOVED})
    if row.get('samples_ns'):
        kept['sample_count'] = len(row['samples_ns'])
    return kept


def stripped(text):
    """The text of a file of results, one line per row."""
    results = json.loads(text)
    rows = ',\n'.join(json.dumps(stripped_row(row), separators=(',', ':'))
                      for row in results['rows'])
    others = {key: value for key, value in results.items() if key != 'rows'}
    return '%s,\n "rows": [\n%s\n]}\n' % (json.dumps(others)[:-1], rows)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        with open(path, encoding='utf-8') as file:
            text = stripped(file.read())
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)


if __name__ == '__main__':
    main()
