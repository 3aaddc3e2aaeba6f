#!/usr/bin/env bash
# The sweep behind docs/results: every wavelet of the table in every scheme, 256x256 to 8192x8192,
# one and five levels, on the backends that work here; then every variant of every backend. Figures
# and samples, a file each, in DIRECTORY.
#
#   scripts/sweep.sh [PROGRAM] [DIRECTORY]      default: build/release/wavepass, sweep
#
# More options for all of them in SWEEP_OPTIONS.
set -eu
program=${1:-build/release/wavepass}
directory=${2:-sweep}
mkdir -p "$directory"

run() { # NAME OPTIONS...
    local name=$1
    shift
    echo "$name" >&2
    # shellcheck disable=SC2086
    "$program" bench --size 256..8192:x2 --runs 25 --warmup 0.5 "$@" ${SWEEP_OPTIONS:-} \
        --json "$directory/$name.json" --svg "$directory/$name.svg" \
        --markdown "$directory/$name.md" --force >/dev/null || echo "$name: exit $?" >&2
}

for wavelet in haar cdf53 cdf97 dd137; do
    run "$wavelet-1-level" -w $wavelet -l 1 -b all --variant passes --no-transfers
    run "$wavelet-5-levels" -w $wavelet -l 5 -b all --variant passes --no-transfers
done
run variants -w cdf97 -s ns-lift -l 1 -b all --variant all --no-transfers
run transfers -w cdf97 -s ns-lift -l 1 -b all --no-ceilings --runs 7
