#!/usr/bin/env bash
# Checks that scripts of scripts/ do not end without a message: runs each of them with commands of
# other packages that fail silently.
#
#   scripts_test.sh SOURCE_DIR
set -eu
source=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/wavepass-scripts-XXXXXX")
trap 'rm -rf "$work"' EXIT
# In a copy, since scripts may write to it. bash calls the function for each command that is not on
# the PATH.
cp -R "$source/scripts" "$work/scripts"
rm -f "$work"/scripts/*.py
command_not_found_handle() { return 9; }
export -f command_not_found_handle
bash=$(command -v bash)
failed=0 count=0
for script in "$work"/scripts/*.sh; do
    code=0
    (cd "$work" && PATH=/nonexistent "$bash" "$script") >"$work/out" 2>"$work/err" </dev/null || code=$?
    count=$((count + 1))
    if [ $code = 0 ] || [ ! -s "$work/err" ]; then
        echo "FAIL: ${script##*/} ends with exit code $code and the message '$(cat "$work/err")'" >&2
        failed=1
    fi
done
[ $count -gt 0 ] || { echo "FAIL: no scripts in $source/scripts" >&2 && exit 1; }
echo "$count scripts"
exit $failed
