#!/usr/bin/env bash
# The SVG of `explain` is XML with a title and a description, for each wavelet. Its reports are XML
# and HTML, and self-contained.
#
#   explain_svg_test.sh WAVEPASS
set -eu
wavepass=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

check() {
    "$wavepass" explain "$@" --format svg -o "$dir/picture.svg" -f
    xmllint --nonet --noout "$dir/picture.svg"
    for element in title desc; do
        if [ -z "$(xmllint --xpath "string(/*/*[local-name()='$element'])" "$dir/picture.svg")" ]; then
            echo "explain $*: no $element" >&2
            exit 1
        fi
    done
    # It has a size, and all marks and letters are inside.
    local wide='number(/*/@width)' high='number(/*/@height)'
    if [ "$(xmllint --xpath "$wide > 0 and $high > 0 and not(//*[@cx < 0 or @cx > $wide or
            @cy < 0 or @cy > $high or @y < 0 or @y > $high])" "$dir/picture.svg")" != true ]; then
        echo "explain $*: an element is outside of the picture" >&2
        exit 1
    fi
    if grep -q '<script\|<image\|@font-face\|href=' "$dir/picture.svg"; then
        echo "explain $*: not self-contained" >&2
        exit 1
    fi
}

for wavelet in haar cdf53 cdf97 dd137 "$(dirname "$0")"/../assets/wavelets/*.wavelet; do
    for scheme in sep-conv sep-poly sep-lift ns-conv ns-poly ns-lift; do
        check "$wavelet" -s "$scheme" --show diagram
        check "$wavelet" -s "$scheme" --show footprint --inverse
    done
    check "$wavelet" --show filters
done

for wavelet in haar cdf53; do
    for scheme in sep-conv sep-lift pl-conv pl-lift ns-conv ns-lift; do
        check "$wavelet" -s "$scheme" --volume --show diagram
        check "$wavelet" -s "$scheme" --volume --show footprint --inverse
    done
done

check_page() {
    "$wavepass" explain "$@" --show report -o "$dir/page.html" -f
    xmllint --nonet --noout "$dir/page.html"
    # The HTML 4 parser does not support figure and svg, but reports errors of the syntax.
    if xmllint --nonet --noout --html "$dir/page.html" 2>&1 |
        grep 'error' | grep -v 'Tag .* invalid$'; then
        echo "explain $* --show report: not HTML" >&2
        exit 1
    fi
}

for worksheet in '' --worksheet; do
    for wavelet in haar cdf97 db2; do
        check_page "$wavelet" $worksheet --input pattern:edges:16x12 --pixel 5,4
    done
    check_page cdf53 $worksheet --input pattern:shepp-logan:16x12x10 --pixel 5,4,3
done
