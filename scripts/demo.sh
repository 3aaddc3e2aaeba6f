#!/usr/bin/env bash
# The main job on a photograph: installs what it needs, builds wavepass, and leaves pictures,
# coefficients and a table of the six schemes in demo-out/.
#
#   scripts/demo.sh [PHOTO]
#
# Without PHOTO: the Earth map of Debian's package xplanet-images, else a built-in pattern.
set -eu
photo=${1:-}
if [ -f "$photo" ]; then
    photo=$(realpath "$photo") # named from where the user stands
fi
cd "$(dirname "$0")/.."

scripts/setup.sh demo
cmake --preset release -DWAVEPASS_TESTS=OFF >/dev/null
cmake --build --preset release --target wavepass
wavepass=build/release/wavepass
out=demo-out
mkdir -p "$out"

earth=/usr/share/xplanet/images/earth.jpg
if [ -n "$photo" ]; then
    : # named by the user
elif [ -f "$earth" ]; then
    photo=$earth
else
    photo=pattern:zone-plate:1024x768
fi
echo
echo "wavepass $("$wavepass" --version | sed 's/^wavepass //') on $photo"
"$wavepass" info | sed -n 1p
echo

# The main job: subbands, their picture, and the image back.
"$wavepass" forward "$photo" -o "$out/coefficients.npy" --picture "$out/subbands.png" -f
"$wavepass" forward "$photo" --picture "$out/subbands-mixed.png" --layout mixed -l 1 -f
"$wavepass" inverse "$out/coefficients.npy" -o "$out/reconstruction.png" -f

# The six schemes compute the same coefficients; they differ in passes, operations, time.
"$wavepass" forward "$photo" -b reference -o "$out/reference.npy" -f -q
table=$out/schemes.md
{
    echo "CDF 9/7 on \`$photo\`, 3 levels, all planes."
    echo "Operations and fetches are those of one level and quad; the error is the largest against"
    echo "the double precision reference."
    echo
    echo "| scheme | passes | operations | fetches | max error | time | device |"
    echo "|---|--:|--:|--:|--:|--:|---|"
    for scheme in sep-convolution sep-polyconvolution sep-lifting \
        nonsep-convolution nonsep-polyconvolution nonsep-lifting; do
        result=$("$wavepass" forward "$photo" -s "$scheme" -o "$out/$scheme.npy" -f -q --json)
        error=$("$wavepass" compare "$out/$scheme.npy" "$out/reference.npy" --json |
            jq -r '.max * 1e9 | round / 1e9')
        echo "$result" | jq -r --arg scheme $scheme --arg error "$error" \
            '"| \($scheme) | \(.steps) | " +
            "\(.operations) | \(.fetches) | \($error) | \(.seconds * 1e4 | round / 10) ms | " +
            .device + if .software then " (SOFTWARE: times say nothing of a GPU)" else "" end +
            " |"'
        rm -f "$out/$scheme.npy" "$out/$scheme.npy.json"
    done
} >"$table"
rm -f "$out/reference.npy" "$out/reference.npy.json"
echo
cat "$table"
echo
echo "in $out/: subbands.png, subbands-mixed.png, reconstruction.png, coefficients.npy, schemes.md"
