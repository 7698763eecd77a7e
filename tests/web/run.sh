#!/bin/bash
# run.sh TEST PROGRAM SOURCE: run tests/web/TEST.mjs, or skip its tests, counted, when Node, its packages (npm ci in web/) or
# chromium are not here.
test=$1 program=$2 source=$3
file=$source/tests/web/$test.mjs

skip() {
  local n
  n=$(grep -cE "^ *test\(" "$file")
  echo "[==========] Running $n test(s)."
  echo "$n SKIPPED TEST(S): $1"
  exit 0
}

command -v node >/dev/null || skip 'node is not here'
if [ "$test" != server ]; then
  [ -d "$source/web/node_modules/playwright-core" ] || skip 'playwright-core is not here: tools/setup web'
  for name in chromium chromium-browser google-chrome; do
    CHROMIUM=$(command -v $name) && break
  done
  [ -n "$CHROMIUM" ] || skip 'chromium is not here: tools/setup web'
  export CHROMIUM
fi
exec node "$file" "$(realpath "$program")" "$(realpath "$source")"
