#!/usr/bin/env bash
# Prints times and peak memory of the process as a Markdown table: medians of several runs.
#
#   scripts/measure.sh [PROGRAM] [RUNS]      default: build/release/wavepass, 5
#
# "Start to first pass" includes program start, reading, context, shader generation and compilation, and
# the first pass on the device, without a shader cache. The photograph has 2048x2048 RGB pixels; its time
# is that of the complete process with 5 levels. Memory is the peak resident size over
# the size of the float image, for a gray image that is large compared with the process. Times on a
# software renderer do not predict those of a GPU; compare them only within one table.
set -Eeu
trap 'echo "scripts/measure.sh: failed in line $LINENO" >&2' ERR
cd "$(dirname "$0")/.."
program=$(realpath "${1:-build/release/wavepass}")
runs=${2:-5}
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
export MESA_SHADER_CACHE_DISABLE=1

median() {
    sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

repeat() { # repeat COMMAND...: its figures, one per line
    for _ in $(seq "$runs"); do
        "$@"
    done
}

first_pass() { # ms from start
    "$program" forward small.png -w cdf97 -s "$1" -l 1 -o c.npy -f -v 2>&1 |
        sed -n 's/.* \([0-9.]*\) ms  first pass done/\1/p' | head -n 1
}

all_shaders() {
    "$program" forward small.png -w cdf97 -s "$1" -l 1 -o c.npy -f -v 2>&1 |
        sed -n 's/.* \([0-9.]*\) ms  all shaders built/\1/p' | head -n 1
}

seconds() { # seconds COMMAND...
    local start end
    start=$(date +%s%N)
    "$@" 2>/dev/null
    end=$(date +%s%N)
    awk -v t=$((end - start)) 'BEGIN { printf "%.2f\n", t / 1e9 }'
}

peak_ratio() { # SIDE
    local peak
    peak=$(python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stderr=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \
        "$program" forward "pattern:zone-plate:$1x$1" -l 5 -o c.npy -f)
    awk -v peak="$peak" -v side="$1" 'BEGIN { printf "%.2f\n", peak * 1024 / (side * side * 4) }'
}

"$program" forward pattern:color:512x512 -l 1 -o c.npy -q
"$program" inverse c.npy -o small.png -q
"$program" forward pattern:color:2048x2048 -l 1 -o c.npy -q -f
"$program" inverse c.npy -o photo.png -q

"$program" info | sed -n 1p
echo
echo "| figure | median of $runs |"
echo "|---|--:|"
for scheme in sep-lifting nonsep-lifting sep-convolution nonsep-convolution; do
    echo "| start to first pass, cdf97/$scheme | $(repeat first_pass $scheme | median) ms |"
    echo "| start to all shaders built, cdf97/$scheme | $(repeat all_shaders $scheme | median) ms |"
done
echo "| 2048x2048 photograph, 5 levels, whole process |" \
    "$(repeat seconds "$program" forward photo.png -l 5 -o c.npy -f | median) s |"
echo "| the same with a preview image of the subbands |" \
    "$(repeat seconds "$program" forward photo.png -l 5 -o c.npy --picture c.png -f | median) s |"
for side in 4096 8192; do
    echo "| peak memory over the float image, ${side}x$side gray | $(peak_ratio $side) |"
done
