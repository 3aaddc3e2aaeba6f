"""What the benchmarks share: times of calls in turns, and files of results."""
import json
import math
import time


def least(calls, rounds=5, seconds=0., limit=math.inf, clock=time.perf_counter):
    """The least time of each of some calls in seconds. The calls alternate, so that all see the same load
    of the machine: at least `rounds` times, and for at least `seconds` in all. A call that has taken
    `limit` seconds is not repeated."""
    best, spent = [math.inf] * len(calls), [0.] * len(calls)
    end = time.perf_counter() + seconds
    done = 0
    while done < rounds or time.perf_counter() < end:
        for i, call in enumerate(calls):
            if spent[i] < limit:
                start = clock()
                call()
                taken = clock() - start
                spent[i] += taken
                best[i] = min(best[i], taken)
        done += 1
    return best


def repeated(call, count):
    """A call of `count` calls."""
    def run():
        for _ in range(count):
            call()
    return run


def write_results(path, results):
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(results, file, indent=1)
        file.write('\n')
