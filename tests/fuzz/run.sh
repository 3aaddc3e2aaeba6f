#!/usr/bin/env bash
# Fuzzes all targets, or the given ones, and prints a summary.
#
#   tests/fuzz/run.sh SECONDS [TARGET...]            total time, shared evenly
#   tests/fuzz/run.sh --keep DIRECTORY SECONDS ...   continues with its inputs, adds new ones
#   tests/fuzz/run.sh --jobs N SECONDS ...           N targets at a time, each for N times as long
#   tests/fuzz/run.sh --record                       writes edges.txt: the coverage of the corpora
#   tests/fuzz/run.sh --merge DIRECTORY              adds inputs with new coverage to the corpora
#
# Fails for a finding, which is saved in build/fuzz/findings, for a target without seeds, and if a
# corpus covers over a tenth fewer edges than edges.txt records. WAVEPASS_FUZZ_BUILD names another
# build directory (scripts/fuzz_libraries.sh).
set -Eeu
trap 'echo "tests/fuzz/run.sh: failed in line $LINENO" >&2' ERR
cd "$(dirname "$0")/../.."

here=tests/fuzz
build=${WAVEPASS_FUZZ_BUILD:-build/fuzz}
findings=$build/findings
keep= action=fuzz jobs=1
while [ $# -gt 0 ]; do
    case $1 in
    --keep) keep=$(realpath -m "$2") && shift 2 ;;
    --jobs) jobs=$2 && shift 2 ;;
    --record) action=record && shift ;;
    --merge) action=merge keep=$(realpath "$2") && shift 2 ;;
    *) break ;;
    esac
done
seconds=0
if [ "$action" = fuzz ]; then
    seconds=${1:?usage: tests/fuzz/run.sh SECONDS [TARGET...]}
    shift
fi
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    mapfile -t targets < <(sed -n 's/^ *wp_fuzz(\([a-z]*\) .*/\1/p' $here/CMakeLists.txt)
fi

if [ "$build" = build/fuzz ]; then
    cmake --preset fuzz >/dev/null
fi
cmake --build "$build" --target fuzzers

# The maximum length of inputs: longer ones are slower and find no more.
most() {
    case $1 in
    numbers | names | pattern) echo 48 ;;
    operand) echo 64 ;;
    axes | raw) echo 128 ;;
    params | options) echo 256 ;;
    plot | kspace | events) echo 400 ;;
    results | npz) echo 3100 ;;
    image | jpeg | tiff | exr | fits | sidecar | view | wavelet) echo 1500 ;;
    *) echo 900 ;;
    esac
}

# In memory, since nearly every input is written to a file.
scratch=$(mktemp -d -p /dev/shm wavepass-fuzz-XXXXXX)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch
# Small files must not allocate more; such allocations fail.
export ASAN_OPTIONS=max_allocation_size_mb=256:allocator_may_return_null=1:${ASAN_OPTIONS:-}

run() {
    local target=$1 dictionary=$here/dictionaries/$1.dict
    shift
    "$build/tests/fuzz/fuzz_$target" -max_len="$(most "$target")" -timeout=20 -rss_limit_mb=3000 \
        -print_final_stats=1 -artifact_prefix="$findings/$target-" \
        $([ ! -f "$dictionary" ] || echo "-dict=$dictionary") "$@" 2>&1
}

# The number after the last "WORD: " in a log; 0 without one.
last() {
    local found
    found=$(grep -o "$1: *[0-9]*" "$2" | tail -1) || true
    echo "${found##*[: ]}" | grep . || echo 0
}

# Edges are only comparable for the same compiler.
compiler=$(clang --version | head -1)
recorded() {
    [ ! -f $here/edges.txt ] || [ "$(head -1 $here/edges.txt)" != "# $compiler" ] ||
        sed -n "s/^$1 //p" $here/edges.txt
}

mkdir -p "$findings"
fail() {
    echo "fuzz: $*" >&2
    : >"$scratch/failed"
}

fuzz() {
    local target=$1 log=$scratch/$1.log inputs=${keep:-$scratch}/$1
    mkdir -p "$inputs"
    run "$target" -max_total_time=$((seconds * jobs / ${#targets[@]} + 1)) "$inputs" \
        $here/corpus/"$target" >"$log" || {
        fail "$target: a finding, in $findings:"
        tail -40 "$log" >&2
    }
    local start least
    start=$(grep -m1 INITED "$log" | grep -o 'cov: [0-9]*' || echo 0)
    start=${start#cov: }
    printf '%-10s %10s %8s %8s %8s\n' "$target" "$(last stat::number_of_executed_units "$log")" \
        "$start" "$(last cov "$log")" "$(last stat::average_exec_per_sec "$log")"
    least=$(recorded "$target")
    # Inputs of earlier runs count as a start, too. A tenth less may be due to the processor, which
    # determines the vector code and the number of threads.
    [ $((10 * start)) -ge $((9 * ${least:-0})) ] || fail "$target: $start edges at the start, and $least recorded"
}

# Starts like fuzz(), which also counts the empty input.
record() {
    local log=$scratch/$1.log
    run "$1" -runs=0 $here/corpus/"$1" >"$log" || fail "$1: $(tail -1 "$log")"
    echo "$1 $(last cov "$log")" >"$scratch/$1.edges"
}

merge() {
    local target=$1
    mkdir -p "$scratch/$target" "$keep/$target"
    run "$target" -set_cover_merge=1 -use_counters=0 "$scratch/$target" $here/corpus/"$target" "$keep/$target" \
        >"$scratch/$target.log" || fail "$target: $(tail -1 "$scratch/$target.log")"
    # Findings and seeds with other names are not deleted.
    find $here/corpus/"$target" -regex '.*/[0-9a-f]*' -delete
    for file in "$scratch/$target"/*; do
        cmp -s "$file" $here/corpus/"$target"/* 2>/dev/null || true
        cp "$file" $here/corpus/"$target/$(sha1sum <"$file" | cut -c1-16)"
    done
    echo "$target: $(find $here/corpus/"$target" -type f | wc -l) files"
}

[ "$action" != fuzz ] ||
    printf '%-10s %10s %8s %8s %8s\n' target executed "edges at" end "a second"
for target in "${targets[@]}"; do
    if [ -z "$(find $here/corpus/"$target" -type f -not -name '.*' 2>/dev/null | head -1)" ]; then
        fail "$target has no seeds"
        continue
    fi
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n || true
    done
    $action "$target" &
done
wait
if [ "$action" = record ] && [ ! -e "$scratch/failed" ]; then
    { echo "# $compiler" && cat "$scratch"/*.edges; } >$here/edges.txt
fi
found=$(find "$findings" -type f | wc -l)
[ "$action" != fuzz ] || echo "findings: $found"
[ "$found" = 0 ] && [ ! -e "$scratch/failed" ]
