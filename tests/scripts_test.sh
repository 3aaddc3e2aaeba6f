#!/usr/bin/env bash
# No script in scripts/ fails without a message: each is run while all commands of other packages
# fail silently.
#
#   scripts_test.sh SOURCE_DIR
set -eu
source=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/wavepass-scripts-XXXXXX")
trap 'rm -rf "$work"' EXIT
# Run in a copy, which scripts may write to. bash calls the function for each command that is not in
# the PATH.
cp -R "$source/scripts" "$work/scripts"
rm -f "$work"/scripts/*.py "$work/scripts/ccache.sh" # sourced by others
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
