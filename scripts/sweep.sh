#!/usr/bin/env bash
# The benchmarks of docs/results: each built-in wavelet in each scheme, 256x256 to 8192x8192, one
# and five levels, on all available backends; each variant of each backend; transfers; and the
# papers' tables and figures. Writes to DIRECTORY, for each, a JSON file with all samples, a table
# and a figure, and to DIRECTORY/papers the tables and figures of the papers.
#
#   scripts/sweep.sh [PROGRAM] [DIRECTORY]      default: build/release/wavepass, sweep
#
# SWEEP_OPTIONS has more options for all runs. Exit code 1 if a run failed, except for papers that
# cannot be measured on this machine.
set -Eeu
trap 'echo "scripts/sweep.sh: failed in line $LINENO" >&2' ERR
program=${1:-build/release/wavepass}
directory=${2:-sweep}
mkdir -p "$directory/papers"
failed=0
unavailable=4

run() { # NAME OPTIONS...
    local name=$1 code=0
    shift
    echo "$SECONDS s: $name" >&2
    # shellcheck disable=SC2086
    "$program" bench --runs 25 --warmup 0.5 "$@" --markdown "$directory/$name.md" --force \
        ${SWEEP_OPTIONS:-} >/dev/null || code=$?
    [ $code = 0 ] && return
    echo "$name: exit $code" >&2
    [ $code = $unavailable ] || failed=1
}

sweep() { # NAME OPTIONS...
    local name=$1
    shift
    run "$name" --size 256..8192:x2 "$@" --json "$directory/$name.json"
}

plot() { # NAME OPTIONS...
    sweep "$@" --svg "$directory/$1.svg"
}

for wavelet in haar cdf53 cdf97 dd137; do
    plot $wavelet-1-level -w $wavelet -l 1 -b all --variant passes --no-transfers
    plot $wavelet-5-levels -w $wavelet -l 5 -b all --variant passes --no-transfers
done
plot variants -w cdf97 -s ns-lift -l 1 -b all --variant all --no-transfers
sweep transfers -w cdf97 -s ns-lift -l 1 -b all --no-ceilings --runs 7 --include map,compile
for paper in $("$program" bench --list | sed -n '/^papers/,$s/^  \([^ ]*\) .*/\1/p'); do
    run "papers/$paper" --paper "$paper" --svg "$directory/papers/$paper.svg"
done
exit $failed
